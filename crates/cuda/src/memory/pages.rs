//! Asks the system about this process's pages: whether an address is mapped, and by which mapping. No page is accessed.
#![allow(unsafe_code)]

use std::io::{BufRead, BufReader};
use std::sync::Arc;

use crate::abi::Host;

/// The size of a page, of the smallest kind.
pub const PAGE: u64 = 4096;
/// Addresses that a process can have: nothing is mapped below, and the system's own are above.
const USER: std::ops::Range<u64> = 1 << 16..1 << 47;

/// A range of pages that the system keeps together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub start: u64,
    pub end: u64,
    pub readable: bool,
    pub writable: bool,
    pub purpose: Purpose,
}

/// What a mapping is for, as far as the system knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Nobody else's memory, without a name: blocks of `malloc`, stacks of threads, what programs map themselves.
    Anonymous,
    /// What lies between the program and its `brk`.
    Heap,
    /// The stack of the main thread.
    Stack,
    /// A file, or memory that processes share.
    File(Arc<str>),
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
        unsafe { libc::mincore(Host::at(at).0, length as usize, states.as_mut_ptr()) == 0 }
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

/// The mapping that holds an address.
pub fn at(mappings: &[Mapping], address: u64) -> Option<usize> {
    let index = mappings.partition_point(|mapping| mapping.end <= address);
    mappings.get(index).filter(|mapping| mapping.start <= address).map(|_| index)
}

/// The range around a mapping that has one purpose and can be read and written everywhere. `madvise` cuts a mapping in
/// two, and neighbours that were mapped one by one may be one: only the whole range means something.
pub fn run(mappings: &[Mapping], index: usize) -> Option<(u64, u64)> {
    let wanted = &mappings.get(index)?.purpose;
    let joins = |mapping: &Mapping| mapping.readable && mapping.writable && mapping.purpose == *wanted;
    let mapping = mappings.get(index).filter(|mapping| joins(mapping))?;
    let (mut start, mut end) = (mapping.start, mapping.end);
    for before in mappings[..index].iter().rev() {
        if before.end != start || !joins(before) {
            break;
        }
        start = before.start;
    }
    for after in &mappings[index + 1..] {
        if after.start != end || !joins(after) {
            break;
        }
        end = after.end;
    }
    Some((start, end))
}

/// Reads a line of the list: `start-end rwxp offset device inode name`.
fn parse(line: &str) -> Option<Mapping> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (start, end) = (number(start)?, number(end)?);
    let (permissions, rest) = rest.split_once(' ')?;
    let has = |at: usize, letter: u8| permissions.as_bytes().get(at) == Some(&letter);
    // The name comes after the offset, the device and the inode, and may hold blanks.
    let name = rest.splitn(4, ' ').nth(3).unwrap_or("").trim();
    let purpose = match name {
        "[heap]" => Purpose::Heap,
        "[stack]" => Purpose::Stack,
        // A program may give its memory a name.
        _ if has(3, b'p') && (name.is_empty() || name.starts_with("[anon:")) => Purpose::Anonymous,
        name => Purpose::File(name.into()),
    };
    Some(Mapping { start, end, readable: has(0, b'r'), writable: has(1, b'w'), purpose })
}
