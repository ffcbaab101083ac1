//! The weighted sum of texels, as the H200 adds them.
//!
//! Weights are integers that add up to 256. A slice is at most four texels: the square around a place in one plane, one of
//! the two planes of a volume, one of two levels, or one of the samples along a line. In a slice, floats are aligned to the
//! largest of them, cut, and added exactly. The sums of slices are aligned to a multiple of sixteen and added four of a
//! level at a time, rounding down. The result is rounded once, to nearest, ties away from zero. Integers are added exactly
//! and rounded once.

use crate::domain::Domain;
use crate::number::half_to_float;
use crate::texel::Texel;

/// The weights of a slice's four texels, x fastest, from what the slice weighs in all and the weights of the texels after
/// the place, of 256. The rounding gives each texel before the place what its neighbours leave.
#[must_use]
#[inline]
pub const fn weights(total: u32, x: u32, y: u32) -> [u32; 4] {
    let right = (total * x + 128) >> 8;
    let left = total - right;
    let below = [(left * y + 127) >> 8, (right * y + 128) >> 8];
    [left - below[0], right - below[1], below[0], below[1]]
}

/// By how many bits weights are finer than 256ths at most.
const FINEST: u32 = 2;

/// A sum of texels under way.
#[derive(Clone, Copy, Debug)]
pub struct Blend {
    domains: [Domain; 4],
    sums: [Sum; 4],
}

impl Blend {
    /// The empty sum of values that are blended in these numbers.
    #[must_use]
    pub fn new(domains: [Domain; 4]) -> Self {
        Self { domains, sums: [Sum::default(); 4] }
    }

    /// Adds a slice: up to four texels that are looked at, with their weights, which may be 0.
    #[inline]
    pub fn slice(&mut self, texels: &[(u32, [i64; 4])]) {
        self.finer_slice(texels, 0);
    }

    /// Adds a slice whose weights are finer than 256ths by some bits.
    #[inline]
    pub fn finer_slice(&mut self, texels: &[(u32, [i64; 4])], bits: u32) {
        for (channel, (domain, sum)) in self.domains.iter().zip(&mut self.sums).enumerate() {
            let numbers = texels.iter().map(|(weight, numbers)| (i64::from(*weight), numbers[channel]));
            match domain {
                Domain::Float => {
                    sum.floats::<24, 4>(bits, numbers.map(|(weight, bits)| (weight, float(bits))))
                }
                Domain::Half => sum.floats::<11, 4>(bits, numbers.map(|(weight, bits)| (weight, half(bits)))),
                Domain::Srgb => sum.floats::<8, 0>(bits, numbers.map(|(weight, bits)| (weight, srgb(bits)))),
                _ => {
                    sum.total +=
                        numbers.map(|(weight, number)| weight * number).sum::<i64>() << (FINEST - bits)
                }
            }
        }
    }

    /// Ends a level: what comes is not added together with its last slices.
    #[inline]
    pub fn end_level(&mut self) {
        for sum in &mut self.sums {
            sum.add_waiting();
        }
    }

    /// The four values.
    #[must_use]
    #[inline]
    pub fn finish(mut self) -> Texel {
        self.end_level();
        let mut texel = [0; 4];
        for ((value, domain), sum) in texel.iter_mut().zip(self.domains).zip(self.sums) {
            *value = match domain {
                Domain::Float => sum.special(0x7fff_ffff).unwrap_or_else(|| sum.rounded()),
                Domain::Half => sum.special(0x7fff_e000).unwrap_or_else(|| sum.rounded_to_half(22)),
                Domain::Srgb => sum.rounded_to_half(15),
                _ => domain.finer_sum(sum.total, FINEST),
            };
        }
        texel
    }
}

/// What is known of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    negative: bool,
    /// The exponent, counted as f32 does. It is of no meaning where the mantissa is 0.
    exponent: i32,
    mantissa: i64,
    special: Special,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    None,
    Infinite,
    NotANumber,
}

