//! The operands of a matrix product on their way from registers and memory to the multipliers: buffers that are used
//! again, because a kernel executes millions of products.

use ptxvm_num::matrix::fragment::{Block, FragmentA, FragmentB, IntegerFragments, InterleavedFragments};
use ptxvm_num::matrix::{Element, Left, Packed, Precision, Right};

use super::descriptor::Major;
use super::kept_b::KeptB;
use crate::registers::LANES;

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
    /// The fragments of a dense product.
    pub fragments: Fragments,
    /// The fragments of a dense product of integers.
    pub integers: IntegerFragments,
    /// Their B, as it is stored.
    pub quads: Vec<[u32; 4]>,
    /// Matrices B of products of floating point numbers.
    pub kept_b: KeptB,
    /// C and then D of such products.
    pub blocks: Vec<Block>,
}

/// The fragments of a dense product, decoded.
#[derive(Debug, Default)]
pub struct Fragments {
    /// A.
    pub a: FragmentA,
    /// B.
    pub b: FragmentB,
    /// What `a` was decoded from, if that is known.
    a_is: Option<(Packed, Precision, [[u32; LANES]; REGISTERS_OF_A])>,
    /// Both of 8-bit formats that become f16.
    pub interleaved: InterleavedFragments,
    /// What its A was decoded from: so many of these registers.
    interleaved_is: Option<(Packed, usize, [[u32; LANES]; REGISTERS_OF_A])>,
}

/// The most registers that A has in an `mma`.
pub const REGISTERS_OF_A: usize = 4;

impl Fragments {
    /// Decodes the A of an `mma`: so many of these registers, of which the others are zero. Compilers multiply the same A
    /// with one B after the other, so that it is often there already.
    pub fn decode_a(
        &mut self,
        packed: Packed,
        precision: Precision,
        registers: &[[u32; LANES]; REGISTERS_OF_A],
        count: usize,
    ) {
        if self.a.depth() == count / 2 * (128 / packed.bits)
            && let Some((of, with, before)) = &self.a_is
            && (*of, *with) == (packed, precision)
            && before == registers
        {
            return;
        }
        self.a.decode(packed, precision, false, 2, &registers[..count]);
        self.a_is = Some((packed, precision, *registers));
    }

    /// The same of 8-bit formats that become f16.
    pub fn decode_interleaved_a(
        &mut self,
        packed: Packed,
        registers: &[[u32; LANES]; REGISTERS_OF_A],
        count: usize,
    ) {
        let is = Some((packed, count, *registers));
        if self.interleaved_is != is {
            self.interleaved.decode_a(packed, 2, &registers[..count]);
            self.interleaved_is = is;
        }
    }

    /// A is about to be decoded from something else.
    pub const fn forget_a(&mut self) {
        self.a_is = None;
    }
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
