//! Which levels of detail a lookup blends, and how much of each.
//!
//! The unit counts levels of detail in 256ths. It cuts an operand, the bias and the clamps to that before it combines them,
//! so the weight of a level is always a whole number of 256ths.

use crate::sampler::{Filter, Sampler};

/// A level of detail of one, in 256ths.
const ONE: i32 = 256;

/// The level of detail of a lookup that names none. ptxas gives it to `tex` and `tex.base` as an operand, so far below
/// zero that no bias reaches the image; a sampler's lower clamp does.
pub const BASE: i32 = -32 * ONE;

/// The greatest bias that a sampler's state holds, and less its sign the least.
const MOST_BIAS: f32 = 15.0 * ONE as f32;

/// The greatest clamp that a sampler's state holds: four bits before the point and eight after it.
const MOST_CLAMP: f32 = 16.0 * ONE as f32 - 1.0;

/// Neighbouring levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The finer one.
    pub finer: u32,
    /// How many of 256 parts the next coarser one gives: less than 256, and none if there is no coarser one.
    pub weight: u32,
}

/// An operand in 256ths. What is not a number is zero.
#[must_use]
pub fn fixed(lod: f32) -> i32 {
    // No image has more levels than this, with any bias.
    let limit = 64.0 * ONE as f32;
    (lod * ONE as f32).clamp(-limit, limit) as i32
}

/// The levels of an image with `count` levels that a sampler takes for a level of detail in 256ths.
#[must_use]
pub fn choose(sampler: &Sampler, lod: i32, count: u32) -> Levels {
    let least = state(sampler.min_level, 0.0, MOST_CLAMP);
    let most = state(sampler.max_level, 0.0, MOST_CLAMP);
    let (rise, run) = if sampler.exact_trilinear { (1, 1) } else { slope(sampler.anisotropy) };
    let lod = lod + bias(sampler.bias, rise, run);
    let lod = (lod & !255) + ((lod & 255) * rise / run).min(ONE);
    let last = count.saturating_sub(1).min(31);
    // The clamps come last, so that what they give is blended as they say; the lower one wins where they cross.
    let lod = lod.min(most).max(least).clamp(0, last as i32 * ONE) as u32;
    match sampler.level_filter {
        Filter::Point => Levels { finer: (lod + 128) >> 8, weight: 0 },
        Filter::Linear => Levels { finer: lod >> 8, weight: lod & 255 },
    }
}

/// The level that an integer names, if the image has it.
#[must_use]
pub fn integer(lod: i32, count: u32) -> Option<u32> {
    u32::try_from(lod).ok().filter(|&level| level < count)
}

/// How steeply one level is blended into the next, as rise and run, if the sampler does not insist on trilinear filtering:
/// with anisotropy a part of the way is spent on one level alone, which saves looking at the other.
const fn slope(anisotropy: u32) -> (i32, i32) {
    match anisotropy {
        0 | 1 => (1, 1),
        2 | 3 => (3, 2),
        4..8 => (7, 4),
        _ => (2, 1),
    }
}

/// The bias in 256ths. The driver puts into it where a steeper blend begins: so far past a whole level that the middle
/// between two stays in the middle.
fn bias(bias: f32, rise: i32, run: i32) -> i32 {
    let begins = 128.0 - 128.0 * run as f32 / rise as f32;
    let bias = bias * ONE as f32;
    if bias.is_nan() { MOST_BIAS as i32 } else { (bias.clamp(-MOST_BIAS, MOST_BIAS) - begins) as i32 }
}

/// A number of the sampler's state in 256ths, cut and limited as the driver does it: what is not a number is the most.
fn state(value: f32, least: f32, most: f32) -> i32 {
    let value = value * ONE as f32;
    if value.is_nan() { most as i32 } else { value.clamp(least, most) as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler() -> Sampler {
        Sampler { level_filter: Filter::Linear, max_level: 15.0, exact_trilinear: true, ..Sampler::default() }
    }

    /// The levels in 256ths of an image of seven levels.
    fn chosen(sampler: &Sampler, lod: f32) -> u32 {
        let levels = choose(sampler, fixed(lod), 7);
        levels.finer << 8 | levels.weight
    }

    // What an H200 answered for an image each of whose seven levels holds its own number.

    #[test]
    fn operands_are_cut_to_256ths() {
        for (lod, wanted) in [
            (0.003_906_25, 1),
            (0.003_906, 0),
            (2.499_984_7, 639),
            (f32::NAN, 0),
            (f32::INFINITY, 1536),
            (f32::NEG_INFINITY, 0),
            (15.999_999, 1536),
            (-1.401e-45, 0),
        ] {
            assert_eq!(chosen(&sampler(), lod), wanted, "{lod}");
        }
        let biased = Sampler { bias: 2.0, ..sampler() };
        assert_eq!(chosen(&biased, -1.999_511_7), 1);
        assert_eq!(chosen(&biased, -0.000_976_562_5), 512);
    }

    #[test]
    fn the_nearest_level_is_the_coarser_at_a_half() {
        let point = Sampler { level_filter: Filter::Point, ..sampler() };
        assert_eq!(chosen(&point, 2.499_984_7), 512);
        assert_eq!(chosen(&point, 2.5), 768);
        assert_eq!(chosen(&Sampler { min_level: 1.5, ..point }, -1.0), 512);
    }

    #[test]
    fn biases_are_cut_toward_zero_and_limited() {
        for (bias, lod, wanted) in [
            (0.0038, 2.0, 512),
            (-0.0038, 2.0, 512),
            (0.3, 0.0, 76),
            (-0.3, 1.0, 180),
            (-100.0, 15.0625, 16),
            (100.0, -10.0, 1280),
            (f32::NAN, -10.0, 1280),
        ] {
            assert_eq!(chosen(&Sampler { bias, ..sampler() }, lod), wanted, "{bias}");
        }
    }

    #[test]
    fn the_lower_clamp_wins_and_reaches_plain_lookups() {
        for (min_level, max_level, wanted) in
            [(0.00196, 15.0, 0), (0.004, 15.0, 1), (1.7, 15.0, 435), (3.0, 1.0, 768), (f32::NAN, 15.0, 1536)]
        {
            let clamped = Sampler { min_level, max_level, ..sampler() };
            let levels = choose(&clamped, BASE, 7);
            assert_eq!(levels.finer << 8 | levels.weight, wanted, "{min_level}");
        }
        assert_eq!(chosen(&Sampler { max_level: 2.998, ..sampler() }, 5.0), 767);
    }

    #[test]
    fn anisotropic_samplers_blend_less_of_the_way() {
        for (anisotropy, steps) in [
            (2, [(42, 0), (43, 1), (44, 3), (120, 117), (212, 255), (213, 256)]),
            (4, [(54, 0), (55, 1), (56, 3), (120, 115), (200, 255), (201, 256)]),
            (16, [(64, 0), (72, 16), (128, 128), (191, 254), (192, 256), (255, 256)]),
        ] {
            let steep = Sampler { anisotropy, exact_trilinear: false, ..sampler() };
            for (weight, wanted) in steps {
                assert_eq!(chosen(&steep, 1.0 + weight as f32 / 256.0), 256 + wanted, "{weight}");
            }
        }
    }

    #[test]
    fn integers_name_levels_or_nothing() {
        assert_eq!(integer(6, 7), Some(6));
        assert_eq!(integer(7, 7), None);
        assert_eq!(integer(-1, 7), None);
        assert_eq!(integer(i32::MIN, 7), None);
    }
}
