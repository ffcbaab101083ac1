//! Decodes the bytes of a texel to four values, as a sampler reads them.

use ptxvm_memory::View;

use crate::block;
use crate::domain::Domain;
use crate::encode::unorm;
use crate::format::{Block, Channel, Format};
use crate::image::{Image, Level};
use crate::number::{half_to_float, snorm8, snorm16, unorm8, unorm10, unorm16, unorm1010102};
use crate::sampler::{Read, Sampler};
use crate::srgb;
use crate::texel::Texel;

/// What is made of each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    U8,
    U16,
    U32,
    S8,
    S16,
    S32,
    F16,
    F32,
    Unorm8,
    Unorm16,
    Snorm8,
    Snorm16,
    Srgb8,
    Unorm1010102,
    /// With what alpha is where the block has none.
    Block(Block, u32),
}

/// How the texels of a texture are read: its format and the sampler together, chosen once for many texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoder {
    meaning: Meaning,
    channels: u8,
    bytes: u8,
}

impl Decoder {
    /// How a sampler reads texels of a format.
    #[must_use]
    pub fn new(format: Format, sampler: &Sampler) -> Self {
        let normalized = sampler.read == Read::NormalizedFloat;
        let colored = |block: Block| if sampler.srgb { block.with_srgb() } else { block };
        let meaning = match format.channel {
            Channel::U8 if normalized && sampler.srgb => Meaning::Srgb8,
            Channel::Unorm8 if sampler.srgb => Meaning::Srgb8,
            Channel::U8 if normalized => Meaning::Unorm8,
            Channel::U16 if normalized => Meaning::Unorm16,
            Channel::S8 if normalized => Meaning::Snorm8,
            Channel::S16 if normalized => Meaning::Snorm16,
            Channel::U8 => Meaning::U8,
            Channel::U16 => Meaning::U16,
            Channel::U32 => Meaning::U32,
            Channel::S8 => Meaning::S8,
            Channel::S16 => Meaning::S16,
            Channel::S32 => Meaning::S32,
            Channel::F16 => Meaning::F16,
            Channel::F32 => Meaning::F32,
            Channel::Unorm8 => Meaning::Unorm8,
            Channel::Unorm16 => Meaning::Unorm16,
            Channel::Snorm8 => Meaning::Snorm8,
            Channel::Snorm16 => Meaning::Snorm16,
            Channel::Unorm1010102 => Meaning::Unorm1010102,
            Channel::Block(block) => Meaning::Block(colored(block), 0x3f80_0000),
            Channel::BlockView(block) => Meaning::Block(colored(block), 0),
        };
        Self { meaning, channels: format.channels, bytes: format.bytes() as u8 }
    }

    /// In what numbers each channel is blended.
    #[must_use]
    pub const fn domains(&self) -> [Domain; 4] {
        use Domain::{Float, Half, Signed, Small, Snorm8, Snorm16, Srgb, Unorm, Unorm10, Unsigned};
        match self.meaning {
            Meaning::U8 | Meaning::U16 | Meaning::S8 | Meaning::S16 => [Small; 4],
            Meaning::U32 => [Unsigned; 4],
            Meaning::S32 => [Signed; 4],
            Meaning::F32 => [Float; 4],
            Meaning::F16 | Meaning::Block(Block::Bc6hUfloat | Block::Bc6hSfloat, _) => [Half; 4],
            Meaning::Snorm8 => [Snorm8; 4],
            Meaning::Snorm16 | Meaning::Block(Block::Bc4Snorm | Block::Bc5Snorm, _) => [Snorm16; 4],
            Meaning::Srgb8 if self.channels == 2 => [Srgb, Unorm, Srgb, Srgb],
            Meaning::Srgb8
            | Meaning::Block(Block::Bc1Srgb | Block::Bc2Srgb | Block::Bc3Srgb | Block::Bc7Srgb, _) => {
                [Srgb, Srgb, Srgb, Unorm]
            }
            Meaning::Unorm1010102 => [Unorm10, Unorm10, Unorm10, Unorm],
            Meaning::Unorm8 | Meaning::Unorm16 | Meaning::Block(..) => [Unorm; 4],
        }
    }

