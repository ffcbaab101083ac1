//! Logic and shifts: the manual's 9.7.8.

use ptxvm_isa::Type;
use ptxvm_num::float::compare::Junction;

use super::bits::Overflow;
use crate::operation::form::Form;

/// Logic and shifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logic {
    /// What is computed.
    pub function: LogicFunction,
    /// The type of the sources and of the result.
    pub ty: Type,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum LogicFunction {
    And,
    Or,
    Xor,
    Not,
    Cnot,
    Shl,
    Shr,
    Lop3 {
        /// The table of results, of which the low eight bits count.
        table: u8,
        /// How a predicate joins whether the result is not zero.
        junction: Option<Junction>,
    },
    /// `shf`
    Funnel {
        left: bool,
        overflow: Overflow,
    },
}

pub(super) fn decode(form: &Form<'_>) -> Option<Logic> {
    use LogicFunction as F;
    let function = match form.name() {
        "and" => F::And,
        "or" => F::Or,
        "xor" => F::Xor,
        "not" => F::Not,
        "cnot" => F::Cnot,
        "shl" => F::Shl,
        "shr" => F::Shr,
        "lop3" => F::Lop3 {
            table: form.constant("immLut").unwrap_or(0) as u8,
            junction: form.slot("BoolOp").and_then(Junction::from_name),
        },
        name @ ("shf.l" | "shf.r") => F::Funnel { left: name == "shf.l", overflow: Overflow::of(form)? },
        _ => return None,
    };
    Some(Logic { function, ty: form.main_type()? })
}
