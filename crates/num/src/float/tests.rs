//! Compares the fast paths with the exact arithmetic, and the exact arithmetic with the host's wider format.
//!
//! Other tests compare both with an H200's recorded results; these reach operands that no recording has.

use super::format::{BF16, F32, F64, IeeeFormat};
use super::half::{Finish, OUT_OF_BOUNDS_NAN, bf16, f16, f16x2};
use super::minmax::{self, Extreme, Modifiers};
use super::{exact, f32, f32x2, f64};
use crate::Rounding::{self, Rm, Rn, Rp, Rz};

const F16: IeeeFormat = IeeeFormat::new(5, 10);

/// A small generator of numbers that are rarely ordinary: exponents at the ends, near one and near where products
/// underflow; fractions with few bits set or few missing.
struct Operands {
    state: u64,
    format: IeeeFormat,
}

impl Operands {
    fn new(format: IeeeFormat) -> Self {
        Self { state: 0x9e37_79b9_7f4a_7c15, format }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 16) % end
    }

    fn next(&mut self) -> u64 {
        let fraction_bits = u64::from(self.format.precision() - 1);
        let most = (1 << fraction_bits) - 1;
        let fraction = match self.below(6) {
            0 => 0,
            1 => most,
            2 => 1 << self.below(fraction_bits),
            3 => most ^ 1 << self.below(fraction_bits),
            _ => self.below(most + 1),
        };
        let top = self.format.infinity() >> fraction_bits;
        let exponent = match self.below(6) {
            0 => self.below(3),
            1 => top - 1 - self.below(3),
            2 => top / 2 + self.below(4) - 2,
            3 => top / 4 + self.below(4) - 2,
            _ => self.below(top),
        };
        let sign = self.below(2) * self.format.sign_bit();
        sign | exponent << fraction_bits | fraction
    }

    fn three(&mut self) -> [u64; 3] {
        [self.next(), self.next(), self.next()]
    }
}

/// How often to try: seldom in Miri, which looks at what the code does and not at its results.
const fn times(usual: u32) -> u32 {
    if cfg!(miri) { usual / 1000 } else { usual }
}

#[test]
fn single_precision_rn_is_exact_with_and_without_ftz() {
    let mut operands = Operands::new(F32);
    for _ in 0..times(100_000) {
        let [a, b, c] = operands.three();
        for ftz in [false, true] {
            let [x, y, z] = [a, b, c].map(|v| f32::flush(v as u32, ftz));
            let [p, q, r] = [x, y, z].map(u64::from);
            let format = F32.ftz(ftz);
            assert_eq!(
                u64::from(f32::add(x, y, Rn, ftz, false)),
                exact::add(format, p, q, Rn),
                "{a:x} + {b:x}"
            );
            assert_eq!(
                u64::from(f32::mul(x, y, Rn, ftz, false)),
                exact::mul(format, p, q, Rn),
                "{a:x} * {b:x}"
            );
            let fma = f32::fma(x, y, z, Rn, ftz, false);
            assert_eq!(u64::from(fma), exact::fma(format, p, q, r, Rn), "{a:x} * {b:x} + {c:x}");
            if !F32.is_zero(q) {
                assert_eq!(u64::from(f32::div(x, y, Rn, ftz)), exact::div(format, p, q, Rn), "{a:x} / {b:x}");
            }
            if !F32.is_zero(p) {
                let magnitude = x & 0x7fff_ffff;
                let root = exact::sqrt(format, magnitude.into(), Rn);
                assert_eq!(u64::from(f32::sqrt(magnitude, Rn, ftz)), root, "sqrt {a:x}");
            }
        }
    }
}

