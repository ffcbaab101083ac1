//! Allocating, freeing and finding, as the machine and the library face see it.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::{AdoptError, Allocation, AllocationKind, FreeError, GlobalMemory, Region};

const MIB: u64 = 1 << 20;

fn device(memory: &GlobalMemory, size: u64) -> u64 {
    memory.allocate(size, 1, AllocationKind::Device, None).expect("there is room")
}

fn heap(memory: &GlobalMemory, size: u64) -> u64 {
    memory.allocate(size, 16, AllocationKind::Heap, None).expect("there is room")
}

fn bytes_at(memory: &GlobalMemory, address: u64, count: usize) -> Vec<u8> {
    let mut bytes = vec![0xEE; count];
    memory.read(address, &mut bytes).expect("readable");
    bytes
}

#[test]
fn a_region_is_exactly_what_was_asked_for() {
    let memory = GlobalMemory::new(MIB);
    let start = device(&memory, 100);
    let region = Region { start, end: start + 100, writable: true, constant: false };
    assert_eq!(start % 512, 0);
    assert_eq!(memory.region(start), Some(region));
    assert_eq!(memory.region(start + 99), Some(region));
    assert_eq!(memory.region(start + 100), None);
    assert_eq!(memory.region(start - 1), None);
    assert_eq!(bytes_at(&memory, start, 100), vec![0; 100]);
}

#[test]
fn holds_does_not_wrap() {
    let region = Region { start: 1000, end: 1100, writable: true, constant: false };
    assert!(region.holds(1000, 100) && region.holds(1099, 1) && region.holds(1050, 0));
    assert!(!region.holds(1000, 101) && !region.holds(1099, 2) && !region.holds(1100, 0));
    assert!(!region.holds(1050, u64::MAX) && !region.holds(u64::MAX, 2) && !region.holds(999, 1));
    assert!(!Region::EMPTY.holds(0, 0) && !Region::EMPTY.holds(0, 1));
}

#[test]
fn every_alignment_is_kept() {
    let memory = GlobalMemory::new(64 * MIB);
    for log in 0..=20 {
        let align = 1 << log;
        for kind in [AllocationKind::Variable, AllocationKind::Device] {
            let start = memory.allocate(24, align, kind, None).expect("there is room");
            assert_eq!(start % align, 0, "align {align}");
            memory.fill(start, 24, 0xAB).expect("writable by the host");
            assert_eq!(bytes_at(&memory, start, 24), vec![0xAB; 24]);
        }
    }
    // What is not a power of two is rounded up to one; what no address space has is refused.
    let start = memory.allocate(8, 24, AllocationKind::Variable, None).expect("there is room");
    assert_eq!(start % 32, 0);
    assert!(memory.allocate(8, u64::MAX, AllocationKind::Variable, None).is_err());
    assert!(memory.allocate(8, 1 << 63, AllocationKind::Variable, None).is_err());
}

#[test]
fn gaps_separate_all_neighbours() {
    let memory = GlobalMemory::new(16 * MIB);
    for size in [0, 1, 16, 63, 64, 100, 1000, 5000] {
        for _ in 0..20 {
            heap(&memory, size);
        }
    }
    let all = memory.allocations();
    assert_eq!(all.len(), 160);
    for pair in all.windows(2) {
        assert!(pair[0].end() + 64 <= pair[1].start, "{} and {}", pair[0], pair[1]);
    }
    for allocation in &all {
        for near in 1..=64 {
            assert_eq!(memory.region(allocation.start - near), None);
            assert_eq!(memory.region(allocation.end() + near - 1), None);
        }
    }
}

#[test]
fn nothing_has_an_address_of_its_own() {
    let memory = GlobalMemory::new(MIB);
    let (a, b) = (device(&memory, 0), device(&memory, 0));
    assert_ne!(a, b);
    assert_eq!(memory.region(a), None);
    assert_eq!(memory.statistics().live_allocations, 2);
    memory.free(a).expect("freed once");
    assert!(matches!(memory.free(a), Err(FreeError::Freed { .. })));
    memory.free(b).expect("freed once");
}

