//! The words for addresses that an access should not have touched.

use std::sync::Arc;

use ptxvm_memory::{AllocationKind, GlobalMemory, LOCAL_BASE, Place, SHARED_BASE};

fn memory_with(size: u64, kind: AllocationKind, name: Option<&str>) -> (GlobalMemory, u64) {
    let memory = GlobalMemory::new(1 << 30);
    let start = memory.allocate(size, 16, kind, name.map(String::from)).expect("there is room");
    (memory, start)
}

#[test]
fn around_a_buffer() {
    let (memory, start) = memory_with(4096, AllocationKind::Device, None);
    let buffer = format!("allocation of 4096 bytes at {start:#x}");
    for (address, bytes, words) in [
        (start + 4096, 4, "right past the end of "),
        (start + 4112, 4, "16 bytes past the end of "),
        (start + 4097, 1, "1 byte past the end of "),
        (start - 16, 8, "16 bytes before "),
        (start - 1, 1, "1 byte before "),
        (start + 4092, 8, "the last 4 bytes past the end of "),
        (start + 4095, 2, "the last 1 byte past the end of "),
        (start + 100, 4, "100 bytes inside "),
        (start + 4096 + (64 << 20), 4, "67108864 bytes past the end of "),
    ] {
        let expected = if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
        let expected = format!("{expected} at {address:#x}: {words}{buffer}");
        assert_eq!(memory.explain(address, bytes).to_string(), expected);
    }
}

#[test]
fn names_and_kinds_are_said() {
    for (kind, name, words) in [
        (AllocationKind::Variable, Some("table"), "global variable `table` of 64 bytes at "),
        (AllocationKind::Constant, Some("weights"), "constant variable `weights` of 64 bytes at "),
        (AllocationKind::Param, Some("saxpy"), "kernel parameters `saxpy` of 64 bytes at "),
        (AllocationKind::Heap, None, "malloc'ed block of 64 bytes at "),
        (AllocationKind::Managed, None, "managed allocation of 64 bytes at "),
    ] {
        let (memory, start) = memory_with(64, kind, name);
        let expected = format!("2 bytes at {:#x}: 2 bytes inside {words}{start:#x}", start + 2);
        assert_eq!(memory.explain(start + 2, 2).to_string(), expected);
    }
}

#[test]
#[cfg_attr(miri, ignore = "half a gigabyte is more than it has")]
fn null_windows_and_the_wild() {
    let (memory, start) = memory_with(64, AllocationKind::Device, None);
    for (address, words) in [
        (0, "4 bytes at 0x0: a null pointer"),
        (0x10, "4 bytes at 0x10: a null pointer, 16 bytes past it"),
        (0xFFF, "4 bytes at 0xfff: a null pointer, 4095 bytes past it"),
        (SHARED_BASE + 0x20, "4 bytes at 0x1000000000000020: offset 0x20 of the shared window"),
        (LOCAL_BASE, "4 bytes at 0x2000000000000000: offset 0x0 of the local window"),
        (0x1000, "4 bytes at 0x1000: far from every allocation"),
        (u64::MAX, "4 bytes at 0xffffffffffffffff: far from every allocation"),
    ] {
        assert_eq!(memory.explain(address, 4).to_string(), words);
    }
    assert_eq!(memory.explain(start + 64 + (64 << 20) + 1, 4).place, Place::Wild);
    // A big buffer explains what is farther away: an index that is a few times too large.
    let big = memory.allocate(512 << 20, 16, AllocationKind::Device, None).expect("there is room");
    let place = memory.explain(big + (1 << 30), 4).place;
    assert!(matches!(place, Place::After { distance, .. } if distance == 512 << 20), "{place:?}");
}

#[test]
fn the_nearer_neighbour_explains() {
    let memory = GlobalMemory::new(1 << 20);
    let mut starts = [0; 2].map(|_| memory.allocate(256, 16, AllocationKind::Heap, None).expect("room"));
    starts.sort_unstable();
    let [low, high] = starts;
    assert!(high - low < 64 << 20, "both near enough for this test");
    let after = memory.explain(low + 256 + 8, 4).place;
    assert!(
        matches!(&after, Place::After { allocation, distance: 8 } if allocation.start == low),
        "{after:?}"
    );
    let before = memory.explain(high - 8, 4).place;
    assert!(
        matches!(&before, Place::Before { allocation, distance: 8 } if allocation.start == high),
        "{before:?}"
    );
}

#[test]
fn use_after_free_names_what_was_there() {
    let (memory, start) = memory_with(128, AllocationKind::Heap, None);
    memory.free(start).expect("live");
    let expected = format!(
        "8 bytes at {:#x}: 24 bytes inside malloc'ed block of 128 bytes at {start:#x}, which has been freed",
        start + 24
    );
    assert_eq!(memory.explain(start + 24, 8).to_string(), expected);
    assert_eq!(memory.explain(start + 24, 8).to_string(), expected);
    // Only the block itself is called freed, not its surroundings.
    assert_eq!(memory.explain(start + 128, 8).place, Place::Wild);
}

#[test]
#[cfg_attr(miri, ignore = "twenty thousand blocks take it many minutes")]
fn thousands_of_frees_are_remembered_and_not_all() {
    let memory = GlobalMemory::with_quarantine(1 << 30, 1 << 28, Arc::default());
    let starts: Vec<u64> = (0..20_000)
        .map(|_| memory.allocate(8, 8, AllocationKind::Heap, None).expect("there is room"))
        .collect();
    for &start in &starts {
        memory.free(start).expect("live");
    }
    let remembered = |&start: &u64| matches!(memory.explain(start, 4).place, Place::Freed { .. });
    assert!(starts[15_000..].iter().all(remembered));
    assert!(!remembered(&starts[0]));
}
