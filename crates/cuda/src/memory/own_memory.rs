//! Reading this process's memory without touching it: what is not there any more is an answer, not a fault.
//!
//! Other threads may unmap at any time what a look around finds, so nothing is read through a pointer. The system
//! copies the bytes, and says how many there were.

use super::pages::PAGE;

/// A copy of some bytes of this process, refilled as a reader goes on.
pub struct OwnMemory {
    bytes: Vec<u8>,
    start: u64,
    /// How many bytes are copied at a time.
    step: u64,
}

/// Copies are as long as this where every byte may be asked for, and as short as that where few are.
const LONG: u64 = 1 << 16;
const SHORT: u64 = 1 << 7;
/// A reader that goes on by more than this does not need what lies between.
const FAR: u64 = 1 << 12;

impl OwnMemory {
    /// A reader that has read nothing.
    pub fn new() -> Self {
        Self { bytes: Vec::with_capacity(LONG as usize), start: 0, step: SHORT }
    }

    /// The number at an address that is a multiple of eight; `None` where nothing can be read.
    pub fn word(&mut self, address: u64) -> Option<u64> {
        if !self.holds(address) {
            self.step = if address.wrapping_sub(self.start) < FAR + self.step { LONG } else { SHORT };
            self.copy(address);
        }
        let at = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(8)?)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    fn holds(&self, address: u64) -> bool {
        address.checked_sub(self.start).is_some_and(|at| at + 8 <= self.bytes.len() as u64)
    }

    fn copy(&mut self, address: u64) {
        self.bytes.resize(self.step as usize, 0);
        let local = libc::iovec { iov_base: self.bytes.as_mut_ptr().cast(), iov_len: self.bytes.len() };
        let remote = libc::iovec { iov_base: address as *mut _, iov_len: self.bytes.len() };
        // SAFETY: the call writes at most as many bytes as the vector has; where it reads is checked by the system.
        let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
        self.start = address;
        self.bytes.truncate(usize::try_from(read).unwrap_or(0));
    }
}

/// Shows `N` words around the start of each page of a range, from some bytes before it on: for looking through many
/// pages. `None` if one of them cannot be read.
pub fn page_heads<const N: usize>(
    start: u64,
    end: u64,
    before: u64,
    see: &mut impl FnMut(u64, &[u64; N]),
) -> Option<()> {
    /// As many as the system takes at once.
    const AT_ONCE: u64 = 1024;
    let mut heads = Vec::new();
    let mut at = start;
    while at < end {
        let count = (end - at).div_ceil(PAGE).min(AT_ONCE);
        heads.resize(count as usize, [0u64; N]);
        let head = |index| libc::iovec {
            iov_base: (at + index * PAGE - before) as *mut _,
            iov_len: size_of::<[u64; N]>(),
        };
        let remote: Vec<libc::iovec> = (0..count).map(head).collect();
        let length = heads.len() * size_of::<[u64; N]>();
        let local = libc::iovec { iov_base: heads.as_mut_ptr().cast(), iov_len: length };
        // SAFETY: the call writes at most as many bytes as the list of heads has, and any bytes are numbers; where it
        // reads is checked by the system.
        let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, remote.as_ptr(), count, 0) };
        if usize::try_from(read) != Ok(length) {
            return None;
        }
        for (index, head) in heads.iter().enumerate() {
            see(at + index as u64 * PAGE, head);
        }
        at += count * PAGE;
    }
    Some(())
}
