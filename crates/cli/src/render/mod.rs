//! Showing diagnostics: to people, as JSON lines, as SARIF, as GitHub annotations.

mod github;
mod human;
mod json;
mod sarif;

use std::borrow::Cow;
use std::io::{self, Write};

use ptxvm_isa::ISA;
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::{Diagnostic, Interner, Label, LineColumn, LineIndex, Severity};

use crate::check::{Color, Format};

/// A file and everything that was found in it.
pub struct Report<'a> {
    /// Its name for messages.
    pub name: &'a str,
    /// Its text, as far as it is text.
    pub source: Cow<'a, str>,
    /// What was found, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// What a right file holds, in a few words.
    pub summary: String,
    lines: LineIndex,
}

impl<'a> Report<'a> {
    /// Checks a file's bytes.
    pub fn of(name: &'a str, bytes: &'a [u8], options: &ptxvm_module::Options) -> Report<'a> {
        let source = match ptxvm_syntax::decode(bytes) {
            Ok(source) => source,
            Err(error) => return Report::undecodable(name, bytes, *error),
        };
        let parsed = ptxvm_syntax::parse(source, &Interner::with_words(ISA.words));
        let mut diagnostics = parsed.diagnostics;
        let checked = ptxvm_module::check(&parsed.file, source, &ISA, options);
        diagnostics.extend(checked.diagnostics);
        diagnostics.sort_by_key(|d| d.primary.span.start);
        let mut report = Report::with(name, source.into(), diagnostics);
        let language = checked.module.language;
        let (functions, instructions) = (parsed.file.functions.len(), parsed.file.instructions.len());
        report.summary = format!(
            "PTX {} for {}, {functions} function{}, {instructions} instruction{}",
            language.ptx,
            language.target,
            if functions == 1 { "" } else { "s" },
            if instructions == 1 { "" } else { "s" },
        );
        report
    }

    /// A report of bytes that are no text; up to the place of the error they are, so the place can be shown.
    pub fn undecodable(name: &'a str, bytes: &'a [u8], error: Diagnostic) -> Report<'a> {
        Report::with(name, String::from_utf8_lossy(bytes), vec![error])
    }

    /// A report of what has been found already.
    pub fn with(name: &'a str, source: Cow<'a, str>, diagnostics: Vec<Diagnostic>) -> Report<'a> {
        let lines = LineIndex::new(&source);
        let mut report = Report { name, source, diagnostics: Vec::new(), summary: String::new(), lines };
        report.diagnose(diagnostics);
        report
    }

    /// Puts what has been found into the report.
    pub fn diagnose(&mut self, mut diagnostics: Vec<Diagnostic>) {
        for d in &mut diagnostics {
            clip(&mut d.message);
            d.help.iter_mut().for_each(clip);
        }
        self.diagnostics = diagnostics;
    }

    /// Whether the file may be used: it has warnings at most.
    pub fn ok(&self) -> bool {
        self.diagnostics.iter().all(|d| d.severity != Severity::Error)
    }

    /// How many errors and how many warnings there are.
    pub fn counts(&self) -> (usize, usize) {
        let errors = self.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        (errors, self.diagnostics.len() - errors)
    }

    /// Where a span begins and ends.
    pub fn place(&self, span: Span) -> (LineColumn, LineColumn) {
        let point = |offset| self.lines.line_column(&self.source, offset);
        (point(span.start), point(span.end))
    }
}

/// What is to be said of a run: a sentence, the places it concerns (the first is where it happened), and notes.
pub struct Message {
    pub text: String,
    pub id: Option<&'static str>,
    pub places: Vec<Label>,
    pub notes: Vec<String>,
}

impl Message {
    pub fn new(text: impl Into<String>) -> Message {
        Message { text: text.into(), id: None, places: Vec::new(), notes: Vec::new() }
    }

    /// The word in brackets behind `error`.
    pub fn id(mut self, id: &'static str) -> Message {
        self.id = Some(id);
        self
    }

    /// Writes it to standard error for people.
    pub fn show(mut self, report: &Report<'_>, color: Color) -> io::Result<()> {
        clip(&mut self.text);
        self.notes.iter_mut().for_each(clip);
        human::message(report, &self, color)
    }
}

/// The longest message shown; a guest's name of ten megabytes does not help anyone.
const LONGEST: usize = 600;

/// Cuts the middle out of a text that is too long to read.
fn clip(text: &mut String) {
    if text.len() <= LONGEST {
        return;
    }
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    let (start, end) = (boundary(LONGEST / 2), boundary(text.len() - LONGEST / 4));
    text.replace_range(start..end, " … ");
}

/// Writes reports in one format.
pub struct Printer {
    format: Format,
    color: Color,
    limit: usize,
    sarif: sarif::Log,
}

impl Printer {
    pub fn new(format: Format, color: Color, limit: usize) -> Printer {
        Printer { format, color, limit, sarif: sarif::Log::default() }
    }

    /// Shows what was found in a file.
    pub fn file(&mut self, report: &Report<'_>) -> io::Result<()> {
        match self.format {
            Format::Human => human::write(report, self.limit, self.color),
            Format::Json => buffered(|out| json::write(report, self.limit, out)),
            Format::Github => buffered(|out| github::write(report, self.limit, out)),
            Format::Sarif => {
                self.sarif.add(report, self.limit);
                Ok(())
            }
        }
    }

    /// Notes a file that could not be read, where the format has a place for it.
    pub fn unreadable(&mut self, path: &str, message: &str) -> io::Result<()> {
        match self.format {
            Format::Json => buffered(|out| json::unreadable(path, message, out)),
            _ => Ok(()),
        }
    }

    /// Writes what can only be written at the end.
    pub fn finish(self) -> io::Result<()> {
        match self.format {
            Format::Sarif => buffered(|out| self.sarif.write(out)),
            _ => Ok(()),
        }
    }
}

fn buffered(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    out.flush()
}

/// The word for a severity in every format.
pub fn severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
