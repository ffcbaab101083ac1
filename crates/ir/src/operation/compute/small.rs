//! Four numbers of eight bits or fewer in a register: the manual's 9.7.6 since PTX 9.4.

use ptxvm_isa::Type;
use ptxvm_num::convert::SmallFunction;

use crate::operation::form::Form;

/// Arithmetic on four small numbers at once, rounded to nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small {
    /// What is computed.
    pub function: SmallFunction,
    /// The type of the first source.
    pub a: Type,
    /// The type of the other factor; of a sum, that of the result.
    pub b: Type,
    /// The type of the result, and of what is added.
    pub to: Type,
    /// `.satfinite`: what is too large becomes the largest number.
    pub satfinite: bool,
}

impl Small {
    pub(in crate::operation) fn decode(form: &Form<'_>) -> Option<Self> {
        let function = match form.name() {
            "add" => SmallFunction::Add,
            "sub" => SmallFunction::Sub,
            "mul" => SmallFunction::Mul,
            "fma" => SmallFunction::Fma,
            _ => return None,
        };
        let to = form.ty("cdtype")?;
        Some(Self {
            function,
            a: form.ty("atype")?,
            b: form.ty("btype").or_else(|| form.ty("ctype")).unwrap_or(to),
            to,
            satfinite: form.has("satfinite"),
        })
    }
}
