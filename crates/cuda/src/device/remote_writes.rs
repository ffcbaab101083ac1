//! Writes that other devices make into the device's memory over the bus. There are none, so that none need be waited for;
//! what is asked for is checked.

use crate::abi::CUresult;
use crate::context::current;
use crate::entry::entry;

/// `CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX`
const CURRENT_CONTEXT: u32 = 0;
/// `CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER` and `_TO_ALL_DEVICES`
const SCOPES: [u32; 2] = [100, 200];

entry! {
    fn cuFlushGPUDirectRDMAWrites(target: u32, scope: u32) {
        current()?;
        if target == CURRENT_CONTEXT && SCOPES.contains(&scope) { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
    }
}
