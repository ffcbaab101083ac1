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

use ptxvm_num::matrix::Element;

use crate::form::Form;
use crate::lanes::Op;
use crate::matrix::fragment;
use crate::matrix::sparse::Sparse;
use crate::registers::{Bank, Slot, Value};

/// The operation of an `mma`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if form.opcode() == "mma" { product(form) } else { None }
}

/// The product that a form's shape and types mean.
pub(super) fn product(form: &Form<'_>) -> Option<Op> {
    let shape = Shape::of(form)?;
    let types = Types::of(form)?;
    match types.a {
        "f64" => double::select(form, shape),
        "u8" | "s8" | "u4" | "s4" | "b1" => integer::select(form, shape, types),
        _ if form.has("m8n8k4") => quad_pair::select(form, types),
        _ if form.has("block_scale") => scaled::select(form, shape, types),
        _ => float::select(form, shape, types),
    }
}

/// Rows of A, columns of B, and the products of an element of D, as the shape's name says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// How the metadata of a form tells where the elements of A belong: `Some(None)` if A is dense, `None` if the machine
/// does not have the form.
#[expect(clippy::option_option, reason = "a dense form is not an unknown one")]
fn sparse(form: &Form<'_>, shape: Shape, element: &str) -> Option<Option<Sparse>> {
    let ordered = form.says("sp::ordered_metadata");
    if !ordered && !form.says("sp") {
        return Some(None);
    }
    // ptxas looks at the low 32 bits where there is only one selector.
    let selector = form.constant("f")? as u32 as usize;
    Sparse::new(element, (shape.m, shape.k), selector, ordered).map(Some)
}

impl Shape {
    pub fn of(form: &Form<'_>) -> Option<Self> {
        form.modifiers().find_map(|word| {
            let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
            let (n, k) = rest.split_once('k')?;
            Some(Self { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
        })
    }

    /// The multiply-adds of a product.
    pub const fn products(self) -> usize {
        self.m * self.n * self.k
    }
}

/// The types of the matrices' elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    d: &'static str,
    a: &'static str,
    b: &'static str,
    c: &'static str,
}

impl Types {
    /// The first four types among the modifiers, which stand in the table's order.
    fn of(form: &Form<'_>) -> Option<Self> {
        let known = |word: &&str| {
            Element::from_name(word).is_some()
                || matches!(*word, "f32" | "f64" | "s32" | "u8" | "s8" | "u4" | "s4" | "b1")
        };
        let mut types = form.modifiers().filter(known);
        Some(Self { d: types.next()?, a: types.next()?, b: types.next()?, c: types.next()? })
    }
}

/// Where the fragments lie among the slots: those of D first, then of A, B and C, and then what else there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragments {
    d: usize,
    a: usize,
    b: usize,
    c: usize,
}

impl Fragments {
    pub fn of(form: &Form<'_>) -> Self {
        let count = |name| form.elements(name).count();
        Self { d: count("d"), a: count("a"), b: count("b"), c: count("c") }
    }

    /// The slots of D, of A, of B, of C, and the others.
    pub fn split(self, slots: &[Slot]) -> Option<[&[Slot]; 5]> {
        let (d, rest) = slots.split_at_checked(self.d)?;
        let (a, rest) = rest.split_at_checked(self.a)?;
        let (b, rest) = rest.split_at_checked(self.b)?;
        let (c, rest) = rest.split_at_checked(self.c)?;
        Some([d, a, b, c, rest])
    }
}

/// The most words that a fragment of A or B has in a warp.
const WORDS: usize = 4 * 32;

/// The rows of A as packed words.
pub(super) fn rows_of_a(bank: &Bank, slots: &[Slot]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for (index, slot) in slots.iter().enumerate() {
        fragment::place_a(&mut words, index, slots.len(), &u32::read(bank, *slot));
    }
    words
}

/// The columns of B as packed words.
pub(super) fn columns_of_b(bank: &Bank, slots: &[Slot]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for (index, slot) in slots.iter().enumerate() {
        fragment::place_b(&mut words, index, slots.len(), &u32::read(bank, *slot));
    }
    words
}
