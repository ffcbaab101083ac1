//! The formats of texels, and the driver's numbers for them.

/// How a channel of a texel is coded, or all of them where they are not coded one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// A signed integer of 8 bits.
    S8,
    /// A signed integer of 16 bits.
    S16,
    /// A signed integer of 32 bits.
    S32,
    /// A float of 16 bits.
    F16,
    /// A float of 32 bits.
    F32,
    /// An unsigned integer of 8 bits that is always read as a float from 0 to 1.
    Unorm8,
    /// An unsigned integer of 16 bits that is always read as a float from 0 to 1.
    Unorm16,
    /// A signed integer of 8 bits that is always read as a float from -1 to 1.
    Snorm8,
    /// A signed integer of 16 bits that is always read as a float from -1 to 1.
    Snorm16,
    /// Three channels of 10 bits and one of 2, each read as a float from 0 to 1.
    Unorm1010102,
    /// Sixteen texels, four by four, in a block of 8 or 16 bytes. Alpha is one where the block has none.
    Block(Block),
    /// Such blocks, seen through a view of integers. Alpha is zero where the block has none.
    BlockView(Block),
}

/// How a block of texels is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    /// Colours on a line between two of 16 bits, and transparent black.
    Bc1,
    /// Such colours, and four bits of alpha for each texel.
    Bc2,
    /// Such colours, and alpha on a line between two of 8 bits.
    Bc3,
    /// One channel on a line between two numbers from 0 to 1.
    Bc4Unorm,
    /// One channel on a line between two numbers from -1 to 1.
    Bc4Snorm,
    /// Two such channels from 0 to 1.
    Bc5Unorm,
    /// Two such channels from -1 to 1.
    Bc5Snorm,
    /// Three channels of half floats that are not negative.
    Bc6hUfloat,
    /// Three channels of half floats.
    Bc6hSfloat,
    /// Four channels of 8 bits.
    Bc7,
    /// BC1 whose colours are decoded from sRGB.
    Bc1Srgb,
    /// BC2 whose colours are decoded from sRGB.
    Bc2Srgb,
    /// BC3 whose colours are decoded from sRGB.
    Bc3Srgb,
    /// BC7 whose colours are decoded from sRGB.
    Bc7Srgb,
}

impl Block {
    /// Its size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Bc1 | Self::Bc1Srgb | Self::Bc4Unorm | Self::Bc4Snorm => 8,
            _ => 16,
        }
    }

    /// The same compression with colours in sRGB; what holds no colours of eight bits stays as it is.
    #[must_use]
    pub const fn with_srgb(self) -> Self {
        match self {
            Self::Bc1 => Self::Bc1Srgb,
            Self::Bc2 => Self::Bc2Srgb,
            Self::Bc3 => Self::Bc3Srgb,
            Self::Bc7 => Self::Bc7Srgb,
            other => other,
        }
    }

    /// How many channels its texels have.
    #[must_use]
    pub const fn channels(self) -> u8 {
        match self {
            Self::Bc4Unorm | Self::Bc4Snorm => 1,
            Self::Bc5Unorm | Self::Bc5Snorm => 2,
            Self::Bc6hUfloat | Self::Bc6hSfloat => 3,
            _ => 4,
        }
    }
}

impl Channel {
    /// Its size in bytes; that of all channels, or of a block, where they are not coded one by one.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 | Self::Unorm8 | Self::Snorm8 => 1,
            Self::U16 | Self::S16 | Self::F16 | Self::Unorm16 | Self::Snorm16 => 2,
            Self::U32 | Self::S32 | Self::F32 | Self::Unorm1010102 => 4,
            Self::Block(block) | Self::BlockView(block) => block.bytes(),
        }
    }
}

/// The format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// The coding of each channel.
    pub channel: Channel,
    /// How many channels there are: 1, 2 or 4, or 3 in a BC6H block.
    pub channels: u8,
}

