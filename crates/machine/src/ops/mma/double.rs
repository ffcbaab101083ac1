//! `mma` of f64. A lane has one element in each register, so that fragments are those of any 32-bit element.

use ptxvm_ir::operation::matrix::{Fragments, Mma, Shape};
use ptxvm_num::Rounding;
use ptxvm_num::matrix::double;

use super::operands::split;
use crate::context::Context;
use crate::matrix::fragment::{of_a, of_b, of_d};
use crate::matrix::whole_warp;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// The operation of a form of f64.
pub fn executor(Mma { shape, rounding, fragments, .. }: Mma) -> Op {
    Box::new(Double { shape, rounding, fragments })
}

struct Double {
    shape: Shape,
    rounding: Rounding,
    fragments: Fragments,
}

impl Execute for Double {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some([d, a, b, c, _]) = split(self.fragments, slots) else { return Flow::Next };
        let Shape { m, n, k } = self.shape;
        let (mut left, mut right, mut values) = ([0; 16 * 16], [0; 16 * 8], [0; 16 * 8]);
        let bank = &context.bank;
        let gather = |slots: &[Slot], to: &mut [u64], at: &dyn Fn(usize, usize) -> usize| {
            for (index, slot) in slots.iter().enumerate() {
                for (lane, value) in u64::read(bank, *slot).into_iter().enumerate() {
                    to[at(lane, index)] = value;
                }
            }
        };
        let line = |(line, at): (usize, usize), length: usize| line * length + at;
        gather(a, &mut left, &|lane, index| line(of_a(lane, index, 1), k));
        gather(b, &mut right, &|lane, index| {
            let (row, column) = of_b(lane, index, 1);
            line((column, row), k)
        });
        gather(c, &mut values, &|lane, index| line(of_d(lane, index), n));
        double::multiply(&left[..m * k], &right[..n * k], k, self.rounding, &mut values[..m * n]);
        context.count_products(self.shape.products());
        for (index, slot) in d.iter().enumerate() {
            let register: [u64; LANES] = std::array::from_fn(|lane| values[line(of_d(lane, index), n)]);
            u64::write(&mut context.bank, *slot, mask, &register);
        }
        Flow::Next
    }
}
