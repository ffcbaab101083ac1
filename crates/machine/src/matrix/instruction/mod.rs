//! The instruction descriptor of `tcgen05.mma` (manual 9.7.16.4.2): the shape, the types and the options of a product, in
//! 32 bits that each kind reads in its own way.
//!
//! A field that breaks a rule of the manual is named with the rule. Rules that need a matrix descriptor as well (which
//! swizzle a transposed matrix may have) are the instruction's.

mod decode;
#[cfg(test)]
mod tests;

pub use ptxvm_ir::operation::tcgen05::MmaKind;
use ptxvm_num::matrix::Element;
use ptxvm_num::matrix::scaled::Scale;

/// The type of A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// A floating point format.
    Float(Element),
    /// `.u8`
    Unsigned,
    /// `.s8`
    Signed,
}

impl Factor {
    fn bits(self) -> u32 {
        match self {
            Self::Float(element) => element.bits(),
            Self::Unsigned | Self::Signed => 8,
        }
    }
}

/// The type of D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// `.f16`
    F16,
    /// `.f32`
    F32,
    /// `.s32`
    S32,
}

/// What the instruction itself says, to which its descriptor must fit.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// `.kind`
    pub kind: MmaKind,
    /// `.cta_group::2`
    pub pair: bool,
    /// `.sp`
    pub sparse: bool,
    /// `.ws`
    pub stationary: bool,
    /// How many stored elements share a scale factor.
    pub block: u32,
    /// Whether A lies in tensor memory.
    pub a_in_tensor_memory: bool,
    /// `.ashift`
    pub ashift: bool,
    /// Whether the device multiplies with K = 96.
    pub ultra: bool,
}

/// An instruction descriptor, its fields decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionDescriptor {
    /// Rows of A and D.
    pub m: u32,
    /// Columns of B and D.
    pub n: u32,
    /// Columns of A, the zeros of a sparse one included, and rows of B.
    pub k: u32,
    /// A's type.
    pub a: Factor,
    /// B's type.
    pub b: Factor,
    /// D's type.
    pub d: Sum,
    /// Whether sums of integers are clamped.
    pub saturate: bool,
    /// Whether A and B are negated.
    pub negate: [bool; 2],
    /// Whether A and B are transposed: M-major, N-major.
    pub transpose: [bool; 2],
    /// The sparsity selector.
    pub selector: u32,
    /// The type of the scale factors.
    pub scale: Scale,
    /// How many scale factors a row of A and a column of B have.
    pub scales: u32,
    /// The scale factor data IDs of A and B.
    pub scale_id: [u32; 2],
}

/// A field that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongField {
    /// What the field is.
    pub message: String,
    /// What it must be.
    pub rule: String,
}

impl InstructionDescriptor {
    /// The bytes that a row of A has in memory: what a sparse one stores.
    #[must_use]
    pub fn row_bytes(&self, asked: &Asked) -> u32 {
        self.column_bytes(asked.kind) >> u32::from(asked.sparse)
    }

    /// The bytes that a column of B has in memory.
    #[must_use]
    pub fn column_bytes(&self, kind: MmaKind) -> u32 {
        self.k * kind.container() / 8
    }
}
