//! Loads and stores of a whole warp's 32-bit words with AVX-512.
//!
//! They are inline assembly rather than intrinsics: guest memory may be written by other host threads meanwhile, and
//! what the processor does with single aligned words is defined where a data race in Rust is not. Every word is
//! naturally aligned, so none tears.
//!
//! A vector holds half a warp, and halves are looked at one by one: a CTA of 16 by 16 threads has rows of 16.
#![allow(unsafe_code)]
#![cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]

use std::arch::asm;
use std::arch::x86_64::{
    __m256i, __m512i, _mm512_add_epi64, _mm512_castsi256_si512, _mm512_cmpneq_epi64_mask, _mm512_inserti64x4,
    _mm512_loadu_si512, _mm512_set_epi64, _mm512_set1_epi64,
};

use crate::registers::LANES;

/// The lanes of half a warp.
const HALF: usize = LANES / 2;

/// The shape of half a warp's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// One word after the other, the first lane's here.
    Row(u64),
    /// All the same.
    Same(u64),
    /// Anything else.
    Any,
}

/// The shape of the addresses of the lanes in a mask, which is not empty.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
fn shape(at: &[u64; HALF], mask: u16) -> Shape {
    let first = mask.trailing_zeros() as usize & (HALF - 1);
    let address = at[first];
    let row = address.wrapping_sub(4 * first as u64);
    // SAFETY: `at` is two vectors long.
    let (low, high) =
        unsafe { (_mm512_loadu_si512(at.as_ptr().cast()), _mm512_loadu_si512(at.as_ptr().add(8).cast())) };
    let steps = _mm512_set_epi64(28, 24, 20, 16, 12, 8, 4, 0);
    let differ = |vector: __m512i, wanted: __m512i| u16::from(_mm512_cmpneq_epi64_mask(vector, wanted));
    let row_low = _mm512_add_epi64(_mm512_set1_epi64(row as i64), steps);
    let row_high = _mm512_add_epi64(_mm512_set1_epi64(row.wrapping_add(32) as i64), steps);
    if (differ(low, row_low) | differ(high, row_high) << 8) & mask == 0 {
        return Shape::Row(row);
    }
    let same = _mm512_set1_epi64(address as i64);
    if (differ(low, same) | differ(high, same) << 8) & mask == 0 {
        return Shape::Same(address);
    }
    Shape::Any
}

/// Loads a word for each lane of the mask; the others get 0.
///
/// # Safety
/// Four bytes at each active lane's address can be read, at multiples of four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
pub unsafe fn load(at: &[u64; LANES], mask: u32) -> [u32; LANES] {
    let mut words = [0u32; LANES];
    let (low, high) = words.split_at_mut(HALF);
    let (first, second) = at.split_at(HALF);
    for (to, at, mask) in [(low, first, mask as u16), (high, second, (mask >> 16) as u16)] {
        let Ok(at) = <&[u64; HALF]>::try_from(at) else { continue };
        if mask != 0 {
            // SAFETY: the caller's promise; `to` is 64 bytes.
            unsafe { to.as_mut_ptr().cast::<__m512i>().write_unaligned(load_half(at, mask)) };
        }
    }
    words
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn load_half(at: &[u64; HALF], mask: u16) -> __m512i {
    let words: __m512i;
    match shape(at, mask) {
        // SAFETY: lanes outside of the mask are not touched; the others' words are readable.
        Shape::Row(row) => unsafe {
            asm!(
                "vmovdqu32 {words}{{{mask}}}{{z}}, [{row}]",
                words = out(zmm_reg) words,
                mask = in(kreg) mask,
                row = in(reg) row,
                options(nostack, readonly, preserves_flags)
            );
        },
        // SAFETY: the one address has four readable bytes.
        Shape::Same(address) => unsafe {
            asm!(
                "vpbroadcastd {words}{{{mask}}}{{z}}, [{address}]",
                words = out(zmm_reg) words,
                mask = in(kreg) mask,
                address = in(reg) address,
                options(nostack, readonly, preserves_flags)
            );
        },
        Shape::Any => {
            let from = at.as_ptr().cast::<__m512i>();
            // SAFETY: `at` is 128 bytes.
            let (first, second) = unsafe { (from.read_unaligned(), from.add(1).read_unaligned()) };
            let (lower, upper): (__m256i, __m256i);
            // SAFETY: lanes outside of the mask are not touched; the others' words are readable.
            unsafe {
                asm!(
                    "vpxor {lower}, {lower}, {lower}",
                    "vpxor {upper}, {upper}, {upper}",
                    "vpgatherqd {lower}{{{k1}}}, [{base} + {first}]",
                    "vpgatherqd {upper}{{{k2}}}, [{base} + {second}]",
                    lower = out(ymm_reg) lower,
                    upper = out(ymm_reg) upper,
                    k1 = inout(kreg) mask & 0xff => _,
                    k2 = inout(kreg) mask >> 8 => _,
                    first = in(zmm_reg) first,
                    second = in(zmm_reg) second,
                    base = in(reg) 0u64,
                    options(nostack, readonly, preserves_flags)
                );
            }
            let lower = _mm512_castsi256_si512(lower);
            words = _mm512_inserti64x4::<1>(lower, upper);
        }
    }
    words
}

/// Stores a word for each lane of the mask if the addresses of each half follow one another; gives whether they do.
/// Where the halves overlap, the half that comes last stays.
///
/// # Safety
/// Four bytes at each active lane's address can be written, at multiples of four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
pub unsafe fn store_rows(at: &[u64; LANES], mask: u32, words: &[u32; LANES], order: [usize; 2]) -> bool {
    let halves = [mask as u16, (mask >> 16) as u16];
    let mut rows = [0; 2];
    for half in 0..2 {
        let Ok(at) = <&[u64; HALF]>::try_from(&at[half * HALF..][..HALF]) else { return false };
        if halves[half] == 0 {
            continue;
        }
        let Shape::Row(row) = shape(at, halves[half]) else { return false };
        rows[half] = row;
    }
    for half in order {
        if halves[half] == 0 {
            continue;
        }
        // SAFETY: `words` is two vectors long.
        let vector = unsafe { words.as_ptr().cast::<__m512i>().add(half).read_unaligned() };
        // SAFETY: lanes outside of the mask are not touched; the others' words are writable.
        unsafe {
            asm!(
                "vmovdqu32 [{row}]{{{mask}}}, {vector}",
                vector = in(zmm_reg) vector,
                mask = in(kreg) halves[half],
                row = in(reg) rows[half],
                options(nostack, preserves_flags)
            );
        }
    }
    true
}
