//! What an instruction wants of memory.

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// It reads.
    Read,
    /// It writes, or reads and writes.
    Write,
}

/// The same in words.
pub(crate) fn verb(wants: Wants) -> &'static str {
    match wants {
        Wants::Read => "a read",
        Wants::Write => "a write",
    }
}
