//! The entry points for host memory that the device uses too: allocated by the driver, or registered by the program. It has
//! the same address on the host and on the device.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ptxvm_memory::{AdoptError, AllocationKind};

use super::allocate::{give, take_back};
use super::pages::{self, PAGE};
use super::registry::{self, MemoryKind, Record};
use crate::abi::{Answer, CUdeviceptr, CUresult, Host, Out};
use crate::context::{Context, current};
use crate::driver;
use crate::entry::entry;

/// `CU_MEMHOSTALLOC_PORTABLE | DEVICEMAP | WRITECOMBINED`
const ALLOC_FLAGS: u32 = 7;
/// `CU_MEMHOSTALLOC_DEVICEMAP`, which everything has where addresses are unified.
const DEVICE_MAP: u32 = 2;
/// `CU_MEMHOSTREGISTER_PORTABLE | DEVICEMAP | IOMEMORY | READ_ONLY`
const REGISTER_FLAGS: u32 = 15;
/// `CU_MEMHOSTREGISTER_READ_ONLY`
const READ_ONLY: u32 = 8;

entry! {
    fn cuMemAllocHost_v2(pointer: Out<Host>, bytes: usize) {
        pinned(pointer, bytes, 0)
    }

    fn cuMemHostAlloc(pointer: Out<Host>, bytes: usize, flags: u32) {
        pinned(pointer, bytes, flags)
    }

    fn cuMemFreeHost(pointer: Host) {
        driver::get()?;
        if pointer.is_null() {
            return Ok(());
        }
        let context = current()?;
        let pinned = |record: &Record| matches!(record.kind, MemoryKind::Pinned(_));
        take_back(&context, pointer.unified(), pinned, CUresult::INVALID_VALUE)
    }

    fn cuMemHostGetDevicePointer_v2(device: Out<CUdeviceptr>, pointer: Host, flags: u32) {
        current()?;
        if device.is_null() || flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let known = registry::at(pointer.unified()).filter(|record| record.kind.on_host());
        known.ok_or(CUresult::INVALID_VALUE)?;
        device.set(pointer.unified())
    }

    fn cuMemHostGetFlags(flags: Out<u32>, pointer: Host) {
        current()?;
        let record = registry::at(pointer.unified()).ok_or(CUresult::INVALID_VALUE)?;
        match record.kind {
            MemoryKind::Pinned(given) | MemoryKind::Registered(given) => flags.set(given | DEVICE_MAP),
            MemoryKind::Managed(..) => flags.set(DEVICE_MAP),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    fn cuMemHostRegister_v2(pointer: Host, bytes: usize, flags: u32) {
        register(&current()?, pointer, bytes as u64, flags)
    }

    fn cuMemHostRegister(pointer: Host, bytes: usize, flags: u32) {
        register(&current()?, pointer, bytes as u64, flags)
    }

    fn cuMemHostUnregister(pointer: Host) {
        let context = current()?;
        if pointer.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let address = pointer.unified();
        // A pointer into what was registered is another mistake than one to what never was.
        let inside = registry::at(address).is_some_and(|record| record.start != address);
        let otherwise = if inside { CUresult::INVALID_VALUE } else { CUresult::HOST_MEMORY_NOT_REGISTERED };
        let registered = |record: &Record| matches!(record.kind, MemoryKind::Registered(_));
        let taken = take_back(&context, address, registered, otherwise);
        let_accesses_end(&context);
        taken
    }
}

/// Longer than any one access of a kernel takes.
const ACCESS: Duration = Duration::from_millis(20);

/// Waits until kernels of other contexts are not in the middle of an access to memory that was registered: the program
/// may unmap it next. Such kernels may run for ever, but they do not find the memory again.
pub fn let_accesses_end(context: &Context) {
    context.device.memory().wait_for_leases_at_most(ACCESS);
}

/// Gives host memory that the device uses too.
fn pinned(pointer: Out<Host>, bytes: usize, flags: u32) -> Answer {
    let context = current()?;
    if pointer.is_null() || flags & !ALLOC_FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if bytes == 0 {
        return pointer.set(Host::NULL);
    }
    let given = give(&context, bytes as u64, PAGE, AllocationKind::Pinned, MemoryKind::Pinned(flags))?;
    pointer.set(Host::at(given))
}

/// Lets the device use the program's own memory until it is unregistered.
fn register(context: &Arc<Context>, pointer: Host, bytes: u64, flags: u32) -> Answer {
    let start = pointer.unified();
    start.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    if pointer.is_null() || bytes == 0 || flags & !REGISTER_FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    match enter(context, pointer, bytes, flags) {
        Err(NotRegistered::Borrowed) => {
            // A launch that has been given this memory without its being registered borrows it until it ends.
            context.streams.synchronize()?;
            enter(context, pointer, bytes, flags)
        }
        entered => entered,
    }
    .map_err(|refusal| match refusal {
        NotRegistered::Borrowed => CUresult::INVALID_VALUE,
        NotRegistered::Answer(result) => result,
    })
}

/// Why memory cannot be registered.
enum NotRegistered {
    /// A launch uses it.
    Borrowed,
    Answer(CUresult),
}

/// Registers memory, unless it is or a launch uses it.
fn enter(context: &Arc<Context>, pointer: Host, bytes: u64, flags: u32) -> Result<(), NotRegistered> {
    // Between the question whether it is registered and the answer nobody else may register it.
    static REGISTERING: Mutex<()> = Mutex::new(());
    let _alone = REGISTERING.lock().unwrap_or_else(PoisonError::into_inner);
    let (start, end) = (pointer.unified(), pointer.unified() + bytes);
    if let Some(other) = registry::overlapping(start, end) {
        let registered = matches!(other.kind, MemoryKind::Registered(_));
        let result =
            if registered { CUresult::HOST_MEMORY_ALREADY_REGISTERED } else { CUresult::INVALID_VALUE };
        return Err(NotRegistered::Answer(result));
    }
    if !pages::are_mapped(start, bytes) || !usable(start, end, flags) {
        return Err(NotRegistered::Answer(CUresult::INVALID_VALUE));
    }
    let read_only = flags & READ_ONLY != 0;
    let kind = if read_only { AllocationKind::HostReadOnly } else { AllocationKind::Host };
    // SAFETY: the pages are mapped and can be used, and the program promises that they stay until it unregisters them.
    match unsafe { context.device.memory().adopt_as(pointer.byte(), bytes, kind) } {
        Ok(()) => context
            .memory
            .add(context, start, bytes, MemoryKind::Registered(flags))
            .map_err(NotRegistered::Answer),
        Err(AdoptError::Overlap { .. }) => Err(NotRegistered::Borrowed),
        Err(AdoptError::Impossible { .. }) => Err(NotRegistered::Answer(CUresult::INVALID_VALUE)),
    }
}

/// Whether the program itself may do to a range what the device is to be allowed.
fn usable(start: u64, end: u64, flags: u32) -> bool {
    pages::mappings()
        .iter()
        .filter(|mapping| mapping.start < end && mapping.end > start)
        .all(|mapping| mapping.readable && (mapping.writable || flags & READ_ONLY != 0))
}
