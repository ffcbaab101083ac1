//! Integers of 8 to 64 bits, and the conversions between them.

/// A type of integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer {
    bits: u32,
    signed: bool,
}

pub const U8: Integer = Integer { bits: 8, signed: false };
pub const U16: Integer = Integer { bits: 16, signed: false };
pub const U32: Integer = Integer { bits: 32, signed: false };
pub const U64: Integer = Integer { bits: 64, signed: false };
pub const S8: Integer = Integer { bits: 8, signed: true };
pub const S16: Integer = Integer { bits: 16, signed: true };
pub const S32: Integer = Integer { bits: 32, signed: true };
pub const S64: Integer = Integer { bits: 64, signed: true };

impl Integer {
    /// The number of bits of a value.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// The pattern with only the highest bit set: the smallest signed number.
    pub(super) const fn top_bit(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// The largest value.
    pub(super) const fn largest(self) -> u64 {
        let all = u64::MAX >> (64 - self.bits);
        if self.signed { all >> 1 } else { all }
    }

    /// The magnitude of the smallest value, which is not positive.
    const fn smallest(self) -> u64 {
        if self.signed { self.top_bit() } else { 0 }
    }

    /// Bits above the type's own are ignored.
    pub(super) const fn read(self, bits: u64) -> (bool, u64) {
        let unused = 64 - self.bits;
        if self.signed {
            let value = ((bits << unused) as i64) >> unused;
            (value < 0, value.unsigned_abs())
        } else {
            (false, (bits << unused) >> unused)
        }
    }

    /// The bits of the value nearest to a number of this sign and magnitude.
    pub(super) const fn clamp(self, negative: bool, magnitude: u64) -> u64 {
        let limit = if negative { self.smallest() } else { self.largest() };
        let magnitude = if magnitude < limit { magnitude } else { limit };
        let value = if negative { magnitude.wrapping_neg() } else { magnitude };
        value & (u64::MAX >> (64 - self.bits))
    }
}

/// One integer type to another: to the nearest value with `.sat`, else the low bits.
#[must_use]
pub const fn integer_to_integer(bits: u64, from: Integer, to: Integer, saturate: bool) -> u64 {
    let (negative, magnitude) = from.read(bits);
    if saturate {
        to.clamp(negative, magnitude)
    } else {
        let value = if negative { magnitude.wrapping_neg() } else { magnitude };
        value & (u64::MAX >> (64 - to.bits))
    }
}
