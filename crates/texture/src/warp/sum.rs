//! The weighted sums of 32 lanes side by side: [`Blend`](crate::filter::Blend) of one slice for a warp, with the same bits.
//!
//! The sum of a slice has 38 bits at most, which a double holds exactly. It is rounded by the conversion to a float, which
//! takes ties to even; a bit set below all others makes sure that there are no ties.

use super::asked::{LANES, Lanes};
use super::axis::Whole;

/// Four texels of each lane, one channel or one word of them.
pub type Corners<'a> = [&'a Lanes; 4];

/// The weights of each lane's four texels, from those of the texels after the place along x and along y.
#[inline(always)]
pub fn weights(x: &Whole, y: &Whole, weights: &mut [Whole; 4]) {
    let [upper_left, upper_right, lower_left, lower_right] = weights;
    for lane in 0..LANES {
        let (right, left) = (x[lane], 256 - x[lane]);
        let below = [(left * y[lane] + 127) >> 8, (right * y[lane] + 128) >> 8];
        upper_left[lane] = left - below[0];
        upper_right[lane] = right - below[1];
        lower_left[lane] = below[0];
        lower_right[lane] = below[1];
    }
}

/// The lanes whose texels, of which all have been looked at, are not all finite.
#[inline(always)]
pub fn special(texels: Corners<'_>) -> u32 {
    let [a, b, c, d] = texels;
    let mut lanes = [0u32; LANES];
    let mut any = 0;
    for lane in 0..LANES {
        let infinite = |bits: u32| u32::from(bits & 0x7f80_0000 == 0x7f80_0000);
        lanes[lane] = infinite(a[lane]) | infinite(b[lane]) | infinite(c[lane]) | infinite(d[lane]);
        any |= lanes[lane];
    }
    if any == 0 { 0 } else { lanes.iter().enumerate().fold(0, |mask, (lane, one)| mask | one << lane) }
}

/// The sums of floats that are all finite.
#[inline(always)]
pub fn floats(texels: Corners<'_>, weights: &[Whole; 4], values: &mut Lanes) {
    let [a, b, c, d] = texels;
    let [of_a, of_b, of_c, of_d] = weights;
    let mut largest = [0i32; LANES];
    for lane in 0..LANES {
        let counted = |bits: u32, weight: i32| if weight == 0 { 0 } else { (bits >> 23 & 0xff) as i32 };
        let upper = counted(a[lane], of_a[lane]).max(counted(b[lane], of_b[lane]));
        let lower = counted(c[lane], of_c[lane]).max(counted(d[lane], of_d[lane]));
        largest[lane] = upper.max(lower);
    }
    let mut aligned = [[0i32; LANES]; 4];
    for (corner, aligned) in aligned.iter_mut().enumerate() {
        align(texels[corner], &largest, aligned);
    }
    let [m_a, m_b, m_c, m_d] = &aligned;
    let mut sums = [0.0f64; LANES];
    for lane in 0..LANES {
        let term = |mantissa: i32, weight: i32| f64::from(mantissa) * f64::from(weight);
        let upper = term(m_a[lane], of_a[lane]) + term(m_b[lane], of_b[lane]);
        sums[lane] = upper + term(m_c[lane], of_c[lane]) + term(m_d[lane], of_d[lane]);
    }
    // What rounds to less than the least normal float becomes zero.
    const LEAST: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / (1u64 << 25) as f64);
    for lane in 0..LANES {
        // Twelve bits below the last of a mantissa of that exponent.
        let unit = f64::from_bits((largest[lane] as u64 + 861) << 52);
        let sum = sums[lane] * unit;
        let rounded = (f64::from_bits(sum.to_bits() | 1) as f32).to_bits();
        let signs = a[lane] & b[lane] & c[lane] & d[lane];
        let sign = if sum == 0.0 { signs } else { (sum.to_bits() >> 32) as u32 } & 0x8000_0000;
        values[lane] = if sum.abs() < LEAST { sign } else { rounded };
    }
}

