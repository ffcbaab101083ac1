//! Read-modify-write on guest memory: what `atom` and `red` stand on.
//!
//! All operations are sequentially consistent: weaker orders would cost the same instructions on x86-64, and a
//! stronger order than the guest asked for is always allowed. Each gives the value that was there before.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};

use crate::access::Word;

mod wide;

/// A word that memory can be updated in atomically: 16, 32, 64 or 128 bits.
pub trait AtomicWord: Word {
    /// Stores `new` if `expected` is there.
    ///
    /// # Safety
    /// See [`compare_exchange`].
    unsafe fn compare_exchange_at(p: *mut u8, expected: Self, new: Self) -> Self;

    /// Stores `new`.
    ///
    /// # Safety
    /// See [`compare_exchange`].
    unsafe fn exchange_at(p: *mut u8, new: Self) -> Self;
}

/// Stores `new` if the word at `p` is `expected`, and gives the word that was there.
///
/// # Safety
/// `p` is a multiple of the word's size, and the word's bytes lie in memory of this crate (a region of the table
/// under a lease, or a window's memory) that nothing frees or accesses non-atomically meanwhile.
#[inline]
pub unsafe fn compare_exchange<T: AtomicWord>(p: *mut u8, expected: T, new: T) -> T {
    // SAFETY: the caller's promise is the trait's.
    unsafe { T::compare_exchange_at(p, expected, new) }
}

/// Stores `new` and gives the word that was there.
///
/// # Safety
/// As for [`compare_exchange`].
#[inline]
pub unsafe fn exchange<T: AtomicWord>(p: *mut u8, new: T) -> T {
    // SAFETY: the caller's promise is the trait's.
    unsafe { T::exchange_at(p, new) }
}

/// Replaces the word at `p` by `f` of it and gives the word that was there. Other threads may come between, so
/// `f` may be asked several times; its last answer counts.
///
/// # Safety
/// As for [`compare_exchange`].
#[inline]
pub unsafe fn update<T: AtomicWord>(p: *mut u8, mut f: impl FnMut(T) -> T) -> T {
    // A wide first guess may be torn; then the comparison fails and gives a whole value.
    // SAFETY: the caller's promise covers a load.
    let mut old = unsafe { crate::access::load::<T>(p) };
    loop {
        let new = f(old);
        // The store is made even when it changes nothing: it is part of what the instruction does, and other
        // threads' orderings may rest on it.
        // SAFETY: the caller's promise is the trait's.
        let seen = unsafe { T::compare_exchange_at(p, old, new) };
        if seen == old {
            return old;
        }
        old = seen;
    }
}

macro_rules! atomic_word {
    ($($type:ty, $atomic:ty;)*) => {$(
        impl AtomicWord for $type {
            #[inline]
            unsafe fn compare_exchange_at(p: *mut u8, expected: Self, new: Self) -> Self {
                debug_assert!(p.cast::<$type>().is_aligned());
                // SAFETY: the caller gives memory that is valid and aligned for this type and only touched
                // atomically.
                match unsafe { <$atomic>::from_ptr(p.cast()) }.compare_exchange(expected, new, SeqCst, SeqCst) {
                    Ok(old) | Err(old) => old,
                }
            }

            #[inline]
            unsafe fn exchange_at(p: *mut u8, new: Self) -> Self {
                debug_assert!(p.cast::<$type>().is_aligned());
                // SAFETY: as for the comparison.
                unsafe { <$atomic>::from_ptr(p.cast()) }.swap(new, SeqCst)
            }
        }
    )*};
}

atomic_word! {
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
}

impl AtomicWord for u128 {
    unsafe fn compare_exchange_at(p: *mut u8, expected: Self, new: Self) -> Self {
        debug_assert!(p.cast::<u128>().is_aligned());
        // SAFETY: the caller's promise, passed on.
        unsafe { wide::compare_exchange(p, expected, new) }
    }

    unsafe fn exchange_at(p: *mut u8, new: Self) -> Self {
        // SAFETY: the caller's promise, passed on.
        unsafe { update(p, |_| new) }
    }
}

/// A word with the operations that the host's processor has of its own.
pub trait FetchWord: AtomicWord {
    /// Adds, wrapping.
    ///
    /// # Safety
    /// As for [`compare_exchange`], here and for all operations of this trait.
    unsafe fn fetch_add(p: *mut u8, operand: Self) -> Self;
    /// Ands bit by bit.
    ///
    /// # Safety
    /// As for [`compare_exchange`].
    unsafe fn fetch_and(p: *mut u8, operand: Self) -> Self;
    /// Ors bit by bit.
    ///
    /// # Safety
    /// As for [`compare_exchange`].
    unsafe fn fetch_or(p: *mut u8, operand: Self) -> Self;
    /// Exclusive-ors bit by bit.
    ///
    /// # Safety
    /// As for [`compare_exchange`].
    unsafe fn fetch_xor(p: *mut u8, operand: Self) -> Self;
    /// Keeps the lesser of two unsigned numbers.
    ///
    /// # Safety
    /// As for [`compare_exchange`].
    unsafe fn fetch_min(p: *mut u8, operand: Self) -> Self;
    /// Keeps the greater of two unsigned numbers.
    ///
    /// # Safety
    /// As for [`compare_exchange`].
    unsafe fn fetch_max(p: *mut u8, operand: Self) -> Self;
    /// Keeps the lesser of two signed numbers.
    ///
    /// # Safety
    /// As for [`compare_exchange`].
    unsafe fn fetch_min_signed(p: *mut u8, operand: Self) -> Self;
    /// Keeps the greater of two signed numbers.
    ///
    /// # Safety
    /// As for [`compare_exchange`].
    unsafe fn fetch_max_signed(p: *mut u8, operand: Self) -> Self;
}

macro_rules! fetch {
    ($atomic:ty: $($name:ident;)*) => {$(
        #[inline]
        unsafe fn $name(p: *mut u8, operand: Self) -> Self {
            debug_assert!(p.cast::<Self>().is_aligned());
            // SAFETY: the caller gives memory that is valid and aligned for this type and only touched atomically.
            unsafe { <$atomic>::from_ptr(p.cast()) }.$name(operand, SeqCst)
        }
    )*};
}

macro_rules! fetch_word {
    ($($type:ty, $atomic:ty, $signed:ty;)*) => {$(
        impl FetchWord for $type {
            fetch! { $atomic: fetch_add; fetch_and; fetch_or; fetch_xor; fetch_min; fetch_max; }

            #[inline]
            unsafe fn fetch_min_signed(p: *mut u8, operand: Self) -> Self {
                // SAFETY: the caller's promise, passed on.
                unsafe { update(p, |old: Self| (old as $signed).min(operand as $signed) as Self) }
            }

            #[inline]
            unsafe fn fetch_max_signed(p: *mut u8, operand: Self) -> Self {
                // SAFETY: the caller's promise, passed on.
                unsafe { update(p, |old: Self| (old as $signed).max(operand as $signed) as Self) }
            }
        }
    )*};
}

fetch_word! {
    u16, AtomicU16, i16;
    u32, AtomicU32, i32;
    u64, AtomicU64, i64;
}
