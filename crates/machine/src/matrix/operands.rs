//! The operands of a matrix product on their way from registers and memory to the multipliers: buffers that are used
//! again, because a kernel executes millions of products.

use ptxvm_num::matrix::{Left, Right};

/// The buffers of one host thread.
#[derive(Debug, Default)]
pub struct Operands {
    /// A, as it is stored.
    pub a: Vec<u8>,
    /// B, as it is stored.
    pub b: Vec<u8>,
    /// A, decoded.
    pub left: Left,
    /// B, decoded.
    pub right: Right,
    /// C and then D, row after row.
    pub d: Vec<u32>,
}
