//! Volta's `mma.m8n8k4`: each of a warp's four quad pairs multiplies matrices of its own, in either layout.
//!
//! Besides f16, which the manual has, ptxas takes bf16 and tf32 here.

use ptxvm_num::Rounding;
use ptxvm_num::convert::{F16, F32, Modifiers, float_to_float};
use ptxvm_num::matrix::{Accumulator, Element, Family};

use super::float::accumulator;
use super::{Fragments, Types};
use crate::context::Context;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::matrix::quad_pair::{PAIRS, of_a, of_b, of_half, of_lane, of_single};
use crate::matrix::whole_warp;
use crate::registers::{LANES, Slot, Value};

/// Rows of A, columns of B.
const SIDE: usize = 8;
/// Products of an element of D.
const DEPTH: usize = 4;

/// The operation of a form of this shape.
pub fn select(form: &Form<'_>, types: Types) -> Option<Op> {
    Some(Box::new(QuadPairs {
        element: Element::from_name(types.a)?,
        d: accumulator(types.d)?,
        c: accumulator(types.c)?,
        a_columns: form.slot("alayout")? == "col",
        b_columns: form.slot("blayout")? == "col",
        fragments: Fragments::of(form),
    }))
}

/// An f16 as f32.
fn widen(bits: u32) -> u32 {
    float_to_float(bits.into(), F16, F32, Rounding::Rn, Modifiers::default()) as u32
}

struct QuadPairs {
    element: Element,
    d: Accumulator,
    c: Accumulator,
    /// Whether A is column-major.
    a_columns: bool,
    /// Whether B is column-major.
    b_columns: bool,
    fragments: Fragments,
}

impl Execute for QuadPairs {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some([d, a, b, c, _]) = self.fragments.split(slots) else { return Flow::Next };
        let bank = context.bank;
        let cores = context.cores();
        let per = 32 / self.element.bits() as usize;
        let read = |slots: &[Slot]| {
            let mut registers = [[0; LANES]; SIDE];
            for (register, slot) in registers.iter_mut().zip(slots) {
                *register = u32::read(&bank, *slot);
            }
            registers
        };
        let (a, b, c) = (read(a), read(b), read(c));
        let element = |registers: &[[u32; LANES]; SIDE], lane: usize, index: usize| {
            registers[index / per][lane] >> (32 / per * (index % per))
        };
        let mut results = [[0; LANES]; SIDE];
        for pair in 0..PAIRS {
            let lanes = (0..LANES).filter(|lane| of_lane(*lane) == pair);
            let operands = &mut context.worker.operands;
            operands.resize(SIDE, DEPTH, DEPTH, SIDE);
            let mut values = [0; SIDE * SIDE];
            for lane in lanes.clone() {
                for index in 0..DEPTH {
                    let (row, k) = of_a(lane, index, self.a_columns);
                    operands.left.set(row, k, self.element, element(&a, lane, index));
                    let (k, column) = of_b(lane, index, self.b_columns);
                    operands.right.set(k, column, self.element, element(&b, lane, index));
                }
                for index in 0..SIDE {
                    let ((row, column), bits) = match self.c {
                        Accumulator::F32 => (of_single(lane, index), c[index][lane]),
                        Accumulator::F16 => {
                            (of_half(lane, index), c[index / 2][lane] >> (16 * (index % 2)) & 0xffff)
                        }
                    };
                    let widened = self.c == Accumulator::F16 && self.d == Accumulator::F32;
                    values[row * SIDE + column] = if widened { widen(bits) } else { bits };
                }
            }
            cores.multiply(Family::Mma, self.element, self.d, (&operands.left, &operands.right), &mut values);
            for lane in lanes {
                for index in 0..SIDE {
                    let at = |(row, column): (usize, usize)| values[row * SIDE + column];
                    match self.d {
                        Accumulator::F32 => results[index][lane] = at(of_single(lane, index)),
                        Accumulator::F16 => {
                            results[index / 2][lane] |= at(of_half(lane, index)) << (16 * (index % 2));
                        }
                    }
                }
            }
        }
        context.count_products(PAIRS * SIDE * SIDE * DEPTH);
        for (slot, values) in d.iter().zip(&results) {
            u32::write(&mut context.bank, *slot, mask, values);
        }
        Flow::Next
    }
}
