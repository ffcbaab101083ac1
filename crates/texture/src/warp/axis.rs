//! Turns the coordinates of 32 lanes into texels and weights along one axis: [`Axis`] for a warp, with the same bits.
//!
//! Nothing here branches on a lane, so that the loops become vector code. The scalar definition is exact because it has 64
//! bits; here each step is chosen so that it is exact too.
#![allow(unsafe_code)]

use super::asked::{LANES, Lanes};
use crate::coordinate::{Axis, Span, normalized_bits};
use crate::sampler::AddressMode;

/// Whole numbers of each lane.
pub type Whole = [i32; LANES];

/// The texels that the lanes' places lie between.
pub struct Pairs {
    /// The texels before the places and those after them; the same ones where these have no weight. All exist.
    pub texels: [Whole; 2],
    /// Whether the border colour is meant instead, as 0 or -1.
    pub outside: [Whole; 2],
    /// What those after them weigh, of 256.
    pub weights: Whole,
}

/// The longest axis that this knows: no array is longer.
pub const MOST: u32 = 1 << 17;

/// The texels that the lanes' coordinates lie between.
#[inline(always)]
pub fn pairs(axis: &Axis, at: &Lanes) -> Pairs {
    let mut places = fixed::<256>(axis, at);
    if axis.mode == AddressMode::Clamp {
        let last = (axis.size as i32 - 1) * 256;
        for place in &mut places {
            *place = (*place).clamp(0, last);
        }
    }
    let (mut first, mut second, mut weights) = ([0; LANES], [0; LANES], [0; LANES]);
    for lane in 0..LANES {
        first[lane] = places[lane] >> 8;
        weights[lane] = places[lane] & 255;
        second[lane] = first[lane] + i32::from(weights[lane] != 0);
    }
    let outside = [within(axis, &mut first), within(axis, &mut second)];
    Pairs { texels: [first, second], outside, weights }
}

/// The texels that hold the lanes' coordinates, and whether the border colour is meant instead.
#[inline(always)]
pub fn nearest(axis: &Axis, at: &Lanes) -> (Whole, Whole) {
    let mut texels = fixed::<1>(axis, at);
    let outside = within(axis, &mut texels);
    (texels, outside)
}

/// The lanes' coordinates in texels (`PARTS` 1) or in 256ths of one from the first centre. Those of many turns are brought
/// to one of few that is the same in the axis's mode.
#[inline(always)]
fn fixed<const PARTS: i32>(axis: &Axis, at: &Lanes) -> Whole {
    let mut coordinates = [0.0f32; LANES];
    for lane in 0..LANES {
        let coordinate = f32::from_bits(at[lane]);
        // What is no number fails the comparison too.
        coordinates[lane] = if coordinate.abs() >= f32::MIN_POSITIVE { coordinate } else { 0.0 };
    }
    match axis.span {
        Span::Texels => unnormalized::<PARTS>(&coordinates),
        Span::Unit | Span::Face => normalized::<PARTS>(axis, &coordinates),
    }
}

#[inline(always)]
fn unnormalized<const PARTS: i32>(coordinates: &[f32; LANES]) -> Whole {
    // Beyond every axis, and with room for 256ths.
    const FAR: f32 = 4_194_304.0;
    let mut places = [0; LANES];
    for lane in 0..LANES {
        let scaled = coordinates[lane].clamp(-FAR, FAR) * PARTS as f32;
        let floor = scaled.floor();
        // Adding a half first would round; the difference cannot be on the wrong side of a half.
        let up = PARTS != 1 && scaled - floor >= 0.5;
        places[lane] = integer(floor) + i32::from(up) - PARTS / 2;
    }
    places
}

#[inline(always)]
fn normalized<const PARTS: i32>(axis: &Axis, coordinates: &[f32; LANES]) -> Whole {
    // Beyond this every float is an even number of turns.
    const FAR: f32 = 16_777_216.0;
    let bits = normalized_bits(axis.size);
    let one = (1u32 << bits) as f32;
    let size = axis.size as i32;
    // A texel's parts in the last bit of a coordinate, which is a power of two times a number of 17 bits.
    let step = f64::from(size * PARTS) / f64::from(one);
    let half = if PARTS == 1 { 0.0 } else { 0.5 };
    let (mut turns, mut places) = ([0.0f32; LANES], [0; LANES]);
    for lane in 0..LANES {
        let fixed = (coordinates[lane].clamp(-FAR, FAR) * one).floor();
        turns[lane] = (fixed * (1.0 / one)).floor();
        // A whole number below 2^23, and a difference of two multiples of what `fixed` is rounded to.
        let rest = fixed - turns[lane] * one;
        places[lane] = integer_of_double((f64::from(rest) * step + half).floor()) - PARTS / 2;
    }
    match axis.mode {
        // Whole turns lead back to the same texel.
        AddressMode::Wrap => {}
        AddressMode::Mirror => {
            for lane in 0..LANES {
                let odd = turns[lane] - 2.0 * (turns[lane] * 0.5).floor();
                places[lane] += integer(odd) * size * PARTS;
            }
        }
        AddressMode::Clamp | AddressMode::Border => {
            for lane in 0..LANES {
                places[lane] += integer(turns[lane].clamp(-3.0, 3.0)) * size * PARTS;
            }
        }
    }
    places
}

