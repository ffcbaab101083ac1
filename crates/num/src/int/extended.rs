//! Arithmetic over several words, 9.7.2: the carry out of one word goes into the next.
//!
//! The carry flag is an argument and a result here; the machine knows which instructions read or write it. There is one
//! flag for both directions, as in the adder: a subtraction adds the complement, so it sets the flag when it did *not*
//! borrow, and reads a clear flag as a borrow.

use super::arithmetic::{mul_hi, mul_lo};
use super::{Int, Widen};

/// `addc.cc`; `add.cc` is the same without a carry in.
#[inline(always)]
pub fn addc<T: Int>(a: T::Bits, b: T::Bits, carry: bool) -> (T::Bits, bool) {
    let sum = a.wrapping_add(b);
    let d = sum.wrapping_add(if carry { T::Bits::ONE } else { T::Bits::ZERO });
    // The second addition carries only where it wraps to zero, and then the first cannot have.
    (d, (sum < a) | (d < sum))
}

/// `subc.cc`; `sub.cc` is the same with the flag set, that is, without a borrow.
#[inline(always)]
pub fn subc<T: Int>(a: T::Bits, b: T::Bits, carry: bool) -> (T::Bits, bool) {
    addc::<T>(a, !b, carry)
}

/// `madc.lo.cc`; `mad.lo.cc` is the same without a carry in.
#[inline(always)]
pub fn madc_lo<T: Int>(a: T::Bits, b: T::Bits, c: T::Bits, carry: bool) -> (T::Bits, bool) {
    addc::<T>(mul_lo::<T>(a, b), c, carry)
}

/// `madc.hi.cc`; `mad.hi.cc` is the same without a carry in.
#[inline(always)]
pub fn madc_hi<T: Int>(a: T::Bits, b: T::Bits, c: T::Bits, carry: bool) -> (T::Bits, bool) {
    addc::<T>(mul_hi::<T>(a, b), c, carry)
}

/// `addc.sat.s32`
#[inline(always)]
pub fn addc_sat(a: u32, b: u32, carry: bool) -> u32 {
    let sum = i64::from(a as i32) + i64::from(b as i32) + i64::from(carry);
    sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32
}

/// `subc.sat.s32`
#[inline(always)]
pub fn subc_sat(a: u32, b: u32, carry: bool) -> u32 {
    addc_sat(a, !b, carry)
}

/// `madc.hi` on 16 bits, which the manual does not have: the half that is added is the upper one of a 32-bit
/// multiplication, and so nothing but the product's sign.
#[inline(always)]
pub fn madc_hi_16<T: Widen<Bits = u16>>(a: u16, b: u16, c: u16, carry: bool) -> u16 {
    let negative = T::of(a).widen().wrapping_mul(T::of(b).widen()) < T::Wide::ZERO;
    addc::<u16>(if negative { u16::MAX } else { 0 }, c, carry).0
}

#[cfg(test)]
mod tests {
    use super::super::samples::samples;
    use super::*;

    #[test]
    fn chains_add_and_subtract_numbers_of_many_words() {
        for a in samples() {
            for b in samples() {
                let (high_a, high_b) = (a.rotate_left(17), b.rotate_left(29));
                let (x, y) = (join(a, high_a), join(b, high_b));
                let (low, carry) = addc::<u64>(a, b, false);
                let (high, carry) = addc::<u64>(high_a, high_b, carry);
                assert_eq!((join(low, high), carry), x.overflowing_add(y));
                let (low, flag) = subc::<u64>(a, b, true);
                let (high, flag) = subc::<u64>(high_a, high_b, flag);
                assert_eq!((join(low, high), !flag), x.overflowing_sub(y));

                let (p, flag) = subc::<i32>(a as u32, b as u32, true);
                let (q, _) = subc::<u32>((a >> 32) as u32, (b >> 32) as u32, flag);
                assert_eq!(u64::from(p) | u64::from(q) << 32, a.wrapping_sub(b));
            }
        }
    }

    fn join(low: u64, high: u64) -> u128 {
        u128::from(low) | u128::from(high) << 64
    }

    /// The schoolbook product of two double words out of words, as the manual shows it.
    #[test]
    fn chains_multiply_double_words() {
        for a in samples() {
            for b in samples() {
                let [a0, a1, b0, b1] = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
                let r0 = mul_lo::<u32>(a0, b0);
                let (r1, carry) = madc_lo::<u32>(a1, b0, mul_hi::<u32>(a0, b0), false);
                let (r2, _) = madc_hi::<u32>(a1, b0, 0, carry);
                let (r1, carry) = madc_lo::<u32>(a0, b1, r1, false);
                let (r2, carry) = madc_hi::<u32>(a0, b1, r2, carry);
                let (r3, _) = addc::<u32>(0, 0, carry);
                let (r2, carry) = madc_lo::<u32>(a1, b1, r2, false);
                let (r3, _) = madc_hi::<u32>(a1, b1, r3, carry);
                let product = [r0, r1, r2, r3].iter().rev().fold(0, |p, r| p << 32 | u128::from(*r));
                assert_eq!(product, u128::from(a) * u128::from(b));
            }
        }
    }

    #[test]
    fn one_flag_serves_both_directions() {
        // A sum that does not carry leaves the flag clear, which a subtraction takes for a borrow.
        let (_, flag) = addc::<u32>(1, 1, false);
        assert_eq!(subc::<u32>(0, 0, flag), (u32::MAX, false));
        // A difference that does not borrow leaves it set, which an addition takes for a carry.
        let (_, flag) = subc::<u32>(1, 1, true);
        assert_eq!(addc::<u32>(0, 0, flag), (1, false));
    }

    #[test]
    fn saturation_sees_the_carry() {
        assert_eq!(addc_sat(0x7fff_ffff, 0, true), 0x7fff_ffff);
        assert_eq!(addc_sat(0x7fff_fffe, 0, true), 0x7fff_ffff);
        assert_eq!(addc_sat(0x8000_0000, u32::MAX, true), 0x8000_0000);
        assert_eq!(addc_sat(0x8000_0000, u32::MAX, false), 0x8000_0000);
        assert_eq!(subc_sat(0x8000_0000, 0, false), 0x8000_0000);
        assert_eq!(subc_sat(0x8000_0001, 0, false), 0x8000_0000);
        assert_eq!(subc_sat(0x7fff_ffff, u32::MAX, true), 0x7fff_ffff);
        assert_eq!(subc_sat(5, 3, true), 2);
    }

    #[test]
    fn the_upper_half_of_halves_is_a_sign() {
        assert_eq!(madc_hi_16::<u16>(0xffff, 0xffff, 7, true), 8);
        assert_eq!(madc_hi_16::<i16>(0xffff, 0xffff, 7, false), 7);
        assert_eq!(madc_hi_16::<i16>(0xffff, 2, 7, false), 6);
    }
}
