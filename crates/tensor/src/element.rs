//! What copies know of a tensor's elements: how wide they are here and there, and what stands for one that is missing.

use crate::map::{Element, Fill};

impl Element {
    /// How many bytes of global memory fill 16 bytes of shared memory: fewer where sixteen elements get a chunk of
    /// their own there.
    #[must_use]
    pub const fn packed(self) -> u32 {
        match self {
            Self::U4x16Align16 => 8,
            Self::U6x16Align16 => 12,
            _ => 16,
        }
    }

    /// Whether a load rounds. `.ftz` flushes nothing there.
    #[must_use]
    pub const fn is_tf32(self) -> bool {
        matches!(self, Self::Tf32 | Self::Tf32Ftz)
    }
}

impl Fill {
    /// Sixteen bytes of what elements outside of the tensor read as. The NaN is the same two bytes again and again,
    /// for each width of float.
    #[must_use]
    pub const fn chunk(self) -> u128 {
        match self {
            Self::Zeros => 0,
            Self::Nan => 0x7ff7_7ff7_7ff7_7ff7_7ff7_7ff7_7ff7_7ff7,
        }
    }
}
