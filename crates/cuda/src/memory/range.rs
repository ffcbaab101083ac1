//! Checks the addresses that a program passes, during the call and before any work goes to a stream.

use ptxvm_memory::AllocationKind;

use crate::abi::{Answer, CUresult};
use crate::context::Context;

/// Checks that `bytes` bytes of device memory are there. Pieces that were mapped side by side count as one.
///
/// # Errors
/// Some of them are not.
pub fn device(context: &Context, address: u64, bytes: u64) -> Answer {
    // The guest's heap and a launch's parameters are no memory of the driver's.
    let given = |kind| !matches!(kind, AllocationKind::Heap | AllocationKind::Param);
    let there = context.device.memory().covers(address, bytes, given);
    if there { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}
