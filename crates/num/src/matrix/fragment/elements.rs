//! The elements at one place of the words that lanes hold, as the loops over blocks multiply them.

use super::super::decode::one;
use super::super::element::NOTHING;

/// Significands from this on are those of NaN and infinity.
const SPECIAL: u32 = 2f32.to_bits();

/// What has been seen of some elements: the largest significand of each lane, without its sign and as bits.
pub(super) struct Seen<const N: usize>([u32; N]);

impl<const N: usize> Seen<N> {
    /// Nothing.
    pub const NOTHING: Self = Self([0; N]);

    /// Whether there was a NaN or an infinity.
    #[inline(always)]
    pub fn special(&self) -> bool {
        self.0.iter().fold(0, |most, lane| most.max(*lane)) >= SPECIAL
    }
}

/// The number of each word's element that begins at a bit, and its exponent in both halves of a word. `flip` is a sign
/// that is exchanged.
#[inline(always)]
pub(super) fn elements<
    const N: usize,
    const EXPONENT: u32,
    const MANTISSA: u32,
    const BELOW: u32,
    const TOP: u8,
>(
    words: &[u32; N],
    bit: usize,
    flip: u32,
    seen: &mut Seen<N>,
) -> ([f32; N], [u32; N]) {
    let (mut values, mut pairs) = ([0.0; N], [0; N]);
    for lane in 0..N {
        let (significand, exponent) = one::<EXPONENT, MANTISSA, TOP>(words[lane] >> bit >> BELOW);
        seen.0[lane] = seen.0[lane].max(significand.to_bits() & 0x7fff_ffff);
        let power = if exponent == NOTHING { 0 } else { i32::from(exponent) };
        let value = f32::from_bits((power << 23).wrapping_add(127 << 23) as u32) * significand;
        values[lane] = f32::from_bits(value.to_bits() ^ flip);
        pairs[lane] = u32::from(exponent as u16) * 0x1_0001;
    }
    (values, pairs)
}

/// The significand and the exponent that an element was decoded from.
pub(super) fn parts(value: f32, exponent: i16) -> (f32, i16) {
    // An f64 can be divided by any power of two that an f32 has.
    let power = if exponent == NOTHING { 0 } else { i32::from(exponent) };
    ((f64::from(value) * f64::from(-power).exp2()) as f32, exponent)
}