#[test]
fn constants_and_parameters_are_not_writable_by_the_guest() {
    let memory = GlobalMemory::new(MIB);
    for (kind, writable) in [
        (AllocationKind::Device, true),
        (AllocationKind::Workspace, true),
        (AllocationKind::Variable, true),
        (AllocationKind::Heap, true),
        (AllocationKind::Managed, true),
        (AllocationKind::Constant, false),
        (AllocationKind::Param, false),
    ] {
        let start = memory.allocate(8, 8, kind, None).expect("there is room");
        assert_eq!(memory.region(start).map(|region| region.writable), Some(writable), "{kind:?}");
        memory.write(start, &[7; 8]).expect("the host may write it");
        assert_eq!(bytes_at(&memory, start, 8), [7; 8]);
    }
}

#[test]
fn the_limit_holds_and_freeing_makes_room() {
    let memory = GlobalMemory::new(4 * MIB);
    let first = device(&memory, 3 * MIB);
    let refused = memory.allocate(2 * MIB, 1, AllocationKind::Device, None).expect_err("over the limit");
    assert_eq!((refused.requested, refused.in_use, refused.limit), (2 * MIB, 3 * MIB, 4 * MIB));
    assert!(!refused.refused_by_host);
    assert!(memory.allocate(u64::MAX, 1, AllocationKind::Device, None).is_err());
    assert_eq!(memory.statistics().bytes_in_use, 3 * MIB);
    memory.free(first).expect("live");
    device(&memory, 4 * MIB);
    let statistics = memory.statistics();
    assert_eq!((statistics.bytes_in_use, statistics.peak_bytes), (4 * MIB, 4 * MIB));
    assert_eq!((statistics.live_allocations, statistics.total_allocations), (1, 2));
}

#[test]
fn a_host_without_memory_is_told_from_the_limit() {
    let memory = GlobalMemory::new(u64::MAX);
    let refused = memory.allocate(1 << 60, 1, AllocationKind::Device, None).expect_err("no host has this");
    assert!(refused.refused_by_host);
    assert_eq!(memory.statistics().bytes_in_use, 0);
    device(&memory, 16);
}

#[test]
#[cfg_attr(miri, ignore = "thousands of blocks take it many minutes")]
fn tiny_blocks_cannot_take_much_more_than_the_limit() {
    let memory = GlobalMemory::new(MIB);
    let mut count = 0u64;
    while memory.allocate(1, 1, AllocationKind::Heap, None).is_ok() {
        count += 1;
        assert!(count < 1 << 20, "the guest took the host's memory byte by byte");
    }
    // Each takes at least the two gaps.
    assert!(count * 128 <= 4 * MIB);
}

/// The guest's `malloc` has less than all memory, and what the host allocates does not count.
#[test]
#[cfg_attr(miri, ignore = "more addresses than its range has")]
fn the_heap_has_a_limit_of_its_own() {
    let memory = GlobalMemory::new(64 * MIB);
    let buffer = device(&memory, 10 * MIB);
    let first = heap(&memory, 5 * MIB);
    let refused =
        memory.allocate(4 * MIB, 16, AllocationKind::Heap, None).expect_err("eight megabytes in all");
    assert_eq!((refused.in_use, refused.limit), (5 * MIB, 8 * MIB));
    memory.free(buffer).expect("live");
    memory.free(first).expect("live");
    assert_eq!(memory.statistics().heap_bytes, 0);
    // A block takes a little more of the heap than its bytes.
    assert!(memory.allocate(8 * MIB, 16, AllocationKind::Heap, None).is_err());
    heap(&memory, 8 * MIB - 64);
    memory.set_heap_limit(MIB);
    assert!(memory.allocate(0, 16, AllocationKind::Heap, None).is_err());
    device(&memory, MIB);
}

#[test]
fn freeing_says_what_is_wrong() {
    let memory = GlobalMemory::new(MIB);
    let start = heap(&memory, 64);
    assert_eq!(memory.free(start + 800_000), Err(FreeError::NotAllocated { address: start + 800_000 }));
    assert!(
        matches!(memory.free(start + 8), Err(FreeError::Interior { offset: 8, allocation }) if allocation.start == start)
    );
    assert!(matches!(memory.free_kind(start, AllocationKind::Device), Err(FreeError::OtherKind { .. })));
    assert!(matches!(memory.release(start as *const u8), Err(FreeError::OtherKind { .. })));
    assert!(memory.region(start).is_some());
    memory.free_kind(start, AllocationKind::Heap).expect("the right kind");
    assert_eq!(memory.region(start), None);
    let again = memory.free(start).expect_err("freed already");
    assert_eq!(
        again.to_string(),
        format!("the malloc'ed block of 64 bytes at {start:#x} has been freed already")
    );
    assert!(matches!(memory.free(start + 4), Err(FreeError::Freed { offset: 4, .. })));
}

