//! Shows diagnostics to people in rustc's style: the line, the wrong text underlined, what would be right, and the manual's
//! section.
//!
//! The renderer gets only the lines that matter, and only a part of a very long line. So a file with a million errors or a
//! line of ten megabytes is shown as quickly as any other.

use std::borrow::Cow;
use std::io::{self, Write};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::{Diagnostic, Label, Severity};

use crate::message::Weight;
use crate::number::plural;
use crate::{Message, Report};

/// The most of a line that is shown on either side of what is underlined, in bytes.
const WINDOW: usize = 120;

/// Writes the diagnostics and a closing line.
pub fn write(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    // The stream strips the colours where they are not wanted.
    let renderer = Renderer::styled().decor_style(DecorStyle::Ascii);
    for d in report.diagnostics.iter().take(limit) {
        writeln!(out, "{}\n", one(report, d, &renderer))?;
    }
    let (errors, warnings) = report.counts();
    if let Some(hidden) = report.diagnostics.len().checked_sub(limit).filter(|&n| n > 0) {
        writeln!(out, "… and {hidden} more (--print-limit 0 shows all)\n")?;
    }
    if errors > 0 {
        let also = if warnings > 0 { format!(", {}", plural(warnings, "warning")) } else { String::new() };
        writeln!(out, "{}: {}{also}", report.name, plural(errors, "error"))?;
    }
    Ok(())
}

/// Writes a message that is no diagnostic of the check: what happened in a run.
pub fn message(report: &Report<'_>, message: &Message, out: &mut dyn Write) -> io::Result<()> {
    let level = match message.weight {
        Weight::Error => Level::ERROR,
        Weight::Warning => Level::WARNING,
        Weight::Note => Level::NOTE,
    };
    let mut title = level.primary_title(message.text.as_str());
    if let Some(id) = message.id {
        title = title.id(id);
    }
    let places = message.places.iter().enumerate();
    let mut group = title.elements(places.map(|(i, label)| snippet(report, label, i == 0)));
    for note in &message.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let renderer = Renderer::styled().decor_style(DecorStyle::Ascii);
    writeln!(out, "{}", renderer.render(&[group]))
}

fn one(report: &Report<'_>, d: &Diagnostic, renderer: &Renderer) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group =
        level.primary_title(d.message.as_str()).id(d.code.0).element(snippet(report, &d.primary, true));
    for label in &d.secondary {
        group = group.element(snippet(report, label, false));
    }
    if let Some(help) = &d.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    if let Some(section) = d.section {
        group = group.element(Level::NOTE.message(format!("PTX ISA {section}; `ptxvm explain {}`", d.code)));
    }
    renderer.render(&[group])
}

fn snippet<'r>(
    report: &'r Report<'_>,
    label: &'r Label,
    primary: bool,
) -> Snippet<'r, annotate_snippets::Annotation<'r>> {
    let Window { text, line, span } = window(report, label.span);
    let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let mut annotation = kind.span(span);
    if !label.text.is_empty() {
        annotation = annotation.label(label.text.as_str());
    }
    Snippet::source(without_controls(text)).path(report.name).line_start(line).annotation(annotation)
}

/// The renderer shows control characters as pictures, but not those beyond ASCII, of which one begins a sequence as ESC
/// does. A dot of the same length stands for them, so that what is underlined stays where it is.
fn without_controls(text: &str) -> Cow<'_, str> {
    let control = |c: char| matches!(c, '\u{80}'..='\u{9f}');
    if text.contains(control) { text.replace(control, "\u{b7}").into() } else { text.into() }
}

struct Window<'r> {
    text: &'r str,
    line: usize,
    span: std::ops::Range<usize>,
}

/// The line a span begins on, cut to a window around it.
fn window<'r>(report: &'r Report<'_>, span: Span) -> Window<'r> {
    let source: &str = &report.source;
    let start = floor(source, (span.start as usize).min(source.len()));
    let line_start = source[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = source[start..].find('\n').map_or(source.len(), |i| start + i);
    let from = if start - line_start > 2 * WINDOW { floor(source, start - WINDOW) } else { line_start };
    let end = (span.end as usize).clamp(start, line_end);
    let until = line_end.min(floor(source, (end.min(start + WINDOW) + WINDOW).min(source.len())));
    let end = floor(source, end.min(until));
    let line = report.place(span).0.line as usize;
    Window { text: &source[from..until.max(start)], line, span: start - from..end.max(start) - from }
}

/// The nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    (0..=offset).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}
