//! The generic windows and the memory that they show.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::local::DEFAULT_LIMIT;
use ptxvm_memory::{
    GlobalMemory, LOCAL_BASE, LOCAL_SIZE, LocalMemory, OutOfRange, SHARED_BASE, SHARED_SIZE, SharedMemory,
    StackOverflow, Window, window_of,
};

use ptxvm_memory::access::{load, store};

#[test]
fn windows_end_where_they_say() {
    for (base, size, window) in
        [(SHARED_BASE, SHARED_SIZE, Window::Shared), (LOCAL_BASE, LOCAL_SIZE, Window::Local)]
    {
        assert_eq!(window_of(base), window);
        assert_eq!(window_of(base + size - 1), window);
        assert_eq!(window_of(base - 1), Window::Global);
        assert_eq!(window_of(base + size), Window::Global);
        assert!(base >> 57 != 0 && base + size < 1 << 63, "no host address, no negative number");
    }
    for global in [0, 0x7FFF_FFFF_FFFF, u64::MAX, 1 << 32] {
        assert_eq!(window_of(global), Window::Global);
    }
    let memory = GlobalMemory::new(1 << 20);
    assert!(memory.region(SHARED_BASE).is_none());
    // SAFETY: refused, so nothing is promised.
    let adopted = unsafe { memory.adopt(std::ptr::without_provenance_mut(LOCAL_BASE as usize), 16) };
    assert!(adopted.is_err());
}

#[test]
fn shared_memory_is_checked_and_zeroed() {
    let mut memory = SharedMemory::new(100, &Arc::default()).expect("a little memory");
    assert_eq!((memory.bytes(), memory.pointer().addr() % 128), (100, 0));
    let mut all = [1; 100];
    memory.read(0, &mut all).expect("in range");
    assert_eq!(all, [0; 100]);
    memory.write(96, &[1, 2, 3, 4]).expect("in range");
    let mut tail = [0; 2];
    memory.read(98, &mut tail).expect("in range");
    assert_eq!(tail, [3, 4]);
    assert_eq!(memory.write(97, &[0; 4]), Err(OutOfRange { offset: 97, bytes: 4, size: 100 }));
    assert!(memory.read(u64::MAX, &mut tail).is_err());
    assert!(memory.read(101, &mut []).is_err());
    memory.reset(0xCD);
    memory.read(0, &mut all).expect("in range");
    assert_eq!(all, [0xCD; 100]);
}

#[test]
#[cfg_attr(sanitized = "address", ignore = "the sanitizer reports it, as it should")]
fn around_shared_memory_is_nobodys() {
    const AROUND: usize = 1024;
    let around = |memory: &SharedMemory| -> bool {
        // What a GPU lets a CTA touch is more than it asked for.
        let (start, bytes) = (memory.pointer(), memory.whole_bytes());
        assert_eq!(bytes, memory.bytes().next_multiple_of(128));
        let before = start.wrapping_sub(AROUND);
        let after = start.wrapping_add(bytes);
        // SAFETY: so many bytes before and after the memory belong to its block.
        let zero = |from: *mut u8| (0..AROUND).all(|at| unsafe { load::<u8>(from.wrapping_add(at)) } == 0);
        zero(before) && zero(after)
    };
    let mut memory = SharedMemory::new(3000, &Arc::default()).expect("a little memory");
    for (size, byte) in [(3000, 1), (100, 2), (2000, 3), (1, 4), (2999, 5), (70_000, 6), (128, 7)] {
        assert!(memory.resize(size));
        assert!(around(&memory), "after giving it {size} bytes");
        memory.reset(byte);
        assert!(around(&memory), "after writing all of {size} bytes");
    }
}

