//! Powers of two (`ue8m0`), scaled fixed point (`s2f6`), and narrow numbers times a scale.

use ptxvm_num::Rounding::{Rp, Rz};
use ptxvm_num::convert::*;

/// The value of a `ue8m0`.
fn power(byte: u8) -> f64 {
    2f64.powi(i32::from(byte) - 127)
}

#[test]
fn powers_of_two_below_and_above() {
    for upper in 0..=0x7f7f_u32 {
        for bits in [upper << 16, upper << 16 | 1, upper << 16 | 0xffff] {
            let value = f64::from(f32::from_bits(bits));
            let below = (0..=254).rev().find(|&byte| power(byte) <= value).unwrap_or(0);
            assert_eq!(ue8m0_from(bits, Rz, false), below, "{bits:#x}");
            let above = (0..=254).find(|&byte| power(byte) >= value);
            assert_eq!(ue8m0_from(bits, Rp, false), above.unwrap_or(0xff), "{bits:#x}");
            assert_eq!(ue8m0_from(bits, Rp, true), above.unwrap_or(0xfe), "{bits:#x}");
            assert_eq!(ue8m0_from(bits | 0x8000_0000, Rz, true), below, "{bits:#x}");
        }
    }
    assert_eq!(ue8m0x2_from_f32(0x7f80_0000, 0x7fc0_0000, Rz, true), 0xfeff);
    assert_eq!(ue8m0x2_from_f32(0xff80_0000, 0xffc0_0000, Rz, false), 0xffff);
    assert_eq!(ue8m0x2_from_bf16x2(0x3fc0_4000, Rp, false), 0x8080);
}

#[test]
fn powers_of_two_as_bf16() {
    for byte in 0..=254_u8 {
        let pair = bf16x2_from_ue8m0x2(u16::from(byte) << 8 | 0xff);
        assert_eq!(f64::from(f32::from_bits(pair & 0xffff_0000)), power(byte));
        assert_eq!(pair & 0xffff, 0x7fff);
    }
}

#[test]
fn fixed_point_to_the_nearest_64th() {
    for sixteenth in -5000..5000 {
        let value = f64::from(sixteenth) / 1024.0;
        let expected = (value * 64.0).round_ties_even().clamp(-128.0, 127.0) as i8 as u8;
        for scale in [100_u8, 127, 130] {
            let input = ((value * power(scale)) as f32).to_bits();
            let scales = u16::from_be_bytes([scale, 127]);
            let packed = s2f6x2_from_f32(input, 0x3f00_0000, scales, false);
            assert_eq!(packed, u16::from_be_bytes([expected, 32]), "{value} {scale}");
            let positive = if value < 0.0 { 0 } else { expected };
            let packed = s2f6x2_from_f32(0xbf00_0000, input, scales.swap_bytes(), true);
            assert_eq!(packed, u16::from(positive), "{value} {scale}");
        }
    }
    let (nan, infinity) = (0xffc0_0000, 0xff80_0000);
    assert_eq!(s2f6x2_from_f32(nan, infinity, 0x7f7f, false), 0x7f80);
    assert_eq!(s2f6x2_from_f32(0, 0, 0xff00, false), 0x7f00);
    assert_eq!(s2f6x2_from_bf16x2(0x3f80_bf80, 0x7f80, false), 0x40e0);
}

#[test]
fn fixed_point_as_bf16() {
    for byte in i8::MIN..=i8::MAX {
        for scale in 0..=254_u8 {
            let (pair, scales) = (u16::from(byte as u8) << 8, u16::from_be_bytes([scale, 127]));
            let plain = bf16x2_from_s2f6x2(pair, scales, false, false);
            let value = f64::from(byte) / 64.0 * power(scale);
            let expected = if value == -(2f64.powi(128)) { f64::NEG_INFINITY } else { value };
            assert_eq!(f64::from(f32::from_bits(plain)), expected, "{byte} {scale}");
            let positive = bf16x2_from_s2f6x2(pair, scales, true, false);
            assert_eq!(positive, if byte < 0 { 0 } else { plain }, "{byte} {scale}");
        }
    }
    assert_eq!(bf16x2_from_s2f6x2(0x8040, 0xfeff, false, true), 0xff7f_7fff);
}

/// An `f32` rounded to `bf16`, by adding to its bits.
fn bf16(value: f32) -> u32 {
    let bits = value.to_bits();
    (bits + 0x7fff + (bits >> 16 & 1)) >> 16
}

#[test]
fn narrow_numbers_as_bf16() {
    for (format, codes) in [(E4M3, 0xff), (E5M2, 0xff), (E2M3, 0x3f), (E3M2, 0x3f), (E2M1, 0xf)] {
        for code in 0..=codes {
            let half = f64_of_half(widen_pair(code, format, false));
            for scale in 0..=254_u8 {
                let scales = u16::from_be_bytes([0xff, scale]);
                let plain = bf16x2_from_pair(code, format, scales, false, false);
                assert_eq!(plain >> 16, 0x7fff, "the upper scale is NaN");
                // All of these are exact in `f32`, or too large for it.
                let product = (half * power(scale)) as f32;
                let expected = if product.is_nan() { 0x7fff } else { bf16(product) };
                assert_eq!(plain & 0xffff, expected, "{format:?} {code:#x} {scale}");
                let finite = bf16x2_from_pair(code, format, scales, false, true) & 0xffff;
                let infinite = expected & 0x7fff == 0x7f80;
                assert_eq!(finite, expected - u32::from(infinite), "{format:?} {code:#x} {scale}");
                let positive = bf16x2_from_pair(code, format, scales, true, false) & 0xffff;
                assert_eq!(positive, if expected & 0x8000 == 0 { expected } else { 0 });
            }
        }
    }
    assert_eq!(bf16x2_from_pair(0x38b8, E4M3, 0x807e, false, false), 0x4000_bf00);
    assert_eq!(bf16x2_from_pair(0x2a, E2M1, 0x7f7f, false, false), 0x3f80_bf80);
}

/// The lower half of an `f16x2`.
fn f64_of_half(pair: u32) -> f64 {
    f64::from_bits(float_to_float(
        u64::from(pair & 0xffff),
        F16,
        F64,
        ptxvm_num::Rounding::Rn,
        Modifiers::default(),
    ))
}
