//! A sparse A as a dense one: products in blocks have zeros where nothing is stored.
//!
//! Products with a zero change no sum, as long as the other factor is a number.

use super::super::packed::Packed;
use super::super::scheme::{Order, Scheme};
use super::shape::{LANES, QUAD_BITS, SIDE};

/// How a product of a sparse A is computed in blocks, with this scheme of what it stores; nothing if it cannot be. A step
/// takes as many stored products as before, and as many that are zero.
#[must_use]
pub fn dense_scheme(scheme: &Scheme, packed: Packed, stored: usize) -> Option<Scheme> {
    let whole = scheme.products >= stored || scheme.products.is_multiple_of(QUAD_BITS / packed.bits);
    let products = scheme.products.saturating_mul(2);
    (scheme.order == Order::Consecutive && whole).then_some(Scheme { products, ..*scheme })
}

/// Puts the elements of sixteen rows, in registers as fragments of A have them, to the columns that they belong to, which
/// are given row after row and lie in the registers; no two of a row belong to the same one. The others become zero.
pub fn spread(packed: Packed, belongs: &[u16], stored: &[[u32; LANES]], dense: &mut [[u32; LANES]]) {
    dense.fill([0; LANES]);
    match packed.bits {
        32 => spread_elements::<32>(belongs, stored, dense),
        16 => spread_elements::<16>(belongs, stored, dense),
        _ => spread_elements::<8>(belongs, stored, dense),
    }
}

#[inline(always)]
fn spread_elements<const BITS: usize>(belongs: &[u16], stored: &[[u32; LANES]], dense: &mut [[u32; LANES]]) {
    /// The register, the lane and the lowest bit of an element.
    #[inline(always)]
    const fn place<const BITS: usize>(row: usize, column: usize) -> (usize, usize, usize) {
        let (of_quad, of_word) = (QUAD_BITS / BITS, 32 / BITS);
        let register = column / of_quad * 2 + row / SIDE;
        (register, 4 * (row % SIDE) + column % of_quad / of_word, column % of_word * BITS)
    }
    let depth = stored.len() / 2 * (QUAD_BITS / BITS);
    for (row, belongs) in belongs.chunks_exact(depth.max(1)).enumerate() {
        for (index, &column) in belongs.iter().enumerate() {
            let (register, lane, bit) = place::<BITS>(row, index);
            let element = stored[register][lane] >> bit & (u32::MAX >> (32 - BITS));
            let (register, lane, bit) = place::<BITS>(row, column.into());
            dense[register][lane] |= element << bit;
        }
    }
}
