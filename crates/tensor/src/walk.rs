//! Which rows of a tensor a copy moves, and where they lie in shared memory before any swizzle.
//!
//! Every access is a list of rows of the same length: the elements along dimension 0, which lie side by side in global
//! memory. What of a row lies outside of the tensor along dimension 0 is the same for all rows; along the others a row
//! is in the tensor or outside of it as a whole. Only the way from row to row differs between the modes.
//!
//! In an interleaved layout the copy engine counts in slices of 16 or 32 bytes: dimension 0 is W in slices, the last
//! but one is the slice's number (C), of which an access takes one, and the box's size there is not looked at.
//!
//! What an H200 does was measured for tiles and `im2col`, with and without interleave, element strides and fills. Four
//! rows (`tile::gather4`, `tile::scatter4`), `im2col::w` and `im2col::w::128`, and elements of less than a byte follow
//! the manual; no silicon here has them.

use std::ops::{ControlFlow, Range};

use crate::access::{Access, Coordinates};
use crate::im2col::Pixels;
use crate::map::{Interleave, MOST_DIMENSIONS, Mode, TensorMap};
use crate::tile::Odometer;

/// One row of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where it begins in the image of the box in shared memory, before any swizzle.
    pub at: u32,
    /// Where the first byte lies that is in the tensor ([`Walk::inside`] of them are); `None` if none is.
    pub address: Option<u64>,
}

/// Rows that follow one another in shared memory, at the same distance from each other in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first of them.
    pub first: Row,
    /// How many there are.
    pub count: u32,
    /// From one to the next in shared memory.
    pub pitch: u32,
    /// From one to the next in global memory.
    pub step: u64,
}

impl Stretch {
    /// Each of its rows.
    #[inline]
    pub fn rows(self) -> impl Iterator<Item = Row> {
        (0..self.count).map(move |k| {
            let step = self.step.wrapping_mul(u64::from(k));
            Row {
                at: self.first.at.wrapping_add(self.pitch.wrapping_mul(k)),
                address: self.first.address.map(|address| address.wrapping_add(step)),
            }
        })
    }
}

/// The rows of an access.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The bytes of a row in global memory, whether they are in the tensor or not.
    pub row: u32,
    /// Those that lie before the tensor begins.
    pub before: u32,
    /// Those that are in the tensor, unless the whole row is outside.
    pub inside: u32,
    /// The bytes of a row in shared memory: more than in global memory if elements are spread there.
    pub image: u32,
    /// The distance of rows in shared memory.
    pub pitch: u32,
    /// How many rows there are.
    pub rows: u64,
    /// What the end of the image is rounded up to, since a swizzle may put the last row's chunks there.
    span: u32,
    path: Path,
}

/// The way from row to row.
#[derive(Clone, Debug)]
enum Path {
    Tile(Odometer),
    FourRows([Option<u64>; 4]),
    Pixels(Pixels),
}

impl Walk {
    /// The rows of an access. It is defined for every map and every coordinates; [`crate::rules::broken_rule`] says
    /// which the copy engine takes.
    #[must_use]
    pub fn new(map: &TensorMap, access: Access, coordinates: &Coordinates) -> Self {
        let rank = map.rank.clamp(1, MOST_DIMENSIONS);
        let slice = map.interleave.bytes();
        let along = Along::new(map, access, coordinates[0]);
        let beginning = map.address.wrapping_add_signed(along.start).wrapping_add(u64::from(along.before));
        let (path, rows) = match (access, map.mode) {
            (Access::FourRows, _) => (Path::FourRows(four_rows(map, beginning, coordinates)), 4),
            (Access::Tile, Mode::Tile(size)) => {
                let odometer = Odometer::new(map, rank, along.first, size, coordinates, beginning);
                let rows = odometer.rows();
                (Path::Tile(odometer), rows)
            }
            (Access::Tile, _) => (Path::FourRows([None; 4]), 0),
            _ => {
                let pixels = Pixels::new(map, rank, access, coordinates, beginning);
                let rows = pixels.rows();
                (Path::Pixels(pixels), rows)
            }
        };
        let image = if map.element.has_gaps() { along.row / map.element.packed() * 16 } else { along.row };
        let span = map.swizzle.span().unwrap_or(0) as u32;
        let pitch = if slice == 0 { span.max(image) } else { image };
        Self { row: along.row, before: along.before, inside: along.inside, image, pitch, rows, span, path }
    }

