//! Every float format narrowed to and widened from.

use ptxvm_num::Rounding::{self, Rm, Rn, Rp, Rz};
use ptxvm_num::convert::*;

use crate::neighbours::Numbers;

const NONE: Modifiers = Modifiers { ftz: false, sat: false, relu: false, satfinite: false };

fn narrow_formats() -> [(Format, Numbers); 5] {
    [
        (E5M2, Numbers::new(5, 2, 0x7b)),
        (E4M3, Numbers::new(4, 3, 0x7e)),
        (E3M2, Numbers::new(3, 2, 0x1f)),
        (E2M3, Numbers::new(2, 3, 0x1f)),
        (E2M1, Numbers::new(2, 1, 0x07)),
    ]
}

#[test]
fn f64_to_halves_in_all_roundings() {
    for (format, numbers) in [(F16, Numbers::f16()), (BF16, Numbers::bf16())] {
        for magnitude in numbers.interesting() {
            for (rounding, negative) in [Rn, Rz, Rm, Rp].into_iter().flat_map(|r| [(r, false), (r, true)]) {
                let input = if negative { -magnitude } else { magnitude };
                let sign = if negative { 0x8000 } else { 0 };
                let expected = sign | numbers.round(magnitude, negative, rounding);
                let result = float_to_float(input.to_bits(), F64, format, rounding, NONE);
                assert_eq!(result, expected, "{input:e} {rounding:?} {format:?}");
            }
        }
    }
}

#[test]
fn satfinite_and_relu_only_change_what_they_name() {
    let (sat, relu) = (Modifiers { satfinite: true, ..NONE }, Modifiers { relu: true, ..NONE });
    for upper in 0..=0xffff_u64 {
        let bits = upper << 16 | 0x8001;
        for format in [F16, BF16] {
            let plain = float_to_float(bits, F32, format, Rn, NONE);
            let largest = format.infinity().unwrap() - 1;
            let finite = if plain & 0x7fff == largest + 1 { plain - 1 } else { plain };
            assert_eq!(float_to_float(bits, F32, format, Rn, sat), finite, "{bits:#x}");
            let positive = if plain & 0x8000 != 0 { 0 } else { plain };
            assert_eq!(float_to_float(bits, F32, format, Rn, relu), positive, "{bits:#x}");
        }
    }
    assert_eq!(float_to_float(0xff80_0000, F32, F16, Rz, sat), 0xfbff);
    assert_eq!(float_to_float(0xff80_0000, F32, F16, Rz, NONE), 0xfc00);
    assert_eq!(float_to_float(0xffc0_0000, F32, F16, Rz, relu), 0x7fff);
}

#[test]
fn narrow_formats_to_the_nearest() {
    for (format, numbers) in narrow_formats() {
        // Middles are exact in f32, and f64's closest neighbours of them round to the f32 ones taken here.
        let inputs = numbers.interesting().map(|value| value as f32);
        for input in inputs.flat_map(|value| [value.next_down(), value, value.next_up()]) {
            if input < 0.0 {
                continue;
            }
            let expected = numbers.round(f64::from(input), false, Rn).min(numbers.largest()) as u16;
            let sign = 1 << (format.width() - 1);
            let shift = if format == E2M1 { 4 } else { 8 };
            let (a, b) = (input.to_bits(), (-input).to_bits());
            let pair = expected << shift | sign | expected;
            assert_eq!(pair_from_f32(a, b, format, false), pair, "{input:e} {format:?}");
            let pair = expected << shift;
            assert_eq!(pair_from_f32(a, b, format, true), pair, "{input:e} {format:?} relu");
        }
    }
}

#[test]
fn narrow_formats_from_halves_are_those_from_f32() {
    for (format, _) in narrow_formats() {
        for half in 0..=0xffff_u32 {
            let f16 = quick::f16_to_f32(half as u16);
            let bf16 = half << 16;
            let (pair, other) = (half << 16 | 0x3c00, half | 0x3f80_0000);
            assert_eq!(narrow_pair(pair, F16, format, false), pair_from_f32(f16, 0x3f80_0000, format, false));
            assert_eq!(
                narrow_pair(other, BF16, format, true),
                pair_from_f32(0x3f80_0000, bf16, format, true)
            );
        }
    }
}

#[test]
fn narrow_formats_widen_exactly_and_come_back() {
    for (format, numbers) in narrow_formats() {
        let shift = if format == E2M1 { 4 } else { 8 };
        let sign = 1 << (format.width() - 1);
        for bits in 0..=numbers.largest() {
            let expected = Numbers::f16().round(numbers.value(bits), false, Rz) as u32;
            let pair = (bits as u16 | sign) << shift | bits as u16;
            let wide = (expected | 0x8000) << 16 | expected;
            assert_eq!(widen_pair(pair, format, false), wide, "{bits:#x} {format:?}");
            assert_eq!(widen_pair(pair, format, true), expected, "{bits:#x} {format:?} relu");
            assert_eq!(narrow_pair(wide, F16, format, false), pair, "{bits:#x} {format:?}");
        }
    }
}

