//! Logic and shifts, 9.7.8, for which Rust has no single operator.

use super::Int;

/// `cnot`: one for zero, zero for anything else.
#[inline(always)]
pub fn cnot<T: Int>(a: T::Bits) -> T::Bits {
    if a == T::Bits::ZERO { T::Bits::ONE } else { T::Bits::ZERO }
}

/// `lop3`: the bits of `a`, `b` and `c` at each place are the number of the bit of `table` to give there.
///
/// The eight places are chosen from by halving, three times: with a constant table little of that remains.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let spread = |bit: u32| 0u32.wrapping_sub(u32::from(table) >> bit & 1);
    let choose = |by: u32, one: u32, zero: u32| (by & one) | (!by & zero);
    let pair = |low: u32| choose(c, spread(low + 1), spread(low));
    choose(a, choose(b, pair(6), pair(4)), choose(b, pair(2), pair(0)))
}

/// `shl`: by the width or more gives zero.
#[inline(always)]
pub fn shl<T: Int>(a: T::Bits, b: u32) -> T::Bits {
    if b < T::BITS { a.wrapping_shl(b) } else { T::Bits::ZERO }
}

/// `shr`: by the width or more gives what one bit less and then one more would, zeros or all sign.
#[inline(always)]
pub fn shr<T: Int>(a: T::Bits, b: u32) -> T::Bits {
    if T::SIGNED {
        T::of(a).wrapping_shr(b.min(T::BITS - 1)).bits()
    } else if b < T::BITS {
        a.wrapping_shr(b)
    } else {
        T::Bits::ZERO
    }
}

/// The double word that the funnel shifts work on: `b` above `a`.
#[inline(always)]
fn joined(a: u32, b: u32) -> u64 {
    u64::from(b) << 32 | u64::from(a)
}

/// `shf.l.clamp`
#[inline(always)]
pub fn shf_l_clamp(a: u32, b: u32, c: u32) -> u32 {
    (joined(a, b) << c.min(32) >> 32) as u32
}

/// `shf.l.wrap`
#[inline(always)]
pub fn shf_l_wrap(a: u32, b: u32, c: u32) -> u32 {
    (joined(a, b) << (c & 31) >> 32) as u32
}

/// `shf.r.clamp`
#[inline(always)]
pub fn shf_r_clamp(a: u32, b: u32, c: u32) -> u32 {
    (joined(a, b) >> c.min(32)) as u32
}

/// `shf.r.wrap`
#[inline(always)]
pub fn shf_r_wrap(a: u32, b: u32, c: u32) -> u32 {
    (joined(a, b) >> (c & 31)) as u32
}

#[cfg(test)]
mod tests {
    use super::super::samples::{samples, words};
    use super::*;

    #[test]
    fn every_table_of_lop3_is_looked_up_bit_by_bit() {
        // Between them, the low bytes of these go through all eight cases.
        let (a, b, c) = (0x1234_56f0, 0x89ab_cdcc, 0xdead_beaa);
        for table in 0..=u8::MAX {
            let wanted = (0..32).fold(0, |d, i| {
                let case = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
                d | u32::from(table >> case & 1) << i
            });
            assert_eq!(lop3(a, b, c, table), wanted, "{table:#x}");
            assert_eq!(lop3(0xf0, 0xcc, 0xaa, table) & 0xff, u32::from(table));
        }
    }

    #[test]
    fn shifts_are_many_shifts_by_one() {
        for a in samples() {
            let (mut left, mut right, mut signed) = (a, a, a as i64);
            let (mut left_16, mut right_16, mut signed_16) = (a as u16, a as u16, a as i16);
            for amount in 0..70 {
                assert_eq!(shl::<u64>(a, amount), left);
                assert_eq!(shr::<u64>(a, amount), right);
                assert_eq!(shr::<i64>(a, amount), signed as u64);
                assert_eq!(shl::<u16>(a as u16, amount), left_16);
                assert_eq!(shr::<u16>(a as u16, amount), right_16);
                assert_eq!(shr::<i16>(a as u16, amount), signed_16 as u16);
                (left, right, signed) = (left << 1, right >> 1, signed >> 1);
                (left_16, right_16, signed_16) = (left_16 << 1, right_16 >> 1, signed_16 >> 1);
            }
            assert_eq!(shl::<u64>(a, u32::MAX), 0);
            assert_eq!(shr::<i32>(a as u32, 1 << 31), if (a as i32) < 0 { u32::MAX } else { 0 });
        }
    }

    #[test]
    fn funnels_shift_two_words_as_one() {
        for a in words() {
            for b in words() {
                let both = u64::from(b) << 32 | u64::from(a);
                for c in [0, 1, 5, 31, 32, 33, 63, 64, u32::MAX] {
                    let (clamped, wrapped) = (c.min(32), c % 32);
                    let left = |amount: u32| (u128::from(both) << amount >> 32) as u32;
                    let right = |amount: u32| (both >> amount) as u32;
                    assert_eq!(shf_l_clamp(a, b, c), left(clamped));
                    assert_eq!(shf_l_wrap(a, b, c), left(wrapped));
                    assert_eq!(shf_r_clamp(a, b, c), right(clamped));
                    assert_eq!(shf_r_wrap(a, b, c), right(wrapped));
                }
            }
        }
    }

    #[test]
    fn cnot_asks_for_zero() {
        assert_eq!(cnot::<u16>(0), 1);
        assert_eq!(cnot::<u64>(1 << 63), 0);
    }
}
