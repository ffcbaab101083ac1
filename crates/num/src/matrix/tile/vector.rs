//! The few vector operations that the loops over tiles use, at each level.
//!
//! [`V3`] and [`V4`] exist in code that `level.rs` enters with their features; their methods are inlined there.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use crate::float::half::f16::to_f32;

/// Vectors of a level. Loads and stores use the first elements of a slice, as many as there are lanes.
pub(in crate::matrix) trait Vector {
    /// Lanes of a vector of 32-bit elements; vectors of 16-bit elements have twice as many.
    const LANES: usize;
    /// f32 in each lane.
    type Floats: Copy;
    /// i32 in each lane.
    type Integers: Copy;
    /// i16 in each of twice as many lanes.
    type Shorts: Copy;

    /// Loads.
    fn floats(from: &[f32]) -> Self::Floats;
    /// The same number in each lane.
    fn splat(value: f32) -> Self::Floats;
    /// Stores.
    fn store_floats(to: &mut [f32], value: Self::Floats);
    /// Loads from bits.
    fn from_bits(from: &[u32]) -> Self::Floats;
    /// Stores as bits.
    fn store_bits(to: &mut [u32], value: Self::Floats);
    /// Whether a lane is NaN.
    fn any_nan(a: Self::Floats) -> bool;
    /// Products.
    fn multiply(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `a * b + c`, fused where the level can.
    fn multiply_add(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// Towards zero. What numbers beyond i32 give is left to the level.
    fn truncate(a: Self::Floats) -> Self::Integers;
    /// Zeros.
    fn zeros() -> Self::Integers;
    /// Stores.
    fn store_integers(to: &mut [i32], value: Self::Integers);
    /// Sums that wrap.
    fn add(a: Self::Integers, b: Self::Integers) -> Self::Integers;
    /// The nearest floating point number that is no further from zero.
    fn towards_zero(a: Self::Integers) -> Self::Floats;
    /// Loads integers.
    fn integers(from: &[i32]) -> Self::Integers;

    /// Loads.
    fn shorts(from: &[i16]) -> Self::Shorts;
    /// The same number in each lane; `pair` has it in both halves.
    fn splat_shorts(pair: u32) -> Self::Shorts;
    /// Stores.
    fn store_shorts(to: &mut [i16], value: Self::Shorts);
    /// Sums that wrap.
    fn add_shorts(a: Self::Shorts, b: Self::Shorts) -> Self::Shorts;
    /// The larger ones.
    fn larger_shorts(a: Self::Shorts, b: Self::Shorts) -> Self::Shorts;

    /// The numbers that f16 are, two of which are in a word.
    #[inline(always)]
    fn from_halves(words: &[u32; 8]) -> [f32; 16] {
        let mut values = [0.0; 16];
        for (values, word) in values.as_chunks_mut::<2>().0.iter_mut().zip(words) {
            *values = [to_f32(*word as u16), to_f32((*word >> 16) as u16)];
        }
        values
    }

    /// Words of eight columns, turned into eight rows of words.
    fn turn(columns: [&[u8; 32]; 8]) -> [[u32; 8]; 8];
}

macro_rules! x86 {
    ($Level:ident $about:literal $lanes:literal $Floats:ident $Integers:ident:
     $loadf:ident $setf:ident $storef:ident $mul:ident $fma:ident $trunc:ident $zero:ident $addi:ident
     $loadi:ident $storei:ident $seti:ident $adds:ident $maxs:ident $widen:ident, |$nan:ident| $any_nan:expr, |$integers:ident| $towards:expr) => {
        #[doc = $about]
        #[cfg(target_arch = "x86_64")]
        pub(in crate::matrix) struct $Level;

        // SAFETY of all blocks below: the type is named only by the functions of `level.rs` that have the level's
        // features, and the slices are cut to the vector's length before their pointers are used.
        #[cfg(target_arch = "x86_64")]
        impl Vector for $Level {
            const LANES: usize = $lanes;
            type Floats = $Floats;
            type Integers = $Integers;
            type Shorts = $Integers;

            #[inline(always)]
            fn floats(from: &[f32]) -> $Floats {
                let from = &from[..$lanes];
                // SAFETY: see above.
                unsafe { $loadf(from.as_ptr()) }
            }
            #[inline(always)]
            fn splat(value: f32) -> $Floats {
                // SAFETY: see above.
                unsafe { $setf(value) }
            }
            #[inline(always)]
            fn store_floats(to: &mut [f32], value: $Floats) {
                let to = &mut to[..$lanes];
                // SAFETY: see above.
                unsafe { $storef(to.as_mut_ptr(), value) }
            }
            #[inline(always)]
            fn from_bits(from: &[u32]) -> $Floats {
                let from = &from[..$lanes];
                // SAFETY: see above.
                unsafe { $loadf(from.as_ptr().cast()) }
            }
            #[inline(always)]
            fn store_bits(to: &mut [u32], value: $Floats) {
                let to = &mut to[..$lanes];
                // SAFETY: see above.
                unsafe { $storef(to.as_mut_ptr().cast(), value) }
            }
            #[inline(always)]
            fn any_nan($nan: $Floats) -> bool {
                // SAFETY: see above.
                unsafe { $any_nan }
            }
            #[inline(always)]
            fn multiply(a: $Floats, b: $Floats) -> $Floats {
                // SAFETY: see above.
                unsafe { $mul(a, b) }
            }
            #[inline(always)]
            fn multiply_add(a: $Floats, b: $Floats, c: $Floats) -> $Floats {
                // SAFETY: see above.
                unsafe { $fma(a, b, c) }
            }
            #[inline(always)]
            fn truncate(a: $Floats) -> $Integers {
                // SAFETY: see above.
                unsafe { $trunc(a) }
            }
            #[inline(always)]
            fn zeros() -> $Integers {
                // SAFETY: see above.
                unsafe { $zero() }
            }
            #[inline(always)]
            fn store_integers(to: &mut [i32], value: $Integers) {
                let to = &mut to[..$lanes];
                // SAFETY: see above.
                unsafe { $storei(to.as_mut_ptr().cast(), value) }
            }
            #[inline(always)]
            fn add(a: $Integers, b: $Integers) -> $Integers {
                // SAFETY: see above.
                unsafe { $addi(a, b) }
            }
            #[inline(always)]
            fn towards_zero($integers: $Integers) -> $Floats {
                // SAFETY: see above.
                unsafe { $towards }
            }
            #[inline(always)]
            fn integers(from: &[i32]) -> $Integers {
                let from = &from[..$lanes];
                // SAFETY: see above.
                unsafe { $loadi(from.as_ptr().cast()) }
            }
            #[inline(always)]
            fn shorts(from: &[i16]) -> $Integers {
                let from = &from[..2 * $lanes];
                // SAFETY: see above.
                unsafe { $loadi(from.as_ptr().cast()) }
            }
            #[inline(always)]
            fn splat_shorts(pair: u32) -> $Integers {
                // SAFETY: see above.
                unsafe { $seti(pair as i32) }
            }
            #[inline(always)]
            fn store_shorts(to: &mut [i16], value: $Integers) {
                let to = &mut to[..2 * $lanes];
                // SAFETY: see above.
                unsafe { $storei(to.as_mut_ptr().cast(), value) }
            }
            #[inline(always)]
            fn add_shorts(a: $Integers, b: $Integers) -> $Integers {
                // SAFETY: see above.
                unsafe { $adds(a, b) }
            }
            #[inline(always)]
            fn larger_shorts(a: $Integers, b: $Integers) -> $Integers {
                // SAFETY: see above.
                unsafe { $maxs(a, b) }
            }
            #[inline(always)]
            fn from_halves(words: &[u32; 8]) -> [f32; 16] {
                // SAFETY: see above; both levels have F16C, and eight words are sixteen halves.
                unsafe { $widen(words) }
            }
            #[inline(always)]
            fn turn(columns: [&[u8; 32]; 8]) -> [[u32; 8]; 8] {
                // SAFETY: see above; both levels have AVX2.
                unsafe { turn(columns) }
            }
        }
    };
}

x86!(V4 "AVX-512." 16 __m512 __m512i:
     _mm512_loadu_ps _mm512_set1_ps _mm512_storeu_ps _mm512_mul_ps _mm512_fmadd_ps _mm512_cvttps_epi32
     _mm512_setzero_si512 _mm512_add_epi32 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_set1_epi32
     _mm512_add_epi16 _mm512_max_epi16 widen_by_sixteen,
     |a| _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(a, a) != 0,
     |a| _mm512_cvt_roundepi32_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(a));

x86!(V3 "AVX2." 8 __m256 __m256i:
_mm256_loadu_ps _mm256_set1_ps _mm256_storeu_ps _mm256_mul_ps _mm256_fmadd_ps _mm256_cvttps_epi32
_mm256_setzero_si256 _mm256_add_epi32 _mm256_loadu_si256 _mm256_storeu_si256 _mm256_set1_epi32
_mm256_add_epi16 _mm256_max_epi16 widen_by_eight,
|a| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(a, a)) != 0, |a| {
    // The nearest number minus the integer without its last seven bits is exact, and says on which side of the
    // integer the nearest number is. One less in the bits is one step towards zero.
    let nearest = _mm256_cvtepi32_ps(a);
    let low = _mm256_and_si256(a, _mm256_set1_epi32(127));
    let beyond = _mm256_sub_ps(
        _mm256_sub_ps(nearest, _mm256_cvtepi32_ps(_mm256_sub_epi32(a, low))),
        _mm256_cvtepi32_ps(low),
    );
    let signed = _mm256_xor_ps(beyond, _mm256_and_ps(nearest, _mm256_set1_ps(-0.0)));
    let further = _mm256_cmp_ps::<_CMP_GT_OQ>(signed, _mm256_setzero_ps());
    _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(nearest), _mm256_castps_si256(further)))
});

