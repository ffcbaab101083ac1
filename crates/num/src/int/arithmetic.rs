//! Integer arithmetic of one word, 9.7.1.1 to 9.7.1.13: `add` to `max`, except `div` and `rem`; and `clmad`.

use super::{Int, Widen};

/// `add`, which wraps.
#[inline(always)]
pub fn add<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    a.wrapping_add(b)
}

/// `add.sat`: what lies beyond the type's range becomes the end of the range that is nearer, for unsigned types too.
#[inline(always)]
pub fn add_sat<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    T::of(a).saturating_add(T::of(b)).bits()
}

/// `sub`, which wraps.
#[inline(always)]
pub fn sub<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    a.wrapping_sub(b)
}

/// `sub.sat`: as `add.sat`, so that an unsigned difference is never below zero.
#[inline(always)]
pub fn sub_sat<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    T::of(a).saturating_sub(T::of(b)).bits()
}

/// `mul.lo`
#[inline(always)]
pub fn mul_lo<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    a.wrapping_mul(b)
}

/// `mul.hi`
#[inline(always)]
pub fn mul_hi<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    T::of(a).high_mul(T::of(b)).bits()
}

/// The raw bits of a type twice as wide.
pub type WideBits<T> = <<T as Widen>::Wide as Int>::Bits;

/// `mul.wide`
#[inline(always)]
pub fn mul_wide<T: Widen>(a: T::Bits, b: T::Bits) -> WideBits<T> {
    T::of(a).widen().wrapping_mul(T::of(b).widen()).bits()
}

/// The 128-bit product of two words without carries.
fn carryless(a: u64, b: u64) -> u128 {
    let rows = (0..u64::BITS).filter(|bit| a >> bit & 1 == 1);
    rows.fold(0, |product, bit| product ^ u128::from(b) << bit)
}

/// `clmad.lo.u64`: the low half of the product of `a` and `b` without carries, and `c` added without carries.
#[must_use]
pub fn clmad_lo(a: u64, b: u64, c: u64) -> u64 {
    carryless(a, b) as u64 ^ c
}

/// `clmad.hi.u64`: the high half.
#[must_use]
pub fn clmad_hi(a: u64, b: u64, c: u64) -> u64 {
    (carryless(a, b) >> 64) as u64 ^ c
}

/// `mad.lo`
#[inline(always)]
pub fn mad_lo<T: Int>(a: T::Bits, b: T::Bits, c: T::Bits) -> T::Bits {
    mul_lo::<T>(a, b).wrapping_add(c)
}

/// `mad.hi`
#[inline(always)]
pub fn mad_hi<T: Int>(a: T::Bits, b: T::Bits, c: T::Bits) -> T::Bits {
    mul_hi::<T>(a, b).wrapping_add(c)
}

/// `mad.hi.sat`: only the addition saturates.
#[inline(always)]
pub fn mad_hi_sat<T: Int>(a: T::Bits, b: T::Bits, c: T::Bits) -> T::Bits {
    add_sat::<T>(mul_hi::<T>(a, b), c)
}

/// `mad.wide`
#[inline(always)]
pub fn mad_wide<T: Widen>(a: T::Bits, b: T::Bits, c: WideBits<T>) -> WideBits<T> {
    mul_wide::<T>(a, b).wrapping_add(c)
}

/// The 48-bit product of the low 24 bits, at the top of a 64-bit word.
///
/// Shifting the factors up by eight bits drops what lies above them and puts the sign where it counts.
#[inline(always)]
fn product24<T: Widen<Bits = u32>>(a: u32, b: u32) -> WideBits<T> {
    mul_wide::<T>(a << 8, b << 8)
}

/// `mul24.hi`: bits 47 to 16 of the product.
#[inline(always)]
pub fn mul24_hi<T: Widen<Bits = u32>>(a: u32, b: u32) -> u32
where
    WideBits<T>: Into<u64>,
{
    (product24::<T>(a, b).into() >> 32) as u32
}

/// `mul24.lo`: bits 31 to 0 of the product.
#[inline(always)]
pub fn mul24_lo<T: Widen<Bits = u32>>(a: u32, b: u32) -> u32
where
    WideBits<T>: Into<u64>,
{
    (product24::<T>(a, b).into() >> 16) as u32
}

/// `mad24.hi`
#[inline(always)]
pub fn mad24_hi<T: Widen<Bits = u32>>(a: u32, b: u32, c: u32) -> u32
where
    WideBits<T>: Into<u64>,
{
    mul24_hi::<T>(a, b).wrapping_add(c)
}

/// `mad24.hi.sat`: only the addition saturates.
#[inline(always)]
pub fn mad24_hi_sat<T: Widen<Bits = u32>>(a: u32, b: u32, c: u32) -> u32
where
    WideBits<T>: Into<u64>,
{
    add_sat::<T>(mul24_hi::<T>(a, b), c)
}

/// `mad24.lo`
#[inline(always)]
pub fn mad24_lo<T: Widen<Bits = u32>>(a: u32, b: u32, c: u32) -> u32
where
    WideBits<T>: Into<u64>,
{
    mul24_lo::<T>(a, b).wrapping_add(c)
}

/// `sad`: the distance is taken without wrapping, the sum wraps.
#[inline(always)]
pub fn sad<T: Int>(a: T::Bits, b: T::Bits, c: T::Bits) -> T::Bits {
    sub::<T>(max::<T>(a, b), min::<T>(a, b)).wrapping_add(c)
}

/// `abs`: the smallest number stays what it is.
#[inline(always)]
pub fn abs<T: Int>(a: T::Bits) -> T::Bits {
    max::<T>(a, neg::<T>(a))
}

