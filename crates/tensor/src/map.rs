//! A tensor map as its fields: what `cuTensorMapEncode*` packs into 128 bytes and a tensor copy reads from them.

/// The dimensions that a tensor can have at most.
pub const MOST_DIMENSIONS: usize = 5;

/// What a tensor in global memory looks like and how boxes of it are copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Where the tensor begins in global memory.
    pub address: u64,
    /// The type of its elements.
    pub element: Element,
    /// How many dimensions it has, 1 to 5. Dimension 0 is the innermost.
    pub rank: usize,
    /// Its size in each dimension, in elements; 1 beyond the rank.
    pub sizes: [u64; MOST_DIMENSIONS],
    /// The distance of neighbours in each dimension, in bytes. That of dimension 0 follows from the element.
    pub strides: [u64; MOST_DIMENSIONS],
    /// In each dimension, every n-th element is copied.
    pub element_strides: [u32; MOST_DIMENSIONS],
    /// Which elements a copy takes.
    pub mode: Mode,
    /// Whether dimension 0 is split into slices of 16 or 32 bytes.
    pub interleave: Interleave,
    /// How 16-byte chunks are mixed in shared memory.
    pub swizzle: Swizzle,
    /// What elements outside of the tensor read as.
    pub fill: Fill,
    /// How much the L2 cache is asked to bring in; it changes no value. 0 to 3: none, 64, 128, 256 bytes.
    pub promotion: u8,
}

/// Which elements of a tensor a copy takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A box of this size in each dimension, in elements; 1 beyond the rank.
    Tile([u32; MOST_DIMENSIONS]),
    /// Pixels and channels of images, for convolutions. Copies in the modes `im2col::w` and `im2col::w::128` use the
    /// same map, of which they take the corners along W only.
    Im2col {
        /// The lower corner of the bounding box, of the dimensions W, H, D in this order (those that there are).
        lower: [i32; 3],
        /// The upper corner.
        upper: [i32; 3],
        /// Channels of a pixel that a copy takes.
        channels: u32,
        /// Pixels of a column that a copy takes.
        pixels: u32,
    },
}

/// The type of a tensor's elements, by the number that `CUtensorMapDataType` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Element {
    U8 = 0,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    Bf16,
    /// `f32` with subnormal numbers read as zero.
    F32Ftz,
    Tf32,
    Tf32Ftz,
    /// Sixteen 4-bit values in 8 bytes, in shared memory too.
    U4x16Align8,
    /// Sixteen 4-bit values, in 16 bytes of shared memory.
    U4x16Align16,
    /// Sixteen 6-bit values, in 16 bytes of shared memory.
    U6x16Align16,
}

/// How dimension 0 is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Interleave {
    None = 0,
    Bytes16,
    Bytes32,
}

/// How chunks of shared memory are mixed, by the number that `CUtensorMapSwizzle` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Swizzle {
    None = 0,
    Bytes32,
    Bytes64,
    Bytes128,
    /// In units of 32 bytes.
    Bytes128Atom32,
    /// In units of 32 bytes, with the two halves of 16-byte chunks exchanged in every other row.
    Bytes128Atom32Flip8,
    /// In units of 64 bytes.
    Bytes128Atom64,
    /// `swizzle_mode` 4 of `tensormap.replace`, which only sm_103a has.
    Bytes96,
}

/// What elements outside of the tensor read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fill {
    Zeros = 0,
    /// A special NaN, which `fma.oob` takes for zero.
    Nan,
}

impl Element {
    /// Every type, by its number.
    pub const ALL: [Element; 16] = [
        Element::U8,
        Element::U16,
        Element::U32,
        Element::S32,
        Element::U64,
        Element::S64,
        Element::F16,
        Element::F32,
        Element::F64,
        Element::Bf16,
        Element::F32Ftz,
        Element::Tf32,
        Element::Tf32Ftz,
        Element::U4x16Align8,
        Element::U4x16Align16,
        Element::U6x16Align16,
    ];

    /// The type with a number of `CUtensorMapDataType`.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// The bits of one element in global memory.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Element::U4x16Align8 | Element::U4x16Align16 => 4,
            Element::U6x16Align16 => 6,
            Element::U8 => 8,
            Element::U16 | Element::F16 | Element::Bf16 => 16,
            Element::U32 | Element::S32 | Element::F32 => 32,
            Element::F32Ftz | Element::Tf32 | Element::Tf32Ftz => 32,
            Element::U64 | Element::S64 | Element::F64 => 64,
        }
    }

    /// Whether its values are floating-point numbers, which can be filled with NaN.
    #[must_use]
    pub fn is_float(self) -> bool {
        use Element::{Bf16, F16, F32, F32Ftz, F64, Tf32, Tf32Ftz};
        matches!(self, F16 | Bf16 | F32 | F32Ftz | Tf32 | Tf32Ftz | F64)
    }

    /// Whether sixteen packed values take 16 bytes of shared memory, gaps included.
    #[must_use]
    pub fn has_gaps(self) -> bool {
        matches!(self, Element::U4x16Align16 | Element::U6x16Align16)
    }
}

impl Interleave {
    /// The layout with a number of `CUtensorMapInterleave`.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [Interleave::None, Interleave::Bytes16, Interleave::Bytes32].get(number as usize).copied()
    }
}

impl Swizzle {
    /// Every swizzle that the driver has a number for, by that number.
    pub const NUMBERED: [Swizzle; 7] = [
        Swizzle::None,
        Swizzle::Bytes32,
        Swizzle::Bytes64,
        Swizzle::Bytes128,
        Swizzle::Bytes128Atom32,
        Swizzle::Bytes128Atom32Flip8,
        Swizzle::Bytes128Atom64,
    ];

    /// The swizzle with a number of `CUtensorMapSwizzle`; the one of 96 bytes has none.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::NUMBERED.get(number as usize).copied()
    }

    /// The bytes of a row that are mixed among themselves; none without swizzle.
    #[must_use]
    pub fn span(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::Bytes32 => Some(32),
            Swizzle::Bytes64 => Some(64),
            Swizzle::Bytes96 => Some(96),
            Swizzle::Bytes128
            | Swizzle::Bytes128Atom32
            | Swizzle::Bytes128Atom32Flip8
            | Swizzle::Bytes128Atom64 => Some(128),
        }
    }
}

impl Fill {
    /// The fill with a number of `CUtensorMapFloatOOBfill`.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [Fill::Zeros, Fill::Nan].get(number as usize).copied()
    }
}
