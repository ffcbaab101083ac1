//! Memory that stands in for a host's of another process, at the same addresses: a launch that is replayed has the arrays
//! of its program where pointers in memory say that they are.
#![allow(unsafe_code)]

use std::io::{Error, Result};
use std::sync::PoisonError;

use crate::allocation::AllocationKind;
use crate::global::GlobalMemory;

impl GlobalMemory {
    /// Makes `bytes` zeroed bytes at an address outside of the device's range, as a host array that the guest may use. They
    /// stay as long as the memory.
    ///
    /// # Errors
    /// Something of this process is there, or the system has no memory for it.
    pub fn place_host_array(&self, start: u64, bytes: u64) -> Result<()> {
        let wrong = |why: &dyn std::fmt::Display| Error::other(why.to_string());
        let end = start.checked_add(bytes).filter(|end| start >= 1 << 16 && *end < 1 << 47);
        let end = end.ok_or_else(|| wrong(&"no process has memory there"))?;
        if self.directory.spans(start) || self.directory.spans(end) {
            return Err(wrong(&"the address is the device's"));
        }
        self.pages.lock().unwrap_or_else(PoisonError::into_inner).map(start, end)?;
        let place = std::ptr::with_exposed_provenance_mut(start as usize);
        // SAFETY: the pages have been mapped above for this and are unmapped with the memory; nobody has a reference to them.
        unsafe { self.adopt_as(place, bytes, AllocationKind::Host) }.map_err(|why| wrong(&why))
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use crate::global::GlobalMemory;

    #[test]
    fn arrays_may_share_pages_and_lie_nowhere_else() {
        let memory = GlobalMemory::new(1 << 20);
        let base = 0x1234_5678_0000;
        let arrays = [(0x100, 0x100), (0x300, 0x2000), (0x5000, 1), (0x4000, 0x800)];
        for (offset, bytes) in arrays {
            memory.place_host_array(base + offset, bytes).expect("nothing is there");
            memory.write(base + offset + bytes - 1, &[7]).expect("it is the last byte");
            assert!(memory.write(base + offset + bytes, &[7]).is_err(), "it ends there");
        }
        let taken = std::ptr::from_ref(&memory).addr() as u64;
        assert!(memory.place_host_array(taken, 64).is_err(), "this very structure is there");
        assert!(memory.place_host_array(0x10, 64).is_err(), "null pointers lead there");
        assert!(
            memory.place_host_array(1 << 47, 64).is_err() && memory.place_host_array(u64::MAX, 2).is_err()
        );
    }
}
