//! What is undefined of a result, bit by bit, where the operation allows to say it: logic, shifts, fields, sums, products.

/// A value of one lane and its undefined bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    pub value: u128,
    pub undefined: u128,
}

impl Known {
    pub fn is_defined(self) -> bool {
        self.undefined == 0
    }

    /// The bits that may be one.
    pub fn may_be_one(self) -> u128 {
        self.value | self.undefined
    }

    /// The bits that may be zero.
    pub fn may_be_zero(self) -> u128 {
        !self.value | self.undefined
    }

    /// Its lowest bits.
    #[must_use]
    pub fn low(self, bits: u32) -> Self {
        let all = ones(bits);
        Self { value: self.value & all, undefined: self.undefined & all }
    }
}

/// So many ones.
pub fn ones(bits: u32) -> u128 {
    match bits {
        0 => 0,
        _ => u128::MAX >> (128 - bits.min(128)),
    }
}

pub fn and(a: Known, b: Known) -> u128 {
    (a.undefined | b.undefined) & a.may_be_one() & b.may_be_one()
}

pub fn or(a: Known, b: Known) -> u128 {
    (a.undefined | b.undefined) & a.may_be_zero() & b.may_be_zero()
}

/// A function of three bits by its table.
pub fn lop3(table: u8, a: Known, b: Known, c: Known) -> u128 {
    let side = |known: Known, one: bool| if one { known.may_be_one() } else { known.may_be_zero() };
    let (zero, one) = (0..8u8).fold((0, 0), |(zero, one), row| {
        let can = side(a, row & 4 != 0) & side(b, row & 2 != 0) & side(c, row & 1 != 0);
        if table >> row & 1 != 0 { (zero, one | can) } else { (zero | can, one) }
    });
    zero & one
}

/// Sums, differences and low products: a bit depends on those from the lowest undefined one up.
pub fn upwards(undefined: u128) -> u128 {
    match undefined {
        0 => 0,
        _ => u128::MAX << undefined.trailing_zeros(),
    }
}

/// The low bits of a product: as in sums, but zeros at the end of one factor are zeros of the product.
pub fn product_of(a: Known, b: Known) -> u128 {
    let from = |one: Known, other: Known| match (one.undefined, other.may_be_one()) {
        (0, _) | (_, 0) => 0,
        (undefined, others) => {
            u128::MAX.checked_shl(undefined.trailing_zeros() + others.trailing_zeros()).unwrap_or(0)
        }
    };
    from(a, b) | from(b, a)
}

/// The number of zeros before the first one; `all_or_nothing` unless that one is defined.
pub fn leading(a: Known, bits: u32) -> u128 {
    let Known { value, undefined } = a.low(bits);
    let first_is_defined = undefined < value & !undefined || undefined == 0;
    if first_is_defined { 0 } else { u128::MAX }
}

/// A shift to the left.
pub fn left(a: Known, by: Known, bits: u32) -> u128 {
    match (by.is_defined(), a.is_defined()) {
        (true, _) if by.value < u128::from(bits) => a.undefined << by.value,
        (true, _) => 0,
        (false, true) if a.value & ones(bits) == 0 => 0,
        (false, _) => ones(bits),
    }
}

/// A shift to the right.
pub fn right(a: Known, by: Known, bits: u32, signed: bool) -> u128 {
    if !by.is_defined() {
        return if a.low(bits).undefined == 0 && a.low(bits).value == 0 { 0 } else { ones(bits) };
    }
    let undefined = if signed { extended(a.undefined, bits) } else { a.undefined & ones(bits) };
    match by.value {
        by if by < 128 && (signed || by < u128::from(bits)) => undefined >> by & ones(bits),
        _ if signed && undefined >> 127 != 0 => ones(bits),
        _ => 0,
    }
}

/// The undefined bits of a number that is sign-extended from so many bits.
pub fn extended(undefined: u128, bits: u32) -> u128 {
    let low = undefined & ones(bits);
    if bits > 0 && low >> (bits - 1) & 1 != 0 { low | !ones(bits) } else { low }
}

