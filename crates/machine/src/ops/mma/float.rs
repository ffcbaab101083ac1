//! `mma` of floating point numbers, dense and sparse, except for f64 and with block scales.

use ptxvm_ir::operation::matrix::{Fragments, Mma, Shape};
use ptxvm_isa::Type;
use ptxvm_num::matrix::{Accumulator, Element, Family, Packed};

use super::accumulator::{self, Order};
use super::blocks::{Blocks, interleaved_product, product, sparse_product};
use super::operands::{self, columns_of_b, rows_of_a, split};
use crate::context::Context;
use crate::matrix::operands::Operands;
use crate::matrix::sparse::{Sparse, pairs_of_halves};
use crate::matrix::{Cores, blocks, whole_warp};
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};

/// The operation of a form of floating point numbers.
pub fn executor(mma: Mma) -> Option<Op> {
    let Mma { shape, types, fragments, .. } = mma;
    let sparse = operands::sparse(mma)?;
    let stored = if sparse.is_some() { shape.k / 2 } else { shape.k };
    Some(Box::new(Float {
        a: packed(types.a)?,
        b: packed(types.b)?,
        accumulator: format_of_d(types.d)?,
        fragments,
        shape,
        stored,
        sparse,
    }))
}

/// The format of C and D.
pub fn format_of_d(ty: Type) -> Option<Accumulator> {
    match ty {
        Type::F16 => Some(Accumulator::F16),
        Type::F32 => Some(Accumulator::F32),
        _ => None,
    }
}

/// How the elements of A or B lie in their registers: those of 4 and 6 bits have a byte each.
pub fn packed(ty: Type) -> Option<Packed> {
    let element = Element::from_name(ty.name())?;
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

impl Float {
    /// D as blocks, if the product can be made so.
    fn in_blocks(&self, context: &mut Context<'_>, cores: Cores, of: [&[Slot]; 3]) -> Option<Blocks> {
        let (formats, depth) = ((self.a, self.b), self.shape.k);
        if let Some(scheme) = cores.in_blocks(Family::Mma, self.a, self.accumulator, depth) {
            return Some(product(context, (&scheme, cores.precision), formats, of));
        }
        let scheme = cores.interleaved(Family::Mma, formats, self.accumulator, depth)?;
        Some(interleaved_product(context, &scheme, formats, of))
    }

    /// The same of a sparse product, whose stored elements of A belong to these columns.
    fn sparse_in_blocks(
        &self,
        context: &mut Context<'_>,
        cores: Cores,
        belongs: &[u16],
        of: [&[Slot]; 3],
    ) -> Option<Blocks> {
        let scheme = cores.sparse_in_blocks(Family::Mma, self.a, self.accumulator, self.stored)?;
        sparse_product(context, &scheme, (self.a, self.b), belongs, of)
    }
}

impl Execute for Float {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some([d, a, b, c, rest]) = split(self.fragments, slots) else { return Flow::Next };
        let cores = context.cores();
        if self.sparse.is_none()
            && let Some(values) = self.in_blocks(context, cores, [a, b, c])
        {
            blocks::write(&mut context.bank, self.accumulator, d, &values);
            context.count_products(self.shape.products());
            return Flow::Next;
        }
        let Shape { m, n, k } = self.shape;
        let forgiving = context.worker.forgiving;
        let mut belongs = None;
        if let Some(sparse) = &self.sparse {
            let mut room = context.worker.operands.left.belongs.take().unwrap_or_default();
            if let Err(flow) = sparse.belongs(context, rest, &mut room) {
                return flow;
            }
            // Forgiven metadata may name a column twice.
            if !forgiving && let Some(values) = self.sparse_in_blocks(context, cores, &room, [a, b, c]) {
                context.worker.operands.left.belongs = Some(room);
                blocks::write(&mut context.bank, self.accumulator, d, &values);
                context.count_products(m * n * self.stored);
                return Flow::Next;
            }
            belongs = Some(room);
        }
        let (a, b) = (rows_of_a(&context.bank, a), columns_of_b(&context.bank, b));
        let (rows, columns) = (a.map(u32::to_le_bytes), b.map(u32::to_le_bytes));
        let rows = rows[..m * self.stored * self.a.bits / 32].as_flattened();
        let columns = columns[..n * k * self.b.bits / 32].as_flattened();
        let Operands { left, right, .. } = &mut context.worker.operands;
        let order = match &self.sparse {
            // A product is the same turned over, and the host's vectors are better filled with sixteen columns.
            None => {
                left.decode(self.b, n, columns);
                right.decode_columns(self.a, m, rows);
                Order::Columns
            }
            Some(sparse) => {
                left.decode(self.a, m, rows);
                match sparse.pairs_halves(forgiving) {
                    false => right.decode_columns(self.b, n, columns),
                    true => right.decode_columns(self.b, n, pairs_of_halves(&b[..n * k]).as_flattened()),
                }
                left.belongs = belongs;
                Order::Rows
            }
        };
        let Operands { left, right, .. } = &context.worker.operands;
        let mut values = accumulator::read(&context.bank, self.accumulator, c, order);
        let all = &mut values[..m * n];
        cores.multiply(Family::Mma, self.a.element, self.accumulator, (left, right), all);
        context.count_products(m * n * self.stored);
        accumulator::write(context, self.accumulator, (d, mask), &values, order);
        Flow::Next
    }
}
