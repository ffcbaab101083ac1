//! What a step does once for each element: adds C before the products, and rounds after them.
//!
//! The loops are plain ones over the columns of a block, which compilers vectorise.

use super::super::element::NOTHING;
use super::super::scheme::Scheme;
use super::columns::{Block, E8M13, F16};
use super::pack::power;
use super::vector::Vector;
use crate::float::half::f16::{from_f32, to_f32};

/// Exponents above this are of something that is not zero.
const SOMETHING: i32 = NOTHING as i32 / 2;

/// Adds C to the exponents, and finds what the products are multiplied with.
#[inline(always)]
pub(in crate::matrix) fn begin<const W: usize, const ROUNDED: u8>(scheme: &Scheme, block: &mut Block<W>) {
    let (floor, fraction) = (scheme.floor.max(SOMETHING), scheme.fraction);
    for lane in 0..W {
        let c = block.c[lane];
        let (value, field, bias, top) = if ROUNDED == F16 {
            (to_f32(c as u16), c >> 10 & 0x1f, 15, 31)
        } else {
            (f32::from_bits(c), c >> 23 & 0xff, 127, 255)
        };
        let own = if value == 0.0 { i32::from(NOTHING) } else { field.max(1) as i32 - bias };
        let largest = i32::from(block.exponents[lane]).max(own);
        // Where every term is zero, any exponent will do.
        let exponent = if largest <= SOMETHING { 0 } else { largest.max(floor) };
        // From here on, each number is either an f32 or, too small for that, nothing after cutting off.
        let odd = (field == top) | (exponent < fraction - 126) | (exponent > 126);
        let exponent = if odd { 0 } else { exponent };
        block.odd[lane] |= u32::from(odd);
        block.exponents[lane] = exponent as i16;
        block.scales[lane] = power(fraction - exponent);
        block.addends[lane] = value * power(fraction - exponent);
    }
}

/// Adds C to the sums and rounds them.
#[inline(always)]
pub(in crate::matrix) fn finish<V: Vector, const W: usize, const ROUNDED: u8>(
    scheme: &Scheme,
    block: &mut Block<W>,
) {
    let mut cut = [0.0; W];
    let mut addends = [0; W];
    for part in (0..W).step_by(V::LANES) {
        V::store_integers(&mut addends[part..], V::truncate(V::floats(&block.addends[part..])));
    }
    for lane in 0..W {
        let (old, new) = (block.sums[lane], addends[lane]);
        let sum = old.wrapping_add(new);
        block.odd[lane] |= ((sum ^ old) & (sum ^ new)) as u32 >> 31;
        block.sums[lane] = sum;
    }
    for part in (0..W).step_by(V::LANES) {
        V::store_floats(&mut cut[part..], V::towards_zero(V::integers(&block.sums[part..])));
    }
    for lane in 0..W {
        let scale = power(i32::from(block.exponents[lane]) - scheme.fraction);
        block.c[lane] = match ROUNDED {
            F16 => {
                // What was cut off sets the last bit, so that the nearest f16 is that of the whole sum. Integers
                // below 2^24 are cut off nowhere, and all others have zeros below the last bit.
                let bits = cut[lane].to_bits();
                let shift = (bits >> 23 & 0xff).saturating_sub(150);
                let lost = block.sums[lane].unsigned_abs() & ((1u32 << (shift & 31)) - 1) != 0;
                let nearest = u32::from(from_f32(f32::from_bits(bits | u32::from(lost)) * scale));
                // A sum that is too small leaves no sign.
                if nearest == 0x8000 { 0 } else { nearest }
            }
            E8M13 => (cut[lane] * scale).to_bits() & !0x3ff,
            _ => (cut[lane] * scale).to_bits(),
        };
    }
}

/// The ordinary addition of C that ends [`Order::Interleaved`](super::super::scheme::Order::Interleaved).
#[inline(always)]
pub(super) fn plus<const W: usize, const ROUNDED: u8>(block: &mut Block<W>, c: &[u32; W]) {
    for lane in 0..W {
        let (sum, top) = if ROUNDED == F16 {
            // An f32 has more than twice the bits, so that rounding twice is rounding once.
            (from_f32(to_f32(block.c[lane] as u16) + to_f32(c[lane] as u16)).into(), 0x7c00)
        } else {
            ((f32::from_bits(block.c[lane]) + f32::from_bits(c[lane])).to_bits(), 0x7f80_0000)
        };
        // Infinity and NaN have rules of their own.
        let odd = [block.c[lane], c[lane], sum].map(|bits| u32::from(bits & top == top));
        block.odd[lane] |= odd[0] | odd[1] | odd[2];
        block.c[lane] = sum;
    }
}
