//! A message about a run: a sentence, the places in the source that it concerns, and notes.

use std::io::{self, Write};

use ptxvm_syntax::Label;

use crate::{Report, clip, human};

/// What is to be said of a run: a sentence, the places it concerns (the first is where it happened), and notes.
pub struct Message {
    /// The sentence.
    pub text: String,
    /// The word in brackets after `error` or `warning`.
    pub id: Option<&'static str>,
    /// Whether it says what may be wrong, not what is.
    pub warning: bool,
    /// Where; the first is where it happened.
    pub places: Vec<Label>,
    /// Further sentences.
    pub notes: Vec<String>,
}

impl Message {
    /// One that says only this.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Message {
        Message { text: text.into(), id: None, warning: false, places: Vec::new(), notes: Vec::new() }
    }

    /// The word in brackets after `error`.
    #[must_use]
    pub fn id(mut self, id: &'static str) -> Message {
        self.id = Some(id);
        self
    }

    /// The same as a warning.
    #[must_use]
    pub fn warning(mut self) -> Message {
        self.warning = true;
        self
    }

    /// Writes it for people, with the lines of `report` that it concerns.
    ///
    /// # Errors
    /// The stream does not take it.
    pub fn write(mut self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        clip(&mut self.text);
        self.notes.iter_mut().for_each(clip);
        human::message(report, &self, out)
    }
}
