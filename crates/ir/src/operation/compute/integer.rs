//! Integer arithmetic: the manual's 9.7.1.1 to 9.7.1.13, and `clmad`, which came with PTX 9.3.

use ptxvm_isa::Type;

use crate::operation::form::Form;

/// Integer arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// What is computed.
    pub function: IntegerFunction,
    /// The type of the sources; results of [`IntegerFunction::MulWide`] and [`IntegerFunction::MadWide`] are twice as
    /// wide.
    pub ty: IntegerType,
    /// What the result is kept within.
    pub limit: Option<Limit>,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum IntegerFunction {
    Add,
    Sub,
    Neg,
    Abs,
    Min,
    Max,
    Sad,
    Div,
    Rem,
    MulLo,
    MulHi,
    MulWide,
    MadLo,
    MadHi,
    MadWide,
    Mul24Lo,
    Mul24Hi,
    Mad24Lo,
    Mad24Hi,
    /// `clmad.lo`, `clmad.hi`
    ClmadLo,
    ClmadHi,
}

/// The types that are computed with. A list of its own, so that who executes a function must know each of them: the
/// width alone does not tell whether a word is one number or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum IntegerType {
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    U16x2,
    S16x2,
    U8x4,
    S8x4,
}

impl IntegerType {
    fn of(ty: Type) -> Option<Self> {
        Some(match ty {
            Type::U16 => Self::U16,
            Type::S16 => Self::S16,
            Type::U32 => Self::U32,
            Type::S32 => Self::S32,
            Type::U64 => Self::U64,
            Type::S64 => Self::S64,
            Type::U16x2 => Self::U16x2,
            Type::S16x2 => Self::S16x2,
            Type::U8x4 => Self::U8x4,
            Type::S8x4 => Self::S8x4,
            _ => return None,
        })
    }
}

/// What a result is kept within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `.sat`: the range of the type.
    Sat,
    /// `.relu`: what is not negative.
    Relu,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Integer> {
    use IntegerFunction as F;
    let function = match form.name() {
        "add" => F::Add,
        "sub" => F::Sub,
        "neg" => F::Neg,
        "abs" => F::Abs,
        "min" => F::Min,
        "max" => F::Max,
        "sad" => F::Sad,
        "div" => F::Div,
        "rem" => F::Rem,
        "mul.lo" => F::MulLo,
        "mul.hi" => F::MulHi,
        "mul.wide" => F::MulWide,
        "mad.lo" => F::MadLo,
        "mad.hi" => F::MadHi,
        "mad.wide" => F::MadWide,
        "mul24.lo" => F::Mul24Lo,
        "mul24.hi" => F::Mul24Hi,
        "mad24.lo" => F::Mad24Lo,
        "mad24.hi" => F::Mad24Hi,
        "clmad.lo" => F::ClmadLo,
        "clmad.hi" => F::ClmadHi,
        _ => return None,
    };
    let limit = match (form.has("sat"), form.has("relu")) {
        (true, _) => Some(Limit::Sat),
        (false, true) => Some(Limit::Relu),
        (false, false) => None,
    };
    Some(Integer { function, ty: IntegerType::of(form.main_type()?)?, limit })
}
