//! Products of matrices as the lanes of a warp hold them, in blocks of 8 rows and 8 columns.
//!
//! Lane `4g + t` has of a block of D the elements in row `g` and the columns `2t` and `2t + 1`, in two registers. A vector
//! of such lanes is multiplied as it is: A's factors are put into whole quads beforehand ([`FragmentA`]), four of B's at a
//! time are loaded into every quad ([`FragmentB`]). So accumulators need not be turned into rows and back, and a block has
//! as many products for a vector as there are lanes. The products of a step may come in any order, since they are added
//! exactly; here those come together that have the same place in their words.

mod a;
mod b;
mod elements;
mod exact;
mod fast;
mod integer;
mod interleaved;
mod shape;
mod sparse;
mod stored_b;

use std::cell::RefCell;

pub use a::FragmentA;
pub use b::{FragmentB, ORDER_OF_ROWS};
pub use integer::IntegerFragments;
pub use interleaved::{InterleavedFragments, is_interleaved};
pub use shape::{BLOCK, Block, LANES};
pub use sparse::{dense_scheme, spread};
pub use stored_b::StoredB;

use super::fused::dot;
use super::operand::{Left, Right};
use super::packed::Packed;
use super::scheme::{Order, Scheme};
use super::tile::Precision;
use super::tile::dispatch::dispatch;
use crate::level::Level;
use exact::Exact;
use fast::Fast;
use shape::{QUAD_BITS, SIDE};

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
