//! The addresses that a device's memory lies at: one range, reserved once, at the same place in every run.
//!
//! A device pointer is a host address, so that host and guest name the same bytes. The range begins where neither the
//! system's loader and heap nor the sanitizers' shadow memory lie, and it is the same in every process, so that the
//! addresses in two logs can be compared. What has not been handed out yet cannot be touched by anybody; what has been
//! handed out once stays mapped until the device goes, so that a stale address of the guest's never reaches foreign
//! memory. Giving memory back to the host means that its pages are forgotten and read as zero.
#![allow(unsafe_code)]

use std::fs::File;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock};

/// The unit in which the range is handed out, as the driver does: 2 MiB.
pub(crate) const PAGE: u64 = 2 << 20;

/// Where the first device's memory begins. AddressSanitizer's shadow ends below and its heap begins above.
const HOME: u64 = 1 << 45;

/// How many bytes are reserved for one device: several times the memory of any GPU, so that addresses need not be used
/// again soon.
const BYTES: u64 = 1 << 40;

/// The least that is worth reserving.
const LEAST: u64 = 64 << 20;

/// Which places are taken: bit `n` for the one that begins at `HOME + n * BYTES`.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// The ranges of all devices of the process: first address and one after the last.
static RANGES: RwLock<Vec<(u64, u64)>> = RwLock::new(Vec::new());

/// Whether an address lies in the range of some device of the process, which may have nothing there.
#[must_use]
pub fn is_of_some_device(address: u64) -> bool {
    let ranges = RANGES.read().unwrap_or_else(PoisonError::into_inner);
    ranges.iter().any(|(start, end)| (*start..*end).contains(&address))
}

/// A reserved range of addresses.
#[derive(Debug)]
pub(crate) struct Range {
    base: NonNull<u8>,
    bytes: u64,
    place: Option<u32>,
    /// Whether some pages have become those of a file.
    exported: AtomicBool,
}

// SAFETY: a range is an owning pointer; nothing in it belongs to a thread.
unsafe impl Send for Range {}
// SAFETY: a shared range gives addresses and tells the system about whole pages; touching the bytes is up to unsafe
// code elsewhere.
unsafe impl Sync for Range {}

impl Range {
    /// Reserves the lowest free place, or what the system gives where that is not to be had. A process that may have
    /// few addresses gets a smaller range.
    pub(crate) fn reserve() -> Self {
        let mut bytes = most_bytes();
        let place = take_place();
        while bytes >= LEAST {
            let home = place.map(|place| HOME + u64::from(place) * BYTES);
            if let Some(base) = home.and_then(|home| system::reserve(home, bytes)) {
                return Self::exposed(base, bytes, place);
            }
            // Somebody else is there: any place will do, and only the addresses of this run differ.
            if let Some(base) = system::reserve(0, bytes) {
                give_place(place);
                return Self::exposed(base, bytes, None);
            }
            bytes /= 2;
        }
        give_place(place);
        Self { base: NonNull::dangling(), bytes: 0, place: None, exported: AtomicBool::new(false) }
    }

    fn exposed(base: NonNull<u8>, bytes: u64, place: Option<u32>) -> Self {
        // Guest addresses are numbers; exposing says that numbers may become pointers into this range again.
        let start = base.as_ptr().expose_provenance() as u64;
        RANGES.write().unwrap_or_else(PoisonError::into_inner).push((start, start + bytes));
        Self { base, bytes, place, exported: AtomicBool::new(false) }
    }

    /// The first address, a multiple of [`PAGE`]. The system's pages are smaller than ours, so a range that lies anywhere
    /// may begin within one of ours.
    pub(crate) fn start(&self) -> u64 {
        (self.base.addr().get() as u64).next_multiple_of(PAGE)
    }

    /// How many whole pages there are.
    pub(crate) fn pages(&self) -> u32 {
        let end = self.base.addr().get() as u64 + self.bytes;
        u32::try_from(end.saturating_sub(self.start()) / PAGE).unwrap_or(u32::MAX)
    }

    /// Makes some pages usable; says whether the host could.
    pub(crate) fn commit(&self, first: u32, pages: u32) -> bool {
        debug_assert!(u64::from(first) + u64::from(pages) <= u64::from(self.pages()));
        system::commit(self.at(u64::from(first) * PAGE), u64::from(pages) * PAGE)
    }

