//! Single precision with half-precision sources: the manual's 9.7.5.

use ptxvm_isa::Type;
use ptxvm_num::Rounding;

use crate::operation::form::Form;

/// Single precision with half-precision sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mixed {
    /// What is computed.
    pub function: MixedFunction,
    /// The type of `a`, and of `b` in a product.
    pub source: Type,
    /// How the result is rounded.
    pub rounding: Rounding,
    /// `.sat`
    pub sat: bool,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum MixedFunction {
    Add,
    Sub,
    Fma,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Mixed> {
    let function = match form.name() {
        "add" => MixedFunction::Add,
        "sub" => MixedFunction::Sub,
        "fma" => MixedFunction::Fma,
        _ => return None,
    };
    let source = form.ty("atype").or_else(|| form.ty("abtype"))?;
    Some(Mixed { function, source, rounding: form.rounding("rnd"), sat: form.has("sat") })
}
