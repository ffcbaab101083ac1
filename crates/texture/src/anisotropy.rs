//! The samples that an anisotropic sampler takes along the longer side of a footprint.
//!
//! An even number of samples covers a footprint. They are one texel apart, and the weight of the outermost is the part of
//! them that is inside. A footprint less than twice as long as wide has two samples that are closer together. The unit
//! computes with few bits: four for a direction, and sample positions in 128ths of a texel.

use crate::level::Levels;
use crate::short;

/// The most samples of a level.
const MOST: usize = 16;

/// A texel, in the steps of [`Line::step`].
const TEXEL: i32 = 64;

/// 256 divided by the power of two whose logarithm is so many 256ths, rounded.
static DIVIDED: [u16; 256] = [
    256, 255, 255, 254, 253, 253, 252, 251, 251, 250, 249, 248, 248, 247, 246, 246, 245, 244, 244, 243, 243,
    242, 241, 241, 240, 239, 239, 238, 237, 237, 236, 235, 235, 234, 233, 233, 232, 232, 231, 230, 230, 229,
    228, 228, 227, 227, 226, 225, 225, 224, 224, 223, 222, 222, 221, 221, 220, 219, 219, 218, 218, 217, 216,
    216, 215, 215, 214, 214, 213, 212, 212, 211, 211, 210, 210, 209, 208, 208, 207, 207, 206, 206, 205, 204,
    204, 203, 203, 202, 202, 201, 201, 200, 200, 199, 198, 198, 197, 197, 196, 196, 195, 195, 194, 194, 193,
    193, 192, 192, 191, 191, 190, 190, 189, 189, 188, 188, 187, 186, 186, 185, 185, 184, 184, 183, 183, 182,
    182, 182, 181, 181, 180, 180, 179, 179, 178, 178, 177, 177, 176, 176, 175, 175, 174, 174, 173, 173, 172,
    172, 171, 171, 171, 170, 170, 169, 169, 168, 168, 167, 167, 166, 166, 166, 165, 165, 164, 164, 163, 163,
    162, 162, 162, 161, 161, 160, 160, 159, 159, 159, 158, 158, 157, 157, 156, 156, 156, 155, 155, 154, 154,
    153, 153, 153, 152, 152, 151, 151, 151, 150, 150, 149, 149, 149, 148, 148, 147, 147, 147, 146, 146, 145,
    145, 145, 144, 144, 143, 143, 143, 142, 142, 141, 141, 141, 140, 140, 140, 139, 139, 138, 138, 138, 137,
    137, 137, 136, 136, 135, 135, 135, 134, 134, 134, 133, 133, 133, 132, 132, 132, 131, 131, 130, 130, 130,
    129, 129, 129, 128,
];

/// The longer side of a footprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// 256ths of log2 of how much longer than wide the footprint is; more than zero.
    ratio: i32,
    /// A texel's length along it, in 64ths of a texel.
    step: [i32; 2],
}

/// A place where a level is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// How far from the footprint's middle, in 256ths of a texel of the level.
    pub offset: [i32; 2],
    /// How much it counts, in parts finer than 256ths by [`Samples::bits`].
    pub weight: u32,
}

/// The samples of a level, along the line.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    list: [Sample; MOST],
    count: usize,
    /// By how many bits the weights are finer than 256ths.
    pub bits: u32,
}

impl Samples {
    /// One sample, in the middle.
    #[must_use]
    pub fn one(weight: u32) -> Self {
        let mut list = [Sample::default(); MOST];
        list[0].weight = weight;
        Self { list, count: 1, bits: 0 }
    }

    /// Each of them, in the order in which the unit adds them.
    #[must_use]
    pub fn all(&self) -> &[Sample] {
        &self.list[..self.count]
    }

    /// The samples at `count` distances on each side, of which the outermost comes first; `place` gives the offset and
    /// the weight of one, by its number from the middle and the side's sign.
    fn both_sides(bits: u32, count: i32, place: impl Fn(i32, i32) -> Sample) -> Self {
        let mut samples = Self { list: [Sample::default(); MOST], count: 0, bits };
        let numbers = (0..count).rev().map(|number| (number, -1)).chain((0..count).map(|number| (number, 1)));
        for (slot, (number, sign)) in samples.list.iter_mut().zip(numbers) {
            *slot = place(number, sign);
            samples.count += 1;
        }
        samples
    }
}

impl Line {
    /// The line of a footprint of some length (256ths of log2 of texels) and level of detail, along a vector; `None` if
    /// one sample covers it.
    #[must_use]
    pub fn new(length: i32, lod: i32, vector: [f64; 2]) -> Option<Self> {
        // What is narrower than a texel of the finest level counts as wide as one.
        let ratio = length - lod.max(0);
        (ratio > 0).then(|| Self { ratio, step: direction(vector) })
    }

    /// The samples of the finer of two levels. Its texels are stretched to the width of the footprint.
    #[must_use]
    pub fn finer(&self, levels: Levels) -> Samples {
        let stretch = match levels.weight {
            0 => TEXEL,
            weight => i32::from(DIVIDED[256 - weight as usize] >> 1),
        };
        self.cover(self.ratio, stretch, 256 - levels.weight)
    }

    /// The samples of the coarser one, of which fewer cover the footprint.
    #[must_use]
    pub fn coarser(&self, levels: Levels) -> Samples {
        self.cover(self.ratio + levels.weight as i32 - 256, TEXEL, levels.weight)
    }