    /// Asks the host for memory in large pages, of which a processor looks up fewer. It may refuse.
    pub(crate) fn ask_for_large(&self, first: u32, pages: u32) {
        debug_assert!(u64::from(first) + u64::from(pages) <= u64::from(self.pages()));
        system::ask_for_large(self.at(u64::from(first) * PAGE), u64::from(pages) * PAGE);
    }

    /// Makes the bytes between two addresses of the range zero and gives their memory back to the host. Both are
    /// multiples of 4096.
    pub(crate) fn discard(&self, start: u64, end: u64) {
        debug_assert!(self.start() <= start && start <= end);
        debug_assert!(end <= self.start() + u64::from(self.pages()) * PAGE);
        if start < end {
            system::discard(self.at(start - self.start()), end - start, self.exported.load(Relaxed));
        }
    }

    /// Makes some pages those of a file without a name, with what they hold, so that another process can map them too.
    /// What is written to them meanwhile may be lost.
    ///
    /// # Errors
    /// The system has no such files, or no memory for one.
    pub(crate) fn export(&self, first: u32, pages: u32) -> std::io::Result<File> {
        debug_assert!(u64::from(first) + u64::from(pages) <= u64::from(self.pages()));
        self.exported.store(true, Relaxed);
        system::export(self.at(u64::from(first) * PAGE), u64::from(pages) * PAGE)
    }

    fn at(&self, offset: u64) -> NonNull<u8> {
        let skip = self.start() - self.base.addr().get() as u64;
        // SAFETY: callers ask for offsets within the range.
        unsafe { self.base.add((skip + offset) as usize) }
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let start = self.base.addr().get() as u64;
            RANGES.write().unwrap_or_else(PoisonError::into_inner).retain(|range| range.0 != start);
            system::release(self.base, self.bytes);
        }
        give_place(self.place);
    }
}

/// Takes the lowest place that is free.
fn take_place() -> Option<u32> {
    let taken =
        TAKEN.fetch_update(Relaxed, Relaxed, |taken| (taken != u64::MAX).then(|| taken | (taken + 1)));
    taken.ok().map(u64::trailing_ones)
}

fn give_place(place: Option<u32>) {
    if let Some(place) = place {
        TAKEN.fetch_and(!(1 << place), Relaxed);
    }
}

/// How many bytes of addresses to ask for: half of what the process may have, where that is limited.
fn most_bytes() -> u64 {
    match system::address_limit() {
        Some(limit) => BYTES.min(limit / 2 / PAGE * PAGE),
        None => BYTES,
    }
}

#[cfg(all(unix, not(miri)))]
mod system {
    use std::fs::File;
    use std::io::{Error, Result};
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::os::unix::fs::FileExt;
    use std::ptr::NonNull;

    /// How much is copied at once when pages become those of a file.
    const PIECE: usize = 64 << 10;

