//! Physical memory that programs map where they like. It is a file in memory without a name, so that two mappings of it are
//! the same bytes.
#![allow(unsafe_code)]

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use super::location::{CUmemAllocationProp, Where};
use crate::abi::{Answer, CUresult};
use crate::driver;
use crate::handles::{Handle, Object};

/// `CUmemGenericAllocationHandle`
pub type CUmemGenericAllocationHandle = Handle<Physical>;

/// Physical memory comes in multiples of this.
pub const GRANULARITY: u64 = 2 << 20;

/// A piece of physical memory. It goes when nothing maps it and nobody has a handle of it.
pub struct Physical {
    /// Its bytes.
    pub size: u64,
    /// What was asked for.
    pub properties: CUmemAllocationProp,
    file: File,
    /// Whether it is counted as the device's.
    counted: bool,
    /// The handle that programs have of it, and how often.
    held: Mutex<(CUmemGenericAllocationHandle, u64)>,
}

impl Object for Physical {
    const STALE: CUresult = CUresult::INVALID_VALUE;
}

impl Drop for Physical {
    fn drop(&mut self) {
        if self.counted
            && let Ok(driver) = driver::get()
        {
            driver.device.memory().discharge(self.size);
        }
    }
}

impl Physical {
    /// Takes memory.
    ///
    /// # Errors
    /// The device or the host has not as much.
    pub fn new(size: u64, properties: CUmemAllocationProp) -> Answer<Arc<Self>> {
        let memory = driver::get()?.device.memory();
        let counted = properties.location.place()? == Where::Device;
        let file = anonymous_file()?;
        file.set_len(size).map_err(|_| CUresult::OUT_OF_MEMORY)?;
        if counted {
            memory.charge(size).map_err(|_| CUresult::OUT_OF_MEMORY)?;
        }
        let held = Mutex::new((CUmemGenericAllocationHandle::NULL, 0));
        Ok(Arc::new(Self { size, properties, file, counted, held }))
    }

    /// Takes memory that another handle of the system's names.
    ///
    /// # Errors
    /// It is none that was exported from here.
    pub fn import(descriptor: i32, properties: CUmemAllocationProp) -> Answer<Arc<Self>> {
        // SAFETY: the call makes a descriptor of our own of a number that may be anything.
        let own = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 0) };
        if own < 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the descriptor was made just now and is nobody else's.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(own) });
        let size = file.metadata().map_err(|_| CUresult::INVALID_VALUE)?.len();
        if size == 0 || !size.is_multiple_of(GRANULARITY) {
            return Err(CUresult::INVALID_VALUE);
        }
        let held = Mutex::new((CUmemGenericAllocationHandle::NULL, 0));
        Ok(Arc::new(Self { size, properties, file, counted: false, held }))
    }

    /// A descriptor of the program's own for it.
    ///
    /// # Errors
    /// The process has too many.
    pub fn export(&self) -> Answer<i32> {
        // SAFETY: the call only makes another descriptor of a file that is open.
        let copy = unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
        if copy < 0 { Err(CUresult::OPERATING_SYSTEM) } else { Ok(copy) }
    }

    /// The number of its file, for a mapping.
    pub fn descriptor(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// Gives a handle, or counts once more the one that there is.
    pub fn hold(self: &Arc<Self>) -> CUmemGenericAllocationHandle {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.1 == 0 {
            held.0 = Handle::insert(Arc::clone(self));
        }
        held.1 += 1;
        held.0
    }

    /// Takes a handle back.
    ///
    /// # Errors
    /// There is no such handle.
    pub fn let_go(handle: CUmemGenericAllocationHandle) -> Answer {
        let physical = handle.get()?;
        let mut held = physical.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.1 = held.1.saturating_sub(1);
        if held.1 == 0 {
            handle.remove()?;
        }
        Ok(())
    }
}

/// A file that has no name and lives in memory.
fn anonymous_file() -> Answer<File> {
    // SAFETY: the name ends with a zero.
    let descriptor = unsafe { libc::memfd_create(c"ptxvm".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(CUresult::OUT_OF_MEMORY);
    }
    // SAFETY: the descriptor was made just now and is nobody else's.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(descriptor) }))
}
