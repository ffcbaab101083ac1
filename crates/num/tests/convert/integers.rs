//! Integers between each other and between floats, against arithmetic in `i128`.

use ptxvm_num::Rounding::{self, Rm, Rn, Rp, Rz};
use ptxvm_num::convert::*;

const TYPES: [(Integer, u32, bool); 8] = [
    (U8, 8, false),
    (U16, 16, false),
    (U32, 32, false),
    (U64, 64, false),
    (S8, 8, true),
    (S16, 16, true),
    (S32, 32, true),
    (S64, 64, true),
];

fn range(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn low_bits(value: i128, bits: u32) -> u64 {
    value as u64 & (u64::MAX >> (64 - bits))
}

/// The ends of every range and what lies beside them.
fn values() -> Vec<i128> {
    let powers = (0..=64).flat_map(|power| [1_i128 << power, -(1_i128 << power)]);
    powers.flat_map(|power| [power - 1, power, power + 1, power / 3]).collect()
}

#[test]
fn between_integers() {
    for ((from, from_bits, from_signed), value) in
        TYPES.into_iter().flat_map(|from| values().into_iter().map(move |value| (from, value)))
    {
        let (low, high) = range(from_bits, from_signed);
        if value < low || value > high {
            continue;
        }
        // What stands above the type's own bits must not matter.
        let dirt = if from_bits == 64 { 0 } else { 0xa5a5_a5a5_a5a5_a5a5 << from_bits };
        let bits = low_bits(value, from_bits) | dirt;
        for (to, to_bits, to_signed) in TYPES {
            let (low, high) = range(to_bits, to_signed);
            assert_eq!(integer_to_integer(bits, from, to, false), low_bits(value, to_bits));
            assert_eq!(integer_to_integer(bits, from, to, true), low_bits(value.clamp(low, high), to_bits));
        }
    }
}

/// An integer rounded to a number of `precision` bits, by dividing.
fn to_precision(value: i128, precision: u32, rounding: Rounding) -> i128 {
    let length = 128 - value.unsigned_abs().leading_zeros();
    let step = 1 << length.saturating_sub(precision);
    let low = value.div_euclid(step) * step;
    let rest = value - low;
    let up = match rounding {
        Rn | Rounding::Rna => 2 * rest > step || (2 * rest == step && (low / step) % 2 != 0),
        Rz => value < 0 && rest != 0,
        Rm => false,
        Rp => rest != 0,
    };
    if up { low + step } else { low }
}

#[test]
fn integers_to_floats() {
    for ((from, bits, signed), value) in
        TYPES.into_iter().flat_map(|from| values().into_iter().map(move |value| (from, value)))
    {
        let (low, high) = range(bits, signed);
        if value < low || value > high {
            continue;
        }
        for rounding in [Rn, Rz, Rm, Rp] {
            let convert = |to| integer_to_float(low_bits(value, bits), from, to, rounding, false);
            let exact = |precision| to_precision(value, precision, rounding) as f64;
            assert_eq!(convert(F64), exact(53).to_bits());
            assert_eq!(convert(F32), u64::from((exact(24) as f32).to_bits()));
            // The numbers of a bf16 are those of an f32 whose lower half is zero.
            assert_eq!(convert(BF16) << 16, u64::from((exact(8) as f32).to_bits()));
            let half = exact(11);
            if half.abs() < 65536.0 {
                assert_eq!(
                    u64::from(quick::f16_to_f32(convert(F16) as u16)),
                    u64::from((half as f32).to_bits())
                );
            } else {
                let infinite = rounding == Rn || rounding == if value < 0 { Rm } else { Rp };
                let sign = if value < 0 { 0x8000 } else { 0 };
                assert_eq!(convert(F16), sign | if infinite { 0x7c00 } else { 0x7bff });
            }
        }
        let clamped = integer_to_float(low_bits(value, bits), from, F32, Rz, true);
        assert_eq!(clamped, if value <= 0 { 0 } else { 0x3f80_0000 });
    }
}

#[test]
fn floats_to_integers() {
    let fractions = [0.0, 0.25, 0.5, 0.75];
    let inputs = values().into_iter().flat_map(|value| fractions.map(|fraction| value as f64 + fraction));
    for input in inputs.chain([1e-40, -1e-40, 1e30, -1e30]) {
        for (to, bits, signed) in TYPES {
            let (low, high) = range(bits, signed);
            for (rounding, whole) in
                [(Rn, input.round_ties_even()), (Rz, input.trunc()), (Rm, input.floor()), (Rp, input.ceil())]
            {
                let expected = low_bits((whole as i128).clamp(low, high), bits);
                assert_eq!(float_to_integer(input.to_bits(), F64, to, rounding, false), expected, "{input}");
                let single = (input as f32).to_bits();
                if f64::from(input as f32) == input {
                    assert_eq!(float_to_integer(u64::from(single), F32, to, rounding, false), expected);
                }
            }
        }
    }
}

#[test]
fn nan_and_flushing_to_integers() {
    assert_eq!(float_to_integer(f64::NAN.to_bits(), F64, U8, Rn, false), 0x80);
    assert_eq!(float_to_integer(f64::NAN.to_bits(), F64, S32, Rn, false), 0x8000_0000);
    assert_eq!(float_to_integer(0x7fc0_0000, F32, S32, Rn, false), 0);
    assert_eq!(float_to_integer(0x7e00, F16, U64, Rn, false), 1 << 63);
    assert_eq!(float_to_integer(0x7fc0, BF16, S16, Rn, false), 0);
    assert_eq!(float_to_integer(f64::NEG_INFINITY.to_bits(), F64, S16, Rn, false), 0x8000);
    assert_eq!(float_to_integer(1, F32, S32, Rp, false), 1);
    assert_eq!(float_to_integer(1, F32, S32, Rp, true), 0);
    assert_eq!(float_to_integer(0x8000_0001, F32, S32, Rm, true), 0);
}

#[test]
fn packing() {
    assert_eq!(pack_integers(70_000, (-5_i32) as u32, false), 0xffff_0000);
    assert_eq!(pack_integers((-70_000_i32) as u32, 5, true), 0x8000_0005);
    assert_eq!(pack_integers_over(300, 7, 0xabcd_1234, 8, false), 0x1234_ff07);
    assert_eq!(pack_integers_over((-9_i32) as u32, 9, 0xabcd_1234, 4, true), 0xcd12_3487);
    assert_eq!(pack_integers_over(1, (-1_i32) as u32, 0xabcd_1234, 2, true), 0xbcd1_2347);
    assert_eq!(pack_integers_over(9, (-1_i32) as u32, 0xabcd_1234, 2, false), 0xbcd1_234c);
}
