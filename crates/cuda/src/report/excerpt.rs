//! Finds the text that a finding is in: for a linked module one of its parts, with places relative to its beginning.

use ptxvm_report::Report;
use ptxvm_syntax::ast::Span;
use ptxvm_vm::{Finding, Module, Related, Unsupported};

/// A text of a module.
pub struct Excerpt<'a> {
    /// What it is called in messages.
    name: &'a str,
    source: &'a str,
    start: u32,
}

impl<'a> Excerpt<'a> {
    /// The text in which a span of the module begins.
    pub fn of(module: &'a Module, span: Span) -> Excerpt<'a> {
        let (texts, source) = (module.texts(), module.source());
        let next = texts.partition_point(|text| text.start <= span.start);
        let Some(text) = next.checked_sub(1).and_then(|at| texts.get(at)) else {
            return Excerpt { name: "PTX", source, start: 0 };
        };
        let end = texts.get(next).map_or(source.len(), |following| following.start as usize);
        let name = if text.name.is_empty() { "PTX" } else { text.name.as_str() };
        Excerpt { name, source: source.get(text.start as usize..end).unwrap_or(""), start: text.start }
    }

    /// A report to show messages with.
    pub fn report(&self) -> Report<'a> {
        Report::with(self.name, self.source.into(), Vec::new())
    }

    /// A finding with its places in this text; calls from other texts keep their names only.
    pub fn finding(&self, finding: &Finding) -> Finding {
        let mut finding = finding.clone();
        if let Some(place) = &mut finding.place {
            place.span = self.inside(place.span).unwrap_or_default();
            place.calls = place
                .calls
                .iter()
                .filter_map(|(function, span)| Some((function.clone(), self.inside(*span)?)))
                .collect();
        }
        finding.related = finding
            .related
            .into_iter()
            .filter_map(|other| Some(Related { span: self.inside(other.span)?, ..other }))
            .collect();
        finding
    }

    /// Something unsupported with its place in this text.
    pub fn unsupported(&self, what: &Unsupported) -> Unsupported {
        Unsupported { what: what.what.clone(), span: self.inside(what.span).unwrap_or_default() }
    }

    /// Whether another has the same text.
    pub fn has_the_text_of(&self, other: &Excerpt<'_>) -> bool {
        self.source == other.source
    }

    /// Where a span of this text begins: what the text is called, the line's number, and what stands there.
    pub fn line(&self, span: Span) -> (String, u32, String) {
        let number = self.report().place(span).0.line;
        let text = self.source.lines().nth(number as usize - 1).unwrap_or_default();
        (self.name.to_owned(), number, text.trim().to_owned())
    }

    /// A span of the module as one of this text, if it lies in it.
    pub fn inside(&self, span: Span) -> Option<Span> {
        let at = |offset: u32| offset.checked_sub(self.start).filter(|&at| at as usize <= self.source.len());
        Some(Span::new(at(span.start)?, at(span.end)?))
    }
}