#[inline]
const fn float(bits: i64) -> Parts {
    let (exponent, fraction) = ((bits >> 23 & 0xff) as i32, bits & 0x7f_ffff);
    // Subnormal numbers are zeros.
    let mantissa = if exponent == 0 { 0 } else { 0x80_0000 | fraction };
    Parts { negative: bits >> 31 & 1 != 0, exponent, mantissa, special: special(exponent == 0xff, fraction) }
}

#[inline]
const fn half(bits: i64) -> Parts {
    let (exponent, fraction) = ((bits >> 10 & 0x1f) as i32, bits & 0x3ff);
    let (exponent, mantissa) = if exponent == 0 { (1, fraction) } else { (exponent, 0x400 | fraction) };
    Parts {
        negative: bits >> 15 & 1 != 0,
        exponent: exponent + 112,
        mantissa,
        special: special(exponent == 0x1f, fraction),
    }
}

#[inline]
const fn special(all_ones: bool, fraction: i64) -> Special {
    match (all_ones, fraction) {
        (false, _) => Special::None,
        (true, 0) => Special::Infinite,
        (true, _) => Special::NotANumber,
    }
}

/// The table that decodes sRGB has eight bits for each value and an exponent that changes at these values (the halves of
/// the codes 32, 48, 64, 96, 136, 184 and 248), not where a half's does.
const SRGB_STEPS: [i64; 7] = [0x2360, 0x2790, 0x2a90, 0x2f80, 0x33e0, 0x37b0, 0x3b80];

#[inline]
fn srgb(bits: i64) -> Parts {
    let parts = half(bits);
    let exponent = 120 + SRGB_STEPS.iter().filter(|step| bits >= **step).count() as i32;
    let mantissa = parts.mantissa >> (3 + exponent - parts.exponent).clamp(0, 63);
    Parts { exponent, mantissa, ..parts }
}

/// The sum of one channel.
#[derive(Clone, Copy, Debug)]
struct Sum {
    /// In units of the exponent below, twelve or so bits below a mantissa's last; of whole numbers, in 1024ths.
    total: i64,
    /// A multiple of four; 0 while nothing but zeros has been added.
    exponent: i32,
    /// Slices that wait to be added together.
    waiting: [Waiting; 4],
    count: usize,
    /// Whether all that was looked at has the sign.
    negative: bool,
    infinite: [bool; 2],
    not_a_number: bool,
}

/// The sum of a slice of floats.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    total: i64,
    exponent: i32,
    /// How many bits finer than 256ths its weights are.
    bits: u32,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            total: 0,
            exponent: 0,
            waiting: [Waiting::default(); 4],
            count: 0,
            negative: true,
            infinite: [false; 2],
            not_a_number: false,
        }
    }
}

impl Sum {
    /// Adds a slice of floats that have `MANTISSA` bits, of which `GUARD` more are kept when they are aligned.
    #[inline]
    fn floats<const MANTISSA: u32, const GUARD: u32>(
        &mut self,
        bits: u32,
        texels: impl Iterator<Item = (i64, Parts)> + Clone,
    ) {
        let mut largest = 0;
        for (weight, parts) in texels.clone() {
            self.negative &= parts.negative;
            match parts.special {
                Special::None if weight != 0 && parts.mantissa != 0 => largest = largest.max(parts.exponent),
                Special::None => {}
                Special::Infinite => self.infinite[usize::from(parts.negative)] = true,
                Special::NotANumber => self.not_a_number = true,
            }
        }
        let total: i64 = texels
            .filter(|(_, parts)| parts.special == Special::None && parts.mantissa != 0)
            .map(|(weight, parts)| {
                // A texel of no weight may be larger than the largest.
                let shift = (largest - parts.exponent).clamp(0, 63);
                let aligned = (parts.mantissa << GUARD) >> shift;
                weight * if parts.negative { -aligned } else { aligned }
            })
            .sum();
        self.waiting[self.count] = Waiting { total, exponent: largest, bits };
        self.count += 1;
        if self.count == self.waiting.len() {
            self.add_waiting();
        }
    }

