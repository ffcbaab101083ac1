//! The arithmetic that the functions of the unit share: a quadratic polynomial in fixed point, and its squarer.

/// The NaN that every f32 operation of the hardware gives.
pub const NAN: u32 = 0x7fff_ffff;
pub const INFINITY: u32 = 0x7f80_0000;
/// The upper word of a double's infinity.
pub const INFINITY64H: u32 = 0x7ff0_0000;
pub const SIGN: u32 = 0x8000_0000;
pub const MANTISSA: u32 = 0x007f_ffff;

/// How a function's polynomial is put together: `(c0 << c0_shift) ± c1 * x ± (c2 * square(x) << c2_shift) + k`.
pub struct Polynomial {
    pub c0_shift: u32,
    pub c1_negative: bool,
    pub c2_negative: bool,
    pub c2_shift: u32,
    pub k: i64,
}

impl Polynomial {
    /// The polynomial of a table entry (c0 in the lower word, c1 and c2 in the halves of the upper one) at `x`.
    #[inline(always)]
    pub const fn at(&self, entry: u64, x: u32, square: u32) -> i64 {
        let c0 = (entry & 0xffff_ffff) << self.c0_shift;
        let c1 = (entry >> 32 & 0xffff) * x as u64;
        let c2 = ((entry >> 48) * square as u64) << self.c2_shift;
        let c1 = if self.c1_negative { -(c1 as i64) } else { c1 as i64 };
        let c2 = if self.c2_negative { -(c2 as i64) } else { c2 as i64 };
        c0 as i64 + c1 + c2 + self.k
    }

    /// A table entry from its coefficients.
    pub const fn entry(c0: u32, c1: u16, c2: u16) -> u64 {
        c0 as u64 | (c1 as u64) << 32 | (c2 as u64) << 48
    }
}

/// The unit's squarer: about `x * x >> 19` of 17 bits, from an array of partial products each cut off on its own.
///
/// It is the sum of `x >> (18 - i)` over the bits `i` of `x` that are set, halved: of the products of two bits those
/// at or above column 18. Cutting `x` into an upper part of 8 bits and a lower of 9 leaves the square of the upper
/// part, none of the lower, and the upper columns of the cross product, which is cut the same way once more.
#[inline(always)]
pub const fn square(x: u32) -> u32 {
    let (upper, lower) = (x >> 9, x & 0x1ff);
    let (a, b) = (upper >> 4, upper & 0xf);
    let (c, d) = (lower >> 5, lower & 0x1f);
    let cross = a * c
        + bit(a, 1, d >> 4)
        + bit(a, 2, d >> 3)
        + bit(a, 3, d >> 2)
        + bit(b, 1, c >> 3)
        + bit(b, 2, c >> 2)
        + bit(b, 3, c >> 1);
    ((upper * upper) >> 1) + cross
}

/// `value` where bit `i` of `x` is set, else 0.
#[inline(always)]
const fn bit(x: u32, i: u32, value: u32) -> u32 {
    (x >> i & 1).wrapping_neg() & value
}

#[cfg(test)]
mod tests {
    #[test]
    fn squarer_is_the_array_of_cut_off_products() {
        for x in (0u32..1 << 17).step_by(if cfg!(miri) { 509 } else { 1 }) {
            let sum: u32 = (2..=16).filter(|i| x >> i & 1 == 1).map(|i| x >> (18 - i)).sum();
            assert_eq!(super::square(x), sum >> 1, "{x:#x}");
        }
    }
}
