//! A report: a file and its diagnostics, with their lines and columns.

use std::borrow::Cow;
use std::io::{self, Write};

use ptxvm_isa::ISA;
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::{Diagnostic, Interner, LineColumn, LineIndex, Severity};

use crate::{clip, human};

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
    #[must_use]
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

    /// Writes the diagnostics for people, `limit` at most, and a closing line.
    ///
    /// # Errors
    /// The stream does not take it.
    pub fn write(&self, limit: usize, out: &mut dyn Write) -> io::Result<()> {
        human::write(self, limit, out)
    }
}
