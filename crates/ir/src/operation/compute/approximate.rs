//! The approximations of the manual's 9.7.3 and 9.7.4, which are forms with `.approx` or `.full`.

use ptxvm_isa::Type;

use crate::operation::form::Form;

/// An approximation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approximate {
    /// What is computed.
    pub function: ApproximateFunction,
    /// The type of the sources and of the result.
    pub ty: Type,
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub ftz: bool,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum ApproximateFunction {
    Div,
    DivFull,
    Rcp,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
}

/// An approximation; `None` if the form is none.
pub(super) fn decode(form: &Form<'_>) -> Option<Approximate> {
    use ApproximateFunction as F;
    let ty = form.main_type()?;
    // Before PTX ISA 1.4 a form without `.approx` and without a rounding meant `.approx.ftz` in single precision.
    let old = !form.has("approx") && form.name() != "div.full";
    let exact = old && (form.slot("rnd").is_some() || ty != Type::F32);
    let function = match form.name() {
        "div" if !exact => F::Div,
        "rcp" if !exact => F::Rcp,
        "sqrt" if !exact => F::Sqrt,
        "div.full" => F::DivFull,
        "rsqrt" => F::Rsqrt,
        "sin" => F::Sin,
        "cos" => F::Cos,
        "lg2" => F::Lg2,
        "ex2" => F::Ex2,
        "tanh" => F::Tanh,
        _ => return None,
    };
    Some(Approximate { function, ty, ftz: form.has("ftz") || old && ty == Type::F32 })
}
