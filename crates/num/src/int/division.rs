//! Integer division, 9.7.1.8 and 9.7.1.9: `div` and `rem`.
//!
//! The manual leaves division by zero to the machine: the H200 gives all ones for both, in every type. The smallest
//! number divided by minus one is itself, with remainder 0.

use super::Int;

/// `div`, towards zero.
#[inline(always)]
pub fn div<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    let (x, y) = (T::of(a), T::of(b));
    let quotient = T::low(quotient::<T>(x, y)).bits();
    let negative = (x < T::ZERO) != (y < T::ZERO);
    let d = if negative { T::Bits::ZERO.wrapping_sub(quotient) } else { quotient };
    if y == T::ZERO { !T::Bits::ZERO } else { d }
}

/// `rem`, with the sign of the dividend.
#[inline(always)]
pub fn rem<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    let (x, y) = (T::of(a), T::of(b));
    let rest = x.magnitude().wrapping_sub(quotient::<T>(x, y).wrapping_mul(y.magnitude()));
    let rest = T::low(rest).bits();
    let d = if x < T::ZERO { T::Bits::ZERO.wrapping_sub(rest) } else { rest };
    if y == T::ZERO { !T::Bits::ZERO } else { d }
}

/// The quotient of the magnitudes; anything where the divisor is zero.
#[inline(always)]
fn quotient<T: Int>(x: T, y: T) -> u64 {
    if T::BITS == 64 {
        x.magnitude().checked_div(y.magnitude()).unwrap_or(0)
    } else {
        word_quotient(x.magnitude() as u32, y.magnitude() as u32).into()
    }
}

/// The quotient of two words, by way of `f64`, because processors have no vectors of integer division.
///
/// Adding 2^52 rounds the quotient to a whole number, which then stands in the low bits. `f64` has room for the
/// quotient's first error to stay far below a half, so the whole number is the right one or one too many.
#[inline(always)]
fn word_quotient(a: u32, b: u32) -> u32 {
    const TWO_TO_52: f64 = (1u64 << 52) as f64;
    let rounded = (f64::from(a) / f64::from(b) + TWO_TO_52).to_bits() as u32;
    rounded.wrapping_sub((u64::from(rounded) * u64::from(b) > u64::from(a)).into())
}

#[cfg(test)]
mod tests {
    use super::super::samples::STEP;
    use super::*;

    /// Dividends and divisors around the powers of two and around the multiples of each other.
    fn words() -> Vec<u32> {
        let mut words = vec![];
        for shift in 0..32 {
            for step in -2i64..=2 {
                words.push(((1i64 << shift) + step) as u32);
            }
        }
        words.extend([3, 7, 10, 641, 65_537, 1_000_003, 0x5555_5555, 0xaaaa_aaaa, 0xcccc_cccd]);
        words.into_iter().step_by(STEP).collect()
    }

    #[test]
    fn words_divide_as_the_processor_divides() {
        for a in words() {
            for b in words() {
                let (s, t) = (a as i32, b as i32);
                assert_eq!(div::<u32>(a, b), a.checked_div(b).unwrap_or(!0), "{a} / {b}");
                assert_eq!(rem::<u32>(a, b), a.checked_rem(b).unwrap_or(!0), "{a} % {b}");
                let wanted = if t == 0 { -1 } else { s.wrapping_div(t) };
                assert_eq!(div::<i32>(a, b), wanted as u32, "{s} / {t}");
                let wanted = if t == 0 { -1 } else { s.wrapping_rem(t) };
                assert_eq!(rem::<i32>(a, b), wanted as u32, "{s} % {t}");
            }
        }
    }

    #[test]
    fn quotients_next_to_a_whole_number_are_not_rounded_up() {
        for b in words().into_iter().filter(|b| *b > 1) {
            for whole in words() {
                let Some(a) = whole.checked_mul(b) else { continue };
                assert_eq!(div::<u32>(a, b), whole);
                assert_eq!(div::<u32>(a.wrapping_sub(1), b), a.wrapping_sub(1) / b);
                assert_eq!(rem::<u32>(a.wrapping_sub(1), b), a.wrapping_sub(1) % b);
            }
        }
    }

    #[test]
    fn halves_and_double_words_divide_likewise() {
        for a in (0..=u16::MAX).step_by(97 * STEP).chain([0x7fff, 0x8000, 0xffff]) {
            for b in [0, 1, 2, 3, 0x7f, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff] {
                let (s, t) = (a as i16, b as i16);
                assert_eq!(div::<u16>(a, b), a.checked_div(b).unwrap_or(!0));
                assert_eq!(rem::<u16>(a, b), a.checked_rem(b).unwrap_or(!0));
                assert_eq!(div::<i16>(a, b), if t == 0 { -1 } else { s.wrapping_div(t) } as u16);
                assert_eq!(rem::<i16>(a, b), if t == 0 { -1 } else { s.wrapping_rem(t) } as u16);
            }
        }
        let doubles =
            [0, 1, 2, 10, u64::from(u32::MAX), 1 << 53, i64::MAX as u64, 1 << 63, u64::MAX - 1, u64::MAX];
        for a in doubles {
            for b in doubles {
                let (s, t) = (a as i64, b as i64);
                assert_eq!(div::<u64>(a, b), a.checked_div(b).unwrap_or(!0));
                assert_eq!(rem::<u64>(a, b), a.checked_rem(b).unwrap_or(!0));
                assert_eq!(div::<i64>(a, b), if t == 0 { -1 } else { s.wrapping_div(t) } as u64);
                assert_eq!(rem::<i64>(a, b), if t == 0 { -1 } else { s.wrapping_rem(t) } as u64);
            }
        }
    }
}
