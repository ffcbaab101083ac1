//! Pools, batches of copies, and what is said of arrays' memory: the same in both APIs.

use ptxvm_abi::Host;

use super::types::{Extent, MemLocation};

/// `cudaMemPoolProps`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PoolProps {
    pub kind: u32,
    pub handle_types: u32,
    pub location: MemLocation,
    pub security: Host,
    pub most: usize,
    pub usage: u16,
    pub reserved: [u8; 54],
}

/// `cudaMemAccessDesc`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AccessDesc {
    pub location: MemLocation,
    pub flags: u32,
}

/// `cudaMemPoolPtrExportData`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PoolPointer(pub [u8; 64]);

/// `cudaMemcpyAttributes`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BatchAttributes {
    pub order: u32,
    pub from: MemLocation,
    pub to: MemLocation,
    pub flags: u32,
}

/// `cudaMemcpy3DOperand`, whose middle is what its kind says.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BatchOperand {
    pub kind: u32,
    pub what: [u64; 4],
}

/// `cudaMemcpy3DBatchOp`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BatchOperation {
    pub from: BatchOperand,
    pub to: BatchOperand,
    pub extent: Extent,
    pub order: u32,
    pub flags: u32,
}

/// `cudaArrayMemoryRequirements`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArrayRequirements {
    pub size: usize,
    pub alignment: usize,
    pub reserved: [u32; 4],
}

/// `cudaArraySparseProperties`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SparseProperties {
    pub tile: [u32; 3],
    pub tail_first_level: u32,
    pub tail_size: u64,
    pub flags: u32,
    pub reserved: [u32; 4],
}

/// `cudaPointerAttributes`. CUDA 12's ends before `locality`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PointerAttributes {
    pub kind: u32,
    pub device: i32,
    pub device_pointer: Host,
    pub host_pointer: Host,
    pub locality: i64,
    pub reserved: [i64; 7],
}

const _: () = assert!(size_of::<PoolProps>() == 88);
const _: () = assert!(size_of::<BatchAttributes>() == 24);
const _: () = assert!(size_of::<BatchOperation>() == 112);
const _: () = assert!(size_of::<SparseProperties>() == 48);
const _: () = assert!(size_of::<PointerAttributes>() == 88);