/// Sixteen halves as numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn widen_by_sixteen(words: &[u32; 8]) -> [f32; 16] {
    let mut values = [0.0; 16];
    // SAFETY: the words are 256 bits, and the numbers 512.
    unsafe {
        let halves = _mm256_loadu_si256(words.as_ptr().cast());
        _mm512_storeu_ps(values.as_mut_ptr(), _mm512_cvtph_ps(halves));
    }
    values
}

/// The same, eight at a time.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn widen_by_eight(words: &[u32; 8]) -> [f32; 16] {
    let mut values = [0.0; 16];
    for (words, values) in words.as_chunks::<4>().0.iter().zip(values.as_chunks_mut::<8>().0) {
        // SAFETY: four words are 128 bits, and eight numbers 256.
        unsafe {
            let halves = _mm_loadu_si128(words.as_ptr().cast());
            _mm256_storeu_ps(values.as_mut_ptr(), _mm256_cvtph_ps(halves));
        }
    }
    values
}

/// Turns pairs, then pairs of pairs, then halves.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn turn(columns: [&[u8; 32]; 8]) -> [[u32; 8]; 8] {
    let mut rows = [_mm256_setzero_ps(); 8];
    for i in 0..8 {
        // SAFETY: each column has as many bytes as the vector.
        rows[i] = unsafe { _mm256_loadu_ps(columns[i].as_ptr().cast()) };
    }
    // Written out, since closures are not always inlined into functions with target features.
    for [a, b] in [[0, 1], [2, 3], [4, 5], [6, 7]] {
        let (x, y) = (rows[a], rows[b]);
        (rows[a], rows[b]) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
    }
    for [a, b] in [[0, 2], [1, 3], [4, 6], [5, 7]] {
        let (x, y) = (rows[a], rows[b]);
        (rows[a], rows[b]) = (_mm256_shuffle_ps::<0x44>(x, y), _mm256_shuffle_ps::<0xee>(x, y));
    }
    for [a, b] in [[0, 4], [1, 5], [2, 6], [3, 7]] {
        let (x, y) = (rows[a], rows[b]);
        (rows[a], rows[b]) = (_mm256_permute2f128_ps::<0x20>(x, y), _mm256_permute2f128_ps::<0x31>(x, y));
    }
    // The second round leaves the two in the middle of each half exchanged.
    let rows = [rows[0], rows[2], rows[1], rows[3], rows[4], rows[6], rows[5], rows[7]];
    let mut words = [[0u32; 8]; 8];
    for (words, row) in words.iter_mut().zip(rows) {
        // SAFETY: the words are as long as the vector.
        unsafe { _mm256_storeu_ps(words.as_mut_ptr().cast(), row) };
    }
    words
}

