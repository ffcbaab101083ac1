//! Device memory that one process exports and another maps (`cuIpcGetMemHandle`, `cuIpcOpenMemHandle` …).
//!
//! A handle says where the pages of an allocation are: in a file without a name that the exporting process keeps open
//! ([`ptxvm_memory::Export`]), and that another process of the same user opens through `/proc`. The answers are those of an
//! H200 (`tests/golden/driver/ipc.txt`).
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ptxvm_memory::AllocationKind;

use super::allocate::take_back;
use super::host::let_accesses_end;
use super::physical::GRANULARITY;
use super::registry::{self, MemoryKind, Record};
use super::reservation;
use crate::abi::{Answer, CUdeviceptr, CUresult, Host, Out};
use crate::context::current;
use crate::entry::entry;

/// What a handle of ours begins with.
const MAGIC: u64 = u64::from_le_bytes(*b"ptxvmIPC");
/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`, without which nothing is opened.
const LAZY_ENABLE_PEER_ACCESS: u32 = 1;
/// More than any GPU has.
const MOST: u64 = 1 << 40;

/// `CUipcMemHandle`: 64 bytes that programs pass on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUipcMemHandle {
    magic: u64,
    process: u32,
    descriptor: i32,
    /// What the file is, so that another one under the same number is not taken for it.
    device: u64,
    inode: u64,
    /// How long the file is, and where in it the allocation lies.
    bytes: u64,
    offset: u64,
    size: u64,
    reserved: u64,
}

/// A file of another process that is mapped here.
struct ImportedFile {
    start: u64,
    bytes: u64,
    /// How often the allocation at each offset has been opened.
    opened: BTreeMap<u64, u64>,
}

/// By the device and inode of the file.
static BLOCKS: Mutex<BTreeMap<(u64, u64), ImportedFile>> = Mutex::new(BTreeMap::new());

fn blocks() -> MutexGuard<'static, BTreeMap<(u64, u64), ImportedFile>> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

entry! {
    fn cuIpcGetMemHandle(handle: Out<CUipcMemHandle>, pointer: CUdeviceptr) {
        let context = current()?;
        let record = registry::at(pointer).filter(|record| matches!(record.kind, MemoryKind::Device));
        let record = record.ok_or(CUresult::INVALID_VALUE)?;
        if handle.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // What is written while the pages move would be lost.
        context.streams.synchronize()?;
        let_accesses_end(&context);
        let export = context.device.memory().export(record.start).map_err(|_| CUresult::OUT_OF_MEMORY)?;
        let file = export.file.metadata().map_err(|_| CUresult::OPERATING_SYSTEM)?;
        handle.set(CUipcMemHandle {
            magic: MAGIC,
            process: std::process::id(),
            descriptor: export.file.as_raw_fd(),
            device: file.dev(),
            inode: file.ino(),
            bytes: export.bytes,
            offset: record.start - export.start,
            size: record.size,
            reserved: 0,
        })
    }

    fn cuIpcOpenMemHandle(pointer: Out<CUdeviceptr>, handle: CUipcMemHandle, flags: u32) {
        open(pointer, &handle, flags)
    }

    fn cuIpcOpenMemHandle_v2(pointer: Out<CUdeviceptr>, handle: CUipcMemHandle, flags: u32) {
        open(pointer, &handle, flags)
    }

    fn cuIpcCloseMemHandle(pointer: CUdeviceptr) {
        close(pointer)
    }
}

fn open(pointer: Out<CUdeviceptr>, handle: &CUipcMemHandle, flags: u32) -> Answer {
    let context = current()?;
    if pointer.is_null() || flags & LAZY_ENABLE_PEER_ACCESS == 0 || !handle.is_possible() {
        return Err(CUresult::INVALID_VALUE);
    }
    if handle.process == std::process::id() {
        return Err(CUresult::INVALID_CONTEXT);
    }
    let mut blocks = blocks();
    let block = match blocks.entry((handle.device, handle.inode)) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert(handle.map()?),
    };
    // Of a file that is mapped, a handle may say what it likes.
    if block.bytes != handle.bytes {
        return Err(CUresult::INVALID_VALUE);
    }
    let start = block.start + handle.offset;
    // A context that ends takes along what it has opened.
    let known = registry::at(start).is_some_and(|record| matches!(record.kind, MemoryKind::Imported));
    let count = block.opened.entry(handle.offset).or_insert(0);
    if !known {
        *count = 0;
        // SAFETY: the pages are mapped, and there are always pages that can be read and written at these addresses.
        let adopted = unsafe {
            context.device.memory().adopt_as(Host::at(start).byte(), handle.size, AllocationKind::Mapped)
        };
        adopted.map_err(|_| CUresult::INVALID_VALUE)?;
        context.memory.add(&context, start, handle.size, MemoryKind::Imported)?;
    }
    *count += 1;
    pointer.set(start)
}

fn close(pointer: u64) -> Answer {
    let context = current()?;
    let imported = |record: &Record| record.start == pointer && matches!(record.kind, MemoryKind::Imported);
    if !registry::at(pointer).is_some_and(|record| imported(&record)) {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut blocks = blocks();
    let holds = |block: &ImportedFile| (block.start..block.start + block.bytes).contains(&pointer);
    let (&key, block) = blocks.iter_mut().find(|(_, block)| holds(block)).ok_or(CUresult::INVALID_VALUE)?;
    let offset = pointer - block.start;
    if let Some(count) = block.opened.get_mut(&offset)
        && *count > 1
    {
        *count -= 1;
        return Ok(());
    }
    take_back(&context, pointer, imported, CUresult::INVALID_VALUE)?;
    block.opened.remove(&offset);
    if block.opened.is_empty() {
        let (start, bytes) = (block.start, block.bytes);
        blocks.remove(&key);
        reservation::unmap_file(start, bytes)?;
    }
    Ok(())
}

impl CUipcMemHandle {
    /// Whether the numbers can be those of an allocation. They come from another process, or from anywhere.
    fn is_possible(&self) -> bool {
        self.magic == MAGIC
            && (1..=MOST).contains(&self.bytes)
            && self.bytes.is_multiple_of(GRANULARITY)
            && self.size > 0
            && self.offset.checked_add(self.size).is_some_and(|end| end <= self.bytes)
    }

    /// Maps the file.
    fn map(&self) -> Answer<ImportedFile> {
        let file = self.file()?;
        let start = reservation::reserve(self.bytes, 0, 0)?;
        reservation::map_file(start, self.bytes, &file)?;
        Ok(ImportedFile { start, bytes: self.bytes, opened: BTreeMap::new() })
    }

    /// The file, if it is still there and is the one that was meant.
    fn file(&self) -> Answer<File> {
        let path = format!("/proc/{}/fd/{}", self.process, self.descriptor);
        let file =
            OpenOptions::new().read(true).write(true).open(path).map_err(|_| CUresult::INVALID_VALUE)?;
        let found = file.metadata().map_err(|_| CUresult::INVALID_VALUE)?;
        // SAFETY: the call reads the state of a file that is open.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        // A file that could become shorter would end this process.
        let sealed = seals >= 0 && seals & libc::F_SEAL_SHRINK != 0;
        if sealed && (found.dev(), found.ino(), found.len()) == (self.device, self.inode, self.bytes) {
            Ok(file)
        } else {
            Err(CUresult::INVALID_VALUE)
        }
    }
}
