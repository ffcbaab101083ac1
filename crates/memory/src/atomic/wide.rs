//! Compare and exchange of 128 bits: the processor's own where it has one, else under a lock.
#![allow(unsafe_code)]

/// Stores `new` if `expected` is there and gives what was there.
///
/// # Safety
/// `p` is a multiple of 16 and its sixteen bytes are valid memory of this crate, touched only atomically.
#[inline]
pub(super) unsafe fn compare_exchange(p: *mut u8, expected: u128, new: u128) -> u128 {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    if std::arch::is_x86_feature_detected!("cmpxchg16b") {
        // SAFETY: the processor has the instruction; the caller gives valid memory aligned to 16.
        return unsafe { native(p, expected, new) };
    }
    // SAFETY: the caller's promise, passed on.
    unsafe { striped::compare_exchange(p, expected, new) }
}

/// The processor's instruction, written as assembly: rustc 1.95 inlines `core::arch::x86_64::cmpxchg16b` into
/// functions without the feature, whatever `inline` attributes say, and there LLVM makes it a call to a library
/// that is not linked.
///
/// # Safety
/// As for [`compare_exchange`], on a processor that has `cmpxchg16b`.
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
#[inline]
unsafe fn native(p: *mut u8, expected: u128, new: u128) -> u128 {
    let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
    // SAFETY: the processor has the instruction and the caller gives sixteen valid bytes at a multiple of 16. The
    // instruction takes its third operand in rbx, which the compiler keeps for itself: it is lent and restored.
    unsafe {
        std::arch::asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b xmmword ptr [rdi]",
            "mov rbx, rsi",
            in("rdi") p,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    u128::from(low) | u128::from(high) << 64
}

/// The way without the instruction. All 128-bit atomics of a process go one way or the other, so they are atomic
/// among themselves; a plain 128-bit store that races with one may be seen half done.
pub(super) mod striped {
    use std::sync::{Mutex, PoisonError};

    use crate::access::{load, store};

    /// Addresses that fall on the same lock only wait for each other a little.
    const LOCKS: usize = 64;

    static TABLE: [Mutex<()>; LOCKS] = [const { Mutex::new(()) }; LOCKS];

    /// Stores `new` if `expected` is there and gives what was there.
    ///
    /// # Safety
    /// As for [`super::compare_exchange`].
    pub(crate) unsafe fn compare_exchange(p: *mut u8, expected: u128, new: u128) -> u128 {
        let _held = TABLE[p.addr() / 16 % LOCKS].lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller gives sixteen valid aligned bytes.
        unsafe {
            let old = load::<u128>(p);
            if old == expected {
                store(p, new);
            }
            old
        }
    }
}

#[cfg(test)]
mod tests {
    use super::striped;
    use crate::shared::SharedMemory;

    /// The way that this machine's processor never takes is tried here, under contention.
    #[test]
    fn locks_lose_no_update() {
        let memory = SharedMemory::new(16, &std::sync::Arc::default()).expect("sixteen bytes");
        let rounds = if cfg!(miri) { 20 } else { 5_000 };
        // Both halves change in every step, so a torn read would lead to a sum that is wrong.
        let step = (1u128 << 64) | 1;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut old = 0;
                    for _ in 0..rounds {
                        loop {
                            // SAFETY: the memory has sixteen bytes at a multiple of 128 and outlives the scope.
                            let seen =
                                unsafe { striped::compare_exchange(memory.pointer(), old, old + step) };
                            if seen == old {
                                break;
                            }
                            old = seen;
                        }
                    }
                });
            }
        });
        let mut bytes = [0; 16];
        memory.read(0, &mut bytes).expect("in range");
        assert_eq!(u128::from_ne_bytes(bytes), step * 4 * rounds);
    }
}
