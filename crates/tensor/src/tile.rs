//! The rows of a box of a tensor, dimension by dimension.

use std::ops::ControlFlow;

use crate::access::Coordinates;
use crate::map::{MOST_DIMENSIONS, TensorMap};

/// One dimension of the box.
#[derive(Clone, Copy, Debug, Default)]
struct BoxDimension {
    /// Where the box begins.
    start: i64,
    /// How many rows it takes here.
    count: u32,
    /// From one to the next.
    step: i64,
    /// The tensor's size.
    size: i64,
    /// The bytes from a row of the tensor to its neighbour.
    stride: u64,
}

impl BoxDimension {
    fn holds(&self, position: i64) -> bool {
        (0..self.size).contains(&position)
    }

    /// The first and the last position of the box that are in the tensor.
    fn inside(&self) -> Option<(i64, i64)> {
        if self.step == 1 {
            // Without the divisions below.
            let (first, end) = (self.start.max(0), (self.start + i64::from(self.count)).min(self.size));
            return (first < end).then_some((first, end - 1));
        }
        let skipped = (-self.start).max(0).checked_add(self.step - 1)? / self.step;
        let first = self.start + skipped * self.step;
        let steps = i64::from(self.count) - 1 - skipped;
        if steps < 0 || !self.holds(first) {
            return None;
        }
        let steps = steps.min((self.size - 1 - first) / self.step);
        Some((first, first + steps * self.step))
    }
}

/// The way through a box: the dimension at the front turns fastest.
#[derive(Clone, Debug)]
pub struct Odometer {
    /// Where the row would be whose coordinates are all 0.
    beginning: u64,
    dimensions: [BoxDimension; MOST_DIMENSIONS],
    rank: usize,
}

impl Odometer {
    /// The way through the dimensions of a box from `first` on.
    pub fn new(
        map: &TensorMap,
        rank: usize,
        first: usize,
        size: [u32; MOST_DIMENSIONS],
        coordinates: &Coordinates,
        beginning: u64,
    ) -> Self {
        let mut dimensions = [BoxDimension::default(); MOST_DIMENSIONS];
        let slice = map.interleave.bytes();
        for (dimension, d) in dimensions.iter_mut().zip(first..rank) {
            let step = map.element_strides[d].max(1);
            // One slice of channels is all that an access to an interleaved tensor takes.
            let size = if slice != 0 && d + 2 == rank { 1 } else { size[d] };
            *dimension = BoxDimension {
                start: i64::from(coordinates[d]),
                count: if step == 1 { size } else { size.div_ceil(step) },
                step: i64::from(step),
                size: i64::try_from(map.sizes[d]).unwrap_or(i64::MAX),
                stride: if d == 0 { u64::from(slice) } else { map.strides[d] },
            };
        }
        Self { beginning, dimensions, rank: rank - first }
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.dimensions[..self.rank].iter().fold(1, |rows: u64, d| rows.saturating_mul(u64::from(d.count)))
    }

    /// Visits the rows, stretch by stretch: so many that are in the tensor and so far from each other, or that are not.
    pub fn stretches<B>(
        &self,
        visit: &mut impl FnMut(Option<u64>, u64, u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self.rank {
            0 => visit(Some(self.beginning), 0, 1),
            rank => self.turn(rank - 1, self.beginning, true, visit),
        }
    }

    /// Visits the rows of the dimensions up to `d`, at most five deep.
    fn turn<B>(
        &self,
        d: usize,
        address: u64,
        inside: bool,
        visit: &mut impl FnMut(Option<u64>, u64, u32) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let dimension = &self.dimensions[d];
        let step = (dimension.step as u64).wrapping_mul(dimension.stride);
        let at = |position: i64| address.wrapping_add((position as u64).wrapping_mul(dimension.stride));
        if d == 0 {
            let range = if inside { dimension.inside() } else { None };
            let Some((first, last)) = range else { return visit(None, 0, dimension.count) };
            let before = ((first - dimension.start) / dimension.step) as u32;
            let rows = ((last - first) / dimension.step) as u32 + 1;
            if before != 0 {
                visit(None, 0, before)?;
            }
            visit(Some(at(first)), step, rows)?;
            return match dimension.count - before - rows {
                0 => ControlFlow::Continue(()),
                after => visit(None, 0, after),
            };
        }
        let mut position = dimension.start;
        for _ in 0..dimension.count {
            self.turn(d - 1, at(position), inside && dimension.holds(position), visit)?;
            position += dimension.step;
        }
        ControlFlow::Continue(())
    }

    /// Where the first and the last row begin that are in the tensor. A tensor that reaches over the end of all
    /// addresses ends there.
    pub fn bounds(&self) -> Option<(u64, u64)> {
        let (mut low, mut high) = (self.beginning, self.beginning);
        for dimension in &self.dimensions[..self.rank] {
            let (first, last) = dimension.inside()?;
            low = low.saturating_add((first as u64).saturating_mul(dimension.stride));
            high = high.saturating_add((last as u64).saturating_mul(dimension.stride));
        }
        Some((low, high))
    }
}
