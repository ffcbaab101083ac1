//! The count of an event that several processes know: how often it has been recorded, and up to which of those the work
//! before it has been done. It lies in a page that each of them has mapped.
#![allow(unsafe_code)]

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::abi::{Answer, CUresult};
use crate::context::Context;

/// The length of the file.
const BYTES: usize = 4096;
/// The longest sleep between two looks at what another process does.
const LONGEST: Duration = Duration::from_micros(200);

/// What the page begins with.
#[repr(C)]
struct Counts {
    recorded: AtomicU64,
    done: AtomicU64,
}

/// The page, as this process has mapped it, and the file whose page it is.
pub struct SharedCount {
    page: NonNull<Counts>,
    file: File,
}

// SAFETY: the page stays mapped as long as this lives, and holds atomics.
unsafe impl Send for SharedCount {}
// SAFETY: as above.
unsafe impl Sync for SharedCount {}

impl SharedCount {
    /// A new one, with nothing recorded.
    ///
    /// # Errors
    /// The system has no file or page for it.
    pub fn new() -> Answer<Self> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: the name ends with a zero.
        let descriptor = unsafe { libc::memfd_create(c"ptxvm event".as_ptr(), flags) };
        if descriptor < 0 {
            return Err(CUresult::OPERATING_SYSTEM);
        }
        // SAFETY: the descriptor was made just now, and nobody else has it.
        let file = unsafe { File::from_raw_fd(descriptor) };
        file.set_len(BYTES as u64).map_err(|_| CUresult::OPERATING_SYSTEM)?;
        // SAFETY: the call changes what may be done with a file that is open.
        unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK | libc::F_SEAL_GROW) };
        Self::of(file)
    }

    /// That of a file, which cannot become shorter.
    ///
    /// # Errors
    /// It is no such file, or the system has no page for it.
    pub fn of(file: File) -> Answer<Self> {
        // SAFETY: the call reads the state of a file that is open.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        let length = file.metadata().map_err(|_| CUresult::INVALID_VALUE)?.len();
        if seals < 0 || seals & libc::F_SEAL_SHRINK == 0 || length != BYTES as u64 {
            return Err(CUresult::INVALID_VALUE);
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a mapping anywhere, of a file that is as long as that.
        let page =
            unsafe { libc::mmap(std::ptr::null_mut(), BYTES, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        match NonNull::new(page.cast()) {
            Some(counts) if page != libc::MAP_FAILED => Ok(Self { page: counts, file }),
            _ => Err(CUresult::OPERATING_SYSTEM),
        }
    }

    /// The file, which other processes open.
    pub fn file(&self) -> &File {
        &self.file
    }

    fn counts(&self) -> &Counts {
        // SAFETY: the page is mapped as long as this lives, is as long as that, and holds atomics alone.
        unsafe { self.page.as_ref() }
    }

    /// Records it once more: the point that is reached when the work before has been done.
    pub fn record(self: &Arc<Self>) -> SharedPoint {
        SharedPoint {
            count: Arc::clone(self),
            number: self.counts().recorded.fetch_add(1, Ordering::SeqCst) + 1,
        }
    }

    /// The last point, in whatever process it was recorded.
    pub fn latest(self: &Arc<Self>) -> SharedPoint {
        SharedPoint { count: Arc::clone(self), number: self.counts().recorded.load(Ordering::SeqCst) }
    }
}

impl Drop for SharedCount {
    fn drop(&mut self) {
        // SAFETY: the page was mapped by this, and nobody has it any more.
        unsafe { libc::munmap(self.page.as_ptr().cast(), BYTES) };
    }
}

/// One recording of an event that several processes know.
#[derive(Clone)]
pub struct SharedPoint {
    count: Arc<SharedCount>,
    number: u64,
}

impl SharedPoint {
    /// Whether the work before it has been done.
    pub fn is_reached(&self) -> bool {
        self.count.counts().done.load(Ordering::SeqCst) >= self.number
    }

    /// Says that it has.
    pub fn reach(&self) {
        self.count.counts().done.fetch_max(self.number, Ordering::SeqCst);
    }

    /// Waits until it has, or the context cannot be used any more.
    pub fn wait(&self, context: &Context) {
        let mut sleep = Duration::ZERO;
        while !self.is_reached() && context.check().is_ok() {
            std::thread::sleep(sleep);
            sleep = (sleep * 2 + Duration::from_nanos(100)).min(LONGEST);
        }
    }
}
