//! Bits and fields of bits, 9.7.1.14 to 9.7.1.22: `popc` to `bmsk`.

use super::Int;
use super::logic::{shl, shr};

/// `popc`
#[inline(always)]
pub fn popc<T: Int>(a: T::Bits) -> u32 {
    a.count_ones()
}

/// `clz`
#[inline(always)]
pub fn clz<T: Int>(a: T::Bits) -> u32 {
    a.leading_zeros()
}

/// `brev`
#[inline(always)]
pub fn brev<T: Int>(a: T::Bits) -> T::Bits {
    a.reverse_bits()
}

/// The zeros above the highest bit that differs from the sign: all the width if there is none.
#[inline(always)]
fn signs<T: Int>(a: T::Bits) -> u32 {
    let negative = T::SIGNED & (T::of(a) < T::ZERO);
    (if negative { !a } else { a }).leading_zeros()
}

/// `bfind`: where that bit is, and `0xffffffff` if there is none.
#[inline(always)]
pub fn bfind<T: Int>(a: T::Bits) -> u32 {
    (T::BITS - 1).wrapping_sub(signs::<T>(a))
}

/// `bfind.shiftamt`: how far it is from the top, and `0xffffffff` if there is none.
#[inline(always)]
pub fn bfind_shiftamt<T: Int>(a: T::Bits) -> u32 {
    let signs = signs::<T>(a);
    if signs == T::BITS { u32::MAX } else { signs }
}

/// `fns.b32`: the place of the n-th one of `mask`, counted from `base` upwards or, for a negative `offset`,
/// downwards, the bit at `base` included; `offset` 0 asks for that bit alone. Without such a one, and with a
/// `base` outside the mask, `0xffffffff`; but the `offset` that has no opposite gives 0 whatever the mask.
#[inline]
pub fn fns(mask: u32, base: u32, offset: u32) -> u32 {
    let offset = offset as i32;
    if offset == i32::MIN {
        return 0;
    }
    if base > 31 {
        return u32::MAX;
    }
    if offset < 0 {
        let from_above = upward(mask.reverse_bits() & (u32::MAX << (31 - base)), offset.unsigned_abs() - 1);
        return from_above.map_or(u32::MAX, |place| 31 - place);
    }
    let ones = mask & if offset == 0 { 1 << base } else { u32::MAX << base };
    upward(ones, offset.unsigned_abs().saturating_sub(1)).unwrap_or(u32::MAX)
}

/// The place of the lowest one after `skipped` ones.
fn upward(mut ones: u32, skipped: u32) -> Option<u32> {
    for _ in 0..skipped.min(32) {
        ones &= ones.wrapping_sub(1);
    }
    (ones != 0).then(|| ones.trailing_zeros())
}

/// The low `length` bits, all of them from the width on.
#[inline(always)]
fn ones<T: Int>(length: u32) -> T::Bits {
    !shl::<T>(!T::Bits::ZERO, length)
}

/// The low `length` bits of `a`, extended by zeros or by the highest of them.
#[inline(always)]
fn extended<T: Int>(a: T::Bits, length: u32) -> T::Bits {
    if T::SIGNED {
        // An empty field is shifted out whole: its distance is the width, which `shl` takes for that.
        let distance = T::BITS - length.min(T::BITS);
        shr::<T>(shl::<T>(a, distance), distance)
    } else {
        a & ones::<T>(length)
    }
}

/// A position or length of `bfe` and `bfi`. The 32-bit ones take the low eight bits of a register for it, as the
/// manual says; the 64-bit ones, made of shifts, take all of it.
#[inline(always)]
fn counted<T: Int>(count: u32) -> u32 {
    if T::BITS == 32 { count & 0xff } else { count }
}

/// `bfe`: the field of `length` bits from `position` on; what lies above the word is its sign.
#[inline(always)]
pub fn bfe<T: Int>(a: T::Bits, position: u32, length: u32) -> T::Bits {
    extended::<T>(shr::<T>(a, counted::<T>(position)), counted::<T>(length))
}

/// `bfi`: `b` with the low `length` bits of `a` from `position` on; what would lie above the word is lost.
#[inline(always)]
pub fn bfi<T: Int>(a: T::Bits, b: T::Bits, position: u32, length: u32) -> T::Bits {
    let position = counted::<T>(position);
    let field = shl::<T>(ones::<T>(counted::<T>(length)), position);
    (shl::<T>(a, position) & field) | (b & !field)
}

/// `szext.clamp`: 32 bits or more are the whole word.
#[inline(always)]
pub fn szext_clamp<T: Int>(a: T::Bits, length: u32) -> T::Bits {
    extended::<T>(a, length)
}

/// `szext.wrap`: the length counts by its low five bits.
#[inline(always)]
pub fn szext_wrap<T: Int>(a: T::Bits, length: u32) -> T::Bits {
    extended::<T>(a, length & 31)
}

/// `bmsk.clamp`
#[inline(always)]
pub fn bmsk_clamp(position: u32, width: u32) -> u32 {
    shl::<u32>(ones::<u32>(width), position)
}

