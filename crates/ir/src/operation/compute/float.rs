//! Floating point that is exactly rounded: the manual's 9.7.3 and 9.7.4, but for the approximations.

use ptxvm_isa::Type;
use ptxvm_num::Rounding;
use ptxvm_num::float::compare::Class;
use ptxvm_num::float::half::Finish;
use ptxvm_num::float::minmax::{Extreme, Modifiers};

use crate::operation::form::Form;

/// Exactly rounded floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Float {
    /// What is computed.
    pub function: FloatFunction,
    /// The type of the sources and of the result.
    pub ty: Type,
    /// How the result is rounded.
    pub rounding: Rounding,
    /// What is done to operands and result besides.
    pub finish: Finish,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum FloatFunction {
    Add,
    Sub,
    Mul,
    /// `fma`, and `mad` of floating point.
    Fma,
    Div,
    Rcp,
    Sqrt,
    Abs,
    Neg,
    Copysign,
    /// `min` and `max`
    Extreme {
        which: Extreme,
        modifiers: Modifiers,
        /// Whether there is a third source.
        three: bool,
    },
    Testp(Class),
}

pub(super) fn decode(form: &Form<'_>) -> Option<Float> {
    use FloatFunction as F;
    let finish =
        Finish { ftz: form.has("ftz"), sat: form.has("sat"), relu: form.has("relu"), oob: form.has("oob") };
    let extreme = |which| F::Extreme {
        which,
        modifiers: Modifiers {
            ftz: finish.ftz,
            nan: form.has("NaN"),
            abs: form.has("abs"),
            xorsign: form.has("xorsign"),
        },
        // The row with a third source is a row of its own.
        three: form.row().operands.len() == 4,
    };
    let function = match form.name() {
        "add" => F::Add,
        "sub" => F::Sub,
        "mul" => F::Mul,
        "fma" | "mad" => F::Fma,
        "div" => F::Div,
        "rcp" => F::Rcp,
        "sqrt" => F::Sqrt,
        "abs" => F::Abs,
        "neg" => F::Neg,
        "copysign" => F::Copysign,
        "min" => extreme(Extreme::Min),
        "max" => extreme(Extreme::Max),
        // The form without a class, which ptxas takes, makes code there that reads a predicate nobody wrote; it has no
        // meaning.
        "testp" => F::Testp(Class::from_name(form.slot("op")?)?),
        _ => return None,
    };
    Some(Float { function, ty: form.main_type()?, rounding: form.rounding("rnd"), finish })
}
