//! Products of e2m1 with a scale for each block, worked out by hand: what is kept, what is cut off, what is NaN.

use ptxvm_num::matrix::scaled::{Blocks, Scale, double, multiply};

/// 1 and -6, and the scale 1 of both formats.
const ONE: u8 = 0b0010;
const MINUS_SIX: u8 = 0b1111;
const UNIT: u8 = 127;
const UNIT_E4M3: u8 = 0x38;

/// One element of D from 64 pairs of elements in groups of sixteen.
fn dot(scale: Scale, a: [u8; 4], scales_a: &[u8], b: [u8; 4], scales_b: &[u8], c: f32) -> f32 {
    let line = |groups: [u8; 4]| groups.map(|bits| [double(bits); 16]);
    let (left, right) = (line(a), line(b));
    let mut d = [c.to_bits()];
    let blocks = |numbers, scales| Blocks { depth: 64, numbers, scales };
    let (a, b) = (blocks(left.as_flattened(), scales_a), blocks(right.as_flattened(), scales_b));
    multiply(scale, 16, a, b, &mut d);
    f32::from_bits(d[0])
}

fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

#[test]
fn every_e2m1() {
    let halves = [0, 1, 2, 3, 4, 6, 8, 12];
    for (bits, twice) in (0..).zip(halves) {
        assert_eq!((double(bits), double(bits | 8)), (twice, -twice));
    }
}

#[test]
fn scales() {
    assert_eq!(Scale::Ue8m0.decode(0), Some((8, -127)));
    assert_eq!(Scale::Ue8m0.decode(0xfe), Some((8, 127)));
    assert_eq!(Scale::Ue8m0.decode(0xff), None);
    // 448, the smallest number above zero, and the sign that does not count.
    assert_eq!(Scale::Ue4m3.decode(0x7e), Some((14, 8)));
    assert_eq!(Scale::Ue4m3.decode(0x01), Some((1, -6)));
    assert_eq!(Scale::Ue4m3.decode(0x81), Some((1, -6)));
    assert_eq!(Scale::Ue4m3.decode(0x7f), None);
    assert_eq!(Scale::Ue4m3.decode(0xff), None);
}

/// Each block of 16 or 32 elements has the scale of its own.
#[test]
fn blocks_have_their_scales() {
    let a = [ONE, ONE, ONE, MINUS_SIX];
    let b = [ONE; 4];
    let four = dot(Scale::Ue8m0, a, &[UNIT, UNIT + 1, UNIT, UNIT], b, &[UNIT, UNIT, UNIT + 3, UNIT], 1.0);
    assert_eq!(four, 1.0 + 16.0 * (1.0 + 2.0 + 8.0 - 6.0));
    let two = dot(Scale::Ue8m0, a, &[UNIT, UNIT + 1], b, &[UNIT + 2, UNIT], 1.0);
    assert_eq!(two, 1.0 + 16.0 * (4.0 + 4.0 + 2.0 - 12.0));
    let fractions =
        dot(Scale::Ue4m3, a, &[0x3c, UNIT_E4M3, 0x3a, 0x04], b, &[UNIT_E4M3, 0, UNIT_E4M3, 0x40], 0.0);
    assert_eq!(fractions, 16.0 * (1.5 + 1.25 - 6.0 * 2.0 / 128.0));
}

/// Terms keep 35 bits after the exponent of the scales, however large the sum of products is.
#[test]
fn thirty_five_bits_are_kept() {
    let cancels = |digit: u8, c: f32| {
        let unit = [UNIT; 4];
        dot(Scale::Ue8m0, [digit, digit ^ 8, 0, 0], &unit, [MINUS_SIX, MINUS_SIX, 0, 0], &unit, c)
    };
    for digit in [ONE, MINUS_SIX] {
        assert_eq!(cancels(digit, power(-35)), power(-35));
        assert_eq!(cancels(digit, power(-36)), 0.0);
        assert_eq!(cancels(digit, 1.5 * power(-35)), power(-35));
    }
    // The accumulator's exponent counts as well.
    let unit = [UNIT; 4];
    let small = [UNIT - 40, UNIT, UNIT, UNIT];
    let one = [ONE, 0, 0, 0];
    // Sixteen times 2^-40 is 2^-36: too far below 1, but the last that is kept below 1/2.
    assert_eq!(dot(Scale::Ue8m0, one, &small, one, &unit, -1.0), -1.0);
    assert_eq!(dot(Scale::Ue8m0, one, &small, one, &unit, -0.5), -0.5 + power(-25));
    assert_eq!(dot(Scale::Ue8m0, one, &[UNIT - 8, UNIT, UNIT, UNIT], one, &unit, -0.5), -0.5 + 0.0625);
}

/// Results are cut off towards zero, and a zero has no sign.
#[test]
fn results_are_cut() {
    let unit = [UNIT; 4];
    let tiny = [UNIT - 30, UNIT, UNIT, UNIT];
    let one = [ONE, 0, 0, 0];
    let minus = [ONE | 8, 0, 0, 0];
    assert_eq!(dot(Scale::Ue8m0, minus, &tiny, one, &unit, 1.0), 1.0 - power(-24));
    assert_eq!(dot(Scale::Ue8m0, one, &tiny, one, &unit, 1.0), 1.0);
    assert_eq!(dot(Scale::Ue8m0, [0; 4], &unit, one, &unit, -0.0).to_bits(), 0);
}

#[test]
fn what_is_not_a_number() {
    let unit = [UNIT; 4];
    let nan = [UNIT, UNIT, UNIT, 0xff];
    let zero = [0; 4];
    assert_eq!(dot(Scale::Ue8m0, zero, &nan, zero, &unit, 0.0).to_bits(), 0x7fff_ffff);
    assert_eq!(dot(Scale::Ue8m0, zero, &unit, zero, &nan, 0.0).to_bits(), 0x7fff_ffff);
    assert_eq!(dot(Scale::Ue8m0, zero, &unit, zero, &unit, f32::NAN).to_bits(), 0x7fff_ffff);
    assert_eq!(dot(Scale::Ue8m0, zero, &unit, zero, &unit, f32::NEG_INFINITY), f32::NEG_INFINITY);
    // The largest scales leave the range of f32.
    let huge = [0xfe; 4];
    assert_eq!(dot(Scale::Ue8m0, [MINUS_SIX; 4], &huge, [ONE; 4], &huge, 0.0), f32::NEG_INFINITY);
}
