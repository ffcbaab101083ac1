//! Launches with attributes, which both APIs describe; the driver's sizes are narrower.

use ptxvm_abi::Host;

use super::types::{Dim3, Stream};

/// `cudaLaunchConfig_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RuntimeLaunchConfig {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: usize,
    pub stream: Stream,
    pub attributes: Host,
    pub count: u32,
}

/// `CUlaunchConfig`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    pub grid: Dim3,
    pub block: Dim3,
    pub shared: u32,
    pub stream: Stream,
    pub attributes: Host,
    pub count: u32,
}

/// `cudaLaunchAttributeValue` and `CUlaunchAttributeValue`: what it means depends on the attribute, and is the same in both.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AttributeValue(pub [u64; 8]);

const _: () = assert!(size_of::<RuntimeLaunchConfig>() == 56);
const _: () = assert!(size_of::<LaunchConfig>() == 56);

/// `cudaFuncAttributes`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct FunctionAttributes {
    pub shared_bytes: usize,
    pub const_bytes: usize,
    pub local_bytes: usize,
    pub max_threads: i32,
    pub registers: i32,
    pub ptx_version: i32,
    pub binary_version: i32,
    pub cache_mode: i32,
    pub max_dynamic_shared: i32,
    pub carveout: i32,
    pub cluster_must_be_set: i32,
    pub cluster_width: i32,
    pub cluster_height: i32,
    pub cluster_depth: i32,
    pub cluster_scheduling: i32,
    pub non_portable_cluster: i32,
    pub node_update_status: i32,
    pub shared_memory_mode: i32,
    pub reserved: [i32; 14],
}

const _: () = assert!(size_of::<FunctionAttributes>() == 144);