/// The mantissas of floats, with four bits more, where the largest float has this exponent.
#[inline(always)]
fn align(texels: &Lanes, largest: &Whole, aligned: &mut Whole) {
    for lane in 0..LANES {
        let bits = texels[lane];
        let exponent = (bits >> 23 & 0xff) as i32;
        // Subnormal numbers are zeros. A texel of no weight may be larger than the largest.
        let mantissa = if exponent == 0 { 0 } else { (bits & 0x7f_ffff | 0x80_0000) << 4 };
        let magnitude = (mantissa >> (largest[lane] - exponent).clamp(0, 31)) as i32;
        let sign = bits as i32 >> 31;
        aligned[lane] = (magnitude ^ sign) - sign;
    }
}

/// The sums of the bytes at so many bits of each word, as floats from 0 to 1.
#[inline(always)]
pub fn bytes(texels: Corners<'_>, weights: &[Whole; 4], shift: u32, values: &mut Lanes) {
    let [a, b, c, d] = texels;
    let [of_a, of_b, of_c, of_d] = weights;
    for lane in 0..LANES {
        let term = |word: u32, weight: i32| (word >> shift & 0xff) as i32 * weight;
        let upper = term(a[lane], of_a[lane]) + term(b[lane], of_b[lane]);
        let sum = upper + term(c[lane], of_c[lane]) + term(d[lane], of_d[lane]);
        values[lane] = (((257 * sum + 128) >> 8) as f32 / 65535.0).to_bits();
    }
}

/// The bytes at so many bits of each word, as floats from 0 to 1.
#[inline(always)]
pub fn byte(texels: &Lanes, shift: u32, values: &mut Lanes) {
    for lane in 0..LANES {
        values[lane] = ((texels[lane] >> shift & 0xff) as f32 / 255.0).to_bits();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::filter::{self, Blend};

    /// Sums of every kind of floats, with every kind of weights, against the definition.
    #[test]
    fn every_lane_adds_as_it_does_alone() {
        let mut state = 0x1234_5678_9abc_def1u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u32
        };
        for round in 0..4000u32 {
            // Exponents near one another, far apart, at the ends of the range.
            let (first, spread) =
                [(120, 3), (100, 60), (0, 4), (0, 30), (240, 15), (1, 254), (127, 1)][round as usize % 7];
            let texels: [Lanes; 4] = std::array::from_fn(|_| {
                std::array::from_fn(|lane| {
                    let exponent = (first + random() % spread).min(254);
                    let mantissa = match random() % 4 {
                        0 => 0,
                        1 => 0x7f_ffff,
                        _ => random() & 0x7f_ffff,
                    };
                    let sign = if lane % 4 == 0 { 1 } else { random() & 1 };
                    if random().is_multiple_of(8) {
                        sign << 31
                    } else {
                        sign << 31 | exponent << 23 | mantissa
                    }
                })
            });
            let fraction =
                |random: u32| if random.is_multiple_of(6) { 0 } else { (random >> 8 & 255) as i32 };
            let x: Whole = std::array::from_fn(|_| fraction(random()));
            let y: Whole = std::array::from_fn(|_| fraction(random()));
            let (mut shares, mut found, mut words) = ([[0; LANES]; 4], [0; LANES], [0; LANES]);
            weights(&x, &y, &mut shares);
            floats(texels.each_ref(), &shares, &mut found);
            bytes(texels.each_ref(), &shares, 8, &mut words);
            for lane in 0..LANES {
                let alone = filter::weights(256, x[lane] as u32, y[lane] as u32);
                assert_eq!(shares.map(|share| share[lane] as u32), alone);
                let blended = |domain: Domain, number: &dyn Fn(u32) -> i64| {
                    let mut blend = Blend::new([domain; 4]);
                    blend.slice(&[0, 1, 2, 3].map(|k| (alone[k], [number(texels[k][lane]); 4])));
                    blend.finish()[0]
                };
                let float = blended(Domain::Float, &|bits| i64::from(bits));
                assert_eq!(found[lane], float, "{:x?} {alone:?}", texels.map(|corner| corner[lane]));
                let byte = blended(Domain::Unorm, &|bits| 257 * i64::from(bits >> 8 & 0xff));
                assert_eq!(words[lane], byte);
            }
        }
    }
}
