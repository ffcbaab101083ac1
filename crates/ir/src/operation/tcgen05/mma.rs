//! `tcgen05.mma`: the manual's 9.7.16.10.

use super::operand::{group_of, taddr};
use crate::operation::address::Address;
use crate::operation::form::Form;

/// A product of matrices in shared and tensor memory. Operands are named by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcgen05Mma {
    /// The kind of the elements.
    pub kind: MmaKind,
    /// `.cta_group`: 1, or 2 for a pair of CTAs.
    pub group: u32,
    /// `.sp`
    pub sparse: bool,
    /// `.ws`
    pub stationary: bool,
    /// How many elements have one scale.
    pub block: u32,
    /// `.ashift`
    pub ashift: bool,
    /// D
    pub d: Address,
    /// A
    pub a: Tcgen05A,
    /// The descriptor of B.
    pub b: usize,
    /// The instruction descriptor.
    pub descriptor: usize,
    /// The metadata of a sparse A.
    pub metadata: Option<Address>,
    /// The scales of A and B.
    pub scales: Option<[Address; 2]>,
    /// The first mask of lanes of D that stay as they are.
    pub disabled: Option<usize>,
    /// The predicate that says whether D is added.
    pub add: usize,
    /// D is divided by two to this power first.
    pub scale_input: u32,
    /// The zero-column mask descriptor.
    pub zero_columns: Option<usize>,
}

/// Where A is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tcgen05A {
    /// In shared memory, where this descriptor says.
    Shared(usize),
    /// In tensor memory.
    Tensor(Address),
}

/// The kinds of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MmaKind {
    /// `.kind::f16`
    F16,
    /// `.kind::tf32`
    Tf32,
    /// `.kind::f8f6f4`
    F8f6f4,
    /// `.kind::i8`
    I8,
    /// `.kind::mxf8f6f4`
    Mxf8f6f4,
    /// `.kind::mxf4`
    Mxf4,
    /// `.kind::mxf4nvf4`
    Mxf4nvf4,
}

impl MmaKind {
    /// Every kind.
    pub const ALL: [Self; 7] =
        [Self::F16, Self::Tf32, Self::F8f6f4, Self::I8, Self::Mxf8f6f4, Self::Mxf4, Self::Mxf4nvf4];

    /// The kind of this name in PTX, without the dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name in PTX, without the dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "kind::f16",
            Self::Tf32 => "kind::tf32",
            Self::F8f6f4 => "kind::f8f6f4",
            Self::I8 => "kind::i8",
            Self::Mxf8f6f4 => "kind::mxf8f6f4",
            Self::Mxf4 => "kind::mxf4",
            Self::Mxf4nvf4 => "kind::mxf4nvf4",
        }
    }

    /// Whether A and B have scale factors.
    #[must_use]
    pub const fn scaled(self) -> bool {
        matches!(self, Self::Mxf8f6f4 | Self::Mxf4 | Self::Mxf4nvf4)
    }

    /// Whether elements are packed two a byte.
    #[must_use]
    pub const fn packed(self) -> bool {
        matches!(self, Self::Mxf4 | Self::Mxf4nvf4)
    }

    /// The bits that an element of A or B takes in memory.
    #[must_use]
    pub const fn container(self) -> u32 {
        match self {
            Self::Tf32 => 32,
            Self::F16 => 16,
            Self::F8f6f4 | Self::I8 | Self::Mxf8f6f4 => 8,
            Self::Mxf4 | Self::Mxf4nvf4 => 4,
        }
    }
}

pub(super) fn decode(form: &Form<'_>) -> Option<Tcgen05Mma> {
    let kind = MmaKind::from_name(form.slot("kind")?)?;
    let sparse = form.says("sp");
    Some(Tcgen05Mma {
        kind,
        group: group_of(form),
        sparse,
        stationary: form.says("ws"),
        block: match form.slot("scale_vectorsize") {
            Some("scale_vec::4X" | "block16") => 16,
            _ => 32,
        },
        ashift: form.says("ashift"),
        d: taddr(form, "d-tmem")?,
        a: match form.position("a-desc") {
            Some(descriptor) => Tcgen05A::Shared(descriptor),
            None => Tcgen05A::Tensor(taddr(form, "a-tmem")?),
        },
        b: form.position("b-desc")?,
        descriptor: form.position("idesc")?,
        metadata: if sparse { Some(taddr(form, "sp-meta-tmem")?) } else { None },
        scales: match kind.scaled() {
            true => Some([taddr(form, "scale-A-tmem")?, taddr(form, "scale-B-tmem")?]),
            false => None,
        },
        disabled: form.position("disable-output-lane"),
        add: form.position("enable-input-d")?,
        scale_input: form.constant("scale-input-d").unwrap_or(0) as u32,
        zero_columns: form.position("zero-column-mask-desc"),
    })
}
