//! `mma` and `mma.sp` (manual 9.7.14.5.14 and 9.7.14.6.3): a warp multiplies matrices that its registers hold.
//!
//! A file for each arithmetic: `float`, `quad_pair` (Volta's shape), `scaled` (with a scale for each block), `double`,
//! `integer`.

pub(super) mod accumulator;
mod double;
pub(super) mod float;
mod integer;
mod quad_pair;
mod scaled;

use ptxvm_ir::operation::matrix::{Fragments, Mma, Shape, Sparsity};
use ptxvm_isa::Type;

use crate::matrix::fragment;
use crate::matrix::sparse::Sparse;
use crate::registers::{Bank, Slot, Value};
use crate::vector::lanes::Op;

/// The product that a shape and types mean.
pub fn executor(mma: Mma) -> Option<Op> {
    match mma.types.a {
        Type::F64 => Some(double::executor(mma)),
        Type::U8 | Type::S8 | Type::U4 | Type::S4 | Type::B1 => integer::executor(mma),
        _ if mma.shape == QUAD_PAIR => quad_pair::executor(mma),
        _ => match mma.scale {
            Some(scale) => scaled::executor(mma, scale),
            None => float::executor(mma),
        },
    }
}

/// Volta's shape.
const QUAD_PAIR: Shape = Shape { m: 8, n: 8, k: 4 };

/// How the metadata of a form tells where the elements of A belong: `Some(None)` if A is dense, `None` if the machine
/// does not have the form.
#[expect(clippy::option_option, reason = "a dense form is not an unknown one")]
fn sparse(mma: Mma) -> Option<Option<Sparse>> {
    let Some(Sparsity { selector, ordered }) = mma.sparsity else { return Some(None) };
    Sparse::new(mma.types.a, (mma.shape.m, mma.shape.k), selector, ordered).map(Some)
}

/// The slots of D, of A, of B, of C, and the others.
pub(super) fn split(fragments: Fragments, slots: &[Slot]) -> Option<[&[Slot]; 5]> {
    let (d, rest) = slots.split_at_checked(fragments.d)?;
    let (a, rest) = rest.split_at_checked(fragments.a)?;
    let (b, rest) = rest.split_at_checked(fragments.b)?;
    let (c, rest) = rest.split_at_checked(fragments.c)?;
    Some([d, a, b, c, rest])
}

/// The most words that a fragment of A or B has in a warp.
const WORDS: usize = 4 * 32;

/// The rows of A as packed words.
pub(super) fn rows_of_a(bank: &Bank<'_>, slots: &[Slot]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for (index, slot) in slots.iter().enumerate() {
        fragment::place_a(&mut words, index, slots.len(), &u32::read(bank, *slot));
    }
    words
}

/// The columns of B as packed words.
pub(super) fn columns_of_b(bank: &Bank<'_>, slots: &[Slot]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for (index, slot) in slots.iter().enumerate() {
        fragment::place_b(&mut words, index, slots.len(), &u32::read(bank, *slot));
    }
    words
}
