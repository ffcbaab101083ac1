//! `mma` of integers of 8 and 4 bits, dense and sparse, and of single bits.

use ptxvm_ir::operation::matrix::{Fragments, Mma, Shape};
use ptxvm_isa::Type;
use ptxvm_num::matrix::Accumulator;
use ptxvm_num::matrix::integer::{self, BitOp, IntegerElement};

use super::accumulator::{self, Order};
use super::blocks::product_of_integers;
use super::operands::{self, columns_of_b, rows_of_a, split};
use crate::context::Context;
use crate::matrix::sparse::Sparse;
use crate::matrix::{blocks, whole_warp};
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};

/// The operation of a form of integers.
pub fn executor(mma: Mma) -> Option<Op> {
    let Mma { shape, types, fragments, satfinite, bits, .. } = mma;
    if types.a == Type::B1 {
        return Some(Box::new(Bits { operation: bits, fragments, shape }));
    }
    Some(Box::new(Integers {
        a: IntegerElement::from_name(types.a.name())?,
        b: IntegerElement::from_name(types.b.name())?,
        satfinite,
        fragments,
        shape,
        sparse: operands::sparse(mma)?,
    }))
}

struct Integers {
    a: IntegerElement,
    b: IntegerElement,
    satfinite: bool,
    fragments: Fragments,
    shape: Shape,
    sparse: Option<Sparse>,
}

/// The largest k.
const DEPTH: usize = 128;

impl Execute for Integers {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some([d, a, b, c, rest]) = split(self.fragments, slots) else { return Flow::Next };
        let Some(sparse) = &self.sparse else {
            let values = product_of_integers(context, (self.a, self.b), self.satfinite, [a, b, c]);
            blocks::write(&mut context.bank, Accumulator::F32, d, &values);
            context.count_products(self.shape.products());
            return Flow::Next;
        };
        let Shape { m, n, k } = self.shape;
        let (mut left, mut right) = ([0; 16 * DEPTH], [0; 8 * DEPTH]);
        let mut stored = [0; 16 * DEPTH / 2];
        self.a.unpack(&rows_of_a(&context.bank, a), &mut stored[..m * k / 2]);
        let mut belongs = context.worker.operands.left.belongs.take().unwrap_or_default();
        if let Err(flow) = sparse.belongs(context, rest, &mut belongs) {
            return flow;
        }
        integer::spread(&stored[..m * k / 2], &belongs, k, &mut left[..m * k]);
        context.worker.operands.left.belongs = Some(belongs);
        self.b.unpack(&columns_of_b(&context.bank, b), &mut right[..n * k]);
        let mut values = accumulator::read(&context.bank, Accumulator::F32, c, Order::Rows);
        integer::multiply(&left[..m * k], &right[..n * k], k, self.satfinite, &mut values[..m * n]);
        context.count_products(self.shape.products());
        accumulator::write(context, Accumulator::F32, (d, mask), &values, Order::Rows);
        Flow::Next
    }
}

struct Bits {
    operation: BitOp,
    fragments: Fragments,
    shape: Shape,
}

impl Execute for Bits {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some([d, a, b, c, _]) = split(self.fragments, slots) else { return Flow::Next };
        let Shape { m, n, k } = self.shape;
        let (left, right) = (rows_of_a(&context.bank, a), columns_of_b(&context.bank, b));
        let mut values = accumulator::read(&context.bank, Accumulator::F32, c, Order::Rows);
        let words = k / 32;
        integer::count(self.operation, &left[..m * words], &right[..n * words], words, &mut values[..m * n]);
        context.count_products(self.shape.products());
        accumulator::write(context, Accumulator::F32, (d, mask), &values, Order::Rows);
        Flow::Next
    }
}
