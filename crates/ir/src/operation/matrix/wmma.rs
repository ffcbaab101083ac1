//! `wmma.load` and `wmma.store`: the manual's 9.7.14.4.3 and 9.7.14.4.4.

use ptxvm_isa::Type;

use super::mma::Shape;
use crate::operation::address::{Address, AddressSpace};
use crate::operation::form::Form;

/// A whole matrix between memory and the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WmmaMatrix {
    /// Which matrix of the product it is.
    pub part: WmmaPart,
    /// The sizes of the matrices.
    pub shape: Shape,
    /// The type of an element.
    pub ty: Type,
    /// Whether lines in memory are rows.
    pub rows: bool,
    /// Where it begins.
    pub address: Address,
    /// What lies between the beginnings of lines, in elements; without, lines follow one another.
    pub stride: Option<usize>,
    /// The first register, and how many there are.
    pub registers: (usize, usize),
}

/// A matrix of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WmmaPart {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// What the product is added to, and the result.
    C,
}

pub(super) fn decode(form: &Form<'_>) -> Option<WmmaMatrix> {
    let (part, name) = match () {
        () if form.says("store") => (WmmaPart::C, "r"),
        () if form.says("a") => (WmmaPart::A, "d"),
        () if form.says("b") => (WmmaPart::B, "d"),
        () => (WmmaPart::C, "d"),
    };
    Some(WmmaMatrix {
        part,
        shape: Shape::of(form)?,
        ty: form.main_type()?,
        rows: form.has("row"),
        address: Address::of(form, "p", AddressSpace::from_name(form.slot("ss")))?,
        stride: form.position("stride"),
        registers: (form.position(name)?, form.elements(name).count()),
    })
}