#[test]
fn double_precision_rn_is_exact() {
    let mut operands = Operands::new(F64);
    for _ in 0..times(100_000) {
        let [a, b, c] = operands.three();
        assert_eq!(f64::add(a, b, Rn), exact::add(F64, a, b, Rn), "{a:x} + {b:x}");
        assert_eq!(f64::mul(a, b, Rn), exact::mul(F64, a, b, Rn), "{a:x} * {b:x}");
        // The sum of a product and what is nearly its opposite loses most of its bits.
        let nearly = f64::mul(a, b, Rn) ^ F64.sign_bit();
        for c in [c, nearly] {
            if F64.is_finite(c) {
                assert_eq!(f64::fma(a, b, c, Rn), exact::fma(F64, a, b, c, Rn), "{a:x} * {b:x} + {c:x}");
            }
        }
        if !F64.is_zero(b) {
            assert_eq!(f64::div(a, b, Rn), exact::div(F64, a, b, Rn), "{a:x} / {b:x}");
        }
        let magnitude = a & !F64.sign_bit();
        if magnitude != 0 {
            assert_eq!(f64::sqrt(magnitude, Rn), exact::sqrt(F64, magnitude, Rn), "sqrt {a:x}");
        }
    }
}

/// Checks the directed results by where the exact one lies: `side(r)` compares it with `r`.
fn brackets(result: impl Fn(Rounding) -> u32, side: impl Fn(f64) -> std::cmp::Ordering, what: &str) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let wide = |bits: u32| std::primitive::f64::from(std::primitive::f32::from_bits(bits));
    let [down, up, zero] = [Rm, Rp, Rz].map(&result);
    assert!(down == 0xff80_0000 || side(wide(down)) != Less, "{what}: rm {down:x}");
    assert!(up == 0x7f80_0000 || side(wide(up)) != Greater, "{what}: rp {up:x}");
    if side(wide(down)) == Equal {
        assert_eq!(wide(up), wide(down), "{what}: exact, yet rp differs from rm");
    } else {
        let next = std::primitive::f32::from_bits(down).next_up();
        assert_eq!(wide(up), next.into(), "{what}: rm {down:x} and rp {up:x} are not neighbours");
    }
    let toward_zero = if down >> 31 == 0 { down } else { up };
    assert_eq!(zero, toward_zero, "{what}: rz {zero:x} of {down:x} and {up:x}");
}

#[test]
fn directed_roundings_bracket_the_exact_result() {
    let mut operands = Operands::new(F32);
    for _ in 0..times(100_000) {
        let [a, b, c] = operands.three().map(|v| v as u32);
        let [x, y, z] = [a, b, c].map(|v| std::primitive::f64::from(std::primitive::f32::from_bits(v)));
        let order = |exact: f64, r: f64| exact.partial_cmp(&r).unwrap_or(std::cmp::Ordering::Equal);
        // Double precision holds every product and every square; a sum only if nothing is lost on the way.
        let product = x * y;
        if product != 0.0 {
            brackets(|k| f32::mul(a, b, k, false, false), |r| order(product, r), &format!("{a:x} * {b:x}"));
        }
        for (left, right, operation) in [(x, y, 0), (product, z, 1)] {
            let sum = left + right;
            let lost = (left - (sum - right)) != 0.0 || (right - (sum - left)) != 0.0;
            if !lost && sum != 0.0 {
                let result = |k| match operation {
                    0 => f32::add(a, b, k, false, false),
                    _ => f32::fma(a, b, c, k, false, false),
                };
                brackets(result, |r| order(sum, r), &format!("sum {operation} of {a:x} {b:x} {c:x}"));
            }
        }
        if x != 0.0 && y != 0.0 {
            let side = |r: f64| if y > 0.0 { order(x, r * y) } else { order(r * y, x) };
            brackets(|k| f32::div(a, b, k, false), side, &format!("{a:x} / {b:x}"));
            let root = a & 0x7fff_ffff;
            brackets(|k| f32::sqrt(root, k, false), |r| order(x.abs(), r * r), &format!("sqrt {root:x}"));
        }
    }
}

