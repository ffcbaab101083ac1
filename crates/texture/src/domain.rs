//! The numbers in which texels are blended. The H200 does not blend the floats that point sampling gives: it uses numbers
//! that depend on the format, and converts the sums to floats.

use crate::encode::float_to_half;
use crate::number::{half_to_float, unorm16};

/// In what numbers a channel is blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Whole numbers from 0 to 65535 for what is read as 0 to 1.
    Unorm,
    /// The same, for what is stored in ten bits, which are widened by repeating the highest.
    Unorm10,
    /// Whole numbers from -128 to 127 for what is read as -1 to 1.
    Snorm8,
    /// Whole numbers from -32768 to 32767 for what is read as -1 to 1.
    Snorm16,
    /// Half floats, by their bits.
    Half,
    /// Half floats of at most eight significant bits, by their bits.
    Srgb,
    /// Floats, by their bits.
    Float,
    /// Integers of 8 or 16 bits.
    Small,
    /// Integers of 32 bits without a sign.
    Unsigned,
    /// Integers of 32 bits with a sign.
    Signed,
}

impl Domain {
    /// The number that a value is blended as, by the 32 bits that point sampling gives. There is one float and one half
    /// that are no number, and no float is subnormal.
    #[must_use]
    #[inline]
    pub fn enter(self, bits: u32) -> i64 {
        let float = f32::from_bits(bits);
        match self {
            Self::Unorm => (float * 65535.0 + 0.5) as i64,
            Self::Unorm10 => {
                let ten = (float * 1023.0 + 0.5) as i64;
                ten << 6 | ten >> 4
            }
            Self::Snorm8 => (float * 127.0).round_ties_even() as i64,
            Self::Snorm16 => (float * 32767.0).round_ties_even() as i64,
            Self::Half | Self::Srgb if float.is_nan() => 0x7fff,
            // Every such value is a half, so that nothing is rounded.
            Self::Half | Self::Srgb => i64::from(float_to_half(bits)),
            Self::Float if float.is_nan() => 0x7fff_ffff,
            Self::Float if float.is_subnormal() => i64::from(bits & 0x8000_0000),
            Self::Float | Self::Unsigned => i64::from(bits),
            Self::Small | Self::Signed => i64::from(bits as i32),
        }
    }

    /// The 32 bits of what a number gives alone, with all the weight.
    #[must_use]
    #[inline]
    pub fn alone(self, number: i64) -> u32 {
        match self {
            Self::Half | Self::Srgb => half_to_float(number as u16),
            Self::Float => number as u32,
            _ => self.sum(number << 8),
        }
    }

    /// The 32 bits of what a sum of whole numbers gives, each times its weight in 256ths. Floats are not summed so.
    #[must_use]
    #[inline]
    pub fn sum(self, sum: i64) -> u32 {
        self.finer_sum(sum, 0)
    }

    /// The same of weights that are finer than 256ths by some bits.
    #[must_use]
    #[inline]
    pub fn finer_sum(self, sum: i64, bits: u32) -> u32 {
        let snorm = |number: i64| (number.clamp(-32767, 32767) as f32 / 32767.0).to_bits();
        let rounded = |sum: i64| (sum + (128 << bits)) >> (8 + bits);
        match self {
            Self::Unorm | Self::Unorm10 => unorm16(rounded(sum) as u16),
            // Seven bits are widened to fifteen by adding them again further down, and again.
            Self::Snorm8 => {
                let again = (sum >> (4 + bits)) + (sum >> (12 + bits));
                snorm((8 * sum + (again << bits) + (4 << bits)) >> (3 + bits))
            }
            Self::Snorm16 => snorm(rounded(sum)),
            Self::Small => rounded(sum) as u32,
            Self::Unsigned | Self::Signed | Self::Half | Self::Srgb | Self::Float => {
                (sum >> (8 + bits)) as u32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{snorm8, snorm16, unorm8};

    #[test]
    fn bytes_become_sixteen_bits_by_repetition() {
        for byte in 0..=255u8 {
            assert_eq!(Domain::Unorm.enter(unorm8(byte)), 257 * i64::from(byte));
        }
        // An H200's tld4, of -127, -65, -64, -1, 1, 63, 64 and 127.
        let seen = [
            (-127, 0xbf80_0000),
            (-65, 0xbf03_0706),
            (-64, 0xbf01_0102),
            (-1, 0xbc01_0102),
            (1, 0x3c01_0102),
            (64, 0x3f01_0302),
            (65, 0x3f03_0706),
            (127, 0x3f80_0000),
        ];
        for (byte, bits) in seen {
            assert_eq!(Domain::Snorm8.alone(byte), bits, "{byte}");
            assert_eq!(Domain::Snorm8.enter(snorm8(byte as i8)), byte);
        }
        assert_eq!(Domain::Snorm8.alone(-128), Domain::Snorm8.alone(-127));
    }

    #[test]
    fn sixteen_bits_come_back_as_they_were() {
        for bits in 0..=u16::MAX {
            assert_eq!(Domain::Unorm.enter(unorm16(bits)), i64::from(bits));
            assert_eq!(Domain::Unorm.alone(i64::from(bits)), unorm16(bits));
            assert_eq!(Domain::Snorm16.alone(i64::from(bits as i16)), snorm16(bits as i16));
            let none = bits & 0x7fff > 0x7c00;
            assert_eq!(Domain::Half.enter(half_to_float(bits)), if none { 0x7fff } else { i64::from(bits) });
        }
    }
}
