//! An array as one end of a copy: device memory with a pitch, inside the bounds of the array.

use super::object::{Array, CUarray};
use crate::abi::{Answer, CUresult};
use crate::work::{InArray, Place, Side};

/// How much is copied: bytes of a row, rows, slices.
pub type Extent = [u64; 3];

/// The part of an array that a copy names.
///
/// # Errors
/// There is no such array, or the part is not inside it.
pub fn side(place: InArray, extent: Extent) -> Answer<Side> {
    let array = place.array.find().ok_or(CUresult::INVALID_VALUE)?;
    within(&array, place, extent).ok_or(CUresult::INVALID_VALUE)
}

fn within(array: &Array, place: InArray, extent: Extent) -> Option<Side> {
    let (image, level) = (&array.image, array.level());
    let texel = u64::from(image.format.bytes());
    let rows = u64::from(level.size[1].div_ceil(image.format.block_side()));
    let (slices, slice) = match image.shape.planes() {
        1 => (u64::from(level.size[2]), level.slice),
        planes => (u64::from(planes), image.layer),
    };
    let begins = [place.x, place.y, place.z];
    let sizes = [level.row, rows, slices];
    for axis in 0..3 {
        if begins[axis].checked_add(extent[axis])? > sizes[axis] {
            return None;
        }
    }
    let whole = place.x.is_multiple_of(texel) && extent[0].is_multiple_of(texel);
    if !whole || place.lod != 0 {
        return None;
    }
    let address = image.address + level.offset + place.z * slice + place.y * level.row + place.x;
    Some(Side { place: Place::Device, address, pitch: level.row, slice, array: Some(place) })
}

/// Where in an array a line of bytes begins.
pub fn line(array: CUarray, offset: usize) -> InArray {
    InArray { array, x: offset as u64, y: 0, z: 0, lod: 0 }
}
