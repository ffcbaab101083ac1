//! `malloc` and `free` of the guest.
//!
//! The heap has eight megabytes for all grids together, CUDA's default, unless the host sets another limit; blocks
//! live on when a grid has ended. Where it is exhausted the answer is a null pointer. Memory is zeroed, which CUDA
//! does not promise.

use ptxvm_memory::AllocationKind;

use super::site::Site;
use crate::context::Context;
use crate::effort::BYTES_OF_AN_INSTRUCTION;
use crate::explain::finding::Kind;
use crate::vector::lanes::Flow;

/// What every block's address is a multiple of.
const ALIGNMENT: u64 = 16;

/// What finding room or giving it back takes, in instructions.
const ALLOCATION: u64 = 64;

pub fn malloc(site: &Site<'_>, context: &mut Context<'_>) -> Result<(), Flow> {
    let size = site.argument(context, 0);
    let memory = context.run.environment.memory;
    context.spend(ALLOCATION)?;
    let address = memory.allocate(size, ALIGNMENT, AllocationKind::Heap, None).unwrap_or(0);
    if address != 0 {
        context.worker.effort += size / BYTES_OF_AN_INSTRUCTION;
        context.tell_heap(site.lane, address, Some(size));
    }
    site.give(context, address);
    Ok(())
}

pub fn free(site: &Site<'_>, context: &mut Context<'_>) -> Result<(), Flow> {
    let address = site.argument(context, 0);
    if address == 0 {
        return Ok(());
    }
    context.spend(ALLOCATION)?;
    context.run.environment.memory.free_kind(address, AllocationKind::Heap).map_err(|error| {
        let message = format!("`free` of {address:#x}, which is not a live block from `malloc`");
        context.fault(Kind::BadFree, site.lane, message, vec![error.to_string()])
    })?;
    context.tell_heap(site.lane, address, None);
    Ok(())
}
