//! What the bytes of a texel mean.

/// The type of one channel.
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
}

impl Channel {
    /// Its size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 | Self::F16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
        }
    }
}

/// The format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// The type of each channel.
    pub channel: Channel,
    /// How many channels there are: 1, 2 or 4.
    pub channels: u8,
}

impl Format {
    /// The bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.channel.bytes() * self.channels as u32
    }
}
