//! Loads and stores of a whole warp's 32-bit words with AVX-512.
//!
//! They are inline assembly rather than intrinsics: guest memory may be written by other host threads meanwhile, and
//! what the processor does with single aligned words is defined where a data race in Rust is not. Every word is
//! naturally aligned, so none tears.
#![allow(unsafe_code)]
#![cfg(all(target_arch = "x86_64", not(miri)))]

use std::arch::asm;
use std::arch::x86_64::__m512i;

use crate::registers::LANES;

/// The shape of a warp's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// One word after the other.
    Row,
    /// All the same.
    Same,
    /// All within reach of 32-bit offsets from the lowest.
    Near,
    /// Anything else.
    Far,
}

#[inline(always)]
fn shape(at: &[u64; LANES], mask: u32, low: u64, high: u64) -> Shape {
    if low == high {
        return Shape::Same;
    }
    let first = at[mask.trailing_zeros() as usize & 31].wrapping_sub(4 * u64::from(mask.trailing_zeros()));
    let mut off = 0;
    for lane in 0..LANES {
        let differs = at[lane] ^ first.wrapping_add(4 * lane as u64);
        off |= if mask >> lane & 1 != 0 { differs } else { 0 };
    }
    if off == 0 {
        Shape::Row
    } else if high - low < 1 << 31 {
        Shape::Near
    } else {
        Shape::Far
    }
}

/// The lowest and highest address of the lanes in a mask.
#[inline(always)]
fn range(at: &[u64; LANES], mask: u32) -> (u64, u64) {
    let (mut low, mut high) = (u64::MAX, 0);
    for lane in 0..LANES {
        let active = mask >> lane & 1 != 0;
        low = low.min(if active { at[lane] } else { u64::MAX });
        high = high.max(if active { at[lane] } else { 0 });
    }
    (low, high)
}

/// Loads a word for each lane of the mask; the others get 0. `None` if the addresses are too far apart.
///
/// # Safety
/// Four bytes at each active lane's address can be read, at multiples of four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
pub unsafe fn load(at: &[u64; LANES], mask: u32) -> Option<[u32; LANES]> {
    let (low, high) = range(at, mask);
    let shape = shape(at, mask, low, high);
    let mut words = [0u32; LANES];
    let to = words.as_mut_ptr().cast::<__m512i>();
    let (lower, upper): (__m512i, __m512i);
    let masks = (mask as u16, (mask >> 16) as u16);
    match shape {
        Shape::Same => {
            let word: u32;
            // SAFETY: the one address has four readable bytes.
            unsafe {
                asm!("mov {:e}, [{}]", out(reg) word, in(reg) low, options(nostack, readonly, preserves_flags))
            };
            return Some([word; LANES]);
        }
        Shape::Row => {
            let row =
                at[mask.trailing_zeros() as usize & 31].wrapping_sub(4 * u64::from(mask.trailing_zeros()));
            // SAFETY: masked lanes are not touched; the others' words are readable.
            unsafe {
                asm!(
                    "vmovdqu32 {lower}{{{first}}}{{z}}, [{row}]",
                    "vmovdqu32 {upper}{{{second}}}{{z}}, [{row} + 64]",
                    lower = out(zmm_reg) lower,
                    upper = out(zmm_reg) upper,
                    first = in(kreg) masks.0,
                    second = in(kreg) masks.1,
                    row = in(reg) row,
                    options(nostack, readonly, preserves_flags)
                );
            }
        }
        Shape::Near => {
            let mut offsets = [0u32; LANES];
            for lane in 0..LANES {
                offsets[lane] = at[lane].wrapping_sub(low) as u32;
            }
            let from = offsets.as_ptr().cast::<__m512i>();
            // SAFETY: `offsets` is 128 bytes.
            let (first, second) = unsafe { (from.read_unaligned(), from.add(1).read_unaligned()) };
            // SAFETY: masked lanes are not touched; the others' words are readable.
            unsafe {
                asm!(
                    "vpxord {lower}, {lower}, {lower}",
                    "vpxord {upper}, {upper}, {upper}",
                    "vpgatherdd {lower}{{{k1}}}, [{base} + {first}]",
                    "vpgatherdd {upper}{{{k2}}}, [{base} + {second}]",
                    lower = out(zmm_reg) lower,
                    upper = out(zmm_reg) upper,
                    k1 = inout(kreg) masks.0 => _,
                    k2 = inout(kreg) masks.1 => _,
                    first = in(zmm_reg) first,
                    second = in(zmm_reg) second,
                    base = in(reg) low,
                    options(nostack, readonly, preserves_flags)
                );
            }
        }
        Shape::Far => return None,
    }
    // SAFETY: `words` is 128 bytes.
    unsafe {
        to.write_unaligned(lower);
        to.add(1).write_unaligned(upper);
    }
    Some(words)
}

/// Stores a word for each lane of the mask if the addresses follow one another; gives whether they do.
///
/// # Safety
/// Four bytes at each active lane's address can be written, at multiples of four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
pub unsafe fn store_row(at: &[u64; LANES], mask: u32, words: &[u32; LANES]) -> bool {
    let (low, high) = range(at, mask);
    if shape(at, mask, low, high) != Shape::Row {
        return false;
    }
    let row = at[mask.trailing_zeros() as usize & 31].wrapping_sub(4 * u64::from(mask.trailing_zeros()));
    let from = words.as_ptr().cast::<__m512i>();
    // SAFETY: `words` is 128 bytes.
    let (lower, upper) = unsafe { (from.read_unaligned(), from.add(1).read_unaligned()) };
    // SAFETY: masked lanes are not touched; the others' words are writable.
    unsafe {
        asm!(
            "vmovdqu32 [{row}]{{{first}}}, {lower}",
            "vmovdqu32 [{row} + 64]{{{second}}}, {upper}",
            lower = in(zmm_reg) lower,
            upper = in(zmm_reg) upper,
            first = in(kreg) mask as u16,
            second = in(kreg) (mask >> 16) as u16,
            row = in(reg) row,
            options(nostack, preserves_flags)
        );
    }
    true
}