/// A field of bits, from a position on.
pub fn field(a: Known, from: Known, length: Known, bits: u32, signed: bool) -> u128 {
    // Of both the lowest byte counts alone.
    if (from.undefined | length.undefined) & 0xff != 0 {
        return ones(bits);
    }
    let (from, length) = ((from.value & 0xff) as u32, (length.value & 0xff) as u32);
    let found = if from < bits { (a.undefined & ones(bits)) >> from } else { 0 };
    match signed {
        true if length > 0 => extended(found, length.min(bits.saturating_sub(from).max(1))) & ones(bits),
        _ => found & ones(length),
    }
}

/// Bits of `a` put into `b`, from a position on.
pub fn inserted(a: Known, b: Known, from: Known, length: Known, bits: u32) -> u128 {
    // Of both the lowest byte counts alone.
    if (from.undefined | length.undefined) & 0xff != 0 {
        return ones(bits);
    }
    let (from, length) = ((from.value & 0xff) as u32, (length.value & 0xff) as u32);
    if from >= bits {
        return b.undefined;
    }
    let place = ones(length) << from;
    (a.undefined << from & place | b.undefined & !place) & ones(bits)
}

/// Bytes of two words, each chosen by four bits of a selector.
pub fn permuted(a: Known, b: Known, selector: Known) -> u128 {
    if selector.low(16).undefined != 0 {
        return if a.low(32).is_defined() && b.low(32).is_defined() && a.value == b.value {
            0
        } else {
            ones(32)
        };
    }
    let both = a.undefined & ones(32) | (b.undefined & ones(32)) << 32;
    (0..4).fold(0, |result, byte| {
        let choice = (selector.value >> (4 * byte)) as u32;
        let chosen = both >> (8 * (choice & 7)) & 0xff;
        let chosen = if choice & 8 == 0 { chosen } else { (chosen >> 7) * 0xff };
        result | chosen << (8 * byte)
    })
}

/// The smallest and the largest number that an integer may be; signed ones are moved up so that all count from zero.
pub fn range(known: Known, bits: u32, signed: bool) -> (u128, u128) {
    let flip = if signed { 1u128 << (bits - 1) } else { 0 };
    let (value, undefined) = ((known.value ^ flip) & ones(bits), known.undefined & ones(bits));
    (value & !undefined, value | undefined)
}

/// Whether two integers differ in a bit that is defined of both.
pub fn differ(a: Known, b: Known, bits: u32) -> bool {
    (a.value ^ b.value) & !(a.undefined | b.undefined) & ones(bits) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values that a number may have.
    fn all(known: Known, bits: u32) -> impl Iterator<Item = u128> {
        let Known { value, undefined } = known.low(bits);
        (0..1u128 << bits).filter(move |number| (number ^ value) & !undefined == 0)
    }

    /// The bits in which results differ.
    fn open(results: impl Iterator<Item = u128>) -> u128 {
        let (mut zero, mut one) = (0, 0);
        for result in results {
            (zero, one) = (zero | !result, one | result);
        }
        zero & one
    }

    #[test]
    fn no_bit_that_may_differ_is_called_defined() {
        const BITS: u32 = 4;
        let some: Vec<Known> =
            (0..16).flat_map(|value| [0, 1, 6, 8, 15].map(|undefined| Known { value, undefined })).collect();
        for a in &some {
            for b in &some {
                let (a, b) = (*a, *b);
                let pairs = || all(a, BITS).flat_map(move |x| all(b, BITS).map(move |y| (x, y)));
                let within = |f: fn(u128, u128) -> u128| open(pairs().map(|(x, y)| f(x, y) & ones(BITS)));
                assert_eq!(within(|x, y| x & y), and(a, b) & ones(BITS), "{a:?} and {b:?}");
                assert_eq!(within(|x, y| x | y), or(a, b) & ones(BITS), "{a:?} or {b:?}");
                assert_eq!(within(|x, y| x & !y), lop3(0x30, a, b, Known::default()) & ones(BITS));
                let sum = within(|x, y| x + y);
                assert_eq!(sum & !upwards(a.undefined | b.undefined), 0, "{a:?} + {b:?}");
                let product = within(|x, y| x * y);
                assert_eq!(product & !product_of(a, b), 0, "{a:?} * {b:?}");
                let shifted = within(|x, y| x << y);
                assert_eq!(shifted & !left(a, b, BITS), 0, "{a:?} << {b:?}");
                let shifted = within(|x, y| x >> y);
                assert_eq!(shifted & !right(a, b, BITS, false), 0, "{a:?} >> {b:?}");
            }
        }
    }
}
