//! `wgmma`: the manual's 9.7.15.

use ptxvm_isa::Type;

use crate::operation::form::Form;

/// An instruction of a warpgroup's matrix products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wgmma {
    /// `wgmma.fence`
    Fence,
    /// `wgmma.commit_group`
    Commit,
    /// `wgmma.wait_group`
    Wait {
        /// How many of the latest groups are not waited for.
        latest: u32,
    },
    /// `wgmma.mma_async`
    Product(WgmmaProduct),
}

/// What a `wgmma.mma_async` multiplies. Operands are named by their position; the registers of D come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WgmmaProduct {
    /// N
    pub columns: usize,
    /// K, the elements that a sparse A leaves out included.
    pub depth: usize,
    /// The type of D.
    pub d: Type,
    /// The type of A.
    pub a_type: Type,
    /// The type of B.
    pub b_type: Type,
    /// `imm-scale-a` is -1.
    pub negate_a: bool,
    /// `imm-scale-b` is -1.
    pub negate_b: bool,
    /// `.satfinite`
    pub satfinite: bool,
    /// The registers of D.
    pub registers: usize,
    /// Where A is.
    pub a: WgmmaA,
    /// The descriptor of B.
    pub b: usize,
    /// Whether B is transposed: its columns follow one another in memory.
    pub b_transposed: bool,
    /// The metadata of a sparse A, and which lanes of a quad have it.
    pub sparse: Option<(usize, usize)>,
    /// The predicate: is the product added to D?
    pub scale_d: usize,
}

/// Where A is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WgmmaA {
    /// In four registers, of which this is the first.
    Registers {
        /// The first.
        first: usize,
    },
    /// In shared memory.
    Shared {
        /// The descriptor.
        descriptor: usize,
        /// Whether it is transposed.
        transposed: bool,
    },
}

pub(super) fn decode(form: &Form<'_>) -> Option<Wgmma> {
    Some(match () {
        () if form.says("fence") => Wgmma::Fence,
        () if form.says("commit_group") => Wgmma::Commit,
        () if form.says("wait_group") => {
            Wgmma::Wait { latest: u32::try_from(form.constant("n")?).unwrap_or(u32::MAX) }
        }
        () => Wgmma::Product(product(form)?),
    })
}

fn product(form: &Form<'_>) -> Option<WgmmaProduct> {
    let shape = form.slot("shape").or_else(|| form.modifiers().find(|word| word.starts_with("m64n")))?;
    let (columns, depth) = shape.strip_prefix("m64n")?.split_once('k')?;
    let mut types = form.words().chain(form.modifiers()).filter_map(Type::from_name);
    let (d, a_type, b_type) = (types.next()?, types.next()?, types.next()?);
    let negated = |name: &str| form.constant(name).is_some_and(|scale| scale as i32 == -1);
    let transposed = |name: &str| form.constant(name) == Some(1);
    let a = match form.position("a-desc") {
        Some(descriptor) => WgmmaA::Shared { descriptor, transposed: transposed("imm-trans-a") },
        None => WgmmaA::Registers { first: form.position("a")? },
    };
    let sparse = match form.position("sp-meta") {
        Some(metadata) => Some((metadata, form.constant("sp-sel")? as usize)),
        None => None,
    };
    Some(WgmmaProduct {
        columns: columns.parse().ok()?,
        depth: depth.parse().ok()?,
        d,
        a_type,
        b_type,
        negate_a: negated("imm-scale-a"),
        negate_b: negated("imm-scale-b"),
        satfinite: form.says("satfinite"),
        registers: form.elements("d").count(),
        a,
        b: form.position("b-desc")?,
        b_transposed: transposed("imm-trans-b"),
        sparse,
        scale_d: form.position("scale-d")?,
    })
}
