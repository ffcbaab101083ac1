//! `mma` and `mma.sp` (the manual's 9.7.14.5.14 and 9.7.14.6.3), and `wmma.mma`, whose products are the same.

use ptxvm_isa::Type;
use ptxvm_num::Rounding;
use ptxvm_num::matrix::integer::BitOp;

use crate::operation::form::Form;

/// A product of matrices that the registers of a warp hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mma {
    /// The sizes of the matrices.
    pub shape: Shape,
    /// The types of their elements.
    pub types: MatrixTypes,
    /// How many registers each has.
    pub fragments: Fragments,
    /// How the metadata of a sparse A is read.
    pub sparsity: Option<Sparsity>,
    /// The scales of blocks of elements.
    pub scale: Option<BlockScale>,
    /// How the sums of double precision are rounded.
    pub rounding: Rounding,
    /// `.satfinite`: sums of integers stay in their range.
    pub satfinite: bool,
    /// What is done to single bits.
    pub bits: BitOp,
    /// Whether A is column-major.
    pub a_columns: bool,
    /// Whether B is column-major.
    pub b_columns: bool,
}

/// Rows of A, columns of B, and the products of an element of D, as the shape's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

impl Shape {
    /// The shape among the modifiers.
    pub(super) fn of(form: &Form<'_>) -> Option<Self> {
        form.modifiers().find_map(|word| {
            let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
            let (n, k) = rest.split_once('k')?;
            Some(Self { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
        })
    }

    /// The multiply-adds of a product.
    #[must_use]
    pub const fn products(self) -> usize {
        self.m * self.n * self.k
    }
}

/// The types of the matrices' elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub struct MatrixTypes {
    pub d: Type,
    pub a: Type,
    pub b: Type,
    pub c: Type,
}

/// How many registers each matrix has: those of D come first, then of A, B and C, and then what else there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub struct Fragments {
    pub d: usize,
    pub a: usize,
    pub b: usize,
    pub c: usize,
}

/// How the metadata of a sparse A is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparsity {
    /// Which lanes of a quad have it.
    pub selector: usize,
    /// `.sp::ordered_metadata`: the indices of a chunk ascend.
    pub ordered: bool,
}

/// The scales of blocks of elements (the manual's 9.7.14.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockScale {
    /// `.kind::mxf8f6f4`: each element has a byte, rather than half of one.
    pub byte_each: bool,
    /// Scales of a row of A and of a column of B.
    pub blocks: usize,
    /// Their type.
    pub ty: Type,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Mma> {
    let count = |name| form.elements(name).count();
    let ordered = form.says("sp::ordered_metadata");
    let sparsity = match ordered || form.says("sp") {
        // ptxas looks at the low 32 bits where there is only one selector.
        true => Some(Sparsity { selector: form.constant("f")? as u32 as usize, ordered }),
        false => None,
    };
    let scale = if form.has("block_scale") { Some(block_scale(form)?) } else { None };
    Some(Mma {
        shape: Shape::of(form)?,
        types: types(form)?,
        fragments: Fragments { d: count("d"), a: count("a"), b: count("b"), c: count("c") },
        sparsity,
        scale,
        rounding: form.rounding("rnd"),
        satfinite: form.has("satfinite"),
        bits: if form.has("xor") { BitOp::Xor } else { BitOp::And },
        a_columns: form.slot("alayout") == Some("col"),
        b_columns: form.slot("blayout") == Some("col"),
    })
}

/// The first four types among the modifiers, which stand in the table's order; `wmma` of half precision says only those
/// of D and C.
fn types(form: &Form<'_>) -> Option<MatrixTypes> {
    let mut types = form.modifiers().filter_map(Type::from_name);
    let (d, second) = (types.next()?, types.next()?);
    Some(match (types.next(), types.next()) {
        (Some(b), Some(c)) => MatrixTypes { d, a: second, b, c },
        _ => MatrixTypes { d, a: Type::F16, b: Type::F16, c: second },
    })
}

fn block_scale(form: &Form<'_>) -> Option<BlockScale> {
    let byte_each = form.says("kind::mxf8f6f4");
    let blocks = match form.modifiers().find_map(|word| word.strip_prefix("scale_vec::")) {
        Some("1X") => 1,
        Some("4X") => 4,
        Some("2X") => 2,
        _ if byte_each => 1,
        _ => 2,
    };
    Some(BlockScale { byte_each, blocks, ty: form.ty("stype")? })
}
