//! Many threads at one memory: workers that look up and touch, a guest that allocates and frees, a host that copies.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use std::sync::Arc;

use ptxvm_memory::access::{load, store};
use ptxvm_memory::{AllocationKind, GlobalMemory, Place, Region};

const ROUNDS: u64 = if cfg!(miri) { 10 } else { 3_000 };

/// Raises a flag also when an assertion fails, so that the other threads end and the failure is seen.
struct RaiseOnDrop<'a>(&'a AtomicBool);

impl Drop for RaiseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Threads allocate, write, check and free; no allocation ever shares a byte with another.
#[test]
fn allocations_never_share_bytes() {
    let memory = GlobalMemory::with_quarantine(64 << 20, 32 << 10, Arc::default());
    std::thread::scope(|scope| {
        for thread in 1..=4u8 {
            let memory = &memory;
            scope.spawn(move || {
                let _lease = memory.lease();
                let mut held = Vec::new();
                for round in 0..ROUNDS {
                    let size = 16 + (round * 37 + u64::from(thread) * 11) % 500;
                    let start = memory.allocate(size, 16, AllocationKind::Heap, None).expect("there is room");
                    let mut bytes = vec![1; size as usize];
                    memory.read(start, &mut bytes).expect("live");
                    assert!(bytes.iter().all(|&byte| byte == 0), "a new block is zero");
                    memory.fill(start, size, thread).expect("live");
                    held.push((start, size));
                    if held.len() > 16 {
                        let (start, size) = held.swap_remove((round * 7) as usize % held.len());
                        let region = memory.region(start + size - 1).expect("live");
                        assert_eq!(
                            region,
                            Region { start, end: start + size, writable: true, constant: false }
                        );
                        let mut bytes = vec![0; size as usize];
                        memory.read(start, &mut bytes).expect("live");
                        assert!(bytes.iter().all(|&byte| byte == thread), "nobody else wrote here");
                        memory.free_kind(start, AllocationKind::Heap).expect("live");
                    }
                }
                for (start, _) in held {
                    memory.free(start).expect("live");
                }
            });
        }
    });
    let statistics = memory.statistics();
    assert_eq!((statistics.bytes_in_use, statistics.live_allocations), (0, 0));
    assert_eq!(statistics.total_allocations, 4 * ROUNDS);
    assert!(memory.statistics().quarantined_bytes <= 32 << 10);
}

/// Workers with cached regions touch a buffer that another thread frees and that is reclaimed as soon as it may be.
/// Nothing crashes (also under Miri and AddressSanitizer), and after a free has been announced nobody gets in.
#[test]
fn a_cached_region_is_harmless_and_short_lived() {
    let memory = GlobalMemory::with_quarantine(16 << 20, 0, Arc::default());
    let current = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _lease = memory.lease();
                    let mut cached = (memory.generation(), Region::EMPTY);
                    for _ in 0..50 {
                        let address = current.load(Ordering::Acquire);
                        if memory.generation() != cached.0 || !cached.1.holds(address, 8) {
                            let generation = memory.generation();
                            let Some(region) = memory.region(address) else { continue };
                            cached = (generation, region);
                        }
                        let p = std::ptr::with_exposed_provenance_mut(address as usize);
                        // SAFETY: the address is in a region that was looked up under the lease.
                        unsafe { store(p, load::<u64>(p).wrapping_add(1)) };
                    }
                }
            });
        }
        let _done = RaiseOnDrop(&done);
        for _ in 0..ROUNDS {
            let start = memory.allocate(4096, 1, AllocationKind::Device, None).expect("there is room");
            current.store(start, Ordering::Release);
            std::thread::yield_now();
            current.store(0, Ordering::Release);
            memory.free(start).expect("live");
            assert_eq!(memory.region(start), None);
        }
    });
    assert_eq!(memory.statistics().quarantined_bytes, 0);
}

/// Lookups and explanations while others allocate and free always speak of whole allocations.
#[test]
fn lookups_see_whole_allocations() {
    let memory = GlobalMemory::new(16 << 20);
    let fixed =
        memory.allocate(64, 16, AllocationKind::Variable, Some("fixed".into())).expect("there is room");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    assert_eq!(memory.region(fixed + 63).map(|region| region.start), Some(fixed));
                    let place = memory.explain(fixed + 64, 4).place;
                    assert!(matches!(&place, Place::After { allocation, distance: 0 } if allocation.start == fixed));
                    assert!(memory.allocations().iter().any(|allocation| allocation.start == fixed));
                }
            });
        }
        let _done = RaiseOnDrop(&done);
        for _ in 0..ROUNDS {
            let start = memory.allocate(100, 16, AllocationKind::Heap, None).expect("there is room");
            memory.free(start).expect("live");
        }
    });
}
