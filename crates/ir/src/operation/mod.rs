//! What an instruction means, as data: decoded once from its row of the table, its modifiers and its operands.
//!
//! After decoding nobody compares the spelling of an opcode or of a modifier. Each family has a file that reads the
//! words of its rows and says what they are in types; the manual's section of a row decides the family, so that no
//! instruction has two decodings.

pub mod compute;
mod form;

pub use compute::Compute;
pub use form::{Form, reads_carry, writes_carry};

/// An instruction's meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// A function of registers alone.
    Compute(Compute),
}

/// The meaning of an instruction; `None` if it has none that is known.
#[must_use]
pub fn decode(form: &Form<'_>) -> Option<Operation> {
    let mut section = form.section().split('.').skip(2).map(|part| part.parse().unwrap_or(0));
    let (chapter, part) = (section.next().unwrap_or(0), section.next().unwrap_or(0));
    compute::decode(form, chapter, part).map(Operation::Compute)
}
