//! `mma` of floating point numbers, dense and sparse, except for f64 and with block scales.

use ptxvm_num::matrix::{Accumulator, Element, Family, Packed};

use super::{Fragments, Shape, Types, columns_of_b, rows_of_a};
use crate::context::Context;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::matrix::sparse::{Sparse, pairs_of_halves};
use crate::matrix::whole_warp;
use crate::registers::{LANES, Slot, Value};

/// The operation of a form of floating point numbers.
pub fn select(form: &Form<'_>, shape: Shape, types: Types) -> Option<Op> {
    let sparse = super::sparse(form, shape, types.a)?;
    let stored = if sparse.is_some() { shape.k / 2 } else { shape.k };
    Some(Box::new(Float {
        a: packed(types.a)?,
        b: packed(types.b)?,
        accumulator: accumulator(types.d)?,
        fragments: Fragments::of(form),
        shape,
        stored,
        sparse,
    }))
}

/// The format of C and D.
pub fn accumulator(name: &str) -> Option<Accumulator> {
    match name {
        "f16" => Some(Accumulator::F16),
        "f32" => Some(Accumulator::F32),
        _ => None,
    }
}

/// How the elements of A or B lie in their registers: those of 4 and 6 bits have a byte each.
pub fn packed(name: &str) -> Option<Packed> {
    let element = Element::from_name(name)?;
    Some(if element.bits() <= 8 { Packed::bytes(element) } else { Packed::tight(element) })
}

struct Float {
    a: Packed,
    b: Packed,
    accumulator: Accumulator,
    fragments: Fragments,
    shape: Shape,
    /// The elements that a row of A stores: half of k if it is sparse.
    stored: usize,
    sparse: Option<Sparse>,
}

impl Execute for Float {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some([d, a, b, c, rest]) = self.fragments.split(slots) else { return Flow::Next };
        let bank = context.bank;
        let cores = context.cores();
        let Shape { m, n, k } = self.shape;
        let (a, b) = (rows_of_a(&bank, a), columns_of_b(&bank, b));
        let (rows, columns) = (a.map(u32::to_le_bytes), b.map(u32::to_le_bytes));
        let operands = &mut context.worker.operands;
        let belongs = operands.left.belongs.take();
        operands.left.decode(self.a, m, rows[..m * self.stored * self.a.bits / 32].as_flattened());
        operands.right.decode_columns(self.b, n, columns[..n * k * self.b.bits / 32].as_flattened());
        if let Some(sparse) = &self.sparse {
            let mut belongs = belongs.unwrap_or_default();
            if let Err(flow) = sparse.belongs(context, rest, &mut belongs) {
                return flow;
            }
            let operands = &mut context.worker.operands;
            operands.left.belongs = Some(belongs);
            if sparse.pairs_halves() {
                operands.right.decode_columns(self.b, n, pairs_of_halves(&b[..n * k]).as_flattened());
            }
        }
        let operands = &context.worker.operands;
        let mut values = [0; ELEMENTS];
        read_d(&bank, self.accumulator, c, &mut values);
        let all = &mut values[..m * n];
        cores.multiply(Family::Mma, self.a.element, self.accumulator, (&operands.left, &operands.right), all);
        context.count_products(m * n * self.stored);
        write_d(context, self.accumulator, d, mask, &values);
        Flow::Next
    }
}

/// The most elements that D has.
pub const ELEMENTS: usize = 16 * 8;

/// Where the first of the two elements lies that a lane has side by side in `pair`, the half of D of eight rows.
const fn place(lane: usize, pair: usize) -> usize {
    2 * lane + 64 * pair
}

/// C, row after row of eight.
pub fn read_d(
    bank: &crate::registers::Bank,
    accumulator: Accumulator,
    slots: &[Slot],
    values: &mut [u32; ELEMENTS],
) {
    for (index, slot) in slots.iter().enumerate() {
        let register = u32::read(bank, *slot);
        for (lane, word) in register.into_iter().enumerate() {
            match accumulator {
                Accumulator::F32 => values[place(lane, index / 2) + index % 2] = word,
                Accumulator::F16 => {
                    values[place(lane, index)] = word & 0xffff;
                    values[place(lane, index) + 1] = word >> 16;
                }
            }
        }
    }
}

/// Writes D from its rows.
pub fn write_d(
    context: &mut Context<'_>,
    accumulator: Accumulator,
    slots: &[Slot],
    mask: u32,
    values: &[u32; ELEMENTS],
) {
    for (index, slot) in slots.iter().enumerate() {
        let mut register = [0; LANES];
        for (lane, word) in register.iter_mut().enumerate() {
            *word = match accumulator {
                Accumulator::F32 => values[place(lane, index / 2) + index % 2],
                Accumulator::F16 => values[place(lane, index)] | values[place(lane, index) + 1] << 16,
            };
        }
        u32::write(&mut context.bank, *slot, mask, &register);
    }
}
