//! What an instruction means, as data: decoded once from its row of the table, its modifiers and its operands.
//!
//! After decoding nobody compares the spelling of an opcode or of a modifier. Each family has a file that reads the
//! words of its rows and says what they are in types; the manual's section of a row decides the family, so that no
//! instruction has two decodings.

pub mod access;
mod address;
pub mod compute;
mod form;
mod order;

pub use access::Access;
pub use address::{Address, AddressSpace, space_of};
pub use compute::Compute;
pub use form::Form;
pub use order::{Order, Scope};

/// An instruction's meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// A function of registers alone.
    Compute(Compute),
    /// Loads, stores and atomics.
    Access(Access),
}

impl Operation {
    /// Whether the carry flag is read, as the last source.
    #[must_use]
    pub fn reads_carry(&self) -> bool {
        matches!(self, Self::Compute(Compute::Extended(extended)) if extended.reads_carry())
    }

    /// Whether the carry flag is written, as the last destination.
    #[must_use]
    pub fn writes_carry(&self) -> bool {
        matches!(self, Self::Compute(Compute::Extended(extended)) if extended.writes_carry)
    }
}

/// The meaning of an instruction; `None` if it has none that is known.
#[must_use]
pub fn decode(form: &Form<'_>) -> Option<Operation> {
    let mut section = form.section().split('.').skip(2).map(|part| part.parse().unwrap_or(0));
    let (chapter, part) = (section.next().unwrap_or(0), section.next().unwrap_or(0));
    match (chapter, part) {
        (9, 8..=10) => access::load(form).map(Operation::Access),
        (9, 11) => access::store(form).map(Operation::Access),
        (9, 14) => access::multimem(form).map(Operation::Access),
        (13, 5 | 6) => access::atomic(form).map(Operation::Access),
        _ => compute::decode(form, chapter, part).map(Operation::Compute),
    }
}
