//! Memory that is lent to the guest, and what of the host's may be: kinds, ranges side by side, what is ours.

use ptxvm_memory::{AllocationKind, GlobalMemory, OutOfMemory};

const MIB: u64 = 1 << 20;

#[test]
fn lent_memory_can_be_read_and_perhaps_written() {
    let memory = GlobalMemory::new(MIB);
    let mut array = vec![0u8; 256];
    let start = array.as_mut_ptr();
    for (kind, writable) in [
        (AllocationKind::Host, true),
        (AllocationKind::HostReadOnly, false),
        (AllocationKind::Mapped, true),
        (AllocationKind::MappedReadOnly, false),
    ] {
        // SAFETY: the array is not used by its own name until it has been released.
        unsafe { memory.adopt_as(start, 256, kind) }.expect("nothing else is there");
        let region = memory.region(start as u64 + 255).expect("it is there");
        assert_eq!((region.writable, region.constant), (writable, false), "{kind:?}");
        assert!(memory.free(start as u64).is_err(), "{kind:?} is not ours to free");
        memory.release(start).expect("adopted");
    }
    // SAFETY: nothing is adopted.
    assert!(unsafe { memory.adopt_as(start, 256, AllocationKind::Device) }.is_err());
}

#[test]
fn ranges_that_touch_count_as_one_to_the_host() {
    let memory = GlobalMemory::new(MIB);
    let mut array = vec![0u8; 300];
    let start = array.as_mut_ptr();
    let address = start as u64;
    // SAFETY: the array is not used by its own name until it has been released.
    unsafe {
        memory.adopt(start, 100).expect("nothing else is there");
        memory.adopt_as(start.add(100), 100, AllocationKind::Mapped).expect("nothing else is there");
    }
    memory.write(address + 50, &[7; 100]).expect("both");
    assert!(memory.write(address + 150, &[7; 51]).is_err());
    assert!(memory.covers(address, 200, |_| true));
    assert!(!memory.covers(address, 200, |kind| kind == AllocationKind::Host));
    assert!(!memory.covers(address, 201, |_| true));
    assert!(!memory.covers(address, u64::MAX, |_| true));
}

#[test]
fn what_is_ours_is_not_the_hosts() {
    let memory = GlobalMemory::new(64 * MIB);
    let live = memory.allocate(1000, 1, AllocationKind::Device, None).expect("room");
    let freed = memory.allocate(1000, 1, AllocationKind::Device, None).expect("room");
    memory.free(freed).expect("live");
    let array = [0u8; 64];
    let foreign = array.as_ptr() as u64;
    assert!(memory.owns(live) && memory.owns(live + 1000) && memory.owns(live - 1), "with its gaps");
    assert!(memory.owns(freed + 10), "until it is given back");
    assert!(!memory.owns(foreign));
    assert_eq!(memory.foreign(live + 5, 0, u64::MAX), None);
    let (low, high) = memory.foreign(foreign, 4096, 1 << 47).expect("not ours");
    assert!(low <= foreign && foreign < high);
    assert!(![live, freed].iter().any(|ours| (low..high).contains(ours)));
}

#[test]
fn our_blocks_may_lie_in_a_mapping_that_is_lent() {
    let memory = GlobalMemory::with_quarantine(64 * MIB, 0);
    // Small blocks come from the heap. Once one is freed and given back, its place is lent as part of a range, and
    // then a new block of ours is likely to come from there; wherever it comes from, all addresses are known.
    let old = memory.allocate(5000, 1, AllocationKind::Device, None).expect("room");
    memory.free(old).expect("live");
    memory.reclaim();
    let (low, bytes) = (old - 64, 6000);
    // SAFETY: the bytes are not touched in this test.
    unsafe { memory.adopt(low as *mut u8, bytes) }.expect("nothing else is there");
    let new = memory.allocate(1000, 1, AllocationKind::Param, None).expect("room");
    assert_eq!(memory.allocation(new).map(|found| found.kind), Some(AllocationKind::Param));
    for address in [low, low + bytes - 1] {
        assert!(memory.region(address).is_some(), "an end of the range is still lent");
    }
    memory.free(new).expect("live");
    memory.release(low as *const u8).expect("adopted");
    assert_eq!(memory.statistics().live_allocations, 0);
}

#[test]
fn what_is_held_elsewhere_is_counted() {
    let memory = GlobalMemory::new(MIB);
    memory.charge(MIB - 100).expect("room");
    assert!(matches!(memory.charge(101), Err(OutOfMemory { requested: 101, .. })));
    assert!(memory.allocate(101, 1, AllocationKind::Device, None).is_err());
    memory.allocate(4096, 1, AllocationKind::Pinned, None).expect("that is the host's");
    memory.discharge(MIB - 100);
    memory.allocate(101, 1, AllocationKind::Device, None).expect("room");
    assert_eq!(memory.statistics().bytes_in_use, 101);
}

#[test]
fn a_big_block_is_zero_when_it_comes_back() {
    let memory = GlobalMemory::with_quarantine(64 * MIB, 0);
    let _lease = memory.lease();
    let bytes = 8 * MIB;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let start = memory.allocate(bytes, 1, AllocationKind::Device, None).expect("room");
        let mut found = vec![1u8; bytes as usize];
        memory.read(start, &mut found).expect("live");
        assert!(found.iter().all(|byte| *byte == 0));
        memory.fill(start, bytes, 0xEE).expect("live");
        memory.free(start).expect("live");
        seen.push(start);
    }
    assert_eq!(seen[0], seen[1], "the same block");
}
