//! What work takes the host, in about the time of an instruction: what turns and limits go by.

/// As many bytes are copied in about the time of an instruction.
pub const BYTES_OF_AN_INSTRUCTION: u64 = 64;

/// The effort of copying so many bytes.
#[must_use]
pub const fn copying(bytes: u64) -> u64 {
    bytes / BYTES_OF_AN_INSTRUCTION
}

/// The effort of combining so many bytes with what is there, element by element.
#[must_use]
pub const fn reducing(bytes: u64) -> u64 {
    bytes / 4
}