    /// Reserves addresses that cannot be touched, exactly there, or anywhere for 0.
    pub(super) fn reserve(at: u64, bytes: u64) -> Option<NonNull<u8>> {
        let bytes = usize::try_from(bytes).ok()?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: without MAP_FIXED the place is a wish, and a new mapping takes nothing from anybody.
        let base = unsafe { libc::mmap(at as *mut _, bytes, libc::PROT_NONE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        if at != 0 && base as u64 != at {
            // SAFETY: the mapping was made just now and nobody knows of it.
            unsafe { libc::munmap(base, bytes) };
            return None;
        }
        NonNull::new(base.cast())
    }

    /// Lets pages of a reservation be touched. Nothing is set aside for them: a program that allocates a whole GPU's
    /// memory and touches a little of it may run on a host that has less.
    pub(super) fn commit(start: NonNull<u8>, bytes: u64) -> bool {
        // SAFETY: the pages are a reservation of ours.
        unsafe {
            libc::mprotect(start.as_ptr().cast(), bytes as usize, libc::PROT_READ | libc::PROT_WRITE) == 0
        }
    }

    pub(super) fn ask_for_large(start: NonNull<u8>, bytes: u64) {
        #[cfg(target_os = "linux")]
        // SAFETY: the pages are a reservation of ours, and advice changes nothing that they hold.
        unsafe {
            libc::madvise(start.as_ptr().cast(), bytes as usize, libc::MADV_HUGEPAGE);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (start, bytes);
    }

    /// `exported`: the pages may be those of a file, which keeps what they held unless it is told.
    pub(super) fn discard(start: NonNull<u8>, bytes: u64, exported: bool) {
        #[cfg(target_os = "linux")]
        if exported {
            // SAFETY: as below. Of pages that are no file's the system refuses it.
            unsafe { libc::madvise(start.as_ptr().cast(), bytes as usize, libc::MADV_REMOVE) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = exported;
        // SAFETY: the pages are a reservation of ours; a guest that still reads them finds zeros.
        let done = unsafe { libc::madvise(start.as_ptr().cast(), bytes as usize, libc::MADV_DONTNEED) };
        if done != 0 || cfg!(not(target_os = "linux")) {
            // SAFETY: the bytes are mapped, and the guest touches them with atomics only.
            unsafe { crate::access::fill(start.as_ptr(), bytes as usize, 0) };
        }
    }

    /// Nobody can make the file shorter, which would end a process that has it mapped.
    #[cfg(target_os = "linux")]
    pub(super) fn export(start: NonNull<u8>, bytes: u64) -> Result<File> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: the name ends with a zero.
        let descriptor = unsafe { libc::memfd_create(c"ptxvm".as_ptr(), flags) };
        if descriptor < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: the descriptor was made just now and is nobody else's.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.set_len(bytes)?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW;
        // SAFETY: the call changes nothing but the file's own state.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } < 0 {
            return Err(Error::last_os_error());
        }
        let mut piece = vec![0; PIECE];
        for at in (0..bytes).step_by(PIECE) {
            // SAFETY: the bytes are committed pages of the range, of which the pieces are parts.
            unsafe { crate::access::copy_out(start.as_ptr().add(at as usize), &mut piece) };
            // What is zero takes no memory.
            if piece.iter().any(|byte| *byte != 0) {
                file.write_all_at(&piece, at)?;
            }
        }
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
        let flags = flags | libc::MAP_NORESERVE;
        let at = start.as_ptr().cast();
        // SAFETY: the pages are ours, and can be touched before and after.
        let mapped = unsafe { libc::mmap(at, bytes as usize, protection, flags, file.as_raw_fd(), 0) };
        if mapped == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(file) }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn export(_: NonNull<u8>, _: u64) -> Result<File> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    pub(super) fn release(start: NonNull<u8>, bytes: u64) {
        // SAFETY: the mapping is ours and given back once.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes as usize) };
    }

    /// How many bytes of addresses the process may have, where that is limited.
    pub(super) fn address_limit() -> Option<u64> {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the call writes the structure that it is given.
        let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
        (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
    }
}

/// Where there are no such calls, the range is a block of the allocator's.
#[cfg(not(all(unix, not(miri))))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    fn layout(bytes: u64) -> Option<Layout> {
        Layout::from_size_align(usize::try_from(bytes).ok()?, super::PAGE as usize).ok()
    }

    pub(super) fn reserve(at: u64, bytes: u64) -> Option<NonNull<u8>> {
        let layout = layout(bytes).filter(|layout| at == 0 && layout.size() > 0)?;
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { alloc_zeroed(layout) })
    }

    pub(super) fn commit(_: NonNull<u8>, _: u64) -> bool {
        true
    }

    pub(super) fn ask_for_large(_: NonNull<u8>, _: u64) {}

    pub(super) fn discard(start: NonNull<u8>, bytes: u64, _: bool) {
        // SAFETY: the bytes are mapped, and the guest touches them with atomics only. Miri, in which that would take
        // minutes, would say if anybody touched them now.
        match cfg!(miri) {
            true => unsafe { start.write_bytes(0, bytes as usize) },
            false => unsafe { crate::access::fill(start.as_ptr(), bytes as usize, 0) },
        }
    }

    pub(super) fn export(_: NonNull<u8>, _: u64) -> std::io::Result<std::fs::File> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    pub(super) fn release(start: NonNull<u8>, bytes: u64) {
        if let Some(layout) = layout(bytes) {
            // SAFETY: the block came from `alloc_zeroed` with this very layout and is given back once.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }

    pub(super) fn address_limit() -> Option<u64> {
        Some(2 * if cfg!(miri) { 64 << 20 } else { 1 << 30 })
    }
}
