//! What values are while they are blended: the H200 does not blend the floats that point sampling gives, but what the
//! format needs, and makes floats of the sums.

use crate::decode::{half_to_float, unorm16};

/// In what numbers a channel is blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Whole numbers from 0 to 65535 for what is read as 0 to 1.
    Unorm,
    /// Whole numbers from -32767 to 32767 for what is read as -1 to 1.
    Snorm,
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
    #[must_use]
    #[inline]
    pub fn enter(self, bits: u32) -> i64 {
        let float = f32::from_bits(bits);
        match self {
            Self::Unorm => (float * 65535.0 + 0.5) as i64,
            Self::Snorm => {
                let magnitude = (float.abs() * 32767.0 + 0.5) as i64;
                if float < 0.0 { -magnitude } else { magnitude }
            }
            // Every such value is a half, so that nothing is rounded; the lowest bits are none.
            Self::Half => i64::from(exact_half(bits)),
            Self::Float | Self::Unsigned => i64::from(bits),
            Self::Small | Self::Signed => i64::from(bits as i32),
        }
    }

    /// The 32 bits of a value, by the number that it has been blended as.
    #[must_use]
    #[inline]
    pub fn leave(self, number: i64) -> u32 {
        match self {
            Self::Unorm => unorm16(number as u16),
            Self::Snorm => (number as f32 / 32767.0).to_bits(),
            Self::Half => half_to_float(number as u16),
            Self::Float | Self::Unsigned | Self::Small | Self::Signed => number as u32,
        }
    }
}

/// The half of a float that is one.
#[inline]
fn exact_half(bits: u32) -> u16 {
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    sign | match magnitude {
        0x7f80_0000.. => 0x7c00 | (magnitude >> 13 & 0x3ff) as u16,
        0x3880_0000.. => ((magnitude - 0x3800_0000) >> 13) as u16,
        _ => (f32::from_bits(magnitude) * 16_777_216.0) as u16,
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
            let (magnitude, sign) = (i64::from(byte.max(-127)).abs(), i64::from(byte.signum()));
            assert_eq!(Domain::Snorm.enter(snorm8(byte)), sign * (258 * magnitude + (magnitude >> 6)));
        }
    }

    #[test]
    fn sixteen_bits_come_back_as_they_were() {
        for bits in 0..=u16::MAX {
            assert_eq!(Domain::Unorm.enter(unorm16(bits)), i64::from(bits));
            assert_eq!(Domain::Unorm.leave(i64::from(bits)), unorm16(bits));
            let signed = bits as i16;
            assert_eq!(Domain::Snorm.enter(snorm16(signed)), i64::from(signed.max(-32767)));
            assert_eq!(Domain::Half.enter(half_to_float(bits)), i64::from(bits));
        }
    }
}
