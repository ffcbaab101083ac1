//! The operands of an `mma` among its slots, and as matrices.

use ptxvm_ir::operation::matrix::{Fragments, Mma, Sparsity};

use crate::matrix::fragment;
use crate::matrix::sparse::Sparse;
use crate::registers::{Bank, Slot};
use crate::vector::value::Value;

/// How the metadata of a form tells where the elements of A belong: `Some(None)` if A is dense, `None` if the machine
/// does not have the form.
#[expect(clippy::option_option, reason = "a dense form is not an unknown one")]
pub fn sparse(mma: Mma) -> Option<Option<Sparse>> {
    let Some(Sparsity { selector, ordered }) = mma.sparsity else { return Some(None) };
    Sparse::new(mma.types.a, (mma.shape.m, mma.shape.k), selector, ordered).map(Some)
}

/// The slots of D, of A, of B, of C, and the others.
pub fn split(fragments: Fragments, slots: &[Slot]) -> Option<[&[Slot]; 5]> {
    let (d, rest) = slots.split_at_checked(fragments.d)?;
    let (a, rest) = rest.split_at_checked(fragments.a)?;
    let (b, rest) = rest.split_at_checked(fragments.b)?;
    let (c, rest) = rest.split_at_checked(fragments.c)?;
    Some([d, a, b, c, rest])
}

/// The most words that a fragment of A or B has in a warp.
const WORDS: usize = 4 * 32;

/// The rows of A as packed words.
pub fn rows_of_a(bank: &Bank, slots: &[Slot]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for (index, slot) in slots.iter().enumerate() {
        fragment::place_a(&mut words, index, slots.len(), &u32::read(bank, *slot));
    }
    words
}

/// The columns of B as packed words.
pub fn columns_of_b(bank: &Bank, slots: &[Slot]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for (index, slot) in slots.iter().enumerate() {
        fragment::place_b(&mut words, index, slots.len(), &u32::read(bank, *slot));
    }
    words
}
