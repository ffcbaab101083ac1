//! Numbers as factors of bf16, two of which share a word.

use super::super::decode::{IEEE, ONE_NAN};
use super::super::element::Element;

/// The bits of the numbers that are bf16 and numbers to the unit, without their sign; from the least of them on, and to
/// infinity.
const INFINITY: u32 = f32::INFINITY.to_bits();
const LEAST: u32 = f32::MIN_POSITIVE.to_bits();

/// Whether factors of a format are the sums of two bf16.
pub(super) const fn is_split(element: Element) -> bool {
    matches!(element, Element::F16 | Element::Tf32)
}

/// Which numbers have been seen that the unit does not multiply as they are, not zero for each lane that has one.
pub(super) struct Odd<const N: usize>([u32; N]);

impl<const N: usize> Odd<N> {
    /// None.
    pub const NONE: Self = Self([0; N]);

    /// Whether there was one.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.0.iter().fold(0, |all, lane| all | lane) != 0
    }
}

/// The number of each word's element that begins at a bit. `flip` is a sign that is exchanged.
#[inline(always)]
pub(super) fn values<
    const N: usize,
    const EXPONENT: u32,
    const MANTISSA: u32,
    const BELOW: u32,
    const TOP: u8,
>(
    words: &[u32; N],
    bit: usize,
    flip: u32,
    odd: &mut Odd<N>,
) -> [f32; N] {
    let all = (1 << (EXPONENT + MANTISSA)) - 1;
    let top = (1 << EXPONENT) - 1;
    // What an exponent of f32 is larger by.
    let offset = (127 - top / 2) << 23;
    // The lowest bit of a split number is ten places below its first.
    let least = LEAST + if MANTISSA > 7 { 10 << 23 } else { 0 };
    let mut values = [0.0; N];
    for lane in 0..N {
        let bits = words[lane] >> bit >> BELOW;
        let magnitude = (bits & all) << (23 - MANTISSA);
        let sign = bits << (31 - EXPONENT - MANTISSA) & 1 << 31;
        let value = if EXPONENT == 8 {
            odd.0[lane] |= u32::from((magnitude.wrapping_sub(least) >= INFINITY - least) & (magnitude != 0));
            magnitude
        } else {
            let special = match TOP {
                IEEE => magnitude >= top << 23,
                ONE_NAN => magnitude == all << (23 - MANTISSA),
                _ => false,
            };
            odd.0[lane] |= u32::from(special);
            // A subnormal number has the exponent of the smallest normal one, and no leading one.
            let (more, less) = if magnitude >> 23 == 0 { (1 << 23, offset + (1 << 23)) } else { (0, 0) };
            (f32::from_bits(magnitude + offset + more) - f32::from_bits(less)).to_bits()
        };
        values[lane] = f32::from_bits(value | sign ^ flip);
    }
    values
}

/// Numbers of eight significant bits, two in a word, those of `low` in the lower half.
#[inline(always)]
pub(super) fn pairs<const N: usize>(low: &[f32; N], high: &[f32; N]) -> [u32; N] {
    let mut words = [0; N];
    for lane in 0..N {
        words[lane] = low[lane].to_bits() >> 16 | high[lane].to_bits() & 0xffff_0000;
    }
    words
}

/// The two halves that numbers of eleven significant bits are the sums of, each as the bits of an f32.
#[inline(always)]
pub(super) fn halves<const N: usize>(values: &[f32; N]) -> [[u32; N]; 2] {
    let mut halves = [[0; N]; 2];
    for lane in 0..N {
        let high = values[lane].to_bits() & 0xffff_0000;
        halves[0][lane] = high;
        halves[1][lane] = (values[lane] - f32::from_bits(high)).to_bits();
    }
    halves
}

/// Both halves of numbers, in a word.
#[inline(always)]
pub(super) fn both<const N: usize>(values: &[f32; N]) -> [u32; N] {
    let [high, low] = halves(values);
    let mut words = [0; N];
    for lane in 0..N {
        words[lane] = high[lane] | low[lane] >> 16;
    }
    words
}

/// One half of numbers, twice in a word.
#[inline(always)]
pub(super) fn twice<const N: usize>(half: &[u32; N]) -> [u32; N] {
    let mut words = [0; N];
    for lane in 0..N {
        words[lane] = half[lane] | half[lane] >> 16;
    }
    words
}
