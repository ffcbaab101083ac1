//! Limits, caches, priorities, and the memory of graphs.

use ptxvm_abi::{Host, Out};

use crate::driver::{
    cuCtxGetCacheConfig, cuCtxGetLimit, cuCtxGetStreamPriorityRange, cuCtxResetPersistingL2Cache,
    cuCtxSetCacheConfig, cuCtxSetLimit, cuDeviceGetGraphMemAttribute, cuDeviceGraphMemTrim,
    cuDeviceSetGraphMemAttribute, cuFlushGPUDirectRDMAWrites,
};
use crate::entry::{entry, unsupported};
use crate::error::CudaError;

/// `cudaSharedMemBankSizeFourByte`: the only width that banks have since Maxwell.
const FOUR_BYTES: u32 = 1;

entry! {
    fn cudaDeviceSetLimit(limit: u32, value: usize) {
        cuCtxSetLimit(limit, value)
    }

    fn cudaDeviceGetLimit(value: Out<usize>, limit: u32) {
        cuCtxGetLimit(value, limit)
    }

    fn cudaDeviceGetCacheConfig(config: Out<u32>) {
        cuCtxGetCacheConfig(config)
    }

    fn cudaDeviceSetCacheConfig(config: u32) {
        cuCtxSetCacheConfig(config)
    }

    fn cudaDeviceGetSharedMemConfig(config: Out<u32>) {
        Ok(config.set(FOUR_BYTES)?)
    }

    /// The call is checked and changes nothing.
    fn cudaDeviceSetSharedMemConfig(config: u32) {
        if config > 2 { Err(CudaError::INVALID_VALUE) } else { Ok(()) }
    }

    fn cudaDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        cuCtxGetStreamPriorityRange(least, greatest)
    }

    fn cudaCtxResetPersistingL2Cache() {
        cuCtxResetPersistingL2Cache()
    }

    fn cudaDeviceGetGraphMemAttribute(device: i32, attribute: u32, value: Host) {
        cuDeviceGetGraphMemAttribute(device, attribute, value)
    }

    fn cudaDeviceSetGraphMemAttribute(device: i32, attribute: u32, value: Host) {
        cuDeviceSetGraphMemAttribute(device, attribute, value)
    }

    fn cudaDeviceFlushGPUDirectRDMAWrites(target: u32, scope: u32) {
        cuFlushGPUDirectRDMAWrites(target, scope)
    }

    fn cudaDeviceGraphMemTrim(device: i32) {
        cuDeviceGraphMemTrim(device)
    }
}

unsupported! {
    cudaDevResourceGenerateDesc
    cudaDevSmResourceSplit
    cudaDevSmResourceSplitByCount
    cudaDeviceGetDevResource
    cudaDeviceGetExecutionCtx
    cudaDeviceGetHostAtomicCapabilities
    cudaDeviceGetNvSciSyncAttributes
    cudaDeviceGetP2PAtomicCapabilities
    cudaDeviceRegisterAsyncNotification
    cudaDeviceUnregisterAsyncNotification
    cudaExecutionCtxDestroy
    cudaExecutionCtxGetDevResource
    cudaExecutionCtxGetDevice
    cudaExecutionCtxGetId
    cudaExecutionCtxRecordEvent
    cudaExecutionCtxStreamCreate
    cudaExecutionCtxSynchronize
    cudaExecutionCtxWaitEvent
    cudaGreenCtxCreate
    cudaMemGetLocationInfo
}