    /// The numbers that a texel's channels are blended as: its level, its plane and its place there, all of which
    /// exist.
    #[must_use]
    #[inline]
    pub fn operands(&self, view: &View, image: &Image, level: &Level, plane: u32, at: [u32; 3]) -> [i64; 4] {
        let bytes = self.fetch(view, image.offset(level, plane, at));
        match self.meaning {
            Meaning::Unorm8 => self.each(&bytes, |[byte]| 257 * u32::from(byte)).map(i64::from),
            Meaning::Unorm16 => {
                self.each(&bytes, |bytes| u32::from(u16::from_le_bytes(bytes))).map(i64::from)
            }
            // The least integer counts as itself here, though it reads as -1 like the one above it.
            Meaning::Snorm8 => self.each(&bytes, |[byte]| i32::from(byte as i8) as u32).map(signed),
            Meaning::Snorm16 => {
                self.each(&bytes, |bytes| i32::from(i16::from_le_bytes(bytes)) as u32).map(signed)
            }
            _ => self.enter(self.decode(&bytes, number(at))),
        }
    }

    /// The numbers that the border colour is blended as.
    #[must_use]
    pub fn border_operands(&self, color: [f32; 4]) -> [i64; 4] {
        match self.meaning {
            // It is not cut to ten bits then.
            Meaning::Unorm1010102 => color.map(|value| i64::from(unorm::<16>(value.to_bits()))),
            _ => self.enter(self.border(color)),
        }
    }

    #[inline]
    fn enter(&self, texel: Texel) -> [i64; 4] {
        let domains = self.domains();
        [0, 1, 2, 3].map(|channel| domains[channel].enter(texel[channel]))
    }

    /// The values of the border colour. It is made a texel and read again, so that it is no finer than the texels within:
    /// of compressed formats, than what they decode to.
    #[must_use]
    pub fn border(&self, color: [f32; 4]) -> Texel {
        let (meaning, channel) = match self.meaning {
            meaning @ Meaning::U8 => (meaning, Channel::U8),
            meaning @ Meaning::U16 => (meaning, Channel::U16),
            meaning @ (Meaning::U32 | Meaning::S32 | Meaning::F32) => (meaning, Channel::F32),
            meaning @ Meaning::S8 => (meaning, Channel::S8),
            meaning @ Meaning::S16 => (meaning, Channel::S16),
            meaning @ (Meaning::Unorm8 | Meaning::Srgb8) => (meaning, Channel::Unorm8),
            meaning @ Meaning::Unorm16 => (meaning, Channel::Unorm16),
            meaning @ Meaning::Snorm8 => (meaning, Channel::Snorm8),
            meaning @ Meaning::Snorm16 => (meaning, Channel::Snorm16),
            meaning @ Meaning::F16 => (meaning, Channel::F16),
            // All four channels are rounded to sixteen bits, of which colours keep ten and alpha all.
            Meaning::Unorm1010102 => {
                let [red, green, blue, alpha] = color.map(|value| unorm::<16>(value.to_bits()));
                return [unorm10(red >> 6), unorm10(green >> 6), unorm10(blue >> 6), unorm16(alpha as u16)];
            }
            Meaning::Block(block, _) => match block {
                Block::Bc1 | Block::Bc2 | Block::Bc3 | Block::Bc7 => (Meaning::Unorm8, Channel::Unorm8),
                Block::Bc1Srgb | Block::Bc2Srgb | Block::Bc3Srgb | Block::Bc7Srgb => {
                    (Meaning::Srgb8, Channel::Unorm8)
                }
                Block::Bc4Unorm | Block::Bc5Unorm => (Meaning::Unorm16, Channel::Unorm16),
                Block::Bc4Snorm | Block::Bc5Snorm => (Meaning::Snorm16, Channel::Snorm16),
                Block::Bc6hUfloat | Block::Bc6hSfloat => (Meaning::F16, Channel::F16),
            },
        };
        let mut bytes = Format { channel, channels: self.channels }.encode_border(color.map(f32::to_bits));
        if meaning == Meaning::Srgb8 {
            let colors = if self.channels == 4 { 3 } else { 1 };
            for (byte, color) in bytes.iter_mut().zip(color).take(colors) {
                *byte = srgb::nearest(color);
            }
        }
        let mut texel = Self { meaning, ..*self }.decode(&bytes, 0);
        if let (Meaning::Block(_, alpha), 1..=3) = (self.meaning, self.channels) {
            texel[3] = alpha;
        }
        texel
    }

