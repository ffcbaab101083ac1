//! A dense product of one warp, in blocks as the warp's registers hold D.
#![allow(unsafe_code)]

use std::ops::Range;

use ptxvm_num::matrix::fragment::{self, Block, LANES, ORDER_OF_ROWS};
use ptxvm_num::matrix::integer::IntegerElement;
use ptxvm_num::matrix::{Accumulator, Element, Family, Packed, Precision, Scheme, amx};

use super::product::{A, PendingProduct, ProductTypes};
use crate::matrix::blocks;
use crate::matrix::descriptor::Major;
use crate::matrix::kept_b::{Elements, KeptB, Kind, MatrixB};
use crate::matrix::operands::Operands;
use crate::matrix::units::Units;
use crate::ops::wgmma::resident::{ResidentD, Values};
use crate::registers::{Bank, Slot};
use crate::vector::value::Value;

/// Units in their own order.
const IN_ORDER: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Registers of A, and the blocks of rows that they are of.
const REGISTERS: usize = 4;
const BLOCKS: usize = 2;

/// What a product in blocks needs to know of its types.
pub struct DenseTypes {
    a: Element,
    b: Element,
    d: Accumulator,
    negate_a: bool,
    negate_b: bool,
    scheme: Scheme,
}

impl DenseTypes {
    const fn elements_of_b(&self) -> Elements {
        Elements::Float { packed: Packed::tight(self.b), negate: self.negate_b }
    }
}

/// A product in tiles: what A, B and D are made of.
struct InTiles {
    a: Elements,
    b: Elements,
    values: Values,
}

impl PendingProduct {
    /// The types of a product that can be computed in blocks.
    pub fn dense(&self) -> Option<DenseTypes> {
        let ProductTypes::Float { a, b, d, negate_a, negate_b } = self.product.factors else { return None };
        if self.product.sparse.is_some() {
            return None;
        }
        let scheme = self.cores.in_blocks(Family::Wgmma, Packed::tight(a), d, self.product.depth)?;
        Some(DenseTypes { a, b, d, negate_a, negate_b, scheme })
    }

    /// Reads A, B and C, and writes D.
    pub fn complete_in_blocks(&self, types: &DenseTypes, bank: &mut Bank<'_>, operands: &mut Operands) {
        let precision = self.cores.precision;
        let mut registers = [[0; LANES]; REGISTERS];
        self.registers_of_a(bank, &mut registers);
        let fragments = &mut operands.fragments;
        fragments.forget_a();
        fragments.a.decode(Packed::tight(types.a), precision, types.negate_a, BLOCKS, &registers);

        let b = self.matrix_b(types.elements_of_b(), &mut operands.kept_b).fragment();
        let slots = &self.slots[..self.product.registers];
        self.accumulate(types.d, bank, slots, &mut operands.blocks, |d| {
            fragment::multiply(&types.scheme, precision, &fragments.a, b, d);
        });
    }

    /// What the host's matrix unit would multiply, if it has one: fast products, and those of bytes, which are exact unless
    /// each sum is clamped.
    fn in_tiles(&self, types: Option<&DenseTypes>) -> Option<InTiles> {
        let depth = self.product.depth;
        let found = match (types, self.product.factors) {
            (Some(types), _) if self.cores.precision == Precision::Fast => {
                let (packed, negate) = (Packed::tight(types.a), types.negate_a);
                let a = Elements::Float { packed, negate };
                amx::fits(packed, depth).then(|| InTiles {
                    a,
                    b: types.elements_of_b(),
                    values: Values::Float(types.d),
                })
            }
            (_, ProductTypes::Integer { a, b, satfinite: false }) if self.product.sparse.is_none() => {
                let elements = Elements::Bytes([a, b]);
                let product = InTiles { a: elements, b: elements, values: Values::Integer };
                amx::fits_bytes([a, b], depth).then_some(product)
            }
            _ => None,
        };
        found.filter(|_| amx::is_there())
    }

    /// The same by the host's matrix unit, which has D in tiles. Gives whether it has been done: not all suits the unit.
    pub fn complete_in_tiles(
        &self,
        types: Option<&DenseTypes>,
        operands: &mut Operands,
        resident: &mut ResidentD,
    ) -> bool {
        let Some(product) = self.in_tiles(types) else { return false };
        if let A::Registers { slot } = self.a
            && resident.has_any(&self.bank, &self.slots[slot..slot + REGISTERS])
        {
            // SAFETY: as for the bank of `complete`.
            unsafe { resident.put_back() };
        }
        // SAFETY: as for the bank of `complete`.
        let bank = unsafe { self.bank.bank() };
        let mut registers = [[0; LANES]; REGISTERS];
        self.registers_of_a(&bank, &mut registers);
        let a = resident.next_a();
        match product.a {
            Elements::Float { packed, negate } => a.decode(packed, negate, &registers),
            Elements::Bytes(elements) => a.copy_bytes(elements, &registers),
        }
        let b = self.matrix_b(product.b, &mut operands.kept_b).tiles();
        if !a.suits() || !b.suits() {
            return false;
        }
        let d = (&self.bank, product.values, &self.slots, self.product.registers);
        // SAFETY: as for the bank of `complete`.
        unsafe { resident.add(d, !self.add, b) };
        true
    }

