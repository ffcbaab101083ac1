//! Reads this process's memory without a pointer: if the memory is gone, that is an answer, not a fault.
//!
//! Other threads may unmap memory at any time. So the system copies the bytes, and says how many it could copy.
#![allow(unsafe_code)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::LazyLock;

use super::pages::PAGE;
use crate::abi::Host;

/// The process's memory as a file: slower, but there where a sandbox keeps the call from us that copies many pieces.
static FILE: LazyLock<Option<File>> = LazyLock::new(|| File::open("/proc/self/mem").ok());

/// Copies pieces of memory, one after the other, and says how many bytes could be read.
fn copy(pieces: &[(u64, usize)], to: &mut [u8]) -> usize {
    let remote: Vec<libc::iovec> =
        pieces.iter().map(|(at, bytes)| libc::iovec { iov_base: Host::at(*at).0, iov_len: *bytes }).collect();
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    let count = remote.len() as libc::c_ulong;
    // SAFETY: the call writes at most as many bytes as the slice has; where it reads is checked by the system.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, remote.as_ptr(), count, 0) };
    if let Ok(read) = usize::try_from(read) {
        return read;
    }
    let refused = std::io::Error::last_os_error().raw_os_error();
    let Some(file) = FILE.as_ref().filter(|_| matches!(refused, Some(libc::EPERM | libc::ENOSYS))) else {
        return 0;
    };
    let mut done = 0;
    for (at, bytes) in pieces {
        let Some(room) = to.get_mut(done..done + bytes) else { break };
        match file.read_at(room, *at) {
            Ok(read) => done += read,
            Err(_) => break,
        }
    }
    done
}

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
        self.start = address;
        let read = copy(&[(address, self.bytes.len())], &mut self.bytes);
        self.bytes.truncate(read);
    }
}

/// Copies bytes of this process; whether all of them could be read.
pub fn read(host: Host, to: &mut [u8]) -> bool {
    copy(&[(host.unified(), to.len())], to) == to.len()
}

/// Writes bytes of this process; whether all of them could be.
pub fn write(host: Host, from: &[u8]) -> bool {
    let local = libc::iovec { iov_base: from.as_ptr().cast_mut().cast(), iov_len: from.len() };
    let remote = libc::iovec { iov_base: host.0, iov_len: from.len() };
    // SAFETY: the call only reads the slice; where it writes is checked by the system, and is the guest's memory.
    let written = unsafe { libc::process_vm_writev(libc::getpid(), &local, 1, &remote, 1, 0) };
    usize::try_from(written) == Ok(from.len())
}

/// Whether all pages that some bytes lie in can be read.
pub fn is_readable(address: u64, bytes: u64) -> bool {
    let first = address & !(PAGE - 1);
    page_heads::<1>(first, address.saturating_add(bytes), 0, &mut |_, _| {}).is_some()
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
    let size = size_of::<[u64; N]>();
    let mut bytes = Vec::new();
    let mut at = start;
    while at < end {
        let count = (end - at).div_ceil(PAGE).min(AT_ONCE);
        let pieces: Vec<(u64, usize)> = (0..count).map(|index| (at + index * PAGE - before, size)).collect();
        bytes.resize(pieces.len() * size, 0);
        if copy(&pieces, &mut bytes) != bytes.len() {
            return None;
        }
        for (index, head) in bytes.chunks_exact(size).enumerate() {
            let mut words = [0; N];
            for (word, bytes) in words.iter_mut().zip(head.as_chunks::<8>().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            see(at + index as u64 * PAGE, &words);
        }
        at += count * PAGE;
    }
    Some(())
}