/// Any host: arrays, which compilers turn into what vectors there are.
pub(in crate::matrix) struct Plain;

const LANES: usize = 8;

impl Vector for Plain {
    const LANES: usize = LANES;
    type Floats = [f32; LANES];
    type Integers = [i32; LANES];
    type Shorts = [i16; 2 * LANES];

    #[inline(always)]
    fn floats(from: &[f32]) -> [f32; LANES] {
        std::array::from_fn(|lane| from[lane])
    }
    #[inline(always)]
    fn splat(value: f32) -> [f32; LANES] {
        [value; LANES]
    }
    #[inline(always)]
    fn store_floats(to: &mut [f32], value: [f32; LANES]) {
        to[..LANES].copy_from_slice(&value);
    }
    #[inline(always)]
    fn from_bits(from: &[u32]) -> [f32; LANES] {
        std::array::from_fn(|lane| f32::from_bits(from[lane]))
    }
    #[inline(always)]
    fn store_bits(to: &mut [u32], value: [f32; LANES]) {
        to[..LANES].iter_mut().zip(value).for_each(|(to, value)| *to = value.to_bits());
    }
    #[inline(always)]
    fn any_nan(a: [f32; LANES]) -> bool {
        a.iter().fold(false, |any, value| any | value.is_nan())
    }
    #[inline(always)]
    fn multiply(a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|lane| a[lane] * b[lane])
    }
    #[inline(always)]
    fn multiply_add(a: [f32; LANES], b: [f32; LANES], c: [f32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|lane| a[lane] * b[lane] + c[lane])
    }
    #[inline(always)]
    fn truncate(a: [f32; LANES]) -> [i32; LANES] {
        std::array::from_fn(|lane| a[lane] as i32)
    }
    #[inline(always)]
    fn zeros() -> [i32; LANES] {
        [0; LANES]
    }
    #[inline(always)]
    fn store_integers(to: &mut [i32], value: [i32; LANES]) {
        to[..LANES].copy_from_slice(&value);
    }
    #[inline(always)]
    fn add(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        std::array::from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }
    #[inline(always)]
    fn towards_zero(a: [i32; LANES]) -> [f32; LANES] {
        std::array::from_fn(|lane| {
            let nearest = a[lane] as f32;
            let further = (nearest as i64).abs() > i64::from(a[lane]).abs();
            f32::from_bits(nearest.to_bits() - u32::from(further))
        })
    }
    #[inline(always)]
    fn integers(from: &[i32]) -> [i32; LANES] {
        std::array::from_fn(|lane| from[lane])
    }
    #[inline(always)]
    fn shorts(from: &[i16]) -> [i16; 2 * LANES] {
        std::array::from_fn(|lane| from[lane])
    }
    #[inline(always)]
    fn splat_shorts(pair: u32) -> [i16; 2 * LANES] {
        [pair as i16; 2 * LANES]
    }
    #[inline(always)]
    fn store_shorts(to: &mut [i16], value: [i16; 2 * LANES]) {
        to[..2 * LANES].copy_from_slice(&value);
    }
    #[inline(always)]
    fn add_shorts(a: [i16; 2 * LANES], b: [i16; 2 * LANES]) -> [i16; 2 * LANES] {
        std::array::from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }
    #[inline(always)]
    fn larger_shorts(a: [i16; 2 * LANES], b: [i16; 2 * LANES]) -> [i16; 2 * LANES] {
        std::array::from_fn(|lane| a[lane].max(b[lane]))
    }
    #[inline(always)]
    fn turn(columns: [&[u8; 32]; 8]) -> [[u32; 8]; 8] {
        let mut words = [[0; 8]; 8];
        for (lane, column) in columns.into_iter().enumerate() {
            for (word, bytes) in column.as_chunks::<4>().0.iter().enumerate() {
                words[word][lane] = u32::from_le_bytes(*bytes);
            }
        }
        words
    }
}
