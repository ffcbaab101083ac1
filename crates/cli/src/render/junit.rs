//! JUnit's XML, which CI services show as a list of tests: what is wrong is a test that fails, and what has nothing wrong is
//! one that passes.

use std::io::{self, Write};

use ptxvm_report::Report;
use ptxvm_report::diagnostic::severity;
use serde_json::Value;

use super::finding;

/// What was looked at, and the tests of it so far.
#[derive(Debug)]
pub struct Log {
    /// The file or the command, which is the test if nothing is found.
    subject: String,
    cases: Vec<Case>,
}

#[derive(Debug)]
struct Case {
    /// What it belongs to: a file.
    class: String,
    name: String,
    failure: Option<Failure>,
}

#[derive(Debug)]
struct Failure {
    code: String,
    message: String,
    text: String,
}

impl Log {
    /// A log of one thing that is looked at, or of several that `subject` names together.
    pub fn new(subject: impl Into<String>) -> Log {
        Log { subject: subject.into(), cases: Vec::new() }
    }

    /// Takes a file's diagnostics. Warnings fail nothing, and are left out.
    pub fn add(&mut self, report: &Report<'_>, limit: usize) {
        let errors = report.diagnostics.iter().filter(|d| severity(d) == "error");
        for d in errors.take(limit) {
            let start = report.place(d.primary.span).0;
            let text = d.help.as_ref().map_or_else(String::new, |help| format!("help: {help}\n"));
            self.fail(report.name, u64::from(start.line), d.code.0, &d.message, text);
        }
        if report.ok() {
            self.cases.push(Case { class: "ptxvm".into(), name: report.name.to_owned(), failure: None });
        }
    }

    /// Takes a finding's object; one that is suppressed, or a warning, fails nothing.
    pub fn finding(&mut self, object: &Value, compiled: bool) {
        if finding::reason(object).is_some() || !matches!(object["severity"].as_str(), None | Some("error")) {
            return;
        }
        let mut text = String::new();
        for (other, what) in finding::related(object, compiled) {
            text += &format!("{}:{}: {what}\n", other.file, other.line);
        }
        for note in finding::notes(object) {
            text += &format!("note: {note}\n");
        }
        let place = finding::place(object, compiled);
        let (file, line) = place.map_or((self.subject.clone(), 0), |place| (place.file, place.line));
        self.fail(&file, line, finding::code(object), finding::message(object), text);
    }

    fn fail(&mut self, file: &str, line: u64, code: &str, message: &str, text: String) {
        let place = if line == 0 { String::new() } else { format!(" at line {line}") };
        let failure = Failure { code: code.to_owned(), message: message.to_owned(), text };
        let name = format!("{code}{place}: {message}");
        self.cases.push(Case { class: file.to_owned(), name, failure: Some(failure) });
    }

    /// Writes the log.
    pub fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.cases.is_empty() {
            let name = self.subject.clone();
            self.cases.push(Case { class: "ptxvm".into(), name, failure: None });
        }
        let failed = self.cases.iter().filter(|case| case.failure.is_some()).count();
        let counts = format!("tests=\"{}\" failures=\"{failed}\" errors=\"0\"", self.cases.len());
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites {counts}>")?;
        writeln!(out, "  <testsuite name=\"{}\" {counts}>", escaped(&self.subject))?;
        for Case { class, name, failure } in &self.cases {
            let head = format!("    <testcase classname=\"{}\" name=\"{}\"", escaped(class), escaped(name));
            match failure {
                None => writeln!(out, "{head}/>")?,
                Some(Failure { code, message, text }) => {
                    let (code, message) = (escaped(code), escaped(message));
                    writeln!(out, "{head}>")?;
                    write!(out, "      <failure type=\"{code}\" message=\"{message}\">")?;
                    writeln!(out, "{}</failure>", escaped(text))?;
                    writeln!(out, "    </testcase>")?;
                }
            }
        }
        writeln!(out, "  </testsuite>\n</testsuites>")
    }
}

/// Text as XML has it, in an attribute too. Control characters have no form there at all.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push('\t'),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
