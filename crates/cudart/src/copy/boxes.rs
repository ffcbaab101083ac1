//! Copies of boxes.

use ptxvm_abi::{Host, In};

use super::kind::{Kind, in_array};
use crate::array::element_bytes;
use crate::driver::{cuMemcpy3D, cuMemcpy3DAsync, cuMemcpy3DPeer, cuMemcpy3DPeerAsync};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{ARRAY, Array, Copy3D, Copy3DPeer, Cuboid, Extent, PitchedPtr, Side, Stream};

/// One side of a copy: in an array if there is one, else in memory. The runtime counts an array's elements where the driver
/// counts bytes.
fn side(
    array: Array,
    position: Extent,
    memory: PitchedPtr,
    of_memory: impl FnOnce(Host, usize, usize) -> Side,
) -> Answer<Side> {
    let Extent { width: x, height: y, depth: z } = position;
    if array == 0 {
        return Ok(Side { x_in_bytes: x, y, z, ..of_memory(memory.ptr, memory.pitch, memory.ysize) });
    }
    if !memory.ptr.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    let x = x.checked_mul(element_bytes(array)?).ok_or(CudaError::INVALID_VALUE)?;
    Ok(in_array(array, x, y, z))
}

/// A copy as the driver describes it.
///
/// # Errors
/// It has no direction, two sources, or an array that is none.
pub fn cuboid(copy: &Copy3D) -> Answer<Cuboid> {
    let kind = Kind::of(copy.kind)?;
    let from = side(copy.from_array, copy.from_position, copy.from, |m, p, h| kind.from(m, p, h))?;
    let to = side(copy.to_array, copy.to_position, copy.to, |m, p, h| kind.to(m, p, h))?;
    let array = if copy.from_array == 0 { copy.to_array } else { copy.from_array };
    let element = if array == 0 { 1 } else { element_bytes(array)? };
    let Extent { width, height, depth } = copy.extent;
    let width_in_bytes = width.checked_mul(element).ok_or(CudaError::INVALID_VALUE)?;
    let narrow = |side: &Side| side.array == 0 && side.pitch < width_in_bytes;
    if (height > 1 || depth > 1) && (narrow(&from) || narrow(&to)) {
        return Err(CudaError::INVALID_PITCH_VALUE);
    }
    Ok(Cuboid { from, to, width_in_bytes, height, depth })
}

/// A copy as the runtime describes it.
///
/// # Errors
/// It has an array that is none.
pub fn described(copy: &Cuboid) -> Answer<Copy3D> {
    let array = if copy.from.array == 0 { copy.to.array } else { copy.from.array };
    let element = if array == 0 { 1 } else { element_bytes(array)? };
    let position = |side: &Side| -> Answer<Extent> {
        let element = if side.kind == ARRAY { element_bytes(side.array)? } else { 1 };
        Ok(Extent { width: side.x_in_bytes / element, height: side.y, depth: side.z })
    };
    let memory = |side: &Side| {
        let ptr = if side.device == 0 { side.host } else { Host::at(side.device) };
        PitchedPtr { ptr, pitch: side.pitch, xsize: side.pitch, ysize: side.height }
    };
    Ok(Copy3D {
        from_array: copy.from.array,
        from_position: position(&copy.from)?,
        from: memory(&copy.from),
        to_array: copy.to.array,
        to_position: position(&copy.to)?,
        to: memory(&copy.to),
        extent: Extent { width: copy.width_in_bytes / element, height: copy.height, depth: copy.depth },
        kind: direction(copy),
    })
}

/// `cudaMemcpyKind` of the memory of both sides.
fn direction(copy: &Cuboid) -> u32 {
    let host = |side: &Side| side.kind == 1;
    match (host(&copy.from), host(&copy.to)) {
        _ if copy.from.kind == 4 || copy.to.kind == 4 => 4,
        (true, true) => 0,
        (true, false) => 1,
        (false, true) => 2,
        (false, false) => 3,
    }
}

/// A copy between devices, of which there is one.
fn between(copy: &Copy3DPeer) -> Answer<Cuboid> {
    if copy.from_device != 0 || copy.to_device != 0 {
        return Err(CudaError::INVALID_DEVICE);
    }
    let context = crate::context::primary()?;
    let mut cuboid = cuboid(&Copy3D {
        from_array: copy.from_array,
        from_position: copy.from_position,
        from: copy.from,
        to_array: copy.to_array,
        to_position: copy.to_position,
        to: copy.to,
        extent: copy.extent,
        kind: 3,
    })?;
    (cuboid.from.context, cuboid.to.context) = (context, context);
    Ok(cuboid)
}

/// Whether there is nothing to copy.
fn is_empty(copy: &Cuboid) -> bool {
    copy.width_in_bytes == 0 || copy.height == 0 || copy.depth == 0
}

entry! {
    fn cudaMemcpy3D[cudaMemcpy3D_ptds](copy: In<Copy3D>) {
        let copy = cuboid(&copy.get()?)?;
        if is_empty(&copy) { Ok(()) } else { cuMemcpy3D(&copy) }
    }

    fn cudaMemcpy3DAsync[cudaMemcpy3DAsync_ptsz](copy: In<Copy3D>, stream: Stream) {
        let copy = cuboid(&copy.get()?)?;
        if is_empty(&copy) { Ok(()) } else { cuMemcpy3DAsync(&copy, stream) }
    }

    fn cudaMemcpy3DPeer[cudaMemcpy3DPeer_ptds](copy: In<Copy3DPeer>) {
        cuMemcpy3DPeer(&between(&copy.get()?)?)
    }

    fn cudaMemcpy3DPeerAsync[cudaMemcpy3DPeerAsync_ptsz](copy: In<Copy3DPeer>, stream: Stream) {
        cuMemcpy3DPeerAsync(&between(&copy.get()?)?, stream)
    }
}
