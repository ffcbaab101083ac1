//! Events that another process opens (`cuIpcGetEventHandle`, `cuIpcOpenEventHandle`). A handle says which file the event's
//! count lies in; another process of the same user opens it through `/proc`. The answers are those of an H200
//! (`tests/golden/driver/ipc.txt`).

use std::fs::OpenOptions;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use super::event_api::SHARED_FLAGS;
use super::{CUevent, Event};
use crate::abi::{CUresult, Out};
use crate::context::current;
use crate::entry::entry;
use crate::handles::Handle;
use crate::work::SharedCount;

/// What a handle of ours begins with.
const MAGIC: u64 = u64::from_le_bytes(*b"ptxvmEVT");

/// `CUipcEventHandle`: 64 bytes that programs pass on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUipcEventHandle {
    magic: u64,
    process: u32,
    descriptor: i32,
    /// What the file is, so that another one under the same number is not taken for it.
    device: u64,
    inode: u64,
    reserved: [u64; 4],
}

entry! {
    fn cuIpcGetEventHandle(handle: Out<CUipcEventHandle>, event: CUevent) {
        if handle.is_null() || event.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let event = event.get()?;
        event.check()?;
        let shared = event.shared.as_ref().ok_or(CUresult::INVALID_HANDLE)?;
        let file = shared.file().metadata().map_err(|_| CUresult::OPERATING_SYSTEM)?;
        handle.set(CUipcEventHandle {
            magic: MAGIC,
            process: std::process::id(),
            descriptor: shared.file().as_raw_fd(),
            device: file.dev(),
            inode: file.ino(),
            reserved: [0; 4],
        })
    }

    fn cuIpcOpenEventHandle(event: Out<CUevent>, handle: CUipcEventHandle) {
        let context = current()?;
        if event.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        if handle.magic != MAGIC {
            return Err(CUresult::MAP_FAILED);
        }
        if handle.process == std::process::id() {
            return Err(CUresult::INVALID_CONTEXT);
        }
        let path = format!("/proc/{}/fd/{}", handle.process, handle.descriptor);
        let file =
            OpenOptions::new().read(true).write(true).open(path).map_err(|_| CUresult::INVALID_VALUE)?;
        let found = file.metadata().map_err(|_| CUresult::INVALID_VALUE)?;
        if (found.dev(), found.ino()) != (handle.device, handle.inode) {
            return Err(CUresult::INVALID_VALUE);
        }
        let shared = Arc::new(SharedCount::of(file)?);
        event.set(Handle::insert(Arc::new(Event::new(&context, SHARED_FLAGS, Some(shared)))))
    }
}
