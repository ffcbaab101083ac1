//! Turns coordinates into texels and weights along one axis, in each address mode, as the H200 does.
//!
//! A coordinate becomes a fixed-point number first. Unnormalised ones are rounded to 256ths of a texel. Normalised ones
//! are cut to 21 to 23 bits after the point, whatever their own precision, and multiplied by the size.

use crate::sampler::{AddressMode, Sampler};

/// One axis of a level: how coordinates along it are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Texels.
    pub size: u32,
    /// What becomes of a place out of range.
    pub mode: AddressMode,
    /// What coordinates run over.
    pub span: Span,
}

/// What coordinates run over along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// From 0 to the number of texels: coordinates that are not normalised.
    Texels,
    /// From 0 to 1.
    Unit,
    /// From -1 to 1, on a face of a cube.
    Face,
}

/// The two texels that a place lies between; `None` stands for the border colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The texel before the place and the one after it.
    pub texels: [Option<u32>; 2],
    /// What the one after it weighs, of 256. At 0 it is not even looked at.
    pub weight: u32,
}

/// The bits after the point of a normalised coordinate, which an axis of this size has.
#[must_use]
#[inline]
pub const fn normalized_bits(size: u32) -> u32 {
    match size {
        ..=0x2000 => 21,
        0x2001..=0x1_0000 => 22,
        _ => 23,
    }
}

/// An even number of turns that lies beyond every image of any size, offsets included.
const MANY: i64 = 1 << 20;

impl Axis {
    /// The axis of a level that is so long, in a dimension of the sampler. Without normalised coordinates there is no
    /// wrapping and no mirroring.
    #[must_use]
    pub fn new(size: u32, sampler: &Sampler, dimension: usize) -> Self {
        let mode = match sampler.address[dimension] {
            AddressMode::Wrap | AddressMode::Mirror if !sampler.normalized => AddressMode::Clamp,
            mode => mode,
        };
        Self { size, mode, span: if sampler.normalized { Span::Unit } else { Span::Texels } }
    }

    /// The axis of a cube's face. Its coordinates come from a direction, so that they are always normalised.
    #[must_use]
    pub fn face(size: u32, sampler: &Sampler, dimension: usize) -> Self {
        Self { size, mode: sampler.address[dimension], span: Span::Face }
    }

    /// The number of the texel that holds a coordinate, before the address mode.
    #[must_use]
    #[inline]
    pub fn whole(&self, coordinate: f32) -> i64 {
        if self.span == Span::Texels {
            tamed(coordinate).floor() as i64
        } else {
            self.scaled(coordinate, 1, 0)
        }
    }

    /// Where a coordinate lies in 256ths of a texel, counted from the centre of the first, before the address mode.
    #[must_use]
    #[inline]
    pub fn between(&self, coordinate: f32) -> i64 {
        let from_edge = if self.span == Span::Texels {
            (tamed(coordinate) * 256.0 + 0.5).floor() as i64
        } else {
            self.scaled(coordinate, 256, 1 << (normalized_bits(self.size) - 1))
        };
        from_edge - 128
    }

    /// A normalised coordinate times the size in units of a texel's parts, rounded down after adding `half`.
    #[inline]
    fn scaled(&self, coordinate: f32, parts: i64, half: i64) -> i64 {
        let bits = normalized_bits(self.size);
        let fixed = |bits: u32| (tamed(coordinate) * f64::from(1u32 << bits)).floor() as i64;
        let fixed = match self.span {
            // Half of one more than the coordinate.
            Span::Face => fixed(bits - 1) + (1 << (bits - 1)),
            _ => fixed(bits),
        };
        // The turns are taken apart so that the product keeps within 64 bits; no offset leads back from a million of them,
        // and which mirror image they end in is all that matters.
        let (turns, rest) = (fixed >> bits, fixed & ((1 << bits) - 1));
        let turns = if turns.abs() > MANY { turns.signum() * MANY + (turns & 1) } else { turns };
        let size = i64::from(self.size) * parts;
        turns * size + ((rest * size + half) >> bits)
    }

    /// The texel that holds a coordinate, so many 256ths of a texel on; `None` if that is the border colour.
    #[must_use]
    #[inline]
    pub fn nearest(&self, coordinate: f32, offset: i32) -> Option<u32> {
        let from_edge = if self.span == Span::Texels {
            (tamed(coordinate) * 256.0).floor() as i64
        } else {
            self.scaled(coordinate, 256, 0)
        };
        texel((from_edge + i64::from(offset)) >> 8, self.size, self.mode)
    }

    /// The texels that a coordinate lies between, so many 256ths of a texel on.
    #[must_use]
    #[inline]
    pub fn pair(&self, coordinate: f32, offset: i32) -> Pair {
        let mut place = self.between(coordinate) + i64::from(offset);
        if self.mode == AddressMode::Clamp {
            // It is the place that is clamped: beyond the last centre there is nothing to blend with.
            place = place.clamp(0, (i64::from(self.size) - 1) * 256);
        }
        let before = place >> 8;
        let texels = [before, before + 1].map(|at| texel(at, self.size, self.mode));
        Pair { texels, weight: (place & 255) as u32 }
    }
}

