//! Memory of the process that a kernel is handed by its address alone.
//!
//! How long a buffer is nobody says, so that a kernel may touch what is mapped from the buffer's address on, up to the
//! next buffer or the end of the mapping: a stray access is found only where nothing is mapped. Stacks and what belongs to
//! a file, such as the data of libraries, are never lent.
#![allow(unsafe_code)]

use std::ops::Range;

use ptxvm_vm::Device;

/// Buffers that are lent to a device; dropping this takes them back.
pub struct Adopted<'d> {
    device: &'d Device,
    starts: Vec<*mut u8>,
}

impl<'d> Adopted<'d> {
    /// Lends the device whatever of the values are addresses of memory that can be read and written.
    ///
    /// # Safety
    /// Those that are addresses of buffers stay valid until this is dropped, and nobody else touches the buffers
    /// meanwhile.
    pub unsafe fn new(device: &'d Device, values: &[u64]) -> Adopted<'d> {
        let mut adopted = Adopted { device, starts: Vec::new() };
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        for range in ranges(values, &writable(&maps)) {
            let start = std::ptr::with_exposed_provenance_mut::<u8>(range.start as usize);
            // SAFETY: the range is mapped for reading and writing; the caller promises that its buffers stay and are
            // touched by nobody else meanwhile, and a kernel touches what its caller made it to.
            if unsafe { device.memory().adopt(start, range.end - range.start) }.is_ok() {
                adopted.starts.push(start);
            }
        }
        adopted
    }
}

impl Drop for Adopted<'_> {
    fn drop(&mut self) {
        for &start in &self.starts {
            // What has been adopted can be released.
            let _ = self.device.memory().release(start);
        }
        self.device.memory().wait_for_leases();
    }
}

/// The mappings that can be read and written and hold what a program allocates, of the text of `/proc/self/maps`.
fn writable(maps: &str) -> Vec<Range<u64>> {
    let line = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        // Permissions, offset, device, inode, and a name unless it is memory without one.
        let name = rest.split_ascii_whitespace().nth(4);
        let allocated = matches!(name, None | Some("[heap]"));
        (rest.starts_with("rw") && allocated).then_some(number(start)?..number(end)?)
    };
    maps.lines().filter_map(line).collect()
}

/// For each value that lies in a mapping, what it may reach: up to the next such value, or the end of the mapping.
fn ranges(values: &[u64], mappings: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut starts: Vec<u64> = values.to_vec();
    starts.sort_unstable();
    starts.dedup();
    let reach = |(index, &start): (usize, &u64)| {
        let mapping = mappings.iter().find(|mapping| mapping.contains(&start))?;
        let next = starts.get(index + 1).copied().unwrap_or(u64::MAX);
        Some(start..mapping.end.min(next))
    };
    starts.iter().enumerate().filter_map(reach).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_reach_to_the_next_or_to_the_end_of_the_mapping() {
        let maps = "1000-3000 rw-p 00000000 00:00 0 [heap]\n\
                    3000-4000 r--p 00000000 08:01 7 /lib/x\n\
                    8000-9000 rw-p 00000000 00:00 0\nnonsense\n\
                    a000-b000 rw-p 00000000 08:01 7 /lib/x\n\
                    c000-d000 rw-p 00000000 00:00 0 [stack]\n";
        let mappings = writable(maps);
        assert_eq!(mappings, [0x1000..0x3000, 0x8000..0x9000]);
        let values = [0x8010, 0x1100, 7, 0x2000, 0x1100, 0x3500, u64::MAX];
        assert_eq!(ranges(&values, &mappings), [0x1100..0x2000, 0x2000..0x3000, 0x8010..0x9000]);
    }
}
