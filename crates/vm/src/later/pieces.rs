//! Pieces of a text, put together to be parsed as one, and where each comes from: whatever is said of a place among the
//! pieces is said of the place in the text itself.

use ptxvm_ir::Program;
use ptxvm_machine::Unsupported;
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use crate::failure::LoadError;

/// Pieces of a text.
#[derive(Debug, Default)]
pub struct Pieces {
    text: String,
    /// Where each begins here, and where in the whole text.
    places: Vec<(u32, u32)>,
}

impl Pieces {
    /// Adds a piece. Those that follow each other in the text are to be added in its order.
    pub fn push(&mut self, source: &str, span: Span) {
        self.places.push((self.text.len() as u32, span.start));
        self.text.push_str(span.text(source));
    }

    /// Ends a line, so that what follows is no part of the same word.
    pub fn end_line(&mut self) {
        self.text.push('\n');
    }

    /// The text that they make.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a place among the pieces is in the whole text.
    fn place(&self, at: u32) -> u32 {
        let after = self.places.partition_point(|(start, _)| *start <= at);
        let (start, original) = after.checked_sub(1).map_or((0, 0), |before| self.places[before]);
        original + (at - start)
    }

    fn span(&self, span: Span) -> Span {
        let start = self.place(span.start);
        match span.end.checked_sub(1).filter(|last| *last >= span.start) {
            Some(last) => Span::new(start, self.place(last) + 1),
            None => Span::new(start, start),
        }
    }

    /// Has a program that was made from the pieces speak of places in the whole text.
    pub fn place_program(&self, program: &mut Program) {
        for function in &mut program.functions {
            function.span = self.span(function.span);
            for instruction in &mut function.instructions {
                instruction.span = self.span(instruction.span);
            }
        }
    }

    /// The same for diagnostics.
    pub fn place_diagnostics(&self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            let labels = std::iter::once(&mut diagnostic.primary).chain(&mut diagnostic.secondary);
            labels.for_each(|label| label.span = self.span(label.span));
        }
    }

    /// The same for an error.
    pub fn place_error(&self, error: LoadError) -> LoadError {
        match error {
            LoadError::Invalid(mut diagnostics) => {
                self.place_diagnostics(&mut diagnostics);
                LoadError::Invalid(diagnostics)
            }
            LoadError::Unsupported(all) => {
                let place = |what: Unsupported| Unsupported { span: self.span(what.span), ..what };
                LoadError::Unsupported(all.into_iter().map(place).collect())
            }
            other => other,
        }
    }
}
