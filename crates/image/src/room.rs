//! Limits how much text an image may unpack to: loading it must fit into what is left of `--max-memory`.
//!
//! A few bytes can unpack to gigabytes, by compression or because entries share the same bytes. Loading charges the budget
//! with every byte of PTX; this check refuses such an image before its text exists.

use std::cell::Cell;

use ptxvm_vm::{Budget, LOAD_WEIGHT};

use super::Refusal;

/// What is left for the texts of one image.
pub struct Room {
    /// Bytes of memory.
    memory: u64,
    /// Bytes of text.
    texts: Cell<u64>,
}

impl Room {
    /// The room that a budget has now.
    #[must_use]
    pub fn of(budget: &Budget) -> Room {
        let memory = budget.left();
        Room { memory, texts: Cell::new(memory / LOAD_WEIGHT) }
    }

    /// The bytes of text that there is room for.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.texts.get()
    }

    /// Whether there is room for so much text.
    ///
    /// # Errors
    /// There is not.
    pub fn has(&self, bytes: u64) -> Result<(), Refusal> {
        if bytes <= self.left() { Ok(()) } else { Err(Refusal::Room(bytes)) }
    }

    /// Whether there is so much memory for work on a text.
    ///
    /// # Errors
    /// There is not.
    pub fn has_besides(&self, bytes: u64) -> Result<(), Refusal> {
        if bytes <= self.memory { Ok(()) } else { Err(Refusal::Room(bytes)) }
    }

    /// Takes the room of a text.
    ///
    /// # Errors
    /// There is not so much left.
    pub fn take(&self, bytes: u64) -> Result<(), Refusal> {
        self.has(bytes)?;
        self.texts.set(self.left() - bytes);
        Ok(())
    }
}