/// A coordinate as the fixed-point numbers take it: what is no number and what is subnormal counts as zero. Beyond 2^24
/// every float is an even number of texels or turns, so that no mode tells them apart.
#[inline]
fn tamed(coordinate: f32) -> f64 {
    const MOST: f32 = 16_777_216.0;
    if coordinate.abs() >= f32::MIN_POSITIVE { f64::from(coordinate.clamp(-MOST, MOST)) } else { 0.0 }
}

/// The texel of a place in whole texels; `None` if the border colour is meant.
#[must_use]
#[inline]
pub fn texel(at: i64, size: u32, mode: AddressMode) -> Option<u32> {
    let size = i64::from(size);
    let within = match mode {
        AddressMode::Wrap => at.rem_euclid(size),
        AddressMode::Clamp => at.clamp(0, size - 1),
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * size);
            at.min(2 * size - 1 - at)
        }
        AddressMode::Border => at,
    };
    (0..size).contains(&within).then_some(within as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(size: u32, mode: AddressMode, normalized: bool) -> Axis {
        let sampler = Sampler { address: [mode; 3], normalized, ..Sampler::default() };
        Axis::new(size, &sampler, 0)
    }

    /// What an H200 made of coordinates, by the bits: point sampling of a third, just above and just below.
    #[test]
    fn normalised_coordinates_are_cut() {
        let clamp = axis(3, AddressMode::Clamp, true);
        assert_eq!(clamp.nearest(f32::from_bits(0x3eaa_aaab), 0), Some(0));
        assert_eq!(clamp.nearest(f32::from_bits(0x3f2a_aaab), 0), Some(1));
        let wrap = axis(3, AddressMode::Wrap, true);
        assert_eq!(wrap.nearest(f32::from_bits(0xbeaa_aaa7), 0), Some(1));
        let mirror = axis(3, AddressMode::Mirror, true);
        assert_eq!(mirror.nearest(f32::from_bits(0xbeaa_aaa7), 0), Some(1));
        assert_eq!(axis(5, AddressMode::Clamp, true).nearest(f32::from_bits(0x3f19_999a), 0), Some(2));
        // 16384 texels have 22 bits, 131072 have 23: the weights are multiples of 4 there.
        let long = axis(16384, AddressMode::Clamp, true);
        let pair = long.pair(f32::from_bits(0x3eac_da3c), 0);
        assert_eq!((pair.texels[0], pair.weight), (Some(0x159a), 199));
        let longest = axis(131_072, AddressMode::Clamp, true);
        assert_eq!(longest.pair(f32::from_bits(0x3db2_0c3c), 0).weight % 4, 0);
    }

    #[test]
    fn unnormalised_coordinates_are_rounded_to_256ths() {
        let axis = axis(8, AddressMode::Mirror, false);
        assert_eq!((axis.mode, axis.span), (AddressMode::Clamp, Span::Texels));
        let at = |x: f32| (axis.pair(x, 0).texels[0], axis.pair(x, 0).weight);
        assert_eq!(at(1.5), (Some(1), 0));
        assert_eq!(at(1.5 + 1.0 / 512.0), (Some(1), 1));
        assert_eq!(at(f32::from_bits((1.5f32 + 1.0 / 512.0).to_bits() - 1)), (Some(1), 0));
        assert_eq!(at(0.25), (Some(0), 0));
        assert_eq!(at(7.75), (Some(7), 0));
        assert_eq!(at(f32::NAN), (Some(0), 0));
        assert_eq!(at(f32::INFINITY), (Some(7), 0));
        assert_eq!(at(f32::NEG_INFINITY), (Some(0), 0));
    }

    #[test]
    fn modes_bring_every_place_back() {
        let border = axis(4, AddressMode::Border, true);
        assert_eq!(border.pair(0.0, 0), Pair { texels: [None, Some(0)], weight: 128 });
        assert_eq!(border.pair(1.0, 0), Pair { texels: [Some(3), None], weight: 128 });
        assert_eq!(border.nearest(-1e-40, 0), Some(0));
        assert_eq!(border.nearest(-f32::MIN_POSITIVE, 0), None);
        assert_eq!(border.nearest(f32::INFINITY, 0), None);
        let wrap = axis(5, AddressMode::Wrap, true);
        assert_eq!(wrap.pair(0.0, 0), Pair { texels: [Some(4), Some(0)], weight: 128 });
        assert_eq!(wrap.pair(f32::MAX, 0), Pair { texels: [Some(4), Some(0)], weight: 128 });
        let mirror = axis(5, AddressMode::Mirror, true);
        assert_eq!(mirror.pair(-0.2, 0).texels, [Some(1), Some(0)]);
        assert_eq!(mirror.nearest(1.1, 512), Some(2));
        assert_eq!(mirror.nearest(f32::MIN, 0), Some(0));
    }
}
