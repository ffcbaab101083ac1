//! The vector operations of products whose lanes are those of a warp: four neighbouring lanes, a quad, are of one row.
//!
//! [`Quads`] adds to a [`Vector`] what brings the two factors of such lanes together: the same four numbers in every quad
//! for columns, one lane of a quad in all four for rows.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::vector::{Plain, Vector};
#[cfg(target_arch = "x86_64")]
use super::vector::{V3, V4};

/// Lanes of a warp.
const WARP: usize = 32;

/// Vectors of quads.
pub(in crate::matrix) trait Quads: Vector {
    /// The same four numbers in every quad.
    fn quad(from: &[f32; 4]) -> Self::Floats;
    /// The same four pairs of 16-bit numbers in every quad.
    fn quad_of_pairs(from: &[u32; 4]) -> Self::Shorts;
    /// Loads pairs of 16-bit numbers.
    fn pairs(from: &[u32]) -> Self::Shorts;
    /// Stores them.
    fn store_pairs(to: &mut [u32], value: Self::Shorts);
    /// The sums of both products of each pair.
    fn multiply_pairs(a: Self::Shorts, b: Self::Shorts) -> Self::Integers;
    /// For each of the four places in a quad, its number in the whole quad.
    fn spread(a: Self::Floats) -> [Self::Floats; 4];

    /// The words of a warp's register, of which quad `2i` and quad `2i + 1` become the `i`-th of each four, first all
    /// even quads' words by their place in the quad and then the odd ones'.
    #[inline(always)]
    fn turn_quads(register: &[u32; WARP]) -> [[u32; WARP / 2]; 2] {
        let mut turned = [[0; WARP / 2]; 2];
        for place in 0..WARP / 2 {
            let from = place % 4 * 8 + place / 4;
            (turned[0][place], turned[1][place]) = (register[from], register[from + 4]);
        }
        turned
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! x86 {
    ($lanes:literal: |$four:ident| $quad:expr, $quadi:ident $loadi:ident $storei:ident $permute:ident
     $madd:ident) => {
        // SAFETY of all blocks below: the type is named only by the functions of `dispatch.rs` that have the level's
        // features, and the slices are cut to the vector's length before their pointers are used.
        #[inline(always)]
        fn quad(from: &[f32; 4]) -> Self::Floats {
            // SAFETY: see above; four numbers are a vector of 128 bits.
            unsafe {
                let $four = _mm_loadu_ps(from.as_ptr());
                $quad
            }
        }
        #[inline(always)]
        fn quad_of_pairs(from: &[u32; 4]) -> Self::Shorts {
            // SAFETY: see above; four words are a vector of 128 bits.
            unsafe { $quadi(_mm_loadu_si128(from.as_ptr().cast())) }
        }
        #[inline(always)]
        fn pairs(from: &[u32]) -> Self::Shorts {
            let from = &from[..$lanes];
            // SAFETY: see above.
            unsafe { $loadi(from.as_ptr().cast()) }
        }
        #[inline(always)]
        fn store_pairs(to: &mut [u32], value: Self::Shorts) {
            let to = &mut to[..$lanes];
            // SAFETY: see above.
            unsafe { $storei(to.as_mut_ptr().cast(), value) }
        }
        #[inline(always)]
        fn multiply_pairs(a: Self::Shorts, b: Self::Shorts) -> Self::Integers {
            // SAFETY: see above.
            unsafe { $madd(a, b) }
        }
        #[inline(always)]
        fn spread(a: Self::Floats) -> [Self::Floats; 4] {
            // SAFETY: see above.
            unsafe { [$permute::<0x00>(a), $permute::<0x55>(a), $permute::<0xaa>(a), $permute::<0xff>(a)] }
        }
    };
}

#[cfg(target_arch = "x86_64")]
impl Quads for V4 {
    x86!(16: |four| _mm512_broadcast_f32x4(four), _mm512_broadcast_i32x4 _mm512_loadu_si512 _mm512_storeu_si512
         _mm512_permute_ps _mm512_madd_epi16);

    #[inline(always)]
    fn turn_quads(register: &[u32; WARP]) -> [[u32; WARP / 2]; 2] {
        let mut turned = [[0; WARP / 2]; 2];
        // SAFETY: `dispatch.rs` names the type where the host has AVX-512. Each load and store is of sixteen words that
        // are there.
        unsafe {
            let low = _mm512_loadu_si512(register.as_ptr().cast());
            let high = _mm512_loadu_si512(register[WARP / 2..].as_ptr().cast());
            let even = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
            let odd = _mm512_add_epi32(even, _mm512_set1_epi32(4));
            let [to_even, to_odd] = &mut turned;
            _mm512_storeu_si512(to_even.as_mut_ptr().cast(), _mm512_permutex2var_epi32(low, even, high));
            _mm512_storeu_si512(to_odd.as_mut_ptr().cast(), _mm512_permutex2var_epi32(low, odd, high));
        }
        turned
    }
}

#[cfg(target_arch = "x86_64")]
impl Quads for V3 {
    x86!(8: |four| _mm256_set_m128(four, four), _mm256_broadcastsi128_si256 _mm256_loadu_si256 _mm256_storeu_si256
         _mm256_permute_ps _mm256_madd_epi16);
}

impl Quads for Plain {
    #[inline(always)]
    fn quad(from: &[f32; 4]) -> Self::Floats {
        std::array::from_fn(|lane| from[lane % 4])
    }
    #[inline(always)]
    fn quad_of_pairs(from: &[u32; 4]) -> Self::Shorts {
        std::array::from_fn(|half| (from[half / 2 % 4] >> (half % 2 * 16)) as i16)
    }
    #[inline(always)]
    fn pairs(from: &[u32]) -> Self::Shorts {
        std::array::from_fn(|half| (from[half / 2] >> (half % 2 * 16)) as i16)
    }
    #[inline(always)]
    fn store_pairs(to: &mut [u32], value: Self::Shorts) {
        for (lane, to) in to[..Self::LANES].iter_mut().enumerate() {
            *to = u32::from(value[2 * lane] as u16) | u32::from(value[2 * lane + 1] as u16) << 16;
        }
    }
    #[inline(always)]
    fn multiply_pairs(a: Self::Shorts, b: Self::Shorts) -> Self::Integers {
        std::array::from_fn(|lane| {
            let product = |half: usize| i32::from(a[2 * lane + half]).wrapping_mul(b[2 * lane + half].into());
            product(0).wrapping_add(product(1))
        })
    }
    #[inline(always)]
    fn spread(a: Self::Floats) -> [Self::Floats; 4] {
        std::array::from_fn(|place| std::array::from_fn(|lane| a[lane / 4 * 4 + place]))
    }
}
