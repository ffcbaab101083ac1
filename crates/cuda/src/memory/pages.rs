//! What the system says of pages of this process: whether an address is mapped, and by which mapping. Nothing is
//! touched to find out.

use std::io::{BufRead, BufReader};

/// The size of a page, of the smallest kind.
pub const PAGE: u64 = 4096;
/// Addresses that a process can have: nothing is mapped below, and the system's own are above.
const USER: std::ops::Range<u64> = 1 << 16..1 << 47;

/// A range of pages that the system keeps together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub start: u64,
    pub end: u64,
    pub readable: bool,
    pub writable: bool,
}

/// Whether something is mapped at an address.
pub fn is_mapped(address: u64) -> bool {
    are_mapped(address, 1)
}

/// Whether something is mapped at each of `bytes` bytes.
pub fn are_mapped(address: u64, bytes: u64) -> bool {
    let Some(end) = address.checked_add(bytes) else { return false };
    if !USER.contains(&address) || end > USER.end {
        return false;
    }
    let first = address & !(PAGE - 1);
    let mut states = [0u8; 4096];
    let step = PAGE * states.len() as u64;
    (first..end).step_by(step as usize).all(|at| {
        let length = step.min(end - at);
        // SAFETY: the call only looks; it writes a byte for each of at most as many pages as there are bytes.
        unsafe { libc::mincore(at as *mut libc::c_void, length as usize, states.as_mut_ptr()) == 0 }
    })
}

/// How many bytes of memory the host has in all, where it says so.
pub fn of_host() -> Option<u64> {
    let system = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = system.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The mappings of this process, in order of their addresses. It takes a while.
pub fn mappings() -> Vec<Mapping> {
    // A host that does not tell has none that could be used.
    let Ok(file) = std::fs::File::open("/proc/self/maps") else { return Vec::new() };
    BufReader::new(file).lines().map_while(Result::ok).filter_map(|line| parse(&line)).collect()
}

/// Reads a line of the list: `start-end rwxp …`.
fn parse(line: &str) -> Option<Mapping> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (start, end) = (number(start)?, number(end)?);
    let mut permissions = rest.bytes();
    let (readable, writable) = (permissions.next()? == b'r', permissions.next()? == b'w');
    Some(Mapping { start, end, readable, writable })
}
