//! Pages of this process's that are mapped at given addresses, in the place of what another process had there.
#![allow(unsafe_code)]

use std::io::Result;

use crate::arena::HOST_PAGE;

/// Such pages, until they are dropped: first address and one after the last.
#[derive(Debug, Default)]
pub(crate) struct Pages(Vec<(u64, u64)>);

impl Pages {
    /// Maps the pages that some bytes lie in and that are not mapped yet.
    pub(crate) fn map(&mut self, start: u64, end: u64) -> Result<()> {
        for page in (start & !(HOST_PAGE - 1)..end).step_by(HOST_PAGE as usize) {
            if self.0.iter().any(|(from, to)| (*from..*to).contains(&page)) {
                continue;
            }
            // As many as there are in one piece.
            let next = self.0.iter().map(|(from, _)| *from).filter(|from| *from > page).min();
            let to = end.next_multiple_of(HOST_PAGE).min(next.unwrap_or(u64::MAX));
            system::map(page, to - page)?;
            self.0.push((page, to));
        }
        Ok(())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.0.iter().for_each(|(start, end)| system::unmap(*start, end - start));
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    use std::io::{Error, Result};

    /// Maps zeroed pages exactly there, if nothing is there.
    pub(super) fn map(start: u64, bytes: u64) -> Result<()> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the mapping takes nothing from anybody.
        let base = unsafe { libc::mmap(start as *mut _, bytes as usize, protection, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        if base.expose_provenance() as u64 != start {
            // SAFETY: the mapping was made just now; old systems take the place for a wish.
            unsafe { libc::munmap(base, bytes as usize) };
            return Err(Error::from(std::io::ErrorKind::AddrInUse));
        }
        Ok(())
    }

    pub(super) fn unmap(start: u64, bytes: u64) {
        // SAFETY: `map` made the mapping, and it is given back once.
        unsafe { libc::munmap(start as *mut _, bytes as usize) };
    }
}

/// Elsewhere nothing can be placed.
#[cfg(not(all(target_os = "linux", not(miri))))]
mod system {
    pub(super) fn map(_: u64, _: u64) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    pub(super) fn unmap(_: u64, _: u64) {}
}
