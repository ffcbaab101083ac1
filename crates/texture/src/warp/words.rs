//! Loads words of guest memory for 32 lanes.
//!
//! With AVX-512 this is inline assembly, not an intrinsic. Another thread may write a texture at the same time: the
//! processor defines what then happens to single aligned words, but in Rust it would be a data race.
#![allow(unsafe_code)]

use super::asked::Lanes;

/// A way to load the words at each lane's offset from an address.
pub trait Words {
    /// Loads the words.
    ///
    /// # Safety
    /// At each offset, which is below 2^31, there is a word of guest memory at a multiple of four that can be read, as
    /// [`ptxvm_memory::access::load`] wants it, and the host has the instructions.
    unsafe fn load(from: *const u8, offsets: &Lanes, words: &mut Lanes);

    /// Loads the words there and those after them.
    ///
    /// # Safety
    /// As for one word, of eight bytes at a multiple of eight.
    unsafe fn load_two(from: *const u8, offsets: &Lanes, first: &mut Lanes, second: &mut Lanes);
}

/// One after the other.
pub struct OneByOne;

impl Words for OneByOne {
    #[inline(always)]
    unsafe fn load(from: *const u8, offsets: &Lanes, words: &mut Lanes) {
        for (word, offset) in words.iter_mut().zip(offsets) {
            // SAFETY: the caller's promise.
            *word = unsafe { ptxvm_memory::access::load(from.add(*offset as usize)) };
        }
    }

    #[inline(always)]
    unsafe fn load_two(from: *const u8, offsets: &Lanes, first: &mut Lanes, second: &mut Lanes) {
        // SAFETY: the caller's promise holds for each of the two.
        unsafe {
            Self::load(from, offsets, first);
            Self::load(from.add(4), offsets, second);
        }
    }
}

/// Sixteen with an instruction of AVX-512.
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
pub struct Gathered;

#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
impl Words for Gathered {
    #[inline(always)]
    unsafe fn load(from: *const u8, offsets: &Lanes, words: &mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe { gather(from, offsets, words) };
    }

    #[inline(always)]
    unsafe fn load_two(from: *const u8, offsets: &Lanes, first: &mut Lanes, second: &mut Lanes) {
        // SAFETY: the caller's promise.
        unsafe { gather_two(from, offsets, first, second) };
    }
}

#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn gather(from: *const u8, offsets: &Lanes, words: &mut Lanes) {
    use std::arch::asm;
    use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};

    for half in 0..2 {
        let found: __m512i;
        // SAFETY: both arrays are two vectors long, and the caller vouches for the words.
        unsafe {
            let offsets = _mm512_loadu_si512(offsets.as_ptr().add(16 * half).cast());
            asm!(
                "kxnorw {all}, {all}, {all}",
                "vpxord {found}, {found}, {found}",
                "vpgatherdd {found}{{{all}}}, [{from} + {offsets}]",
                all = out(kreg) _,
                found = out(zmm_reg) found,
                from = in(reg) from,
                offsets = in(zmm_reg) offsets,
                options(nostack, readonly, preserves_flags)
            );
            _mm512_storeu_si512(words.as_mut_ptr().add(16 * half).cast(), found);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn gather_two(from: *const u8, offsets: &Lanes, first: &mut Lanes, second: &mut Lanes) {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m512i, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_cvtepi64_epi32, _mm512_srli_epi64,
    };

    for quarter in 0..4 {
        let found: __m512i;
        // SAFETY: the arrays are four times eight lanes long, and the caller vouches for the words.
        unsafe {
            let offsets = _mm256_loadu_si256(offsets.as_ptr().add(8 * quarter).cast());
            asm!(
                "kxnorw {all}, {all}, {all}",
                "vpxord {found}, {found}, {found}",
                "vpgatherdq {found}{{{all}}}, [{from} + {offsets}]",
                all = out(kreg) _,
                found = out(zmm_reg) found,
                from = in(reg) from,
                offsets = in(ymm_reg) offsets,
                options(nostack, readonly, preserves_flags)
            );
            _mm256_storeu_si256(first.as_mut_ptr().add(8 * quarter).cast(), _mm512_cvtepi64_epi32(found));
            let upper = _mm512_cvtepi64_epi32(_mm512_srli_epi64::<32>(found));
            _mm256_storeu_si256(second.as_mut_ptr().add(8 * quarter).cast(), upper);
        }
    }
}
