//! The quick paths against the exact core.

use ptxvm_num::Rounding::{self, Rm, Rn, Rp, Rz};
use ptxvm_num::convert::*;

const NONE: Modifiers = Modifiers { ftz: false, sat: false, relu: false, satfinite: false };
const ROUNDINGS: [Rounding; 4] = [Rn, Rz, Rm, Rp];

/// Every sign, exponent and upper part of a mantissa, with lower parts that decide roundings.
fn singles() -> impl Iterator<Item = u32> {
    let lower = [0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xefff, 0xf000, 0xffff];
    (0..=0xffff_u32).flat_map(move |upper| lower.map(|lower| upper << 16 | lower))
}

/// Every sign and exponent, with mantissas that decide roundings at each place.
fn doubles() -> impl Iterator<Item = u64> {
    let mantissas = (0..52).flat_map(|place| {
        let bit = 1_u64 << place;
        [bit, bit - 1, bit | 1, !(bit - 1), 3 * bit].map(|mantissa| mantissa & ((1 << 52) - 1))
    });
    let mantissas: Vec<u64> = mantissas.collect();
    (0..=0xfff_u64).flat_map(move |upper| mantissas.clone().into_iter().map(move |low| upper << 52 | low))
}

/// Numbers around each power of two, of both signs.
fn integers() -> impl Iterator<Item = u64> {
    (0..64).flat_map(|place| {
        let bit = 1_u64 << place;
        let near = [bit, bit - 1, bit | 1, bit | bit >> 24, bit | bit >> 24 | 1, bit | bit >> 53, bit / 3];
        near.into_iter().flat_map(|value| [value, value.wrapping_neg()])
    })
}

#[test]
fn between_floats() {
    for bits in 0..=0xffff_u16 {
        let wide = float_to_float(u64::from(bits), F16, F32, Rn, NONE);
        assert_eq!(u64::from(quick::f16_to_f32(bits)), wide, "{bits:#x}");
    }
    for bits in 0..=0xff_u8 {
        let pair = u32::from(quick::e4m3_to_f16(bits));
        assert_eq!(pair, widen_pair(u16::from(bits), E4M3, false), "{bits:#x}");
        let pair = u32::from(quick::e5m2_to_f16(bits));
        assert_eq!(pair, widen_pair(u16::from(bits), E5M2, false), "{bits:#x}");
    }
    for bits in singles() {
        let wide = u64::from(bits);
        assert_eq!(u64::from(quick::f32_to_f16(bits)), float_to_float(wide, F32, F16, Rn, NONE), "{bits:#x}");
        assert_eq!(
            u64::from(quick::f32_to_bf16(bits)),
            float_to_float(wide, F32, BF16, Rn, NONE),
            "{bits:#x}"
        );
        assert_eq!(quick::f32_to_f64(bits), float_to_float(wide, F32, F64, Rn, NONE), "{bits:#x}");
        assert_eq!(u64::from(quick::flush_f32(bits)), F32.flush(wide), "{bits:#x}");
        let saturated = float_to_float(wide, F32, F32, Rn, Modifiers { sat: true, ..NONE });
        assert_eq!(u64::from(quick::f32_saturate(bits)), saturated, "{bits:#x}");
        let pair = u16::from(quick::f32_to_e4m3(bits)) << 8 | u16::from(quick::f32_to_e4m3(bits ^ 1 << 31));
        assert_eq!(pair, pair_from_f32(bits, bits ^ 1 << 31, E4M3, false), "{bits:#x}");
        let pair = u16::from(quick::f32_to_e5m2(bits)) << 8 | u16::from(quick::f32_to_e5m2(bits ^ 1 << 31));
        assert_eq!(pair, pair_from_f32(bits, bits ^ 1 << 31, E5M2, false), "{bits:#x}");
        for rounding in ROUNDINGS {
            let whole = float_to_integral(wide, F32, rounding, NONE);
            assert_eq!(u64::from(quick::f32_integral(bits, rounding)), whole, "{bits:#x} {rounding:?}");
        }
    }
    for bits in doubles() {
        assert_eq!(u64::from(quick::f64_to_f32(bits)), float_to_float(bits, F64, F32, Rn, NONE), "{bits:#x}");
        for rounding in ROUNDINGS {
            let whole = float_to_integral(bits, F64, rounding, NONE);
            assert_eq!(quick::f64_integral(bits, rounding), whole, "{bits:#x} {rounding:?}");
        }
    }
}

#[test]
fn floats_to_integers() {
    for (bits, rounding) in singles().flat_map(|bits| ROUNDINGS.map(|rounding| (bits, rounding))) {
        let exact = |to| float_to_integer(u64::from(bits), F32, to, rounding, false);
        assert_eq!(u64::from(quick::f32_to_s32(bits, rounding)), exact(S32), "{bits:#x} {rounding:?}");
        assert_eq!(u64::from(quick::f32_to_u32(bits, rounding)), exact(U32), "{bits:#x} {rounding:?}");
        assert_eq!(quick::f32_to_s64(bits, rounding), exact(S64), "{bits:#x} {rounding:?}");
        assert_eq!(quick::f32_to_u64(bits, rounding), exact(U64), "{bits:#x} {rounding:?}");
    }
    for (bits, rounding) in doubles().flat_map(|bits| ROUNDINGS.map(|rounding| (bits, rounding))) {
        let exact = |to| float_to_integer(bits, F64, to, rounding, false);
        assert_eq!(u64::from(quick::f64_to_s32(bits, rounding)), exact(S32), "{bits:#x} {rounding:?}");
        assert_eq!(u64::from(quick::f64_to_u32(bits, rounding)), exact(U32), "{bits:#x} {rounding:?}");
        assert_eq!(quick::f64_to_s64(bits, rounding), exact(S64), "{bits:#x} {rounding:?}");
        assert_eq!(quick::f64_to_u64(bits, rounding), exact(U64), "{bits:#x} {rounding:?}");
    }
}

#[test]
fn integers_to_floats() {
    for bits in integers() {
        let single = |from| integer_to_float(bits, from, F32, Rn, false);
        let double = |from| integer_to_float(bits, from, F64, Rn, false);
        let low = bits as u32;
        assert_eq!(u64::from(quick::s32_to_f32(low)), single(S32), "{bits:#x}");
        assert_eq!(u64::from(quick::u32_to_f32(low)), single(U32), "{bits:#x}");
        assert_eq!(u64::from(quick::s64_to_f32(bits)), single(S64), "{bits:#x}");
        assert_eq!(u64::from(quick::u64_to_f32(bits)), single(U64), "{bits:#x}");
        assert_eq!(quick::s32_to_f64(low), double(S32), "{bits:#x}");
        assert_eq!(quick::u32_to_f64(low), double(U32), "{bits:#x}");
        assert_eq!(quick::s64_to_f64(bits), double(S64), "{bits:#x}");
        assert_eq!(quick::u64_to_f64(bits), double(U64), "{bits:#x}");
    }
}
