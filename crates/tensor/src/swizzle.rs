//! Where a chunk of a box lies in shared memory: the swizzles exchange chunks within a line of 128 bytes by the line's
//! own number, so that a column of the box meets all banks (manual 5.5.7).
//!
//! The number is that of the address in shared memory, not of the row of the box: a box that begins at another line
//! begins in the middle of the pattern.

use crate::map::Swizzle;

/// The bytes of a line of shared memory.
pub const LINE: u32 = 128;

impl Swizzle {
    /// How chunks are exchanged.
    #[must_use]
    pub const fn pattern(self) -> Pattern {
        let (mask, shift) = match self {
            Self::None => (0, 4),
            Self::Bytes32 | Self::Bytes96 => (1, 4),
            Self::Bytes64 => (3, 4),
            Self::Bytes128 => (7, 4),
            Self::Bytes128Atom32 | Self::Bytes128Atom32Flip8 => (3, 5),
            Self::Bytes128Atom64 => (1, 6),
        };
        Pattern { mask, shift, flip: matches!(self, Self::Bytes128Atom32Flip8) }
    }
}

/// How chunks are exchanged: bits of the line's number are exclusive-ored into the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    mask: u32,
    shift: u32,
    flip: bool,
}

impl Pattern {
    /// Whether every chunk stays where it is.
    #[inline(always)]
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.mask == 0
    }

    /// Where the chunk of an address goes.
    #[inline(always)]
    #[must_use]
    pub const fn place(self, address: u32) -> u32 {
        address ^ (((address / LINE) & self.mask) << self.shift)
    }

    /// Whether the chunk's two halves are exchanged there.
    #[inline(always)]
    #[must_use]
    pub const fn flips(self, address: u32) -> bool {
        self.flip && (address / LINE) & 1 != 0
    }

    /// Whether any chunk's halves are exchanged.
    #[must_use]
    pub const fn has_flips(self) -> bool {
        self.flip
    }
}