impl Format {
    /// The bytes of a texel, or of a block of them.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self.channel {
            Channel::Unorm1010102 | Channel::Block(_) | Channel::BlockView(_) => self.channel.bytes(),
            channel => channel.bytes() * self.channels as u32,
        }
    }

    /// How many texels a block is wide and high: 1 if each lies by itself.
    #[must_use]
    pub const fn block_side(self) -> u32 {
        if matches!(self.channel, Channel::Block(_) | Channel::BlockView(_)) { 4 } else { 1 }
    }
}

impl Format {
    /// The format of an array, by the driver's number (`CUarray_format`); `None` if it names none that has texels, or none
    /// with as many channels.
    #[must_use]
    pub fn of_array(number: u32, channels: u32) -> Option<Self> {
        let (channel, fixed) = match number {
            0x01 => (Channel::U8, None),
            0x02 => (Channel::U16, None),
            0x03 => (Channel::U32, None),
            0x08 => (Channel::S8, None),
            0x09 => (Channel::S16, None),
            0x0a => (Channel::S32, None),
            0x10 => (Channel::F16, None),
            0x20 => (Channel::F32, None),
            0x50 => (Channel::Unorm1010102, Some(4)),
            0x91 => (Channel::Block(Block::Bc1), Some(4)),
            0x92 => (Channel::Block(Block::Bc1Srgb), Some(4)),
            0x93 => (Channel::Block(Block::Bc2), Some(4)),
            0x94 => (Channel::Block(Block::Bc2Srgb), Some(4)),
            0x95 => (Channel::Block(Block::Bc3), Some(4)),
            0x96 => (Channel::Block(Block::Bc3Srgb), Some(4)),
            0x97 => (Channel::Block(Block::Bc4Unorm), Some(1)),
            0x98 => (Channel::Block(Block::Bc4Snorm), Some(1)),
            0x99 => (Channel::Block(Block::Bc5Unorm), Some(2)),
            0x9a => (Channel::Block(Block::Bc5Snorm), Some(2)),
            0x9b => (Channel::Block(Block::Bc6hUfloat), Some(3)),
            0x9c => (Channel::Block(Block::Bc6hSfloat), Some(3)),
            0x9d => (Channel::Block(Block::Bc7), Some(4)),
            0x9e => (Channel::Block(Block::Bc7Srgb), Some(4)),
            0xc0..=0xcb => {
                let coding = [Channel::Unorm8, Channel::Unorm16, Channel::Snorm8, Channel::Snorm16];
                let place = number - 0xc0;
                (coding[place as usize / 3], Some(1 << (place % 3)))
            }
            _ => return None,
        };
        let has = fixed.map_or(matches!(channels, 1 | 2 | 4), |fixed| fixed == channels);
        has.then_some(Self { channel, channels: channels as u8 })
    }

    /// The format of a view of an array, by the driver's number (`CUresourceViewFormat`); `None` if it names none or
    /// leaves the format as it is (0).
    #[must_use]
    pub fn of_view(number: u32) -> Option<Self> {
        const PLAIN: [Channel; 8] = [
            Channel::U8,
            Channel::S8,
            Channel::U16,
            Channel::S16,
            Channel::U32,
            Channel::S32,
            Channel::F16,
            Channel::F32,
        ];
        const BLOCKS: [Block; 10] = [
            Block::Bc1,
            Block::Bc2,
            Block::Bc3,
            Block::Bc4Unorm,
            Block::Bc4Snorm,
            Block::Bc5Unorm,
            Block::Bc5Snorm,
            Block::Bc6hUfloat,
            Block::Bc6hSfloat,
            Block::Bc7,
        ];
        match number {
            1..=0x18 => {
                let place = number - 1;
                Some(Self { channel: PLAIN[place as usize / 3], channels: 1 << (place % 3) })
            }
            0x19..=0x22 => {
                let block = BLOCKS[number as usize - 0x19];
                Some(Self { channel: Channel::BlockView(block), channels: block.channels() })
            }
            _ => None,
        }
    }
}
