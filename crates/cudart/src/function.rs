//! What kernels are like, and what may be asked of them; how many of their CTAs fit.

use ptxvm_abi::{In, Out, Text};

use crate::context::DEVICE;
use crate::driver::{
    cuKernelGetAttribute, cuKernelGetFunction, cuKernelGetName, cuKernelGetParamCount, cuKernelGetParamInfo,
    cuKernelSetAttribute, cuKernelSetCacheConfig, cuOccupancyAvailableDynamicSMemPerBlock,
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveClusters,
    cuOccupancyMaxPotentialClusterSize,
};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::launch::config;
use crate::layout::{Function, FunctionAttributes, RuntimeLaunchConfig};
use crate::registration;

/// `CUfunction_attribute`
mod attribute {
    pub const MAX_THREADS: u32 = 0;
    pub const SHARED_BYTES: u32 = 1;
    pub const CONST_BYTES: u32 = 2;
    pub const LOCAL_BYTES: u32 = 3;
    pub const REGISTERS: u32 = 4;
    pub const PTX_VERSION: u32 = 5;
    pub const BINARY_VERSION: u32 = 6;
    pub const CACHE_MODE: u32 = 7;
    pub const MAX_DYNAMIC_SHARED: u32 = 8;
    pub const CARVEOUT: u32 = 9;
    pub const CLUSTER_MUST_BE_SET: u32 = 10;
    pub const CLUSTER_WIDTH: u32 = 11;
    pub const CLUSTER_HEIGHT: u32 = 12;
    pub const CLUSTER_DEPTH: u32 = 13;
    pub const NON_PORTABLE_CLUSTER: u32 = 14;
    pub const CLUSTER_SCHEDULING: u32 = 15;
    /// The attributes that a program may set, the same in both APIs.
    pub const SETTABLE: std::ops::RangeInclusive<u32> = MAX_DYNAMIC_SHARED..=16;
}

/// All attributes of a kernel.
fn attributes(kernel: u64) -> Answer<FunctionAttributes> {
    let get = |attribute: u32| {
        let mut value = 0;
        cuKernelGetAttribute(&mut value, attribute, kernel, DEVICE).map(|()| value)
    };
    let bytes = |attribute: u32| get(attribute).map(|value| usize::try_from(value).unwrap_or(0));
    Ok(FunctionAttributes {
        shared_bytes: bytes(attribute::SHARED_BYTES)?,
        const_bytes: bytes(attribute::CONST_BYTES)?,
        local_bytes: bytes(attribute::LOCAL_BYTES)?,
        max_threads: get(attribute::MAX_THREADS)?,
        registers: get(attribute::REGISTERS)?,
        ptx_version: get(attribute::PTX_VERSION)?,
        binary_version: get(attribute::BINARY_VERSION)?,
        cache_mode: get(attribute::CACHE_MODE)?,
        max_dynamic_shared: get(attribute::MAX_DYNAMIC_SHARED)?,
        carveout: get(attribute::CARVEOUT)?,
        cluster_must_be_set: get(attribute::CLUSTER_MUST_BE_SET)?,
        cluster_width: get(attribute::CLUSTER_WIDTH)?,
        cluster_height: get(attribute::CLUSTER_HEIGHT)?,
        cluster_depth: get(attribute::CLUSTER_DEPTH)?,
        cluster_scheduling: get(attribute::CLUSTER_SCHEDULING)?,
        non_portable_cluster: get(attribute::NON_PORTABLE_CLUSTER)?,
        ..FunctionAttributes::default()
    })
}

entry! {
    fn cudaFuncGetAttributes(place: Out<FunctionAttributes>, function: Function) {
        if place.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let kernel = registration::kernel(function)?;
        Ok(place.set(attributes(kernel)?)?)
    }

    fn cudaFuncSetAttribute(function: Function, attribute: u32, value: i32) {
        if !attribute::SETTABLE.contains(&attribute) {
            return Err(CudaError::INVALID_VALUE);
        }
        cuKernelSetAttribute(attribute, value, registration::kernel(function)?, DEVICE)
    }

    fn cudaKernelSetAttributeForDevice(kernel: u64, attribute: u32, value: i32, device: i32) {
        if !attribute::SETTABLE.contains(&attribute) {
            return Err(CudaError::INVALID_VALUE);
        }
        cuKernelSetAttribute(attribute, value, kernel, device)
    }

    fn cudaFuncSetCacheConfig(function: Function, config: u32) {
        cuKernelSetCacheConfig(registration::kernel(function)?, config, DEVICE)
    }

    /// Banks have one size since Maxwell; the call is checked and changes nothing.
    fn cudaFuncSetSharedMemConfig(function: Function, config: u32) {
        registration::kernel(function)?;
        if config > 2 { Err(CudaError::INVALID_VALUE) } else { Ok(()) }
    }

    fn cudaFuncGetName(name: Out<Text>, function: Function) {
        if name.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        cuKernelGetName(name, registration::kernel(function)?)
    }

    fn cudaFuncGetParamInfo(function: Function, index: usize, offset: Out<usize>, size: Out<usize>) {
        // No function is refused before a missing place, and a wrong one after it.
        if function != 0 && offset.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        cuKernelGetParamInfo(registration::kernel(function)?, index, offset, size)
    }

    fn cudaFuncGetParamCount(function: Function, count: Out<usize>) {
        cuKernelGetParamCount(registration::kernel(function)?, count)
    }

    fn cudaGetFuncBySymbol(found: Out<u64>, function: Function) {
        cuKernelGetFunction(found, registration::known_kernel(function)?)
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>, function: Function, block: i32, shared: usize,
    ) {
        let kernel = registration::kernel(function)?;
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block, shared, 0)
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, function: Function, block: i32, shared: usize, flags: u32,
    ) {
        let kernel = registration::kernel(function)?;
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block, shared, flags)
    }

    fn cudaOccupancyAvailableDynamicSMemPerBlock(
        bytes: Out<usize>, function: Function, blocks: i32, block: i32,
    ) {
        cuOccupancyAvailableDynamicSMemPerBlock(bytes, registration::kernel(function)?, blocks, block)
    }

    fn cudaOccupancyMaxPotentialClusterSize(
        size: Out<i32>, function: Function, described: In<RuntimeLaunchConfig>,
    ) {
        cuOccupancyMaxPotentialClusterSize(size, registration::kernel(function)?, &config(described)?)
    }

    fn cudaOccupancyMaxActiveClusters(
        clusters: Out<i32>, function: Function, described: In<RuntimeLaunchConfig>,
    ) {
        cuOccupancyMaxActiveClusters(clusters, registration::kernel(function)?, &config(described)?)
    }
}
