//! A and B as the tensor cores want them: rows of A and columns of B one after the other, their elements along K side by
//! side in the container of their kind.
#![allow(unsafe_code)]

use std::ops::Range;

use ptxvm_memory::TensorMemory;

use super::data_path::DataPath;
use crate::door::peer::Peer;
use crate::door::touch::Touch;
use crate::matrix::descriptor::Major;
use crate::matrix::instruction::{Factor, MmaKind};
use crate::matrix::units::Units;
use crate::ops::tcgen05::place::TensorPlace;

/// The bytes of a unit of shared memory.
const UNIT: u32 = 16;

/// A matrix in shared memory, at the same place of each CTA that has a part of it.
#[derive(Clone, Copy, Debug)]
pub struct InShared {
    pub units: Units,
    pub shape: SharedMatrixShape,
}

/// What a CTA has of a matrix in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct SharedMatrixShape {
    /// The rows of A or columns of B that one CTA has, those before the first that is used included.
    pub count: u32,
    /// How many of them are not used.
    pub skipped: u32,
    /// The bytes of each of them along K.
    pub bytes: u32,
    /// The bits of a container.
    pub container: u32,
    /// The bits of an element that lies in its unit without gaps, and padding after all of them.
    pub tight: Option<u32>,
}

impl SharedMatrixShape {
    /// The bits of elements that are packed more tightly than their containers.
    #[must_use]
    pub fn tight(kind: MmaKind, factor: Factor) -> Option<u32> {
        match (kind, factor) {
            (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, Factor::Float(element)) if element.bits() < 8 => {
                Some(element.bits())
            }
            _ => None,
        }
    }

    /// The units in the major direction, and the rows or columns across.
    #[must_use]
    pub fn units(&self, major: Major) -> (u32, u32) {
        match major {
            Major::K => (self.bytes / UNIT, self.count),
            Major::Mn => ((self.count * self.container / 8).div_ceil(UNIT), self.bytes * 8 / self.container),
        }
    }
}

impl InShared {
    /// The bytes that [`Self::gather`] appends.
    pub fn bytes(&self) -> u64 {
        u64::from(self.shape.count - self.shape.skipped) * u64::from(self.shape.bytes)
    }

    /// The units that [`Self::gather`] reads: along the major direction, and across.
    fn read(&self) -> (Range<u32>, Range<u32>) {
        let across = match self.units.major() {
            Major::K => self.shape.skipped..self.shape.count,
            Major::Mn => 0..self.units.across(),
        };
        (0..self.units.along(), across)
    }

    /// Names what it reads.
    pub fn footprint(&self, shared: &Peer, visit: &mut dyn FnMut(Touch)) {
        let (along, across) = self.read();
        self.units.footprint(shared, along, across, visit);
    }

    /// Appends the rows or columns that one CTA has.
    ///
    /// # Safety
    /// As for [`Units::gather`].
    pub unsafe fn gather(&self, shared: Peer, to: &mut Vec<u8>) {
        let Self { units, shape } = self;
        let (along, across) = (units.along(), units.across());
        let begin = to.len();
        match units.major() {
            Major::K => {
                to.resize(begin + ((shape.count - shape.skipped) * shape.bytes) as usize, 0);
                let (along, used) = self.read();
                // SAFETY: the caller's promise, passed on.
                unsafe { units.gather(shared, along, used, &mut to[begin..]) };
                if let Some(bits) = shape.tight {
                    to[begin..].chunks_exact_mut(UNIT as usize).for_each(|unit| spread(bits, unit));
                }
            }
            Major::Mn => {
                let mut slices = vec![0; (along * across * UNIT) as usize];
                // SAFETY: the caller's promise, passed on.
                unsafe { units.gather(shared, 0..along, 0..across, &mut slices) };
                to.resize(begin + ((shape.count - shape.skipped) * shape.bytes) as usize, 0);
                let (element, row) = ((shape.container / 8) as usize, shape.bytes as usize);
                for (k, slice) in slices.chunks_exact((along * UNIT) as usize).enumerate() {
                    let used = slice.chunks_exact(element).skip(shape.skipped as usize);
                    for (bytes, to) in used.zip(to[begin..].chunks_exact_mut(row)) {
                        to[element * k..][..element].copy_from_slice(bytes);
                    }
                }
            }
        }
    }
}

/// Gives each of a unit's sixteen elements of 4 or 6 bits a byte: those of 6 bits lie in its low bits, those of 4 bits
/// above two bits of padding.
fn spread(bits: u32, unit: &mut [u8]) {
    let packed = unit.iter().take(12).rev().fold(0u128, |packed, byte| packed << 8 | u128::from(*byte));
    for (index, byte) in unit.iter_mut().enumerate() {
        let element = (packed >> (bits as usize * index)) as u8 & ((1 << bits) - 1);
        *byte = if bits == 4 { element << 2 } else { element };
    }
}

/// The lane of tensor memory that a row of a part of A lies in.
pub fn lane_of_a(place: TensorPlace, (path, part): (&DataPath, u32), row: u32, shifted: bool) -> u32 {
    let row = if shifted && row + 1 < path.rows { row + 1 } else { row };
    place.lane + path.lane(part, row)
}

/// Reads a part's rows of A out of tensor memory. With `shifted` each row is the one after it, but the last itself.
pub fn rows_in_tensor_memory(
    memory: &TensorMemory,
    place: TensorPlace,
    (path, part): (&DataPath, u32),
    bytes: u32,
    shifted: bool,
) -> Vec<u8> {
    let mut rows = Vec::with_capacity((path.rows * bytes) as usize);
    for row in 0..path.rows {
        let lane = lane_of_a(place, (path, part), row, shifted);
        let words = memory.row(lane, place.column, bytes / 4);
        rows.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    rows.resize((path.rows * bytes) as usize, 0);
    rows
}
