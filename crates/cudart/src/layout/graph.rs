//! Nodes of graphs. Most are the same in both APIs; kernels and copies are not.
#![allow(unsafe_code)]

use ptxvm_abi::Host;

use super::copy::{Copy3D, Cuboid};
use super::memory::PoolProps;
use super::types::{Dim3, Function, GraphNode, HostFunction, Stream};

/// `cudaGraphEdgeData`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct EdgeData {
    pub from_port: u8,
    pub to_port: u8,
    pub kind: u8,
    pub reserved: [u8; 5],
}

/// `cudaKernelNodeParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode {
    pub function: Function,
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: u32,
    pub parameters: Host,
    pub extra: Host,
}

/// `cudaKernelNodeParamsV2`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode2 {
    pub node: KernelNode,
    pub context: u64,
    /// `cudaKernelFunctionType`: what `function` is.
    pub kind: u32,
}

/// `CUDA_KERNEL_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DriverKernelNode {
    pub function: u64,
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: u32,
    pub parameters: Host,
    pub extra: Host,
    /// In the place of a function.
    pub kernel: u64,
    pub context: u64,
}

/// `cudaMemcpyNodeParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CopyNode {
    pub flags: i32,
    pub reserved: i32,
    pub context: u64,
    pub copy: Copy3D,
}

/// `CUDA_MEMCPY_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DriverCopyNode {
    pub flags: i32,
    pub reserved: i32,
    pub context: u64,
    pub copy: Cuboid,
}

/// `cudaMemsetParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemsetNode {
    pub to: Host,
    pub pitch: usize,
    pub value: u32,
    pub element: u32,
    pub width: usize,
    pub height: usize,
}

/// `cudaHostNodeParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostNode {
    pub function: HostFunction,
    pub data: Host,
}

/// `cudaMemAllocNodeParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemAllocNode {
    pub properties: PoolProps,
    pub access: Host,
    pub access_count: usize,
    pub bytes: usize,
    pub address: Host,
}

/// `cudaGraphInstantiateParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InstantiateParams {
    pub flags: u64,
    pub upload: Stream,
    pub error_node: GraphNode,
    pub result: u32,
}

/// `cudaGraphExecUpdateResultInfo`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UpdateResult {
    pub result: u32,
    pub error_node: GraphNode,
    pub error_from_node: GraphNode,
}

/// `cudaGraphNodeParams` or `CUgraphNodeParams`: what a node of any kind is. The middle is what the kind says.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Node {
    pub kind: u32,
    pub reserved0: [u32; 3],
    payload: [u64; 29],
    pub reserved2: i64,
}

/// The driver's.
pub type DriverNode = Node;

/// `cudaGraphNodeType`, the same in both APIs: the two whose descriptions differ.
pub const KERNEL: u32 = 0;
pub const COPY: u32 = 1;

/// What may stand in the middle of a [`Node`].
pub trait Payload: Copy {}
impl Payload for KernelNode2 {}
impl Payload for DriverKernelNode {}
impl Payload for CopyNode {}
impl Payload for DriverCopyNode {}
const _: () = assert!(size_of::<DriverCopyNode>() <= 232);

impl Node {
    /// A node of a kind, with nothing said of it.
    pub const fn new(kind: u32) -> Self {
        Self { kind, reserved0: [0; 3], payload: [0; 29], reserved2: 0 }
    }

    /// What is said, read as what the kind says it is.
    pub fn get<T: Payload>(&self) -> T {
        // SAFETY: the payload is as long, by the assertion above, and every pattern of bits is a value of these plain
        // structures of numbers and pointers.
        unsafe { self.payload.as_ptr().cast::<T>().read() }
    }

    /// Says it.
    pub fn set<T: Payload>(&mut self, value: T) {
        // SAFETY: the payload is as long, by the assertion above.
        unsafe { self.payload.as_mut_ptr().cast::<T>().write(value) };
    }
}

const _: () = assert!(size_of::<KernelNode>() == 56);
const _: () = assert!(size_of::<KernelNode2>() == 72);
const _: () = assert!(size_of::<DriverKernelNode>() == 72);
const _: () = assert!(size_of::<CopyNode>() == 176);
const _: () = assert!(size_of::<DriverCopyNode>() == 216);
const _: () = assert!(size_of::<MemsetNode>() == 40);
const _: () = assert!(size_of::<MemAllocNode>() == 120);
const _: () = assert!(size_of::<Node>() == 256);
