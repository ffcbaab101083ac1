//! What values are while they are blended: the H200 does not blend the floats that point sampling gives, but what the
//! format needs, and makes floats of the sums.

use crate::decode::{half_to_float, unorm16};
use crate::encode::float_to_half;

/// In what numbers a channel is blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Whole numbers from 0 to 65535 for what is read as 0 to 1.
    Unorm,
    /// The same, for what is stored in ten bits, which are widened by repeating the highest.
    Ten,
    /// Whole numbers from -32767 to 32767 for what is read as -1 to 1.
    Snorm,
    /// The same, for what is stored in seven bits and a sign.
    Seven,
    /// Half floats.
    Half,
    /// Floats.
    Float,
    /// Integers of 8 or 16 bits.
    Small,
    /// Integers of 32 bits without a sign.
    Unsigned,
    /// Integers of 32 bits with a sign.
    Signed,
}

impl Domain {
    /// The number that a value is blended as, by the value's 32 bits; of floats, the bits of the half or the float.
    /// There is one float and one half that are no number, and no float is subnormal.
    #[must_use]
    #[inline]
    pub fn enter(self, bits: u32) -> i64 {
        let float = f32::from_bits(bits);
        match self {
            Self::Unorm => (float * 65535.0 + 0.5) as i64,
            Self::Ten => {
                let ten = (float * 1023.0 + 0.5) as i64;
                ten << 6 | ten >> 4
            }
            Self::Snorm => {
                let magnitude = (float.abs() * 32767.0 + 0.5) as i64;
                if float < 0.0 { -magnitude } else { magnitude }
            }
            Self::Seven => {
                let seven = (float * 127.0).round_ties_even() as i64;
                // The highest bits are repeated; of a negative number, those of what is one less.
                258 * seven + if seven < 0 { (seven >> 6) + 1 } else { seven >> 6 }
            }
            Self::Half if float.is_nan() => 0x7fff,
            // Every such value is a half, so that nothing is rounded.
            Self::Half => i64::from(float_to_half(bits)),
            Self::Float if float.is_nan() => 0x7fff_ffff,
            Self::Float if float.is_subnormal() => i64::from(bits & 0x8000_0000),
            Self::Float | Self::Unsigned => i64::from(bits),
            Self::Small | Self::Signed => i64::from(bits as i32),
        }
    }

    /// The 32 bits of a value, by the number that it has been blended as.
    #[must_use]
    #[inline]
    pub fn leave(self, number: i64) -> u32 {
        match self {
            Self::Unorm | Self::Ten => unorm16(number as u16),
            Self::Snorm | Self::Seven => (number as f32 / 32767.0).to_bits(),
            Self::Half => half_to_float(number as u16),
            Self::Float | Self::Unsigned | Self::Small | Self::Signed => number as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{snorm8, snorm16, unorm8};

    #[test]
    fn bytes_become_sixteen_bits_by_repetition() {
        for byte in 0..=255u8 {
            assert_eq!(Domain::Unorm.enter(unorm8(byte)), 257 * i64::from(byte));
        }
        for byte in -128..=127i8 {
            let byte = byte.max(-127);
            let more = i64::from(byte >= 64) - i64::from(byte <= -65);
            assert_eq!(Domain::Seven.enter(snorm8(byte)), 258 * i64::from(byte) + more);
        }
    }

    #[test]
    fn sixteen_bits_come_back_as_they_were() {
        for bits in 0..=u16::MAX {
            assert_eq!(Domain::Unorm.enter(unorm16(bits)), i64::from(bits));
            assert_eq!(Domain::Unorm.leave(i64::from(bits)), unorm16(bits));
            let signed = bits as i16;
            assert_eq!(Domain::Snorm.enter(snorm16(signed)), i64::from(signed.max(-32767)));
            let none = bits & 0x7fff > 0x7c00;
            assert_eq!(Domain::Half.enter(half_to_float(bits)), if none { 0x7fff } else { i64::from(bits) });
        }
    }
}
