//! The operands of a matrix product on their way from registers and memory to the multipliers: buffers that are used
//! again, because a kernel executes millions of products.

use ptxvm_num::matrix::{Element, Left, Right};

use super::descriptor::Major;

/// The buffers of one host thread.
#[derive(Debug, Default)]
pub struct Operands {
    /// A, as it is stored.
    pub a: Vec<u8>,
    /// B, as it is stored.
    pub b: Vec<u8>,
    /// Room for the next B.
    pub next_b: Vec<u8>,
    /// A, decoded.
    pub left: Left,
    /// B, decoded.
    pub right: Right,
    /// What `right` was made of if it is kept: of `b`, format, columns, which index runs through neighbours, negated.
    pub right_is: Option<(Element, usize, Major, bool)>,
    /// C and then D, row after row.
    pub d: Vec<u32>,
}

impl Operands {
    /// Makes room for an A of so many rows and stored factors, and a B of so many rows and columns.
    pub fn resize(&mut self, rows: usize, stored: usize, depth: usize, columns: usize) {
        let room = |significands: &mut Vec<f32>, exponents: &mut Vec<i16>, count: usize| {
            significands.resize(count, 0.0);
            exponents.resize(count, 0);
        };
        (self.left.depth, self.left.belongs, self.right.columns) = (stored, None, columns);
        room(&mut self.left.significands, &mut self.left.exponents, rows * stored);
        room(&mut self.right.significands, &mut self.right.exponents, depth * columns);
    }
}
