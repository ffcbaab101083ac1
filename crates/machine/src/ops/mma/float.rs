//! `mma` of floating point numbers, dense and sparse, except for f64 and with block scales.

use ptxvm_num::matrix::{Accumulator, Element, Family, Left, Right};

use super::{Fragments, Shape, Types, WORDS, columns_of_b, rows_of_a};
use crate::context::Context;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::matrix::sparse::Sparse;
use crate::matrix::whole_warp;
use crate::registers::{LANES, Slot, Value};

/// The operation of a form of floating point numbers.
pub fn select(form: &Form<'_>, shape: Shape, types: Types) -> Option<Op> {
    let sparse = super::sparse(form, shape, types.a)?;
    let stored = if sparse.is_some() { shape.k / 2 } else { shape.k };
    Some(Box::new(Float {
        a: Packed::of(types.a)?,
        b: Packed::of(types.b)?,
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

/// How the elements of A or B lie in their registers.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    pub element: Element,
    /// The bits from one element to the next.
    pub bits: u32,
    /// The bit of these at which it begins.
    pub begin: u32,
}

impl Packed {
    /// Elements of 4 and 6 bits have a byte to themselves: those of 6 bits at its low end, those of 4 in the middle.
    fn of(name: &str) -> Option<Self> {
        let element = Element::from_name(name)?;
        let begin = if element == Element::E2m1 { 2 } else { 0 };
        Some(Self { element, bits: element.bits().max(8), begin })
    }

    /// The bits of an element of a line of packed words, and perhaps of its neighbours above it.
    fn element_of(self, line: &[u32], at: usize) -> u32 {
        let bit = at * self.bits as usize;
        line[bit / 32] >> (bit % 32) >> self.begin
    }

    /// Decodes A, row after row.
    pub fn left(self, rows: usize, depth: usize, words: &[u32; WORDS], a: &mut Left) {
        for (row, line) in words.chunks_exact(depth * self.bits as usize / 32).take(rows).enumerate() {
            for k in 0..depth {
                a.set(row, k, self.element, self.element_of(line, k));
            }
        }
    }

    /// Decodes B, column after column.
    pub fn right(self, depth: usize, columns: usize, words: &[u32; WORDS], b: &mut Right) {
        for (column, line) in words.chunks_exact(depth * self.bits as usize / 32).take(columns).enumerate() {
            for k in 0..depth {
                b.set(k, column, self.element, self.element_of(line, k));
            }
        }
    }
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
        let operands = &mut context.worker.operands;
        operands.resize(self.shape.m, self.stored, self.shape.k, self.shape.n);
        self.a.left(self.shape.m, self.stored, &rows_of_a(&bank, a), &mut operands.left);
        self.b.right(self.shape.k, self.shape.n, &columns_of_b(&bank, b), &mut operands.right);
        if let Some(sparse) = &self.sparse {
            let mut belongs = Vec::new();
            if let Err(flow) = sparse.belongs(context, rest, &mut belongs) {
                return flow;
            }
            context.worker.operands.left.belongs = Some(belongs);
        }
        let operands = &context.worker.operands;
        let mut values = [0; ELEMENTS];
        read_d(&bank, self.accumulator, c, &mut values);
        let all = &mut values[..self.shape.m * self.shape.n];
        cores.multiply(Family::Mma, self.a.element, self.accumulator, (&operands.left, &operands.right), all);
        context.count_products(self.shape.m * self.shape.n * self.stored);
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
