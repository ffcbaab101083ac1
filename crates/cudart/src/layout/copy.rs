//! Copies of boxes: the runtime's description counts elements of arrays, the driver's counts bytes.

use ptxvm_abi::Host;

use super::types::{Array, Extent, PitchedPtr};

/// `cudaMemcpy3DParms`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy3D {
    pub from_array: Array,
    pub from_position: Extent,
    pub from: PitchedPtr,
    pub to_array: Array,
    pub to_position: Extent,
    pub to: PitchedPtr,
    pub extent: Extent,
    /// `cudaMemcpyKind`
    pub kind: u32,
}

/// `cudaMemcpy3DPeerParms`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy3DPeer {
    pub from_array: Array,
    pub from_position: Extent,
    pub from: PitchedPtr,
    pub from_device: i32,
    pub to_array: Array,
    pub to_position: Extent,
    pub to: PitchedPtr,
    pub to_device: i32,
    pub extent: Extent,
}

/// One side of a [`Cuboid`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Side {
    pub x_in_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub level: usize,
    /// `CUmemorytype`
    pub kind: u32,
    pub host: Host,
    pub device: u64,
    pub array: Array,
    /// The context, in a [`CuboidBetween`].
    pub context: u64,
    pub pitch: usize,
    pub height: usize,
}

/// `CUmemorytype`: an array, and an address of which the driver sees what it is.
pub const ARRAY: u32 = 3;
pub const UNIFIED: u32 = 4;

/// `CUDA_MEMCPY3D`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Cuboid {
    pub from: Side,
    pub to: Side,
    pub width_in_bytes: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CUDA_MEMCPY3D_PEER`, which has the same fields, of which one counts.
pub type CuboidBetween = Cuboid;

const _: () = assert!(size_of::<Copy3D>() == 160);
const _: () = assert!(size_of::<Copy3DPeer>() == 168);
const _: () = assert!(size_of::<Cuboid>() == 200);
