//! Dot products of the bytes and halves of a word, 9.7.1.23 and 9.7.1.24: `dp4a` and `dp2a`.

/// Byte `index` of `word`, extended by its sign or by zeros.
#[inline(always)]
fn byte<const SIGNED: bool>(word: u32, index: u32) -> i32 {
    let byte = (word >> (8 * index)) as u8;
    if SIGNED { i32::from(byte as i8) } else { i32::from(byte) }
}

/// Half `index` of `word`, extended likewise.
#[inline(always)]
fn half<const SIGNED: bool>(word: u32, index: u32) -> i32 {
    let half = (word >> (16 * index)) as u16;
    if SIGNED { i32::from(half as i16) } else { i32::from(half) }
}

/// `dp4a`: four products of bytes, added to `c` without saturation. The parameters say which side is signed.
#[inline(always)]
pub fn dp4a<const A: bool, const B: bool>(a: u32, b: u32, c: u32) -> u32 {
    let mut d = c;
    for i in 0..4 {
        d = d.wrapping_add((byte::<A>(a, i) * byte::<B>(b, i)) as u32);
    }
    d
}

/// `dp2a.lo`: the halves of `a` with the two low bytes of `b`.
#[inline(always)]
pub fn dp2a_lo<const A: bool, const B: bool>(a: u32, b: u32, c: u32) -> u32 {
    let mut d = c;
    for i in 0..2 {
        d = d.wrapping_add((half::<A>(a, i) * byte::<B>(b, i)) as u32);
    }
    d
}

/// `dp2a.hi`: the halves of `a` with the two high bytes of `b`.
#[inline(always)]
pub fn dp2a_hi<const A: bool, const B: bool>(a: u32, b: u32, c: u32) -> u32 {
    dp2a_lo::<A, B>(a, b >> 16, c)
}

#[cfg(test)]
mod tests {
    use super::super::samples::words;
    use super::*;

    #[test]
    fn products_of_parts_are_added() {
        let signed_bytes = |word: u32| word.to_le_bytes().map(|byte| i64::from(byte as i8));
        let bytes = |word: u32| word.to_le_bytes().map(i64::from);
        let halves = |word: u32| [i64::from(word & 0xffff), i64::from(word >> 16)];
        let signed_halves = |word: u32| [i64::from(word as i16), i64::from((word >> 16) as i16)];
        let sum = |a: &[i64], b: &[i64], c: u32| {
            (i64::from(c) + a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>()) as u32
        };
        for a in words() {
            for b in words() {
                let c = a.rotate_left(9);
                let (sa, ua, sb, ub) = (signed_bytes(a), bytes(a), signed_bytes(b), bytes(b));
                assert_eq!(dp4a::<true, true>(a, b, c), sum(&sa, &sb, c));
                assert_eq!(dp4a::<true, false>(a, b, c), sum(&sa, &ub, c));
                assert_eq!(dp4a::<false, true>(a, b, c), sum(&ua, &sb, c));
                assert_eq!(dp4a::<false, false>(a, b, c), sum(&ua, &ub, c));
                let (sa, ua) = (signed_halves(a), halves(a));
                assert_eq!(dp2a_lo::<true, false>(a, b, c), sum(&sa, &ub[..2], c));
                assert_eq!(dp2a_hi::<true, true>(a, b, c), sum(&sa, &sb[2..], c));
                assert_eq!(dp2a_lo::<false, true>(a, b, c), sum(&ua, &sb[..2], c));
                assert_eq!(dp2a_hi::<false, false>(a, b, c), sum(&ua, &ub[2..], c));
            }
        }
    }
}
