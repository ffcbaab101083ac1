//! Memory that is lent to the guest, and what of the host's may be: kinds, ranges side by side, what is ours.
#![allow(unsafe_code)]

use std::sync::Arc;

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
    assert!(memory.owns(live) && memory.owns(live + 1000) && memory.owns(freed + 10));
    // Miri's range is short.
    let far = live + if cfg!(miri) { 1 << 25 } else { 1 << 30 };
    assert!(memory.owns(far), "all of the range, whatever is there");
    assert!(!memory.owns(foreign));
    // What lies in the range cannot be lent, nor what reaches into it.
    for (start, bytes) in [(live, 10), (far, 10), (live - 4096, 8192)] {
        // SAFETY: nothing is adopted.
        assert!(unsafe { memory.adopt(start as *mut u8, bytes) }.is_err(), "{start:#x}");
    }
}

#[test]
fn what_is_held_elsewhere_is_counted() {
    let memory = GlobalMemory::new(MIB);
    memory.charge(MIB - 100).expect("room");
    assert!(matches!(memory.charge(101), Err(OutOfMemory { requested: 101, refused_by_host: false, .. })));
    assert!(memory.allocate(101, 1, AllocationKind::Device, None).is_err());
    memory.allocate(4096, 1, AllocationKind::Pinned, None).expect("that is the host's");
    memory.discharge(MIB - 100);
    memory.allocate(101, 1, AllocationKind::Device, None).expect("room");
    assert_eq!(memory.statistics().bytes_in_use, 101);
}

#[test]
#[cfg_attr(miri, ignore = "eight megabytes take it many minutes")]
fn a_big_block_is_zero_when_it_comes_back() {
    let memory = GlobalMemory::with_quarantine(64 * MIB, 0, Arc::default());
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