#[test]
fn a_free_changes_the_generation_and_an_allocation_does_not() {
    let memory = GlobalMemory::new(MIB);
    let before = memory.generation();
    let start = device(&memory, 16);
    assert_eq!(memory.generation(), before);
    memory.free(start).expect("live");
    let after = memory.generation();
    assert_ne!(after, before);
    assert!(memory.free(start).is_err());
    assert_eq!(memory.generation(), after);
}

#[test]
fn freed_addresses_are_not_used_again_while_quarantined() {
    let memory = GlobalMemory::with_quarantine(16 * MIB, MIB, Arc::default());
    let first = heap(&memory, 1000);
    memory.free(first).expect("live");
    for _ in 0..100 {
        let next = heap(&memory, 1000);
        assert!(next + 1000 <= first || next >= first + 1000);
        memory.free(next).expect("live");
    }
    assert!(matches!(memory.free(first), Err(FreeError::Freed { .. })));
}

#[test]
fn a_long_run_of_malloc_and_free_stays_in_bounds() {
    let rounds = if cfg!(miri) { 50 } else { 20_000 };
    let memory = GlobalMemory::with_quarantine(4 * MIB, 64 << 10, Arc::default());
    let _lease = memory.lease();
    for round in 0..rounds {
        let size = 100 + round % 400;
        let start = heap(&memory, size);
        assert!(bytes_at(&memory, start, size as usize).iter().all(|&byte| byte == 0), "round {round}");
        memory.fill(start, size, 0xFF).expect("writable");
        memory.free(start).expect("live");
    }
    let statistics = memory.statistics();
    assert!(statistics.quarantined_bytes < MIB, "{statistics:?}");
    assert_eq!((statistics.bytes_in_use, statistics.total_allocations), (0, rounds));
}

/// A worker that has not noticed a free still finds mapped memory, and the host has the memory of a large block back.
#[test]
fn freed_memory_stays_mapped() {
    let memory = GlobalMemory::with_quarantine(16 * MIB, 256 << 10, Arc::default());
    let (small, big) = (heap(&memory, 1000), device(&memory, 8 * MIB));
    memory.write(small, &[9; 1000]).expect("writable");
    memory.write(big, &[9; 1000]).expect("writable");
    memory.free(small).expect("live");
    memory.free(big).expect("live");
    let seen = |at: u64| -> u64 {
        // SAFETY: addresses that were given once are mapped as long as the memory lives.
        unsafe { ptxvm_memory::access::load(std::ptr::with_exposed_provenance(at as usize)) }
    };
    assert_eq!(seen(small), 0x0909_0909_0909_0909);
    assert_eq!(seen(big), 0);
    let kept = memory.statistics().quarantined_bytes;
    assert!((1000..=256 << 10).contains(&kept), "{kept}");
}

#[test]
fn hosts_arrays_are_used_in_place() {
    let memory = GlobalMemory::new(MIB);
    let mut array = vec![1u8; 300];
    let start = array.as_mut_ptr();
    let address = start.addr() as u64;
    // SAFETY: the array is not used by its own name until it has been released.
    unsafe {
        memory.adopt(start, 300).expect("nothing else is there");
        // The same array given twice to a launch.
        memory.adopt(start, 300).expect("the same array");
        let inner = memory.adopt(start.add(100), 100).expect_err("part of it");
        assert!(matches!(inner, AdoptError::Overlap { allocation: Allocation { size: 300, .. } }));
        let longer = memory.adopt(start, 301).expect_err("not the same array");
        assert!(matches!(longer, AdoptError::Overlap { .. }));
        assert!(matches!(memory.adopt(std::ptr::null_mut(), 4), Err(AdoptError::Impossible { .. })));
        assert!(matches!(memory.adopt(start, u64::MAX), Err(AdoptError::Impossible { .. })));
    }
    assert_eq!(
        memory.region(address + 299),
        Some(Region { start: address, end: address + 300, writable: true, constant: false })
    );
    assert_eq!(memory.statistics().bytes_in_use, 0);
    memory.write(address + 3, &[5; 20]).expect("in range");
    assert!(matches!(memory.free(address), Err(FreeError::OtherKind { .. })));
    let before = memory.generation();
    memory.release(start).expect("adopted twice");
    assert!(memory.region(address).is_some());
    memory.release(start).expect("adopted twice");
    assert_eq!(memory.region(address), None);
    assert_ne!(memory.generation(), before);
    assert!(matches!(memory.release(start), Err(FreeError::Freed { .. })));
    assert!(array[3..23].iter().all(|&byte| byte == 5) && array[2] == 1 && array[23] == 1);
}

