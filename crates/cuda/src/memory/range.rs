//! Checks of the addresses that a program hands over, at the call and before any work is given to a stream.

use ptxvm_memory::AllocationKind;

use crate::abi::{Answer, CUresult};
use crate::context::Context;

/// Checks that `bytes` bytes of device memory are there. Allocations that touch each other count as one: pieces that
/// were mapped side by side are such.
///
/// # Errors
/// Some of them are not.
pub fn device(context: &Context, address: u64, bytes: u64) -> Answer {
    let memory = context.device.memory();
    let end = address.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    let mut reached = address;
    while reached < end {
        let allocation = memory.allocation(reached).ok_or(CUresult::INVALID_VALUE)?;
        // The guest's heap and a launch's parameters are no memory of the driver's.
        if matches!(allocation.kind, AllocationKind::Heap | AllocationKind::Param) {
            return Err(CUresult::INVALID_VALUE);
        }
        reached = allocation.end();
    }
    Ok(())
}
