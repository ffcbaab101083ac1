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
    /// How grave it is.
    pub weight: Weight,
    /// Where; the first is where it happened.
    pub places: Vec<Label>,
    /// Further sentences.
    pub notes: Vec<String>,
}

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// What is wrong.
    Error,
    /// What may be wrong.
    Warning,
    /// What a right program may do too.
    Note,
}

impl Message {
    /// One that says only this.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Message {
        Message { text: text.into(), id: None, weight: Weight::Error, places: Vec::new(), notes: Vec::new() }
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
        self.weight = Weight::Warning;
        self
    }

    /// The same as a note.
    #[must_use]
    pub fn note(mut self) -> Message {
        self.weight = Weight::Note;
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