#[test]
fn a_new_owner_is_not_called_freed() {
    let memory = GlobalMemory::new(MIB);
    let mut array = [0u8; 64];
    let start = array.as_mut_ptr();
    let address = start.addr() as u64;
    // SAFETY: the array is not touched otherwise.
    unsafe {
        memory.adopt(start, 64).expect("nothing else is there");
        memory.release(start).expect("adopted");
        memory.adopt(start.add(16), 16).expect("nothing else is there any more");
    }
    assert!(matches!(memory.free(address), Err(FreeError::NotAllocated { .. })));
    assert!(memory.region(address + 16).is_some());
}

#[test]
fn host_accesses_are_checked() {
    let memory = GlobalMemory::new(MIB);
    let (a, b) = (device(&memory, 100), device(&memory, 100));
    let pattern: Vec<u8> = (0..100).collect();
    memory.write(a, &pattern).expect("in range");
    memory.copy(b + 10, a, 90).expect("in range");
    assert_eq!(bytes_at(&memory, b, 100), [&[0; 10][..], &pattern[..90]].concat());
    memory.fill(b + 1, 3, 0xCC).expect("in range");
    assert_eq!(bytes_at(&memory, b, 5), [0, 0xCC, 0xCC, 0xCC, 0]);

    assert!(memory.read(a + 1, &mut [0; 100]).is_err());
    assert!(memory.write(a + 100, &[0]).is_err());
    assert!(memory.fill(a, u64::MAX, 0).is_err());
    assert!(memory.copy(a, b + 50, 51).is_err());
    assert!(memory.copy(a + 50, b, 51).is_err());
    assert_eq!(bytes_at(&memory, a, 100), pattern);
    // No bytes are no access, wherever they are.
    memory.read(0, &mut []).expect("nothing is touched");
    memory.write(1, &[]).expect("nothing is touched");
    memory.fill(2, 0, 1).expect("nothing is touched");
    memory.copy(3, 4, 0).expect("nothing is touched");
    memory.free(a).expect("live");
    assert!(memory.read(a, &mut [0]).is_err());
}

#[test]
fn copies_may_overlap() {
    let memory = GlobalMemory::new(MIB);
    let size = 10_000;
    let start = device(&memory, size);
    let pattern: Vec<u8> = (0..size).map(|i| (i * 7 + i / 251) as u8).collect();
    for (to, from, bytes) in [(1, 0, 9_999), (0, 1, 9_999), (4_097, 0, 5_000), (3, 4_100, 5_500), (8, 8, 100)]
    {
        memory.write(start, &pattern).expect("in range");
        memory.copy(start + to, start + from, bytes).expect("in range");
        let mut expected = pattern.clone();
        expected.copy_within(from as usize..(from + bytes) as usize, to as usize);
        assert!(bytes_at(&memory, start, size as usize) == expected, "{bytes} bytes from {from} to {to}");
    }
}

#[test]
fn leaks_are_listed_in_order() {
    let memory = GlobalMemory::new(MIB);
    let kept = memory.allocate(40, 4, AllocationKind::Variable, Some("table".into())).expect("there is room");
    let gone = heap(&memory, 8);
    let leaked = heap(&memory, 24);
    memory.free(gone).expect("live");
    let mut expected = [(kept, 40, 0), (leaked, 24, 2)];
    expected.sort_unstable();
    let listed: Vec<_> = memory.allocations().iter().map(|a| (a.start, a.size, a.serial)).collect();
    assert_eq!(listed, expected);
    assert_eq!(memory.allocation(kept + 39).and_then(|a| a.name).as_deref(), Some("table"));
}