#[test]
fn shared_memory_follows_the_launch() {
    let mut memory = SharedMemory::new(0, &Arc::default()).expect("no memory");
    assert_eq!(memory.bytes(), 0);
    memory.reset(7);
    assert!(memory.write(0, &[1]).is_err());
    assert!(memory.resize(1000));
    memory.write(999, &[1]).expect("in range");
    let place = memory.pointer();
    assert!(memory.resize(10));
    assert!(memory.write(10, &[1]).is_err());
    assert!(memory.resize(1000));
    assert_eq!(memory.pointer(), place, "the same bytes are used again");
    assert!(!memory.resize(usize::MAX));
    assert_eq!(memory.bytes(), 1000);
}

#[test]
fn local_memory_grows_and_keeps_each_lanes_bytes() {
    let mut memory = LocalMemory::new(DEFAULT_LIMIT, &Arc::default());
    assert_eq!(memory.bytes_per_lane(), 0);
    memory.grow_to(0).expect("nothing");
    assert_eq!(memory.bytes_per_lane(), 0);
    memory.grow_to(40).expect("below the limit");
    let first = memory.bytes_per_lane();
    assert!(first >= 40 && first.is_multiple_of(16));
    for lane in 0..32 {
        // SAFETY: eight bytes at 32 are among the forty of every lane.
        unsafe { store(memory.pointer(lane, 32), lane as u64 + 1000) };
    }
    for bytes in [41, 257, 1000, 5000] {
        memory.grow_to(bytes).expect("below the limit");
        assert!(memory.bytes_per_lane() as u64 >= bytes && memory.bytes_per_lane() as u64 <= 2 * bytes + 64);
        for lane in 0..32 {
            // SAFETY: all offsets are below what has been grown to.
            unsafe {
                assert_eq!(load::<u64>(memory.pointer(lane, 32)), lane as u64 + 1000);
                assert_eq!(load::<u64>(memory.pointer(lane, 40)), 0);
                assert_eq!(load::<u8>(memory.pointer(lane, memory.bytes_per_lane() - 1)), 0);
            }
            assert_eq!(memory.pointer(lane, 16).addr() % 16, 0);
        }
    }
    let before = memory.pointer(0, 0);
    memory.grow_to(100).expect("there already");
    assert_eq!(memory.pointer(0, 0), before);
}

#[test]
fn lanes_do_not_meet() {
    let mut memory = LocalMemory::new(1 << 12, &Arc::default());
    memory.grow_to(300).expect("below the limit");
    let stride = memory.bytes_per_lane();
    for lane in 0..32 {
        for offset in (0..stride).step_by(8) {
            // SAFETY: below the stride.
            unsafe { store(memory.pointer(lane, offset), (lane << 32 | offset) as u64) };
        }
    }
    for lane in 0..32 {
        for offset in (0..stride).step_by(8) {
            // SAFETY: below the stride.
            assert_eq!(unsafe { load::<u64>(memory.pointer(lane, offset)) }, (lane << 32 | offset) as u64);
        }
    }
}

#[test]
fn a_stack_overflows_at_its_limit() {
    let mut memory = LocalMemory::new(1000, &Arc::default());
    memory.grow_to(992).expect("the limit is rounded down to 992");
    assert_eq!(memory.bytes_per_lane(), 992);
    let overflow = StackOverflow { requested: 993, limit: 992, refused_by_host: false };
    assert_eq!(memory.grow_to(993), Err(overflow));
    assert_eq!(memory.grow_to(u64::MAX).map_err(|e| e.requested), Err(u64::MAX));
    assert_eq!(memory.bytes_per_lane(), 992);
    assert_eq!(
        overflow.to_string(),
        "stack overflow: 993 bytes of local memory needed, 992 bytes per thread allowed"
    );
    let mut greedy = LocalMemory::new(usize::MAX, &Arc::default());
    assert!(matches!(greedy.grow_to(1 << 62), Err(StackOverflow { refused_by_host: true, .. })));
    assert!(matches!(greedy.grow_to(u64::MAX - 16), Err(StackOverflow { refused_by_host: true, .. })));
    assert_eq!(LocalMemory::new(DEFAULT_LIMIT, &Arc::default()).limit(), 512 << 10);
}
