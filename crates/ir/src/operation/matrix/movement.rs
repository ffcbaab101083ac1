//! `ldmatrix`, `stmatrix`, `movmatrix`: the manual's 9.7.14.5.15 to 9.7.14.5.17.

use crate::operation::address::Address;
use crate::operation::form::Form;

/// Small matrices between shared memory and the fragments of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixMove {
    /// Where they are.
    pub address: Address,
    /// The registers of a lane.
    pub registers: usize,
    /// Where each byte goes.
    pub layout: MatrixLayout,
    /// How the elements lie in memory, if they are widened on the way.
    pub packing: Option<Packing>,
}

/// Which bytes of a matrix a lane has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixLayout {
    /// Those of a row.
    Rows,
    /// `.trans`: those of a column.
    Columns,
    /// `.m16n16` of `ldmatrix`, whose columns have sixteen bytes.
    SixteenColumns,
    /// `.m16n8` of `stmatrix`: bytes as the accumulators of `mma` have them.
    Accumulators,
}

/// A packed format of sixteen elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// `.b6x16_p32`: twelve bytes of elements, four of padding.
    B6x16P32,
    /// `.b4x16_p64`: eight bytes of elements, eight of padding.
    B4x16P64,
}

impl Packing {
    /// The format of this name, without its dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "b6x16_p32" => Some(Self::B6x16P32),
            "b4x16_p64" => Some(Self::B4x16P64),
            _ => None,
        }
    }

    /// The bits of an element.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::B6x16P32 => 6,
            Self::B4x16P64 => 4,
        }
    }
}

/// A load or store, whose registers are the operand of this name. The counts of matrices that only ptxas takes
/// (`many`) mean nothing.
pub(super) fn decode(form: &Form<'_>, registers: &'static str) -> Option<MatrixMove> {
    if form.slot("many").is_some() {
        return None;
    }
    let layout = if form.says("m16n16") {
        MatrixLayout::SixteenColumns
    } else if form.says("m16n8") {
        MatrixLayout::Accumulators
    } else if form.says("trans") {
        MatrixLayout::Columns
    } else {
        MatrixLayout::Rows
    };
    Some(MatrixMove {
        address: Address::first(form)?,
        registers: form.elements(registers).count(),
        layout,
        packing: form.slot("src_fmt").and_then(Packing::from_name),
    })
}
