//! An array as one end of a copy: device memory with a pitch, inside the bounds of the array.

use super::descriptor::flag;
use super::object::{Array, CUarray};
use crate::abi::{Answer, CUresult};
use crate::work::{InArray, Place, Side};

/// How much is copied: bytes of a row, rows (of blocks, if texels come in blocks), slices or layers.
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
    let rows = u64::from(level.size[1].div_ceil(image.format.block_side()));
    let (slices, slice) = match image.shape.planes() {
        1 => (u64::from(level.size[2]), level.slice),
        planes => (u64::from(planes), image.layer),
    };
    let texels = u64::from(level.size[0].div_ceil(image.format.block_side()));
    let row = texels * u64::from(image.format.bytes());
    let (begins, sizes) = ([place.x, place.y, place.z], [row, rows, slices]);
    let inside =
        (0..3).all(|axis| begins[axis].checked_add(extent[axis]).is_some_and(|end| end <= sizes[axis]));
    // Blocks are copied whole; of other texels any bytes.
    let block = match image.format.block_side() {
        1 => 1,
        _ => u64::from(image.format.bytes()),
    };
    let whole = place.x.is_multiple_of(block) && extent[0].is_multiple_of(block);
    if !inside || !whole || place.lod != 0 || array.is_planar() {
        return None;
    }
    let address = image.address + level.offset + place.z * slice + place.y * level.row + place.x;
    let owner = match array.described.flags & (flag::SPARSE | flag::DEFERRED_MAPPING) {
        0 => Place::Device(address),
        flag::SPARSE => Place::Void(address),
        _ => Place::Missing(address),
    };
    Some(Side { place: owner, pitch: level.row, slice, array: Some(place) })
}

/// Where in an array a line of bytes begins.
pub fn line(array: CUarray, offset: usize) -> InArray {
    InArray { array, x: offset as u64, y: 0, z: 0, lod: 0 }
}
