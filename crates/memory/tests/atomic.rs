//! Read-modify-write: single results and no update lost among threads.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::SharedMemory;
use ptxvm_memory::access::{load, store};
use ptxvm_memory::atomic::{AtomicWord, FetchWord, compare_exchange, exchange, update};

const THREADS: u64 = 4;
const ROUNDS: u64 = if cfg!(miri) { 25 } else { 20_000 };

fn memory() -> SharedMemory {
    SharedMemory::new(256, &Arc::default()).expect("a little memory")
}

/// Runs `work` in several threads at once on a memory of zeros.
fn contend(work: impl Fn(u64, *mut u8) + Sync) -> SharedMemory {
    let memory = memory();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (memory, work) = (&memory, &work);
            scope.spawn(move || work(thread, memory.pointer()));
        }
    });
    memory
}

fn single<T: AtomicWord + std::fmt::Debug>(a: T, b: T) {
    let memory = memory();
    let p = memory.pointer();
    // SAFETY: the memory's start is aligned for all words.
    unsafe {
        store(p, a);
        assert_eq!(compare_exchange(p, b, a), a);
        assert_eq!(load::<T>(p), a);
        assert_eq!(compare_exchange(p, a, b), a);
        assert_eq!(load::<T>(p), b);
        assert_eq!(exchange(p, a), b);
        assert_eq!(load::<T>(p), a);
        let mut seen = None;
        let old = update(p, |old: T| {
            seen = Some(old);
            b
        });
        assert_eq!((old, seen), (a, Some(a)));
        assert_eq!(load::<T>(p), b);
    }
}

#[test]
fn each_gives_what_was_there() {
    single::<u16>(0x1234, 0xFEDC);
    single::<u32>(0x1234_5678, 0xFFFF_0000);
    single::<u64>(0x1234_5678_9ABC_DEF0, 1);
    single::<u128>(0x1234_5678_9ABC_DEF0 << 60, u128::MAX - 5);
    // Equal in one half only is not equal.
    let memory = memory();
    // SAFETY: the memory's start is aligned for all words.
    unsafe {
        store::<u128>(memory.pointer(), 7 << 64 | 9);
        assert_eq!(compare_exchange::<u128>(memory.pointer(), 7 << 64 | 8, 0), 7 << 64 | 9);
        assert_eq!(compare_exchange::<u128>(memory.pointer(), 8 << 64 | 9, 0), 7 << 64 | 9);
        assert_eq!(load::<u128>(memory.pointer()), 7 << 64 | 9);
    }
}

#[test]
fn neighbours_of_a_16_bit_atomic_stay() {
    let memory = memory();
    memory.write(0, &[0xFF; 8]).expect("in range");
    // SAFETY: an aligned half word of the memory.
    unsafe {
        assert_eq!(u16::fetch_add(memory.pointer().add(2), 1), 0xFFFF);
        assert_eq!(exchange::<u16>(memory.pointer().add(4), 0x0102), 0xFFFF);
    }
    let mut bytes = [0; 8];
    memory.read(0, &mut bytes).expect("in range");
    assert_eq!(bytes, [0xFF, 0xFF, 0, 0, 2, 1, 0xFF, 0xFF]);
}

#[test]
fn fetches_compute() {
    let memory = memory();
    let p = memory.pointer();
    let one = |operation: unsafe fn(*mut u8, u32) -> u32, old: u32, operand: u32, new: u32| {
        // SAFETY: the memory's start is aligned for all words.
        unsafe {
            store(p, old);
            assert_eq!(operation(p, operand), old);
            assert_eq!(load::<u32>(p), new);
        }
    };
    let minus = u32::MAX;
    one(u32::fetch_add, minus, 3, 2);
    one(u32::fetch_and, 0b1100, 0b1010, 0b1000);
    one(u32::fetch_or, 0b1100, 0b1010, 0b1110);
    one(u32::fetch_xor, 0b1100, 0b1010, 0b0110);
    one(u32::fetch_min, 5, minus, 5);
    one(u32::fetch_max, 5, minus, minus);
    one(u32::fetch_min_signed, 5, minus, minus);
    one(u32::fetch_max_signed, 5, minus, 5);
    // SAFETY: the memory's start is aligned for all words.
    unsafe {
        store::<u64>(p, 1 << 40);
        assert_eq!(u64::fetch_max_signed(p, 1 << 63), 1 << 40);
        assert_eq!(u64::fetch_min_signed(p, 1 << 63), 1 << 40);
        assert_eq!(u64::fetch_add(p, 1 << 63), 1 << 63);
        assert_eq!(load::<u64>(p), 0);
    }
}

#[test]
fn additions_by_all_ways_lose_nothing() {
    // SAFETY: the offsets are aligned and inside the memory, which outlives the threads.
    let memory = contend(|_, p| unsafe {
        for _ in 0..ROUNDS {
            u32::fetch_add(p, 1);
            u64::fetch_add(p.add(8), 3);
            u16::fetch_add(p.add(16), 1);
            u16::fetch_add(p.add(18), 2);
            update::<u32>(p.add(24), |old| old + 5);
            update::<u16>(p.add(28), |old| old.wrapping_add(7));
            // The steps carry from half to half.
            update::<u128>(p.add(32), |old| old + (u128::from(u64::MAX) << 8));
        }
    });
    let total = THREADS * ROUNDS;
    // SAFETY: as above, and the threads are gone.
    unsafe {
        let p = memory.pointer();
        assert_eq!(u64::from(load::<u32>(p)), total);
        assert_eq!(load::<u64>(p.add(8)), 3 * total);
        assert_eq!(load::<u16>(p.add(16)), total as u16);
        assert_eq!(load::<u16>(p.add(18)), 2 * total as u16);
        assert_eq!(u64::from(load::<u32>(p.add(24))), 5 * total);
        assert_eq!(load::<u16>(p.add(28)), (7 * total) as u16);
        assert_eq!(load::<u128>(p.add(32)), (u128::from(u64::MAX) << 8) * u128::from(total));
    }
}

#[test]
fn a_lock_of_compare_exchange_protects_plain_words() {
    // SAFETY: the offsets are aligned and inside the memory, which outlives the threads.
    let memory = contend(|_, p| unsafe {
        for _ in 0..ROUNDS / 10 {
            while compare_exchange::<u32>(p, 0, 1) != 0 {
                std::thread::yield_now();
            }
            let value: u64 = load(p.add(8));
            store(p.add(8), value + 1);
            exchange::<u32>(p, 0);
        }
    });
    let mut bytes = [0; 8];
    memory.read(8, &mut bytes).expect("in range");
    assert_eq!(u64::from_le_bytes(bytes), THREADS * (ROUNDS / 10));
}

#[test]
fn exchanges_hand_every_value_on_once() {
    let sum = std::sync::Mutex::new(0u128);
    // SAFETY: the memory is aligned and outlives the threads.
    let memory = contend(|thread, p| unsafe {
        let mut mine = 0;
        for round in 0..ROUNDS {
            let value = u128::from(thread * ROUNDS + round + 1);
            mine += exchange::<u128>(p, value << 60);
        }
        *sum.lock().expect("no panic") += mine;
    });
    // SAFETY: as above, and the threads are gone.
    let left: u128 = unsafe { load(memory.pointer()) };
    let total = u128::from(THREADS * ROUNDS);
    assert_eq!(sum.into_inner().expect("no panic") + left, (total * (total + 1) / 2) << 60);
}
