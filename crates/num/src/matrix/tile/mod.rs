//! Computes whole tiles of a matrix product, exactly or fast.

pub(in crate::matrix) mod columns;
pub(in crate::matrix) mod dispatch;
pub(in crate::matrix) mod ends;
mod exact;
mod fast;
mod pack;
mod precision;
pub(in crate::matrix) mod quads;
pub(in crate::matrix) mod vector;

use std::cell::RefCell;

use super::fused::dot;
use super::operand::{Left, Right};
use super::scheme::Scheme;
use dispatch::{Work, dispatch};
use exact::ExactTile;
use fast::Fast;
pub(in crate::matrix) use fast::canonical;
pub(in crate::matrix) use pack::part;
use pack::{Panels, Rows};
pub use precision::Precision;
use vector::Vector;

use crate::level::Level;

/// What a product needs besides its operands, kept from one to the next.
#[derive(Default)]
struct Room {
    a: Rows,
    /// Elements that are left to `dot`.
    rest: Vec<usize>,
    narrow: Panels<16>,
    middle: Panels<32>,
    wide: Panels<64>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// D = A * B + C. `d` has C's bits, row after row as wide as B has columns, and gets D's.
pub fn multiply(scheme: &Scheme, precision: Precision, a: &Left, b: &Right, d: &mut [u32]) {
    if b.columns == 0 || a.depth == 0 {
        return;
    }
    ROOM.with_borrow_mut(|room| {
        let Room { a: rows, rest, narrow, middle, wide } = room;
        let mut product = |precision| match b.columns {
            ..=16 => product(scheme, precision, (a, b), (rows, narrow), rest, d),
            17..=32 => product(scheme, precision, (a, b), (rows, middle), rest, d),
            _ => product(scheme, precision, (a, b), (rows, wide), rest, d),
        };
        // Numbers that no f32 can be are left to the exact way.
        if !product(precision) {
            product(Precision::Exact);
        }
        for &place in &room.rest {
            let (row, column) = (place / b.columns, place % b.columns);
            d[place] = dot(scheme, a, row, b, column, d[place]);
        }
    });
}

/// The product with `W` columns at a time, except what is left to `dot` in `rest`. Whether it could be done.
fn product<const W: usize>(
    scheme: &Scheme,
    precision: Precision,
    from: (&Left, &Right),
    (a, b): (&mut Rows, &mut Panels<W>),
    rest: &mut Vec<usize>,
    d: &mut [u32],
) -> bool {
    // Vectors of AVX-512 would be half empty.
    let most = if W == 16 { Level::V3 } else { Level::V4 };
    let columns = from.1.columns;
    dispatch(most, Pack { scheme, precision, from, to: (a, b) });
    rest.clear();
    match precision {
        Precision::Exact => dispatch(most, ExactTile { scheme, a, b, columns, d, rest }),
        Precision::Fast if a.odd.contains(&true) || b.odd.as_flattened().contains(&1) => return false,
        Precision::Fast => dispatch(most, Fast { scheme, a, b, columns, d }),
    }
    true
}

/// Packing is a loop over all factors, so it is compiled for each level too.
struct Pack<'a, const W: usize> {
    scheme: &'a Scheme,
    precision: Precision,
    from: (&'a Left, &'a Right),
    to: (&'a mut Rows, &'a mut Panels<W>),
}

impl<const W: usize> Work for Pack<'_, W> {
    #[inline(always)]
    fn run<V: Vector>(self) {
        self.to.0.pack(self.scheme, self.precision, self.from.0);
        self.to.1.pack(self.scheme, self.precision, self.from.1);
    }
}