/// Brings the lanes' texels to ones that exist, by the axis's mode; gives -1 where the border colour is meant instead.
#[inline(always)]
fn within(axis: &Axis, texels: &mut Whole) -> Whole {
    let size = axis.size as i32;
    let mut outside = [0; LANES];
    match axis.mode {
        AddressMode::Wrap => {
            for texel in texels {
                *texel += if *texel < 0 { size } else { 0 };
                *texel -= if *texel >= size { size } else { 0 };
            }
        }
        AddressMode::Clamp => {
            for texel in texels {
                *texel = (*texel).clamp(0, size - 1);
            }
        }
        AddressMode::Mirror => {
            for texel in texels {
                *texel += if *texel < 0 { 2 * size } else { 0 };
                *texel -= if *texel >= 2 * size { 2 * size } else { 0 };
                *texel = (*texel).min(2 * size - 1 - *texel);
            }
        }
        AddressMode::Border => {
            for (texel, outside) in texels.iter_mut().zip(&mut outside) {
                *outside = -i32::from(*texel < 0 || *texel >= size);
                *texel = (*texel).clamp(0, size - 1);
            }
        }
    }
    outside
}

/// A whole number that fits, of which the callers make sure.
#[inline(always)]
fn integer(number: f32) -> i32 {
    // SAFETY: every caller has clamped it to less than 2^31, and none passes what is no number.
    unsafe { number.to_int_unchecked() }
}

#[inline(always)]
fn integer_of_double(number: f64) -> i32 {
    // SAFETY: it is a fraction of one turn, at most 2^17 texels of 256 parts.
    unsafe { number.to_int_unchecked() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Sampler;

    /// Coordinates around every edge, and every kind of float.
    fn coordinates(size: u32, normalized: bool, seed: u64) -> Lanes {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u32
        };
        let scale = if normalized { 1.0 / size as f32 } else { 1.0 };
        std::array::from_fn(|lane| match lane % 8 {
            0 => random(),
            1 => (random() & 0x3ff) << 21,
            2 => {
                [0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x8000_0000, 1, 0x8000_0001, 0x807f_ffff, 0x7f7f_ffff]
                    [random() as usize % 8]
            }
            3 => {
                ((random() % (2 * size)) as f32 * scale).to_bits().wrapping_add(random() % 9).wrapping_sub(4)
            }
            4 => ((random() % (512 * size)) as f32 / 512.0 * scale)
                .to_bits()
                .wrapping_add(random() % 5)
                .wrapping_sub(2),
            5 => (-((random() % 4096) as f32) / 512.0 * scale).to_bits(),
            _ => ((random() as f32 / 2.0f32.powi(30) - 2.0) * size as f32 * scale).to_bits(),
        })
    }

    #[test]
    fn every_lane_finds_what_it_finds_alone() {
        let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
        for size in [1, 2, 3, 5, 8, 100, 255, 256, 1000, 8192, 8193, 16384, 65536, 65537, MOST] {
            for (mode, normalized) in modes.into_iter().flat_map(|mode| [(mode, false), (mode, true)]) {
                let axis =
                    Axis::new(size, &Sampler { address: [mode; 3], normalized, ..Sampler::default() }, 0);
                for seed in 0..40 {
                    let at = coordinates(size, normalized, seed + u64::from(size) * 64);
                    let (found, outside) = nearest(&axis, &at);
                    let between = pairs(&axis, &at);
                    for lane in 0..LANES {
                        let coordinate = f32::from_bits(at[lane]);
                        let told = |texel: i32, outside: i32| (outside == 0).then_some(texel as u32);
                        let context = format!("{axis:?} {coordinate:e} {:x}", at[lane]);
                        assert_eq!(
                            told(found[lane], outside[lane]),
                            axis.nearest(coordinate, 0),
                            "{context}"
                        );
                        assert!((0..size as i32).contains(&found[lane]));
                        let alone = axis.pair(coordinate, 0);
                        let both = [0, 1].map(|k| told(between.texels[k][lane], between.outside[k][lane]));
                        assert_eq!(both[0], alone.texels[0], "{context}");
                        // Far outside, how much the border colour weighs beside itself does not matter.
                        if alone.texels != [None; 2] {
                            assert_eq!(between.weights[lane] as u32, alone.weight, "{context}");
                        }
                        if alone.weight != 0 {
                            assert_eq!(both[1], alone.texels[1], "{context}");
                        }
                        assert!([0, 1].iter().all(|k| (0..size as i32).contains(&between.texels[*k][lane])));
                    }
                }
            }
        }
    }
}