    /// The samples that cover a footprint so much longer than wide (256ths of log2), and that weigh so much in all.
    fn cover(&self, ratio: i32, stretch: i32, weight: u32) -> Samples {
        if ratio <= 0 {
            return Samples::one(weight);
        }
        let stretched = |step: i32| (step * stretch) >> 6;
        let divided = i32::from(DIVIDED[(ratio & 255) as usize]);
        if ratio <= 256 {
            let apart = if ratio < 256 { 256 - divided } else { 128 };
            let offset = self.step.map(|step| 2 * stretched((apart * step + 64) >> 7));
            return Samples::both_sides(1, 1, |_, sign| Sample {
                offset: offset.map(|way| sign * way),
                weight,
            });
        }
        // What a sample that lies inside counts: in 512ths if there are less than four whole ones, else in 1024ths.
        let (whole, bits) = match ratio >> 8 {
            1 if divided > 128 => (divided, 1),
            1 => (256, 2),
            octaves => (divided >> (octaves - 2).min(8), 2),
        };
        let side = 128 << bits;
        let count = (side + whole - 1) / whole;
        Samples::both_sides(bits, count, |number, sign| {
            let offset = self.step.map(|step| sign * 2 * (2 * number + 1) * stretched(step));
            // What the samples up to one count is rounded, not what each of them does.
            let rounding = if sign < 0 { 127 } else { 128 };
            let within = |samples: i32| match samples {
                all if all == count => weight << (bits - 1),
                some => ((some * whole) as u32 * weight + rounding) >> 8,
            };
            Sample { offset, weight: within(number + 1) - within(number) }
        })
    }
}

/// 256ths of log2 of how much longer than wide a footprint may count, for a sampler's greatest anisotropy. The unit knows
/// seven of them.
#[must_use]
pub fn limit(anisotropy: u32) -> i32 {
    match anisotropy {
        0 | 1 => 0,
        2 | 3 => 256,
        4 | 5 => 512,
        6 | 7 => 656,
        8 | 9 => 768,
        10 | 11 => 848,
        12..16 => 912,
        _ => 1024,
    }
}

/// A texel's length along a vector, in 64ths, from its four upper bits.
fn direction(vector: [f64; 2]) -> [i32; 2] {
    let unit = short::last(vector[0].abs().max(vector[1].abs())) * 64.0;
    // The middle of the interval that is left, except next to an axis.
    let middle = vector.map(|part| {
        let part = part.abs() / unit;
        if part < 0.25 { 0.0 } else { part.floor() + 0.5 }
    });
    let length = (middle[0] * middle[0] + middle[1] * middle[1]).sqrt();
    [0, 1].map(|axis| {
        let step = (f64::from(TEXEL) * middle[axis] / length).round() as i32;
        if vector[axis] < 0.0 { -step } else { step }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets and weights, as they are listed.
    fn listed(samples: &Samples) -> Vec<([i32; 2], u32)> {
        samples.all().iter().map(|sample| (sample.offset, sample.weight)).collect()
    }

    // Footprints whose sums of noise an H200 gave to the last bit.

    #[test]
    fn a_long_footprint_is_covered_a_texel_at_a_time() {
        let line = Line::new(788, 112, [8.4375, -0.077_514_65]).expect("it is long");
        assert_eq!(line, Line { ratio: 676, step: [64, 0] });
        let levels = Levels { finer: 0, weight: 112 };
        let finer = line.finer(levels);
        assert_eq!(finer.bits, 2);
        let wanted =
            [(-1204, 11), (-860, 93), (-516, 92), (-172, 92), (172, 92), (516, 93), (860, 92), (1204, 11)];
        assert_eq!(listed(&finer), wanted.map(|(x, weight)| ([x, 0], weight)));
        let coarser = line.coarser(levels);
        let wanted = [(-640, 11), (-384, 107), (-128, 106), (128, 106), (384, 107), (640, 11)];
        assert_eq!(listed(&coarser), wanted.map(|(x, weight)| ([x, 0], weight)));
    }

    #[test]
    fn a_short_one_by_two_samples() {
        let line = Line { ratio: 197, step: [-18, 61] };
        let levels = Levels { finer: 3, weight: 123 };
        let finer = line.finer(levels);
        assert_eq!((finer.bits, listed(&finer)), (1, vec![([42, -140], 133), ([-42, 140], 133)]));
        let coarser = line.coarser(levels);
        assert_eq!((coarser.bits, listed(&coarser)), (1, vec![([12, -40], 123), ([-12, 40], 123)]));
        assert_eq!(Line::new(256, 256, [2.0, 0.0]), None);
        // Less than a texel wide is as wide as one.
        assert_eq!(Line::new(256, -500, [2.0, 0.0]).map(|line| line.ratio), Some(256));
    }

    #[test]
    fn all_samples_weigh_what_the_level_does() {
        for ratio in 1..=1024 {
            for weight in [0, 1, 77, 128, 255] {
                let line = Line { ratio, step: [45, 45] };
                let levels = Levels { finer: 0, weight };
                for (samples, whole) in [(line.finer(levels), 256 - weight), (line.coarser(levels), weight)] {
                    let sum: u32 = samples.all().iter().map(|sample| sample.weight).sum();
                    assert_eq!(sum, whole << samples.bits, "{ratio} {weight}");
                }
            }
        }
    }

    #[test]
    fn directions_have_four_bits() {
        for (vector, step) in [
            ([2.999, 0.05], [64, 0]),
            ([2.99, 0.2], [64, 3]),
            ([2.97, -0.4], [63, -8]),
            ([-2.9, 0.8], [-61, 19]),
            ([2.2, 2.1], [45, 45]),
            ([1.6, 2.6], [34, 54]),
        ] {
            assert_eq!(direction(vector), step, "{vector:?}");
        }
    }
}
