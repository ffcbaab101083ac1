//! Whole tiles of a matrix product.

mod ends;
mod exact;
mod fast;
pub mod level;
mod pack;
pub(in crate::matrix) mod vector;

use std::cell::RefCell;

use super::fused::dot;
use super::operand::{Left, Right};
use super::scheme::{Order, Scheme};
use exact::Exact;
use fast::Fast;
use level::{Level, Work, dispatch};
use pack::{Panels, Rows};
use vector::Vector;

/// How exact a product is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// To the last bit of the silicon's.
    #[default]
    Exact,
    /// By ordinary fused multiply-adds, which differ in the last bits and are several times faster.
    Fast,
}

/// What a product needs besides its operands, kept from one to the next.
#[derive(Default)]
struct Room {
    a: Rows,
    b: Panels,
    rest: Vec<usize>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// D = A * B + C. `d` has C's bits, row after row as wide as B has columns, and gets D's.
pub fn multiply(scheme: &Scheme, precision: Precision, a: &Left, b: &Right, d: &mut [u32]) {
    if b.columns == 0 || a.depth == 0 {
        return;
    }
    // Old programs only, and four products are few.
    if scheme.order == Order::Chained && precision == Precision::Exact {
        for (place, element) in d.iter_mut().enumerate() {
            *element = dot(scheme, a, place / b.columns, b, place % b.columns, *element);
        }
        return;
    }
    ROOM.with_borrow_mut(|room| {
        let product = match b.columns {
            // Vectors of AVX-512 would be half empty.
            ..=16 => product::<16>,
            17..=32 => product::<32>,
            _ => product::<64>,
        };
        // Numbers that no f32 can be are left to the exact way.
        if !product(scheme, precision, room, (a, b), d) {
            product(scheme, Precision::Exact, room, (a, b), d);
        }
        for &place in &room.rest {
            let (row, column) = (place / b.columns, place % b.columns);
            d[place] = dot(scheme, a, row, b, column, d[place]);
        }
    });
}

/// The product with `W` columns at a time, except what is left to `dot` in the room's rest. Whether it could be done.
fn product<const W: usize>(
    scheme: &Scheme,
    precision: Precision,
    room: &mut Room,
    (a, b): (&Left, &Right),
    d: &mut [u32],
) -> bool {
    let most = if W == 16 { Level::V3 } else { Level::V4 };
    let columns = b.columns;
    dispatch(most, Pack::<W> { scheme, precision, from: (a, b), to: room });
    let Room { a, b, rest } = room;
    rest.clear();
    match precision {
        Precision::Exact => dispatch(most, Exact::<W> { scheme, a, b, columns, d, rest }),
        Precision::Fast if a.odd.contains(&true) || b.odd.contains(&true) => return false,
        Precision::Fast => dispatch(most, Fast::<W> { scheme, a, b, columns, d }),
    }
    true
}

/// Packing is a loop over all factors, so it is compiled for each level too.
struct Pack<'a, const W: usize> {
    scheme: &'a Scheme,
    precision: Precision,
    from: (&'a Left, &'a Right),
    to: &'a mut Room,
}

impl<const W: usize> Work for Pack<'_, W> {
    #[inline(always)]
    fn run<V: Vector>(self) {
        self.to.a.pack(self.scheme, self.precision, self.from.0);
        self.to.b.pack::<W>(self.precision, self.from.1);
    }
}