    /// What is read where there is no texel: zeros, but for an alpha that the format does not store.
    #[must_use]
    pub const fn nothing(&self) -> Texel {
        match self.meaning {
            Meaning::Block(_, alpha) if self.channels < 4 => [0, 0, 0, alpha],
            _ => [0; 4],
        }
    }

    /// The values of a texel: its level, its plane (layer or face), and its place there, all of which exist.
    #[must_use]
    #[inline]
    pub fn texel(&self, view: &View, image: &Image, level: &Level, plane: u32, at: [u32; 3]) -> Texel {
        self.decode(&self.fetch(view, image.offset(level, plane, at)), number(at))
    }

    /// The bytes at an offset that are a texel, or the block of one.
    #[inline]
    fn fetch(&self, view: &View, offset: u64) -> [u8; 16] {
        let mut bytes = [0; 16];
        match self.bytes {
            1 => bytes[..1].copy_from_slice(&view.read::<1>(offset)),
            2 => bytes[..2].copy_from_slice(&view.read::<2>(offset)),
            4 => bytes[..4].copy_from_slice(&view.read::<4>(offset)),
            8 => bytes[..8].copy_from_slice(&view.read::<8>(offset)),
            _ => bytes = view.read(offset),
        }
        bytes
    }

    /// The values of a texel of these bytes, of which the first are its own; of a block, the texel of this number,
    /// counted along the rows.
    #[must_use]
    #[inline]
    pub fn decode(&self, bytes: &[u8; 16], number: u32) -> Texel {
        match self.meaning {
            Meaning::U8 => self.each(bytes, |[byte]| u32::from(byte)),
            Meaning::S8 => self.each(bytes, |[byte]| i32::from(byte as i8) as u32),
            Meaning::Unorm8 => self.each(bytes, |[byte]| unorm8(byte)),
            Meaning::Snorm8 => self.each(bytes, |[byte]| snorm8(byte as i8)),
            Meaning::Srgb8 => self.srgb(bytes),
            Meaning::U16 => self.each(bytes, |bytes| u32::from(u16::from_le_bytes(bytes))),
            Meaning::S16 => self.each(bytes, |bytes| i32::from(i16::from_le_bytes(bytes)) as u32),
            Meaning::Unorm16 => self.each(bytes, |bytes| unorm16(u16::from_le_bytes(bytes))),
            Meaning::Snorm16 => self.each(bytes, |bytes| snorm16(i16::from_le_bytes(bytes))),
            Meaning::F16 => self.each(bytes, |bytes| half_to_float(u16::from_le_bytes(bytes))),
            Meaning::U32 | Meaning::S32 | Meaning::F32 => self.each(bytes, u32::from_le_bytes),
            Meaning::Unorm1010102 => {
                unorm1010102(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            }
            Meaning::Block(block, alpha) => block::texel(block, bytes, number, alpha),
        }
    }

    /// Each channel that is there, decoded; the missing ones are zero, alpha too.
    #[inline]
    fn each<const N: usize>(&self, bytes: &[u8; 16], decode: impl Fn([u8; N]) -> u32) -> Texel {
        let mut texel = [0; 4];
        let channels = bytes.as_chunks::<N>().0.iter().take(usize::from(self.channels));
        for (value, &channel) in texel.iter_mut().zip(channels) {
            *value = decode(channel);
        }
        texel
    }

    /// Colours from sRGB. Where there are two channels, the second is no colour.
    #[inline]
    fn srgb(&self, bytes: &[u8; 16]) -> Texel {
        match self.channels {
            1 => [srgb::LINEAR[usize::from(bytes[0])], 0, 0, 0],
            2 => [srgb::LINEAR[usize::from(bytes[0])], unorm8(bytes[1]), 0, 0],
            _ => srgb::linear([bytes[0], bytes[1], bytes[2], bytes[3]]),
        }
    }
}

/// The number of the texel at a place in the block that holds it, counted along the rows.
#[inline]
fn number(at: [u32; 3]) -> u32 {
    at[0] % 4 + 4 * (at[1] % 4)
}

fn signed(bits: u32) -> i64 {
    i64::from(bits as i32)
}
