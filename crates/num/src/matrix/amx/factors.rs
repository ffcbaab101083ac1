//! Numbers as factors of bf16, two of which share a word of a tile.
//!
//! A group is what such a word is made of: a number that is the sum of two bf16, or two numbers that are bf16 themselves.

use super::super::by_format::{IEEE, ONE_NAN};
use super::super::element::Element;
use super::super::tile::vector::Vector;

/// The bits of the smallest number that is one to the unit.
const LEAST: u32 = f32::MIN_POSITIVE.to_bits();

/// Whether factors of a format are the sums of two bf16.
pub(super) const fn is_split(element: Element) -> bool {
    matches!(element, Element::F16 | Element::Tf32)
}

/// What has been seen of numbers, as bits without their sign: the largest of each lane, and the smallest but zero, less
/// one.
pub(super) struct Seen<const N: usize> {
    most: [u32; N],
    least: [u32; N],
}

impl<const N: usize> Seen<N> {
    /// Nothing.
    pub const NOTHING: Self = Self { most: [0; N], least: [u32::MAX; N] };

    #[inline(always)]
    fn see<const EXPONENT: u32>(&mut self, lane: usize, magnitude: u32) {
        self.most[lane] = self.most[lane].max(magnitude);
        if EXPONENT == 8 {
            self.least[lane] = self.least[lane].min(magnitude.wrapping_sub(1));
        }
    }

    /// Whether the unit multiplies all of them as they are: there is no NaN, no infinity, and nothing too small.
    #[inline(always)]
    pub fn suits<const EXPONENT: u32, const MANTISSA: u32, const TOP: u8>(&self) -> bool {
        let above = match TOP {
            IEEE => ((1 << EXPONENT) - 1) << MANTISSA,
            ONE_NAN => (1 << (EXPONENT + MANTISSA)) - 1,
            _ => u32::MAX,
        };
        // The lowest bit of a split number is ten places below its first.
        let least = (LEAST + if MANTISSA > 7 { 10 << 23 } else { 0 }) >> (23 - MANTISSA);
        let most = self.most.iter().fold(0, |most, lane| most.max(*lane));
        let seen = self.least.iter().fold(u32::MAX, |least, lane| least.min(*lane));
        most < above && (EXPONENT < 8 || seen >= least - 1)
    }
}

/// The number of each word's element that begins at a bit. `flip` is a sign that is exchanged.
#[inline(always)]
pub(super) fn values<const N: usize, const EXPONENT: u32, const MANTISSA: u32, const BELOW: u32>(
    words: &[u32; N],
    bit: usize,
    flip: u32,
    seen: &mut Seen<N>,
) -> [f32; N] {
    let all = (1 << (EXPONENT + MANTISSA)) - 1;
    // What an exponent of f32 is larger by.
    let offset = (127 - ((1 << EXPONENT) - 1) / 2) << 23;
    let mut values = [0.0; N];
    for lane in 0..N {
        let bits = words[lane] >> bit >> BELOW;
        seen.see::<EXPONENT>(lane, bits & all);
        let magnitude = (bits & all) << (23 - MANTISSA);
        let sign = bits << (31 - EXPONENT - MANTISSA) & 1 << 31;
        let value = if EXPONENT == 8 {
            magnitude
        } else {
            // A subnormal number has the exponent of the smallest normal one, and no leading one.
            let (more, less) = if magnitude >> 23 == 0 { (1 << 23, offset + (1 << 23)) } else { (0, 0) };
            (f32::from_bits(magnitude + offset + more) - f32::from_bits(less)).to_bits()
        };
        values[lane] = f32::from_bits(value | sign ^ flip);
    }
    values
}

/// The same of sixteen f16 that lie side by side, which hosts have an instruction for.
#[inline(always)]
pub(super) fn halves<V: Vector>(words: &[u32; 8], flip: u32, seen: &mut Seen<16>) -> [f32; 16] {
    let mut values = V::from_halves(words);
    for lane in 0..8 {
        // Each lane sees two.
        seen.see::<5>(lane, words[lane] & 0x7fff);
        seen.see::<5>(lane, words[lane] >> 16 & 0x7fff);
    }
    for lane in 0..16 {
        values[lane] = f32::from_bits(values[lane].to_bits() ^ flip);
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
fn split<const N: usize>(values: &[f32; N]) -> [[u32; N]; 2] {
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
    let [high, low] = split(values);
    let mut words = [0; N];
    for lane in 0..N {
        words[lane] = high[lane] | low[lane] >> 16;
    }
    words
}

/// Each half of numbers twice in a word: the upper ones, and the lower ones.
#[inline(always)]
pub(super) fn each_twice<const N: usize>(values: &[f32; N]) -> [[u32; N]; 2] {
    let mut words = split(values);
    for half in &mut words {
        for lane in 0..N {
            half[lane] |= half[lane] >> 16;
        }
    }
    words
}
