//! The entry points that say what a pointer points to.
//!
//! A kernel can access ordinary host memory once it gets a pointer to it. So `cuPointerGetAttribute` says that its device
//! pointer is the address itself, where an H200 has none: Triton asks for it, and refuses an array without one. The driver
//! knows nothing else about such memory, and `cuPointerGetAttributes` answers as an H200 does.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::allocate::is_variable;
use super::pages;
use super::pool::{CUmemoryPool, STEP};
use super::registry::{self, MemoryKind, Record};
use crate::abi::{Answer, AttributeValue, CUdeviceptr, CUresult, In, OutAny};
use crate::context::{self, CUcontext};
use crate::driver;
use crate::entry::entry;

/// Attributes have numbers from 1; nobody asks for more of them than this in one call.
const MANY: usize = 4096;
/// Physical memory comes in pieces of this.
const PIECE: u64 = 2 << 20;

/// The attributes.
const CONTEXT: u32 = 1;
const MEMORY_TYPE: u32 = 2;
const DEVICE_POINTER: u32 = 3;
const HOST_POINTER: u32 = 4;
const P2P_TOKENS: u32 = 5;
const SYNC_MEMOPS: u32 = 6;
const BUFFER_ID: u32 = 7;
const IS_MANAGED: u32 = 8;
const DEVICE_ORDINAL: u32 = 9;
const IS_LEGACY_CUDA_IPC_CAPABLE: u32 = 10;
const RANGE_START_ADDR: u32 = 11;
const RANGE_SIZE: u32 = 12;
const MAPPED: u32 = 13;
const ALLOWED_HANDLE_TYPES: u32 = 14;
const IS_GPU_DIRECT_RDMA_CAPABLE: u32 = 15;
const ACCESS_FLAGS: u32 = 16;
const MEMPOOL_HANDLE: u32 = 17;
const MAPPING_SIZE: u32 = 18;
const MAPPING_BASE_ADDR: u32 = 19;
const MEMORY_BLOCK_ID: u32 = 20;
const IS_HW_DECOMPRESS_CAPABLE: u32 = 21;

/// `CU_MEMORYTYPE_HOST` and `CU_MEMORYTYPE_DEVICE`
const HOST: u32 = 1;
const DEVICE: u32 = 2;

/// What a pointer points to.
enum Target {
    /// Memory that the driver gave or knows.
    Known(Arc<Record>),
    /// A variable of a module's: where it starts, how long it is, and whether it is managed.
    Variable { start: u64, size: u64, managed: bool },
    /// The program's own memory.
    Host,
}

