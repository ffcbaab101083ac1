//! What memory a context holds, to be freed with it.

use crate::context::Context;

/// The memory of a context.
#[derive(Default)]
pub struct Holdings {}

impl Holdings {
    /// Frees everything.
    pub fn release(&self, _context: &Context) {}
}
