//! Volta's `mma.m8n8k4` of f16: each of a warp's four quad pairs multiplies matrices of its own, in either layout.
//!
//! ptxas also takes bf16 and tf32 here, which the manual does not have, but makes no instruction of them: what D holds
//! then is left to chance, so the machine does not have them.

use ptxvm_ir::operation::matrix::{Fragments, Mma};
use ptxvm_isa::Type;
use ptxvm_num::matrix::quad_pair::{dot, widen};
use ptxvm_num::matrix::{Accumulator, Element, Family, Unit};

use super::float::format_of_d;
use super::operands::split;
use crate::context::Context;
use crate::matrix::quad_pair::{PAIRS, of_a, of_b, of_half, of_lane, of_single};
use crate::matrix::{Cores, whole_warp};
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// Rows of A, columns of B.
const SIDE: usize = 8;
/// Products of an element of D.
const DEPTH: usize = 4;

/// The operation of a form of this shape.
pub fn executor(Mma { types, fragments, a_columns, b_columns, .. }: Mma) -> Option<Op> {
    if types.a != Type::F16 {
        return None;
    }
    let (d, c) = (format_of_d(types.d)?, format_of_d(types.c)?);
    Some(Box::new(QuadPairs { d, c, a_columns, b_columns, fragments }))
}

struct QuadPairs {
    d: Accumulator,
    c: Accumulator,
    /// Whether A is column-major.
    a_columns: bool,
    /// Whether B is column-major.
    b_columns: bool,
    fragments: Fragments,
}

/// The matrices of a quad pair: rows of A, columns of B, rows of C and D.
#[derive(Default)]
struct QuadPairMatrices {
    a: [[u16; DEPTH]; SIDE],
    b: [[u16; DEPTH]; SIDE],
    d: [[u32; SIDE]; SIDE],
}

type Registers = [[u32; LANES]; SIDE];

/// The `index`-th f16 of a lane.
fn half(registers: &Registers, lane: usize, index: usize) -> u16 {
    (registers[index / 2][lane] >> (16 * (index % 2))) as u16
}

impl Execute for QuadPairs {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some([d, a, b, c, _]) = split(self.fragments, slots) else { return Flow::Next };
        let read = |slots: &[Slot]| {
            let mut registers = [[0; LANES]; SIDE];
            for (register, slot) in registers.iter_mut().zip(slots) {
                *register = u32::read(&context.bank, *slot);
            }
            registers
        };
        let (a, b, c) = (read(a), read(b), read(c));
        let mut pairs: [QuadPairMatrices; PAIRS] = Default::default();
        for lane in 0..LANES {
            self.gather(lane, &a, &b, &c, &mut pairs[of_lane(lane)]);
        }
        let cores = context.cores();
        for pair in &mut pairs {
            self.multiply(context, cores, pair);
        }
        context.count_products(PAIRS * SIDE * SIDE * DEPTH);
        for (index, slot) in d.iter().enumerate() {
            let register: [u32; LANES] = std::array::from_fn(|lane| {
                let at = |(row, column): (usize, usize)| pairs[of_lane(lane)].d[row][column];
                match self.d {
                    Accumulator::F32 => at(of_single(lane, index)),
                    Accumulator::F16 => at(of_half(lane, 2 * index)) | at(of_half(lane, 2 * index + 1)) << 16,
                }
            });
            u32::write(&mut context.bank, *slot, mask, &register);
        }
        Flow::Next
    }
}

impl QuadPairs {
    /// Puts what a lane holds to its places.
    fn gather(&self, lane: usize, a: &Registers, b: &Registers, c: &Registers, to: &mut QuadPairMatrices) {
        for index in 0..DEPTH {
            let (row, k) = of_a(lane, index, self.a_columns);
            to.a[row][k] = half(a, lane, index);
            let (k, column) = of_b(lane, index, self.b_columns);
            to.b[column][k] = half(b, lane, index);
        }
        for index in 0..SIDE {
            let ((row, column), bits) = match (self.c, self.d) {
                (Accumulator::F32, _) => (of_single(lane, index), c[index][lane]),
                (_, Accumulator::F32) => (of_half(lane, index), widen(half(c, lane, index))),
                _ => (of_half(lane, index), half(c, lane, index).into()),
            };
            to.d[row][column] = bits;
        }
    }

    fn multiply(&self, context: &mut Context<'_>, cores: Cores, pair: &mut QuadPairMatrices) {
        if !matches!(cores.unit, Unit::Volta | Unit::Turing) {
            for (a, row) in pair.a.iter().zip(&mut pair.d) {
                for (b, element) in pair.b.iter().zip(row) {
                    *element = dot(*a, *b, *element, self.d);
                }
            }
            return;
        }
        let operands = &mut context.worker.operands;
        operands.resize(SIDE, DEPTH, DEPTH, SIDE);
        for line in 0..SIDE {
            for k in 0..DEPTH {
                operands.left.set(line, k, Element::F16, pair.a[line][k].into());
                operands.right.set(k, line, Element::F16, pair.b[line][k].into());
            }
        }
        let factors = (&operands.left, &operands.right);
        cores.multiply(Family::Mma, Element::F16, self.d, factors, pair.d.as_flattened_mut());
    }
}
