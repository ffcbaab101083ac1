//! The entry points that say how arrays are stored, and that give the planes of video arrays.

use ptxvm_texture::{Format, Shape};

use super::descriptor::{ArrayDescriptor, flag};
use super::format;
use super::mipmapped::CUmipmappedArray;
use super::object::{CUarray, shape};
use crate::abi::{Answer, CUdevice, CUresult, Out};
use crate::context::current;
use crate::entry::entry;

/// Memory is mapped in pieces of this.
const TILE: u64 = 64 << 10;

/// `CUDA_ARRAY_MEMORY_REQUIREMENTS`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemoryRequirements {
    pub size: usize,
    pub alignment: usize,
    pub reserved: [u32; 4],
}

/// `CUDA_ARRAY_SPARSE_PROPERTIES` without the words at its end, which the driver leaves as they are.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SparseProperties {
    /// Texels of a tile.
    pub tile: [u32; 3],
    /// The first level that shares its tiles with others.
    pub tail_level: u32,
    /// The bytes of these levels, in two words, since the structure goes on with one.
    pub tail_bytes: [u32; 2],
    pub flags: u32,
}

/// `CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL`
const SINGLE_MIPTAIL: u32 = 1;

entry! {
    fn cuArrayGetPlane(plane: Out<CUarray>, array: CUarray, number: u32) {
        current()?;
        let array = array.get()?;
        if plane.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        plane.set(array.plane(number)?)
    }

    fn cuArrayGetMemoryRequirements(told: Out<MemoryRequirements>, array: CUarray, _device: CUdevice) {
        current()?;
        let array = array.find().ok_or(CUresult::INVALID_VALUE)?;
        told.set(deferred(&array.described, array.image.bytes)?)
    }

    fn cuMipmappedArrayGetMemoryRequirements(
        told: Out<MemoryRequirements>, mipmapped: CUmipmappedArray, _device: CUdevice,
    ) {
        current()?;
        let mipmapped = mipmapped.find().ok_or(CUresult::INVALID_VALUE)?;
        told.set(deferred(&mipmapped.described, mipmapped.image.bytes)?)
    }

    fn cuArrayGetSparseProperties(told: Out<SparseProperties>, array: CUarray) {
        current()?;
        let array = array.find().ok_or(CUresult::INVALID_VALUE)?;
        told.set(sparse(&array.described, None)?)
    }

    fn cuMipmappedArrayGetSparseProperties(told: Out<SparseProperties>, mipmapped: CUmipmappedArray) {
        current()?;
        let mipmapped = mipmapped.find().ok_or(CUresult::INVALID_VALUE)?;
        told.set(sparse(&mipmapped.described, Some(mipmapped.image.levels.len() as u32))?)
    }
}

/// The memory that a program has to map for an array.
fn deferred(described: &ArrayDescriptor, bytes: u64) -> Answer<MemoryRequirements> {
    if !described.has(flag::DEFERRED_MAPPING) {
        return Err(CUresult::INVALID_VALUE);
    }
    let size = bytes.next_multiple_of(TILE) as usize;
    Ok(MemoryRequirements { size, alignment: TILE as usize, reserved: [0; 4] })
}

/// The tiles of a sparse array, and the levels that are smaller than one.
fn sparse(described: &ArrayDescriptor, levels: Option<u32>) -> Answer<SparseProperties> {
    if !described.has(flag::SPARSE) {
        return Err(CUresult::INVALID_VALUE);
    }
    let format = format::format(described)?;
    let shape = shape(described, levels.unwrap_or(1));
    let tile = tile(format, shape.depth > 0);
    let fills = |level: u32| {
        let sizes = [shape.width, shape.height, shape.depth.max(1)];
        sizes.iter().zip(tile).all(|(&size, tile)| (size >> level).max(1) >= tile)
    };
    let tail_level = (0..shape.levels).find(|&level| !fills(level)).unwrap_or(shape.levels);
    // An array without levels either has no tail or is one.
    if levels.is_none() && tail_level > 0 {
        return Ok(SparseProperties { tile, tail_level: 0, tail_bytes: [0; 2], flags: 0 });
    }
    let blocks: Vec<_> = (tail_level..shape.levels).map(|level| in_tail(&shape, format, level)).collect();
    let mut bytes: u64 = blocks.iter().map(|(bytes, _)| bytes).sum();
    // A tail that is all is one for all layers; otherwise each layer has one.
    if let (0, Some((_, block))) = (tail_level, blocks.first()) {
        bytes = bytes.next_multiple_of(*block) * u64::from(shape.planes());
    }
    let bytes = bytes.next_multiple_of(TILE);
    let tail_bytes = [bytes as u32, (bytes >> 32) as u32];
    let flags = if tail_level == 0 { SINGLE_MIPTAIL } else { 0 };
    Ok(SparseProperties { tile, tail_level, tail_bytes, flags })
}

/// The texels of a tile: as many as it has room for, about as wide as high as deep.
fn tile(format: Format, solid: bool) -> [u32; 3] {
    let side = format.block_side();
    let [width, height, depth] = match (solid, format.bytes()) {
        (false, 1) => [256, 256, 1],
        (false, 2) => [256, 128, 1],
        (false, 4) => [128, 128, 1],
        (false, 8) => [128, 64, 1],
        (false, _) => [64, 64, 1],
        (true, 1) => [64, 32, 32],
        (true, 2) => [32, 32, 32],
        (true, 4) => [32, 32, 16],
        (true, 8) => [32, 16, 16],
        (true, _) => [16, 16, 16],
    };
    [width * side, height * side, depth]
}

/// The bytes that a level takes where levels share tiles, and those of its blocks: 64 bytes wide, 8 rows high or a
/// power of two times as many, and as deep as the level is.
fn in_tail(shape: &Shape, format: Format, level: u32) -> (u64, u64) {
    let solid = shape.depth > 0;
    let texels = |size: u32| u64::from((size >> level).max(1).div_ceil(format.block_side()));
    let (columns, rows) = (texels(shape.width) * u64::from(format.bytes()), texels(shape.height));
    let slices = u64::from((shape.depth >> level).max(1));
    let high = 8 * rows.div_ceil(8).next_power_of_two().min(if solid { 4 } else { 16 });
    let deep = slices.next_power_of_two().min(16);
    let bytes = columns.next_multiple_of(64) * rows.next_multiple_of(high) * slices.next_multiple_of(deep);
    (bytes, 64 * high * deep)
}
