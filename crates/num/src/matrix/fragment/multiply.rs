//! Products in blocks: by the loops of a precision, and one by one what these leave.

use std::cell::RefCell;

use super::super::fused::dot;
use super::super::operand::{Left, Right};
use super::super::packed::Packed;
use super::super::scheme::{Order, Scheme};
use super::super::tile::Precision;
use super::super::tile::dispatch::dispatch;
use super::a::FragmentA;
use super::b::FragmentB;
use super::exact::Exact;
use super::fast::Fast;
use super::shape::{Block, LANES, QUAD_BITS, SIDE};
use crate::level::Level;

/// Whether a product of elements packed like this can be computed in blocks: each step must take whole quads of registers.
#[must_use]
pub const fn suits(scheme: &Scheme, precision: Precision, packed: Packed, depth: usize) -> bool {
    let whole = scheme.products >= depth || scheme.products.is_multiple_of(QUAD_BITS / packed.bits);
    matches!(precision, Precision::Fast) || matches!(scheme.order, Order::Consecutive) && whole
}

thread_local! {
    /// Elements that are left to `dot`, by block and place: room that is kept from one product to the next.
    static REST: RefCell<Vec<(usize, usize)>> = const { RefCell::new(Vec::new()) };
}

/// D = A * B + C. `d` has C's bits, the blocks of the first columns first, those of the upper rows before the others, and
/// gets D's. [`suits`] must have said that it can, and A and B must be decoded with this precision.
pub fn multiply(scheme: &Scheme, precision: Precision, a: &FragmentA, b: &FragmentB, d: &mut [Block]) {
    match precision {
        Precision::Fast => dispatch(Level::V4, Fast { scheme, a, b, d }),
        Precision::Exact => REST.with_borrow_mut(|rest| {
            rest.clear();
            dispatch(Level::V4, Exact { scheme, a, b, d, rest });
            if !rest.is_empty() {
                one_by_one(scheme, a, b, rest, d);
            }
        }),
    }
}

/// Computes the elements that the loops have left.
#[cold]
fn one_by_one(scheme: &Scheme, a: &FragmentA, b: &FragmentB, rest: &[(usize, usize)], d: &mut [Block]) {
    let (left, right): (Left, Right) = (a.plain(), b.plain());
    for &(block, place) in rest {
        let (parity, lane) = (place / LANES, place % LANES);
        let row = block % a.blocks() * SIDE + lane / 4;
        let column = block / a.blocks() * SIDE + 2 * (lane % 4) + parity;
        d[block][place] = dot(scheme, &left, row, &right, column, d[block][place]);
    }
}