/// `neg`, which wraps: the smallest number stays what it is.
#[inline(always)]
pub fn neg<T: Int>(a: T::Bits) -> T::Bits {
    T::Bits::ZERO.wrapping_sub(a)
}

/// `min`
#[inline(always)]
pub fn min<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    T::of(a).min(T::of(b)).bits()
}

/// `max`
#[inline(always)]
pub fn max<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    T::of(a).max(T::of(b)).bits()
}

/// `min.relu`: what is negative becomes zero.
#[inline(always)]
pub fn min_relu<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    T::of(a).min(T::of(b)).max(T::ZERO).bits()
}

/// `max.relu`: what is negative becomes zero.
#[inline(always)]
pub fn max_relu<T: Int>(a: T::Bits, b: T::Bits) -> T::Bits {
    T::of(a).max(T::of(b)).max(T::ZERO).bits()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{samples, words};
    use super::*;

    /// Every operation of a type against whole numbers that are wide enough for any result, cut afterwards.
    macro_rules! against_whole_numbers {
        ($name:ident $type:ident $bits:ident) => {
            #[test]
            fn $name() {
                let whole = |bits: $bits| i128::from(bits as $type);
                let (low, high) = (i128::from($type::MIN), i128::from($type::MAX));
                for a in samples().into_iter().map(|s| s as $bits) {
                    let x = whole(a);
                    assert_eq!(neg::<$type>(a), -x as $bits);
                    if $type::SIGNED {
                        assert_eq!(abs::<$type>(a), x.unsigned_abs() as $bits);
                    }
                    for b in samples().into_iter().map(|s| s as $bits) {
                        let y = whole(b);
                        assert_eq!(add::<$type>(a, b), (x + y) as $bits);
                        assert_eq!(sub::<$type>(a, b), (x - y) as $bits);
                        assert_eq!(add_sat::<$type>(a, b), (x + y).clamp(low, high) as $bits);
                        assert_eq!(sub_sat::<$type>(a, b), (x - y).clamp(low, high) as $bits);
                        assert_eq!(mul_lo::<$type>(a, b), x.wrapping_mul(y) as $bits);
                        assert_eq!(
                            mul_hi::<$type>(a, b),
                            (x.wrapping_mul(y) as u128 >> $bits::BITS) as $bits
                        );
                        assert_eq!(min::<$type>(a, b), if x < y { a } else { b });
                        assert_eq!(max::<$type>(a, b), if x < y { b } else { a });
                        assert_eq!(min_relu::<$type>(a, b), x.min(y).max(0) as $bits);
                        assert_eq!(max_relu::<$type>(a, b), x.max(y).max(0) as $bits);
                        for c in [0, 1, $bits::MAX / 2, $bits::MAX / 2 + 1, $bits::MAX] {
                            assert_eq!(sad::<$type>(a, b, c), ((x - y).abs() + whole(c)) as $bits);
                            let high_half = whole((x.wrapping_mul(y) as u128 >> $bits::BITS) as $bits);
                            assert_eq!(mad_hi::<$type>(a, b, c), (high_half + whole(c)) as $bits);
                            let sum = (high_half + whole(c)).clamp(low, high);
                            assert_eq!(mad_hi_sat::<$type>(a, b, c), sum as $bits);
                        }
                    }
                }
            }
        };
    }

    against_whole_numbers!(u16_is_exact u16 u16);
    against_whole_numbers!(s16_is_exact i16 u16);
    against_whole_numbers!(u32_is_exact u32 u32);
    against_whole_numbers!(s32_is_exact i32 u32);
    against_whole_numbers!(u64_is_exact u64 u64);
    against_whole_numbers!(s64_is_exact i64 u64);

    #[test]
    fn wide_products_lose_nothing() {
        for a in words() {
            for b in words() {
                assert_eq!(u128::from(mul_wide::<u32>(a, b)), u128::from(a) * u128::from(b));
                let product = i128::from(a as i32) * i128::from(b as i32);
                assert_eq!(i128::from(mul_wide::<i32>(a, b) as i64), product);
                assert_eq!(mad_wide::<i32>(a, b, u64::MAX), (product - 1) as u64);
                let product = i64::from(a as i16) * i64::from(b as i16);
                assert_eq!(i64::from(mul_wide::<i16>(a as u16, b as u16) as i32), product);
                assert_eq!(mul_wide::<u16>(a as u16, b as u16), (a & 0xffff) * (b & 0xffff));
            }
        }
    }

    #[test]
    fn only_24_bits_are_multiplied() {
        let signed = |a: u32| i64::from(a & 0x7f_ffff) - i64::from(a & 0x80_0000);
        for a in words() {
            for b in words() {
                let product = u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff);
                assert_eq!(mul24_hi::<u32>(a, b), (product >> 16) as u32);
                assert_eq!(mul24_lo::<u32>(a, b), product as u32);
                let product = signed(a) * signed(b);
                assert_eq!(mul24_hi::<i32>(a, b), (product >> 16) as u32);
                assert_eq!(mul24_lo::<i32>(a, b), product as u32);
                for c in [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
                    let sum = (product >> 16) + i64::from(c as i32);
                    assert_eq!(mad24_hi::<i32>(a, b, c), sum as u32);
                    let limited = sum.clamp(i32::MIN.into(), i32::MAX.into());
                    assert_eq!(mad24_hi_sat::<i32>(a, b, c), limited as u32);
                    assert_eq!(mad24_lo::<i32>(a, b, c), (product + i64::from(c)) as u32);
                }
            }
        }
    }
}
