//! Encodes four values as the bytes of a texel: for `sust.p`, and for border colours.

use crate::format::{Channel, Format};
use crate::texel::Texel;

impl Format {
    /// The bytes of a texel, the first of sixteen, that a formatted store makes of four values. Integers are brought
    /// into the range of the format, floats are rounded; values for which the format has no channel are left out. What
    /// is compressed cannot be stored, and gives zeros.
    #[must_use]
    #[inline]
    pub fn encode(self, values: Texel) -> [u8; 16] {
        match self.channel {
            Channel::U8 => self.each(values, |value| [value.min(0xff) as u8]),
            Channel::U16 => self.each(values, |value| (value.min(0xffff) as u16).to_le_bytes()),
            Channel::S8 => self.each(values, |value| [(value as i32).clamp(-0x80, 0x7f) as u8]),
            Channel::S16 => {
                self.each(values, |value| ((value as i32).clamp(-0x8000, 0x7fff) as i16).to_le_bytes())
            }
            _ => self.encode_float(values),
        }
    }

    /// The bytes of a border colour, as the first of sixteen. Of integers, the lowest bits count.
    #[must_use]
    pub(crate) fn encode_border(self, values: Texel) -> [u8; 16] {
        match self.channel {
            Channel::U8 | Channel::S8 => self.each(values, |value| [value as u8]),
            Channel::U16 | Channel::S16 => self.each(values, |value| (value as u16).to_le_bytes()),
            _ => self.encode_float(values),
        }
    }

    fn encode_float(self, values: Texel) -> [u8; 16] {
        match self.channel {
            Channel::U32 | Channel::S32 | Channel::F32 => self.each(values, u32::to_le_bytes),
            Channel::F16 => self.each(values, |value| float_to_half(value).to_le_bytes()),
            Channel::Unorm8 => self.each(values, |value| [unorm::<8>(value) as u8]),
            Channel::Unorm16 => self.each(values, |value| (unorm::<16>(value) as u16).to_le_bytes()),
            Channel::Snorm8 => self.each(values, |value| [snorm::<8>(value) as u8]),
            Channel::Snorm16 => self.each(values, |value| (snorm::<16>(value) as i16).to_le_bytes()),
            Channel::Unorm1010102 => {
                let [red, green, blue, alpha] = values;
                let color = unorm::<10>(red) | unorm::<10>(green) << 10 | unorm::<10>(blue) << 20;
                let mut bytes = [0; 16];
                bytes[..4].copy_from_slice(&(color | two_bits(alpha) << 30).to_le_bytes());
                bytes
            }
            _ => [0; 16],
        }
    }

    #[inline]
    fn each<const N: usize>(self, values: Texel, encode: impl Fn(u32) -> [u8; N]) -> [u8; 16] {
        let mut bytes = [0; 16];
        let channels = bytes.as_chunks_mut::<N>().0.iter_mut().take(usize::from(self.channels));
        for (channel, value) in channels.zip(values) {
            *channel = encode(value);
        }
        bytes
    }
}

/// A float from 0 to 1 in `BITS` bits: four more are kept of it, and what lies in the middle goes down.
#[inline]
pub(crate) fn unorm<const BITS: u32>(value: u32) -> u32 {
    scaled(f32::from_bits(value).max(0.0), BITS)
}

/// A float from -1 to 1 in `BITS` bits, of which one is the sign.
#[inline]
fn snorm<const BITS: u32>(value: u32) -> i32 {
    let value = f32::from_bits(value);
    let magnitude = scaled(value.abs(), BITS - 1) as i32;
    if value < 0.0 { -magnitude } else { magnitude }
}

/// A magnitude in some bits; what is no number is zero, what is more than one is one.
#[inline]
fn scaled(magnitude: f32, bits: u32) -> u32 {
    let kept = bits + 4;
    // The conversion truncates, and takes what is not a number for zero.
    let fixed = ((magnitude * (1u32 << kept) as f32) as u64).min(1 << kept);
    ((fixed * ((1 << bits) - 1) + (1 << (kept - 1)) - 1) >> kept) as u32
}

/// A float from 0 to 1 in two bits, which are made of ten.
#[inline]
fn two_bits(value: u32) -> u32 {
    (unorm::<10>(value) + 128) / 320
}

/// A float as a half, rounded toward zero, so that only infinities are infinite. What a number that is none carries
/// goes along as far as there is room, and it stays none.
#[inline]
pub(crate) fn float_to_half(bits: u32) -> u16 {
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    sign | match magnitude {
        0x7f80_0001.. => 0x7c00 | (magnitude >> 13 & 0x3ff).max(1) as u16,
        0x7f80_0000 => 0x7c00,
        0x4780_0000.. => 0x7bff,
        0x3880_0000.. => ((magnitude - 0x3800_0000) >> 13) as u16,
        // Subnormal halves are whole numbers of 2^-24.
        _ => (f32::from_bits(magnitude) * 16_777_216.0) as u16,
    }
}