    /// What the barrier is told when the copy is complete: the bytes of all rows as global memory has them, in the
    /// tensor or not.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.rows.saturating_mul(u64::from(self.row))
    }

    /// How far the image reaches in shared memory, from where it begins.
    #[must_use]
    pub fn extent(&self) -> u64 {
        self.end(self.rows)
    }

    /// The same for the rows that are in the tensor, which is all that a store reads.
    #[must_use]
    pub fn extent_inside(&self) -> u64 {
        let (mut rows, mut last) = (0, 0);
        let _ = self.stretches(|stretch| {
            rows += u64::from(stretch.count);
            if stretch.first.address.is_some() {
                last = rows;
            }
            ControlFlow::<()>::Continue(())
        });
        self.end(last)
    }

    /// The end of the image's first rows.
    fn end(&self, rows: u64) -> u64 {
        let Some(before) = rows.checked_sub(1) else { return 0 };
        let end = before.saturating_mul(u64::from(self.pitch)).saturating_add(u64::from(self.image));
        end.checked_next_multiple_of(u64::from(self.span.max(1))).unwrap_or(u64::MAX)
    }

    /// Calls `f` for each row in the order of shared memory, until it breaks off.
    pub fn each<B>(&self, mut f: impl FnMut(Row) -> ControlFlow<B>) -> ControlFlow<B> {
        self.stretches(|stretch| {
            for row in stretch.rows() {
                f(row)?;
            }
            ControlFlow::Continue(())
        })
    }

    /// The same, for as many rows at a time as lie alike.
    pub fn stretches<B>(&self, mut f: impl FnMut(Stretch) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut at = 0u32;
        let mut visit = |address: Option<u64>, step, count| {
            let first = Row { at, address: address.filter(|_| self.inside != 0) };
            at = at.wrapping_add(self.pitch.wrapping_mul(count));
            f(Stretch { first, count, pitch: self.pitch, step })
        };
        match &self.path {
            Path::Tile(odometer) => odometer.stretches(&mut visit),
            Path::FourRows(rows) => {
                for row in rows.iter().take(self.rows as usize) {
                    visit(*row, 0, 1)?;
                }
                ControlFlow::Continue(())
            }
            Path::Pixels(pixels) => pixels.each(&mut |address| visit(address, 0, 1)),
        }
    }

    /// The lowest and the highest address (exclusive) of all bytes in the tensor; nothing if there are none. Where it
    /// lies in one allocation, no row need be looked at for itself.
    #[must_use]
    pub fn bounds(&self) -> Option<Range<u64>> {
        if self.inside == 0 || self.rows == 0 {
            return None;
        }
        let length = u64::from(self.inside);
        if let Path::Tile(odometer) = &self.path {
            let (low, high) = odometer.bounds()?;
            return Some(low..high.saturating_add(length));
        }
        let mut bounds: Option<Range<u64>> = None;
        let _ = self.each(|row| {
            if let Some(address) = row.address {
                let end = address.saturating_add(length);
                bounds = Some(match bounds.take() {
                    Some(so_far) => so_far.start.min(address)..so_far.end.max(end),
                    None => address..end,
                });
            }
            ControlFlow::<()>::Continue(())
        });
        bounds
    }
}

/// The elements of a row: dimension 0, and how much of it is in the tensor.
struct Along {
    row: u32,
    before: u32,
    inside: u32,
    /// Where the row begins, in bytes from the beginning of dimension 0.
    start: i64,
    /// The first dimension that leads from row to row.
    first: usize,
}

impl Along {
    fn new(map: &TensorMap, access: Access, coordinate: i32) -> Self {
        let slice = map.interleave.bytes();
        // Slices that are not neighbours are rows of their own, and so are pixels.
        let alone = slice != 0 && (map.element_strides[0] > 1 || access != Access::Tile);
        if alone {
            return Self { row: slice, before: 0, inside: slice, start: 0, first: 0 };
        }
        let bits = if slice == 0 { i64::from(map.element.bits()) } else { 8 * i64::from(slice) };
        let count = match map.mode {
            Mode::Tile(size) => size[0],
            Mode::Im2col { channels, .. } => channels,
        };
        // A map that no encoder made could ask for anything: no box is as long as this, and rows are whole chunks.
        let row = (i64::from(count) * bits / 8).min(1 << 20);
        let row =
            if map.element.has_gaps() { row - row % i64::from(map.element.packed()) } else { row & !15 };
        let size = i64::try_from(u128::from(map.sizes[0]) * bits as u128 / 8).unwrap_or(i64::MAX);
        let start = i64::from(coordinate) * bits / 8;
        let before = (-start).clamp(0, row);
        let end = size.saturating_sub(start).clamp(0, row);
        let inside = (end - before).max(0);
        Self { row: row as u32, before: before as u32, inside: inside as u32, start, first: 1 }
    }
}

impl Interleave {
    /// The bytes of a slice; 0 if there are none.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Bytes16 => 16,
            Self::Bytes32 => 32,
        }
    }
}

/// Four rows of a two-dimensional tensor.
fn four_rows(map: &TensorMap, beginning: u64, coordinates: &Coordinates) -> [Option<u64>; 4] {
    let mut rows = [None; 4];
    for (row, coordinate) in rows.iter_mut().zip(&coordinates[1..]) {
        if let Ok(y) = u64::try_from(*coordinate)
            && y < map.sizes[1]
        {
            *row = Some(beginning.wrapping_add(y.wrapping_mul(map.strides[1])));
        }
    }
    rows
}
