//! The structures by which programs describe nodes of graphs, as C lays them out.
#![allow(unsafe_code)]

use crate::context::CUcontext;
use crate::graph::{CUgraph, CUgraphNode};
use crate::memory::{CUmemPoolProps, Cuboid};
use crate::module::{CUfunction, CUkernel};
use crate::stream::{CUevent, CUstream};
use crate::work::CUhostFn;

use super::{CUdeviceptr, Host, In};

/// What is said of an edge: between which ports, and of what kind.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CUgraphEdgeData {
    pub from_port: u8,
    pub to_port: u8,
    pub kind: u8,
    pub reserved: [u8; 5],
}

impl CUgraphEdgeData {
    /// From the moment at which all CTAs of a kernel have let its dependents go, or have ended.
    pub const PROGRAMMATIC: Self = Self { from_port: 1, to_port: 0, kind: 1, reserved: [0; 5] };
    /// From the moment at which all CTAs of a kernel have begun.
    pub const LAUNCH_ORDER: Self = Self { from_port: 2, ..Self::PROGRAMMATIC };
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_KERNEL_NODE_PARAMS_v1 {
    pub func: CUfunction,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub kernel_params: In<In<u8>>,
    pub extra: In<Host>,
}

/// The third version has the same layout.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_KERNEL_NODE_PARAMS_v2 {
    pub v1: CUDA_KERNEL_NODE_PARAMS_v1,
    /// In the place of a function.
    pub kern: CUkernel,
    pub ctx: CUcontext,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_MEMCPY_NODE_PARAMS {
    pub flags: i32,
    pub reserved: i32,
    pub ctx: CUcontext,
    pub copy: Cuboid,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_MEMSET_NODE_PARAMS_v1 {
    pub dst: CUdeviceptr,
    pub pitch: usize,
    pub value: u32,
    pub element_size: u32,
    pub width: usize,
    pub height: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_MEMSET_NODE_PARAMS_v2 {
    pub v1: CUDA_MEMSET_NODE_PARAMS_v1,
    pub ctx: CUcontext,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_HOST_NODE_PARAMS_v1 {
    pub function: Option<CUhostFn>,
    pub user_data: Host,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_HOST_NODE_PARAMS_v2 {
    pub v1: CUDA_HOST_NODE_PARAMS_v1,
    pub sync_mode: u32,
    pub ctx: CUcontext,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_CHILD_GRAPH_NODE_PARAMS {
    pub graph: CUgraph,
    pub ownership: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_EVENT_NODE_PARAMS {
    pub event: CUevent,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS {
    pub pool_props: CUmemPoolProps,
    /// `CUmemAccessDesc`s
    pub access_descs: Host,
    pub access_desc_count: usize,
    pub bytesize: usize,
    pub dptr: CUdeviceptr,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_CONDITIONAL_NODE_PARAMS {
    pub handle: u64,
    pub kind: u32,
    pub size: u32,
    /// Where the driver keeps the handles of the bodies.
    pub bodies: In<CUgraph>,
    pub ctx: CUcontext,
}

/// A node of any kind. The middle is what the kind says.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUgraphNodeParams {
    pub kind: u32,
    pub reserved0: [u32; 3],
    payload: [u64; 29],
    pub reserved2: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "the driver API's name")]
pub struct CUDA_GRAPH_INSTANTIATE_PARAMS {
    pub flags: u64,
    pub upload_stream: CUstream,
    pub error_node: CUgraphNode,
    pub result: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUgraphExecUpdateResultInfo {
    pub result: u32,
    pub error_node: CUgraphNode,
    pub error_from_node: CUgraphNode,
}

/// What may stand in the middle of [`CUgraphNodeParams`].
pub trait NodePayload: Copy {}

macro_rules! payloads {
    ($($name:ident)*) => {$(
        impl NodePayload for $name {}
        const _: () = assert!(size_of::<$name>() <= 232);
    )*};
}
payloads! {
    CUDA_KERNEL_NODE_PARAMS_v2 CUDA_MEMCPY_NODE_PARAMS CUDA_MEMSET_NODE_PARAMS_v2 CUDA_HOST_NODE_PARAMS_v2
    CUDA_CHILD_GRAPH_NODE_PARAMS CUDA_EVENT_NODE_PARAMS CUDA_MEM_ALLOC_NODE_PARAMS CUDA_CONDITIONAL_NODE_PARAMS u64
}

impl CUgraphNodeParams {
    /// A node of a kind, with nothing said of it.
    pub fn new(kind: u32) -> Self {
        Self { kind, reserved0: [0; 3], payload: [0; 29], reserved2: 0 }
    }

    /// What is said, read as what the kind says it is.
    pub fn get<T: NodePayload>(&self) -> T {
        // SAFETY: the payload is as long, by the assertion above, and every pattern of bits is a value of these
        // plain structures of numbers, handles, pointers and pointers to functions that the program vouches for.
        unsafe { self.payload.as_ptr().cast::<T>().read() }
    }

    /// Says it.
    pub fn set<T: NodePayload>(&mut self, value: T) {
        // SAFETY: the payload is as long, by the assertion above.
        unsafe { self.payload.as_mut_ptr().cast::<T>().write(value) };
    }
}

// The sizes that `cuda.h` gives them.
const _: () = assert!(size_of::<CUgraphEdgeData>() == 8);
const _: () = assert!(size_of::<CUDA_KERNEL_NODE_PARAMS_v1>() == 56);
const _: () = assert!(size_of::<CUDA_KERNEL_NODE_PARAMS_v2>() == 72);
const _: () = assert!(size_of::<Cuboid>() == 200);
const _: () = assert!(size_of::<CUDA_MEMCPY_NODE_PARAMS>() == 216);
const _: () = assert!(size_of::<CUDA_MEMSET_NODE_PARAMS_v1>() == 40);
const _: () = assert!(size_of::<CUDA_MEMSET_NODE_PARAMS_v2>() == 48);
const _: () = assert!(size_of::<CUDA_HOST_NODE_PARAMS_v1>() == 16);
const _: () = assert!(size_of::<CUDA_HOST_NODE_PARAMS_v2>() == 32);
const _: () = assert!(size_of::<CUDA_CHILD_GRAPH_NODE_PARAMS>() == 16);
const _: () = assert!(size_of::<CUmemPoolProps>() == 88);
const _: () = assert!(size_of::<CUDA_MEM_ALLOC_NODE_PARAMS>() == 120);
const _: () = assert!(size_of::<CUDA_CONDITIONAL_NODE_PARAMS>() == 32);
const _: () = assert!(size_of::<CUgraphNodeParams>() == 256);
const _: () = assert!(std::mem::offset_of!(CUgraphNodeParams, payload) == 16);
const _: () = assert!(size_of::<CUDA_GRAPH_INSTANTIATE_PARAMS>() == 32);
const _: () = assert!(size_of::<CUgraphExecUpdateResultInfo>() == 24);
