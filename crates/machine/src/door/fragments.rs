//! Matrices that go between registers and memory, as a follower of values sees them: which byte in memory each byte of a
//! lane's register is.

use crate::code::Source;
use crate::door::observer::Who;
use crate::door::touch::Wants;
use crate::registers::LANES;

/// What an instruction moves between the registers of a warp and rows in memory.
pub struct Fragments<'a> {
    /// Who executes it.
    pub who: Who,
    /// The instruction.
    pub source: Source,
    /// Whether registers take what lies in memory, or give it.
    pub wants: Wants,
    /// Where the rows begin, if they lie in tensor memory. Rows in other memory have been told as the access of so many lanes.
    pub rows: Option<&'a [u64; LANES]>,
    /// The first register among the slots, and how many there are.
    pub registers: (usize, usize),
    /// The bytes of a register.
    pub width: usize,
    /// By lane, register and byte of it: the row, and which byte of that.
    pub place: &'a dyn Fn(usize, usize, usize) -> (usize, usize),
}