#[test]
fn sums_that_vanish_are_minus_zero_only_when_rounding_down() {
    let one = 0x3f80_0000;
    assert_eq!(f32::sub(one, one, Rm, false, false), 0x8000_0000);
    assert_eq!(f32::sub(one, one, Rz, false, false), 0);
    assert_eq!(f32::add(0, 0x8000_0000, Rm, false, false), 0x8000_0000);
    assert_eq!(f32::add(0, 0x8000_0000, Rp, false, false), 0);
    assert_eq!(f64::fma(1, 1 << 63 | 1, 0, Rp), 1 << 63, "minus, but less than any subnormal");
}

#[test]
fn half_precision_is_rounded_once() {
    let mut operands = Operands::new(F16);
    for _ in 0..times(300_000) {
        let [a, b, c] = operands.three().map(|v| v as u16);
        for ftz in [false, true] {
            let [x, y, z] = [a, b, c].map(|v| u64::from(f16::flush(v, ftz)));
            let (format, then) = (F16.ftz(ftz), Finish { ftz, ..Finish::default() });
            assert_eq!(u64::from(f16::add(a, b, then)), exact::add(format, x, y, Rn), "{a:x} + {b:x}");
            assert_eq!(u64::from(f16::mul(a, b, then)), exact::mul(format, x, y, Rn), "{a:x} * {b:x}");
            let fma = u64::from(f16::fma(a, b, c, then));
            assert_eq!(fma, exact::fma(format, x, y, z, Rn), "{a:x} * {b:x} + {c:x}");
        }
    }
}

#[test]
fn bfloat16_is_rounded_once() {
    let mut operands = Operands::new(BF16);
    for _ in 0..times(300_000) {
        let [x, y, z] = operands.three();
        let [a, b, c] = [x, y, z].map(|v| v as u16);
        assert_eq!(u64::from(bf16::add(a, b)), exact::add(BF16, x, y, Rn), "{a:x} + {b:x}");
        assert_eq!(u64::from(bf16::mul(a, b)), exact::mul(BF16, x, y, Rn), "{a:x} * {b:x}");
        let fma = u64::from(bf16::fma(a, b, c, Finish::default()));
        assert_eq!(fma, exact::fma(BF16, x, y, z, Rn), "{a:x} * {b:x} + {c:x}");
    }
}

#[test]
fn half_precision_survives_single_precision() {
    for a in (0..=u16::MAX).step_by(if cfg!(miri) { 251 } else { 1 }) {
        let back = f16::from_f32(f16::to_f32(a));
        assert_eq!(back, if f16::is_nan(a) { 0x7fff } else { a });
        let back = bf16::from_f32(bf16::to_f32(a));
        assert_eq!(back, if bf16::is_nan(a) { 0x7fff } else { a });
    }
}

#[test]
fn reading_out_of_bounds_counts_as_zero_in_that_half_only() {
    let then = Finish { oob: true, ..Finish::default() };
    let (one, outside) = (0x3c00_3c00, 0x3c00_0000 | u32::from(OUT_OF_BOUNDS_NAN));
    assert_eq!(f16x2::fma(one, outside, one, then), 0x4000_0000);
    assert_eq!(f16x2::fma(one, outside, one, Finish::default()), 0x4000_7fff);
}

#[test]
fn three_operands_and_pairs_are_taken_one_after_the_other() {
    let (nan, two, three) = (0x7fc0_0000, 0x4000_0000, 0xc040_0000);
    let least = |modifiers| minmax::three_f32(nan, two, three, Extreme::Min, modifiers);
    assert_eq!(least(Modifiers::default()), three);
    assert_eq!(least(Modifiers { abs: true, ..Modifiers::default() }), two);
    assert_eq!(least(Modifiers { nan: true, ..Modifiers::default() }), f32::NAN);
    assert_eq!(f32x2::add(0x3f80_0000_4000_0000, 0x3f80_0000_3f80_0000, Rn, false), 0x4000_0000_4040_0000);
}