entry! {
    fn cuPointerGetAttribute(data: OutAny, attribute: u32, pointer: CUdeviceptr) {
        driver::get()?;
        if data.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        data.set(ask(&target(pointer)?, attribute, pointer)?)
    }

    /// What cannot be told is zero, and no error. Of an address that the driver has not given, be there memory or not, an
    /// H200 says that the host has it at that address; it leaves the range as it was and has no tokens.
    fn cuPointerGetAttributes(count: u32, attributes: In<u32>, data: In<OutAny>, pointer: CUdeviceptr) {
        driver::get()?;
        context::current()?;
        if count == 0 || count as usize > MANY || attributes.is_null() || data.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let target = target(pointer);
        for index in 0..count as usize {
            let attribute = attributes.at(index)?;
            let nothing = nothing(attribute).ok_or(CUresult::INVALID_VALUE)?;
            let value = match (&target, attribute) {
                (Ok(target @ (Target::Known(_) | Target::Variable { .. })), _) => {
                    ask(target, attribute, pointer).unwrap_or(nothing)
                }
                (_, HOST_POINTER) => AttributeValue::Long(pointer),
                (_, P2P_TOKENS) => return Err(CUresult::INVALID_VALUE),
                (_, RANGE_START_ADDR | RANGE_SIZE) => continue,
                _ => nothing,
            };
            data.at(index)?.set(value)?;
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: In<u32>, attribute: u32, pointer: CUdeviceptr) {
        driver::get()?;
        let record = registry::at(pointer).ok_or(CUresult::INVALID_VALUE)?;
        if attribute != SYNC_MEMOPS {
            return Err(CUresult::INVALID_VALUE);
        }
        record.sync.store(value.get()? != 0, Ordering::Relaxed);
        Ok(())
    }
}

/// What a pointer points to.
fn target(pointer: CUdeviceptr) -> Answer<Target> {
    if let Some(record) = registry::at(pointer) {
        return Ok(Target::Known(record));
    }
    let memory = driver::get()?.device.memory();
    match memory.allocation(pointer) {
        Some(variable) if is_variable(variable.kind) => {
            let managed = variable.kind == ptxvm_memory::AllocationKind::Managed;
            Ok(Target::Variable { start: variable.start, size: variable.size, managed })
        }
        // Freed memory is the driver's for a while yet, and mapped; it is nobody's array.
        _ if pages::is_mapped(pointer) && !memory.owns(pointer) => Ok(Target::Host),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// The value of an attribute where nothing is known, which also tells how wide it is.
fn nothing(attribute: u32) -> Option<AttributeValue> {
    Some(match attribute {
        P2P_TOKENS => AttributeValue::Pair([0; 2]),
        MEMORY_TYPE | SYNC_MEMOPS | IS_MANAGED | IS_LEGACY_CUDA_IPC_CAPABLE => AttributeValue::Word(0),
        MAPPED | IS_GPU_DIRECT_RDMA_CAPABLE | ACCESS_FLAGS | IS_HW_DECOMPRESS_CAPABLE => {
            AttributeValue::Word(0)
        }
        // `CU_DEVICE_INVALID`
        DEVICE_ORDINAL => AttributeValue::Word(-2i32 as u32),
        CONTEXT | DEVICE_POINTER | HOST_POINTER | BUFFER_ID | RANGE_START_ADDR | RANGE_SIZE => {
            AttributeValue::Long(0)
        }
        ALLOWED_HANDLE_TYPES | MEMPOOL_HANDLE | MAPPING_SIZE | MAPPING_BASE_ADDR | MEMORY_BLOCK_ID => {
            AttributeValue::Long(0)
        }
        _ => return None,
    })
}

/// What memory is, in the words of the attributes.
struct Facts {
    start: u64,
    size: u64,
    on_host: bool,
    managed: bool,
    /// Whether it came from `cuMemAlloc` or belongs to a module.
    plain: bool,
    context: CUcontext,
    id: u64,
    sync: bool,
    pool: CUmemoryPool,
    handle_types: u32,
    /// Where what is mapped for it starts, and how long it is.
    mapping: (u64, u64),
}

impl Facts {
    fn of(record: &Record) -> Self {
        let (pool, handle_types) = match &record.kind {
            MemoryKind::Pool(pool) => (pool.handle, pool.properties.handle_types),
            MemoryKind::Mapped(physical) => (CUmemoryPool::NULL, physical.properties.handle_types),
            _ => (CUmemoryPool::NULL, 0),
        };
        let pooled = match &record.kind {
            MemoryKind::Pool(pool) => Some(pool.allocation_kind()),
            MemoryKind::Graph(kind) => Some(*kind),
            _ => None,
        };
        Self {
            start: record.start,
            size: record.size,
            on_host: record.kind.on_host() || pooled == Some(ptxvm_memory::AllocationKind::Pinned),
            managed: matches!(record.kind, MemoryKind::Managed(_))
                || pooled == Some(ptxvm_memory::AllocationKind::Managed),
            plain: matches!(record.kind, MemoryKind::Device),
            context: record.context,
            id: record.id,
            sync: record.sync.load(Ordering::Relaxed),
            pool,
            handle_types,
            mapping: match record.kind {
                MemoryKind::Registered(_) => {
                    let start = record.start & !(pages::PAGE - 1);
                    (start, record.end().next_multiple_of(pages::PAGE) - start)
                }
                MemoryKind::Pool(_) => (record.start, record.size.next_multiple_of(STEP)),
                _ => (record.start, record.size.next_multiple_of(PIECE)),
            },
        }
    }
}

fn ask(target: &Target, attribute: u32, pointer: CUdeviceptr) -> Answer<AttributeValue> {
    let facts = match target {
        Target::Known(record) => Facts::of(record),
        &Target::Variable { start, size, managed } => Facts {
            start,
            size,
            on_host: false,
            managed,
            plain: true,
            context: context::top(),
            id: start,
            sync: true,
            pool: CUmemoryPool::NULL,
            handle_types: 0,
            mapping: (start, size.next_multiple_of(PIECE)),
        },
        Target::Host => {
            return match attribute {
                DEVICE_POINTER | HOST_POINTER => Ok(AttributeValue::Long(pointer)),
                _ => Err(CUresult::INVALID_VALUE),
            };
        }
    };
    let device_only = !facts.on_host && !facts.managed;
    let yes = |condition: bool| AttributeValue::Word(condition.into());
    Ok(match attribute {
        CONTEXT => AttributeValue::Long(facts.context.number()),
        MEMORY_TYPE => AttributeValue::Word(if facts.on_host { HOST } else { DEVICE }),
        DEVICE_POINTER => AttributeValue::Long(pointer),
        HOST_POINTER if !device_only => AttributeValue::Long(pointer),
        P2P_TOKENS if !facts.on_host => AttributeValue::Pair([0; 2]),
        SYNC_MEMOPS => yes(facts.sync),
        BUFFER_ID | MEMORY_BLOCK_ID => AttributeValue::Long(facts.id),
        IS_MANAGED => yes(facts.managed),
        DEVICE_ORDINAL => AttributeValue::Word(0),
        IS_LEGACY_CUDA_IPC_CAPABLE | IS_GPU_DIRECT_RDMA_CAPABLE | IS_HW_DECOMPRESS_CAPABLE => {
            yes(facts.plain)
        }
        RANGE_START_ADDR => AttributeValue::Long(facts.start),
        RANGE_SIZE => AttributeValue::Long(facts.size),
        MAPPED => yes(true),
        ALLOWED_HANDLE_TYPES => AttributeValue::Long(facts.handle_types.into()),
        // Read and write.
        ACCESS_FLAGS => AttributeValue::Word(3),
        MEMPOOL_HANDLE => AttributeValue::Long(facts.pool.number()),
        MAPPING_BASE_ADDR => AttributeValue::Long(facts.mapping.0),
        MAPPING_SIZE => AttributeValue::Long(facts.mapping.1),
        _ => return Err(CUresult::INVALID_VALUE),
    })
}