#[test]
fn nan_and_infinity_in_narrow_formats() {
    // A NaN of either sign gives the NaN of the format, or its largest number; infinity its largest number.
    let (nan, infinity) = (0xff80_0001, 0xff80_0000);
    let expected = [(E5M2, 0x7ffb), (E4M3, 0x7ffe), (E3M2, 0x1f3f), (E2M3, 0x1f3f), (E2M1, 0x007f)];
    for (format, pair) in expected {
        assert_eq!(pair_from_f32(nan, infinity, format, false), pair, "{format:?}");
    }
    assert_eq!(widen_pair(0xff7f, E4M3, true), 0x7fff_7fff);
    assert_eq!(widen_pair(0xfc7c, E5M2, false), 0xfc00_7c00);
    // The two upper bits of a byte are no part of a 6-bit number.
    assert_eq!(widen_pair(0xc1df, E2M3, false), widen_pair(0x011f, E2M3, false));
}

#[test]
fn whole_numbers_of_the_same_width() {
    let by_rounding = |value: f64, rounding: Rounding| match rounding {
        Rn => value.round_ties_even(),
        Rz => value.trunc(),
        Rm => value.floor(),
        _ => value.ceil(),
    };
    for (format, numbers) in [(F16, Numbers::f16()), (BF16, Numbers::bf16())] {
        for (bits, rounding) in (0..=numbers.largest()).flat_map(|b| [Rn, Rz, Rm, Rp].map(|r| (b, r))) {
            let positive = numbers.round(by_rounding(numbers.value(bits), rounding), false, Rz);
            assert_eq!(float_to_integral(bits, format, rounding, NONE), positive);
            let negative = numbers.round(-by_rounding(-numbers.value(bits), rounding), true, Rz);
            assert_eq!(float_to_integral(bits | 0x8000, format, rounding, NONE), negative | 0x8000);
        }
    }
    let flush = Modifiers { ftz: true, ..NONE };
    assert_eq!(float_to_integral(1, F32, Rp, NONE), 0x3f80_0000);
    assert_eq!(float_to_integral(1, F32, Rp, flush), 0);
}

#[test]
fn nan_through_f64() {
    let tagged = 0xfff1_2345_6789_abcd;
    assert_eq!(float_to_float(tagged, F64, F32, Rn, NONE), 0xffc9_1a2b);
    assert_eq!(float_to_float(0xff81_2345, F32, F64, Rn, NONE), 0xfff8_2468_a000_0000);
    assert_eq!(
        float_to_float(0xff81_2345, F32, F64, Rn, Modifiers { ftz: true, ..NONE }),
        0x7fff_ffff_e000_0000
    );
    assert_eq!(float_to_integral(tagged, F64, Rz, NONE), tagged | 1 << 51);
    assert_eq!(float_to_float(tagged, F64, F32, Rn, Modifiers { sat: true, ..NONE }), 0);
}

#[test]
fn flushing_is_for_f32_alone_and_not_on_the_way_to_f16() {
    let flush = Modifiers { ftz: true, ..NONE };
    assert_eq!(float_to_float(0x8000_0001, F32, BF16, Rm, flush), 0x8000);
    assert_eq!(float_to_float(0x8000_0001, F32, BF16, Rm, NONE), 0x8001);
    assert_eq!(float_to_float(0x8000_0001, F32, F16, Rm, flush), 0x8001);
    assert_eq!(float_to_float(0x8001, BF16, F32, Rn, flush), 0x8000_0000);
    assert_eq!(float_to_float(0x0001, F16, F32, Rn, flush), 0x3380_0000);
    assert_eq!(float_to_float((-1e-40_f64).to_bits(), F64, F32, Rn, flush), 0x8000_0000);
}

#[test]
fn tf32_keeps_ten_bits_of_mantissa() {
    let tf32 = |bits| [Rn, Rz].map(|rounding| tf32_from_f32(bits, rounding, NONE));
    assert_eq!(tf32(0x3f80_1000), [0x3f80_0000, 0x3f80_0000]);
    assert_eq!(tf32(0x3f80_3000), [0x3f80_4000, 0x3f80_2000]);
    assert_eq!(tf32(0x7f7f_ffff), [0x7f80_0000, 0x7f7f_e000]);
    assert_eq!(tf32(0xff80_0001), [0x7fff_e000, 0x7fff_e000]);
    assert_eq!(tf32_from_f32(0xbf80_0000, Rn, Modifiers { relu: true, ..NONE }), 0);
    assert_eq!(tf32_rna_from_f32(0xbf80_1000, false), 0xbf80_2000);
    assert_eq!(tf32_rna_from_f32(0x7f80_0001, false), 0x7f80_0000);
    // The payload of a NaN is not rounded, nor carried into the sign (measured on an H200).
    assert_eq!(tf32_rna_from_f32(0x7f80_1000, false), 0x7f80_0000);
    assert_eq!(tf32_rna_from_f32(0x7fff_ffff, false), 0x7fff_e000);
    assert_eq!(tf32_rna_from_f32(0xffff_f000, false), 0xffff_e000);
    assert_eq!(tf32_rna_from_f32(0x7fff_ffff, true), 0x7fff_c000);
    assert_eq!(tf32_rna_from_f32(0x7f80_1fff, true), 0x7f7f_e000);
    assert_eq!(tf32_rna_from_f32(0x7f7f_f000, true), 0x7f7f_e000);
}