    /// B, as shared memory has it now.
    fn matrix_b<'a>(&self, elements: Elements, kept: &'a mut KeptB) -> &'a mut MatrixB {
        let kind = Kind { elements, blocks: self.product.columns / 8, units: self.b };
        let order = match self.b.major() {
            Major::K => IN_ORDER,
            Major::Mn => ORDER_OF_ROWS.map(|row| row as u32),
        };
        // SAFETY: no warp of a cluster that has ended runs and could complete a product.
        unsafe { kept.matrix(self.shared, order, kind) }
    }

    /// The same of integers.
    pub fn complete_integers(
        &self,
        (a, b, satfinite): (IntegerElement, IntegerElement, bool),
        bank: &mut Bank<'_>,
        operands: &mut Operands,
    ) {
        let columns = self.product.columns / 8;
        let mut registers = [[0; LANES]; REGISTERS];
        self.registers_of_a(bank, &mut registers);
        operands.integers.decode_a(a, BLOCKS, &registers);
        let quads = &mut operands.quads;
        quads.resize((self.b.along() * self.b.across()) as usize, [0; 4]);
        self.gather_quads(&self.b, 0..self.b.along(), 0..self.b.across(), IN_ORDER, quads);
        operands.integers.decode_b(b, columns, quads.as_flattened().as_chunks().0);
        let slots = &self.slots[..self.product.registers];
        self.accumulate(Accumulator::F32, bank, slots, &mut operands.blocks, |d| {
            operands.integers.multiply(satfinite, d);
        });
    }

    /// Has D's blocks changed, where they lie if that is possible.
    fn accumulate(
        &self,
        accumulator: Accumulator,
        bank: &mut Bank<'_>,
        slots: &[Slot],
        copy: &mut Vec<Block>,
        multiply: impl FnOnce(&mut [Block]),
    ) {
        let multiply = |d: &mut [Block]| {
            if !self.add {
                d.fill([0; _]);
            }
            multiply(d);
        };
        if let Some(d) = blocks::in_place(bank, accumulator, slots) {
            return multiply(d);
        }
        copy.resize(BLOCKS * self.product.columns / 8, [0; _]);
        blocks::read(bank, accumulator, slots, copy);
        multiply(copy);
        blocks::write(bank, accumulator, slots, copy);
    }

    /// This warp's rows of A as registers hold them; they must be zero before.
    fn registers_of_a(&self, bank: &Bank<'_>, registers: &mut [[u32; LANES]; REGISTERS]) {
        match self.a {
            A::Registers { slot } => {
                for (register, slot) in registers.iter_mut().zip(&self.slots[slot..slot + REGISTERS]) {
                    *register = u32::read(bank, *slot);
                }
            }
            A::Shared(units) if units.major() == Major::K => {
                let (along, across) = self.rows_of_a(&units);
                let quads = registers.as_flattened_mut().as_chunks_mut().0;
                self.gather_quads(&units, along, across, IN_ORDER, quads);
            }
            A::Shared(units) => {
                // Eight rows of one k after the other, elements of sixteen bits.
                let (along, across) = self.rows_of_a(&units);
                let mut quads = [[0; 4]; BLOCKS * 16];
                self.gather_quads(&units, along, across, IN_ORDER, &mut quads);
                for (index, quad) in quads.iter().enumerate() {
                    let (block, k) = (index / 16, index % 16);
                    let register = &mut registers[block + BLOCKS * (k / 8)];
                    for row in 0..8 {
                        let element = quad[row / 2] >> (16 * (row % 2)) & 0xffff;
                        register[4 * row + k % 8 / 2] |= element << (16 * (k % 2));
                    }
                }
            }
        }
    }

    fn gather_quads(
        &self,
        units: &Units,
        along: Range<u32>,
        across: Range<u32>,
        order: [u32; 8],
        to: &mut [[u32; 4]],
    ) {
        // SAFETY: no warp of a cluster that has ended runs and could complete a product.
        unsafe { units.gather_quads(self.shared, along, across, order, to) };
    }
}