    /// Adds the slices that wait.
    #[inline]
    fn add_waiting(&mut self) {
        let slices = &self.waiting[..self.count];
        let largest = slices.iter().fold(0, |largest, slice| largest.max(slice.exponent));
        let exponent = self.exponent.max(largest & !3);
        let added: i64 =
            slices.iter().map(|slice| shifted(slice.total, slice.exponent - exponent) >> slice.bits).sum();
        self.total = shifted(self.total, self.exponent - exponent) + added;
        self.exponent = exponent;
        self.count = 0;
    }

    /// The result if an infinity or what is no number was looked at.
    #[inline]
    fn special(&self, not_a_number: u32) -> Option<u32> {
        match self.infinite {
            _ if self.not_a_number => Some(not_a_number),
            [true, true] => Some(not_a_number),
            [true, false] => Some(0x7f80_0000),
            [false, true] => Some(0xff80_0000),
            [false, false] => None,
        }
    }

    /// The sign of the result, in its place among `bits`.
    #[inline]
    fn sign(&self, bits: u32) -> u32 {
        u32::from(if self.total == 0 { self.negative } else { self.total < 0 }) << (bits - 1)
    }

    /// The sum of floats as one. Below the normal range there are zeros.
    #[inline]
    fn rounded(&self) -> u32 {
        let (mantissa, exponent) = nearest(self.total.unsigned_abs(), self.exponent - 12, 24);
        self.sign(32)
            | match exponent {
                ..=0 => 0,
                255.. => 0x7f80_0000,
                _ if mantissa == 0 => 0,
                _ => (exponent as u32) << 23 | (mantissa as u32 & 0x7f_ffff),
            }
    }

    /// The sum of halves, or of what is blended as halves, which have their last bit so far above the sum's, as the float
    /// that it is.
    #[inline]
    fn rounded_to_half(&self, last: i32) -> u32 {
        let magnitude = self.total.unsigned_abs();
        if magnitude == 0 {
            return self.sign(32);
        }
        // The exponent of a half whose last bit is the sum's; subnormal ones have 1 and are rounded at their last bit.
        let exponent = self.exponent - 112 - last + 10;
        let (mantissa, found) = match nearest(magnitude, exponent, 11) {
            (_, ..=0) => (round(magnitude, 1 - exponent), 1),
            normal => normal,
        };
        // A mantissa without its highest bit is a subnormal number's, whose exponent reads 0.
        let bits = match found {
            31.. => 0x7c00,
            found => ((found as u32 - 1) << 10) + mantissa as u32,
        };
        half_to_float((self.sign(16) | bits) as u16)
    }
}

/// A number times a power of two, rounded down.
#[inline]
fn shifted(number: i64, by: i32) -> i64 {
    if by >= 0 { number << by } else { number >> by.unsigned_abs().min(63) }
}

/// A magnitude divided by a power of two, rounded to nearest, ties up.
#[inline]
fn round(magnitude: u64, shift: i32) -> u64 {
    match shift {
        ..=0 => magnitude << -shift,
        1..=62 => (magnitude + (1 << (shift - 1))) >> shift,
        _ => 0,
    }
}

/// A magnitude rounded to so many bits, and the exponent of the last of them where the magnitude's own last bit has the
/// one given.
#[inline]
fn nearest(magnitude: u64, exponent: i32, bits: i32) -> (u64, i32) {
    let shift = 64 - magnitude.leading_zeros() as i32 - bits;
    let rounded = round(magnitude, shift);
    // A carry out of the highest bit leaves zeros.
    if rounded >> bits != 0 { (rounded >> 1, exponent + shift + 1) } else { (rounded, exponent + shift) }
}

#[cfg(test)]
mod tests;