/// `bmsk.wrap`
#[inline(always)]
pub fn bmsk_wrap(position: u32, width: u32) -> u32 {
    bmsk_clamp(position & 31, width & 31)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{STEP, samples, words};
    use super::*;

    /// Positions and lengths, some of them more than eight bits.
    const COUNTS: &[u32] =
        &[0, 1, 2, 7, 8, 16, 31, 32, 33, 40, 63, 64, 65, 100, 255, 256, 257, 0x120, 0xffff_ffff];

    fn bit(a: u64, place: u64) -> u64 {
        a >> place & 1
    }

    /// The field bit by bit, with `width` bits in the word.
    fn field(a: u64, position: u64, length: u64, width: u64, signed: bool) -> u64 {
        let top = if position + length > width { width - 1 } else { (position + length).saturating_sub(1) };
        let sign = if signed && length > 0 { bit(a, top) } else { 0 };
        (0..width).fold(0, |d, i| {
            let inside = i < length && position + i < width;
            d | if inside { bit(a, position + i) } else { sign } << i
        })
    }

    fn inserted(a: u64, b: u64, position: u64, length: u64, width: u64) -> u64 {
        (0..width).fold(0, |d, i| {
            let inside = i >= position && i - position < length;
            d | if inside { bit(a, i - position) } else { bit(b, i) } << i
        })
    }

    #[test]
    fn fields_are_taken_and_put_bit_by_bit() {
        for a in samples() {
            for &position in COUNTS {
                for &length in COUNTS {
                    // Eight bits of a count matter to words, all of them to double words.
                    let (p, l) = (u64::from(position & 255), u64::from(length & 255));
                    let word = u64::from(a as u32);
                    assert_eq!(
                        u64::from(bfe::<u32>(a as u32, position, length)),
                        field(word, p, l, 32, false)
                    );
                    assert_eq!(
                        u64::from(bfe::<i32>(a as u32, position, length)),
                        field(word, p, l, 32, true)
                    );
                    let b = 0x0123_4567_89ab_cdef;
                    let put = inserted(word, b & 0xffff_ffff, p, l, 32);
                    assert_eq!(u64::from(bfi::<u32>(a as u32, b as u32, position, length)), put);
                    let (p, l) = (position.into(), length.into());
                    assert_eq!(bfe::<u64>(a, position, length), field(a, p, l, 64, false));
                    assert_eq!(bfe::<i64>(a, position, length), field(a, p, l, 64, true));
                    assert_eq!(bfi::<u64>(a, b, position, length), inserted(a, b, p, l, 64));
                }
            }
        }
    }

    #[test]
    fn extensions_and_masks_are_fields() {
        for a in words() {
            for &length in COUNTS {
                let clamped = u64::from(length.min(32));
                let wrapped = u64::from(length % 32);
                let word = u64::from(a);
                assert_eq!(u64::from(szext_clamp::<u32>(a, length)), field(word, 0, clamped, 32, false));
                assert_eq!(u64::from(szext_clamp::<i32>(a, length)), field(word, 0, clamped, 32, true));
                assert_eq!(u64::from(szext_wrap::<u32>(a, length)), field(word, 0, wrapped, 32, false));
                assert_eq!(u64::from(szext_wrap::<i32>(a, length)), field(word, 0, wrapped, 32, true));
            }
        }
        for &position in COUNTS {
            for &width in COUNTS {
                let clamped = inserted(!0, 0, position.into(), width.into(), 32);
                assert_eq!(u64::from(bmsk_clamp(position, width)), clamped);
                let wrapped = inserted(!0, 0, u64::from(position % 32), u64::from(width % 32), 32);
                assert_eq!(u64::from(bmsk_wrap(position, width)), wrapped);
            }
        }
    }

    #[test]
    fn the_highest_bit_that_counts_is_found() {
        for a in samples() {
            let highest = |a: u64, width: u64, sign: u64| {
                (0..width).rev().find(|&i| bit(a, i) != sign).map_or(u32::MAX, |i| i as u32)
            };
            let word = u64::from(a as u32);
            assert_eq!(bfind::<u32>(a as u32), highest(word, 32, 0));
            assert_eq!(bfind::<i32>(a as u32), highest(word, 32, bit(a, 31)));
            assert_eq!(bfind::<u64>(a), highest(a, 64, 0));
            assert_eq!(bfind::<i64>(a), highest(a, 64, bit(a, 63)));
            let amount = |found: u32, top: u32| if found == u32::MAX { found } else { top - found };
            assert_eq!(bfind_shiftamt::<i32>(a as u32), amount(bfind::<i32>(a as u32), 31));
            assert_eq!(bfind_shiftamt::<u64>(a), amount(bfind::<u64>(a), 63));
            assert_eq!(clz::<u64>(a), 63u32.wrapping_sub(highest(a, 64, 0)));
            assert_eq!(u64::from(popc::<u64>(a)), (0..64).map(|i| bit(a, i)).sum::<u64>());
            assert_eq!(brev::<u64>(a), (0..64).fold(0, |d, i| d | bit(a, 63 - i) << i));
        }
    }

    #[test]
    fn the_nth_one_is_found_by_walking() {
        for mask in words() {
            for base in (0..34).step_by(STEP) {
                for offset in
                    [0, 1, 2, 3, 16, 31, 32, 33, 1000, i32::MAX, -1, -2, -3, -17, -32, -33, i32::MIN + 1]
                {
                    let walk: Vec<u32> = match offset {
                        0 => vec![base],
                        1.. => (base..32).collect(),
                        _ => (0..=base).rev().collect(),
                    };
                    let ones: Vec<u32> = walk.into_iter().filter(|&p| p < 32 && mask >> p & 1 == 1).collect();
                    let nth = offset.unsigned_abs().max(1) as usize - 1;
                    let wanted = if base > 31 { None } else { ones.get(nth) };
                    let found = fns(mask, base, offset as u32);
                    assert_eq!(found, wanted.copied().unwrap_or(u32::MAX), "{mask:x} {base} {offset}");
                }
            }
        }
    }
}
