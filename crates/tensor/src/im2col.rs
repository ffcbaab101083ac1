//! The pixels of images that a convolution reads, one row of channels each (manual 5.5.4 and 5.5.5).
//!
//! The walk begins at the coordinates of W, H and D and goes on within the bounding box: along W to its upper corner,
//! then on to the next H, D and image, beginning at the lower corner again. The offsets move the pixel that is read, not
//! the walk. The steps are the element strides, that from image to image too.
//!
//! `im2col::w` goes along W only, from image to image, with the same H and D, and takes its halo from where it would
//! have gone on; `im2col::w::128` takes 128 pixels and a halo after each 32 of them.

use std::ops::ControlFlow;

use crate::access::{Access, Coordinates, Wide};
use crate::map::{Mode, TensorMap};

/// A dimension that pixels are taken along.
#[derive(Clone, Copy, Debug, Default)]
struct PixelDimension {
    start: i64,
    /// The bounding box's corners, both inclusive.
    lower: i64,
    upper: i64,
    step: i64,
    /// How far from the walk the pixel is that is read.
    offset: i64,
    size: i64,
    stride: u64,
}

/// The pixels of an access.
#[derive(Clone, Debug)]
pub struct Pixels {
    /// Where the pixel would be whose coordinates are all 0.
    beginning: u64,
    /// Whether the coordinates that stay as they are lie in the tensor.
    inside: bool,
    /// W, H, D as far as the walk goes through them, then the images.
    dimensions: [PixelDimension; 4],
    rank: usize,
    /// How often pixels are taken, and how many each time, and how many after them that are taken again.
    groups: u32,
    pixels: u32,
    halo: u32,
}

impl Pixels {
    /// The pixels that an access takes.
    pub fn new(
        map: &TensorMap,
        rank: usize,
        access: Access,
        coordinates: &Coordinates,
        beginning: u64,
    ) -> Self {
        let (lower, upper, pixels) = match map.mode {
            Mode::Im2col { lower, upper, pixels, .. } => (lower, upper, pixels),
            Mode::Tile(_) => ([0; 3], [0; 3], 0),
        };
        let slice = map.interleave.bytes();
        // After the channels, or before the slice's number.
        let first = usize::from(slice == 0);
        let spatial = rank.saturating_sub(2);
        let (walked, offsets, moved) = match access {
            Access::Im2colW(Wide { offset, .. }) | Access::Im2colW128(Wide { offset, .. }) => {
                (spatial.min(1), [0; 3], offset)
            }
            Access::Im2col(offsets) => (spatial, offsets, 0),
            Access::Tile | Access::FourRows => (spatial, [0; 3], 0),
        };
        let moved = i64::from(moved);
        let dimension = |d: usize| PixelDimension {
            start: i64::from(coordinates[d]),
            step: i64::from(map.element_strides[d].max(1)),
            size: i64::try_from(map.sizes[d]).unwrap_or(i64::MAX),
            stride: if d == 0 { u64::from(slice) } else { map.strides[d] },
            ..PixelDimension::default()
        };
        let mut dimensions = [PixelDimension::default(); 4];
        for k in 0..walked {
            let plain = dimension(first + k);
            dimensions[k] = PixelDimension {
                start: plain.start + moved,
                lower: i64::from(lower[k]) + moved,
                upper: (plain.size - 1).saturating_add(i64::from(upper[k]) + moved),
                offset: i64::from(offsets[k]),
                ..plain
            };
        }
        dimensions[walked] = PixelDimension { upper: i64::MAX, ..dimension(rank - 1) };

        let mut walk = Self {
            beginning,
            inside: true,
            dimensions,
            rank: walked + 1,
            groups: 1,
            pixels,
            halo: match access {
                Access::Im2colW(Wide { halo, .. }) | Access::Im2colW128(Wide { halo, .. }) => u32::from(halo),
                _ => 0,
            },
        };
        if matches!(access, Access::Im2colW128(_)) {
            (walk.groups, walk.pixels) = (4, 32);
        }
        let slice_number = (slice != 0 && rank >= 3).then(|| dimension(rank - 2));
        for fixed in (walked..spatial).map(|k| dimension(first + k)).chain(slice_number) {
            walk.inside &= (0..fixed.size).contains(&fixed.start);
            walk.beginning = walk.beginning.wrapping_add((fixed.start as u64).wrapping_mul(fixed.stride));
        }
        walk
    }

    /// How many pixels there are, halos and all.
    pub fn rows(&self) -> u64 {
        u64::from(self.groups) * (u64::from(self.pixels) + u64::from(self.halo))
    }

    /// Which coordinate, counted from W on, is not in the bounding box where the walk begins, and the box there.
    pub fn outside_of_box(&self) -> Option<(usize, i64, i64, i64)> {
        let walked = &self.dimensions[..self.rank - 1];
        let wrong = walked.iter().position(|d| d.start < d.lower || d.start > d.upper)?;
        let d = &walked[wrong];
        Some((wrong, d.start, d.lower, d.upper))
    }

    /// Visits each pixel.
    pub fn each<B>(&self, visit: &mut impl FnMut(Option<u64>) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut at = [0; 4];
        for (position, dimension) in at.iter_mut().zip(&self.dimensions) {
            *position = dimension.start;
        }
        for _ in 0..self.groups {
            for _ in 0..self.pixels {
                visit(self.address(&at))?;
                self.advance(&mut at);
            }
            let mut beyond = at;
            for _ in 0..self.halo {
                visit(self.address(&beyond))?;
                self.advance(&mut beyond);
            }
        }
        ControlFlow::Continue(())
    }

    fn address(&self, at: &[i64; 4]) -> Option<u64> {
        let mut address = self.beginning;
        let mut inside = self.inside;
        for (position, dimension) in at.iter().zip(&self.dimensions).take(self.rank) {
            let position = position + dimension.offset;
            inside &= (0..dimension.size).contains(&position);
            address = address.wrapping_add((position as u64).wrapping_mul(dimension.stride));
        }
        inside.then_some(address)
    }

    fn advance(&self, at: &mut [i64; 4]) {
        for (position, dimension) in at.iter_mut().zip(&self.dimensions).take(self.rank) {
            *position += dimension.step;
            if *position <= dimension.upper {
                return;
            }
            *position = dimension.lower;
        }
    }
}
