//! Comparing and choosing: the manual's 9.7.6, and the comparisons of half precision in 9.7.7.

use ptxvm_isa::Type;
use ptxvm_num::float::compare::{Comparison, Junction};

use crate::operation::form::Form;

/// Comparing and choosing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparing {
    /// `setp`
    Setp(Setp),
    /// `set`
    Set(Set),
    /// `selp` of values of this type.
    Selp(Type),
    /// `slct`
    Slct {
        /// The type of the values to choose from.
        ty: Type,
        /// The type of what decides: `.s32` or `.f32`.
        by: Type,
        /// `.ftz`
        ftz: bool,
    },
}

/// `setp`: a predicate, or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setp {
    /// What is asked.
    pub relation: Comparison,
    /// How the answer is joined with a third source.
    pub junction: Option<Junction>,
    /// `.ftz`
    pub ftz: bool,
    /// The type of what is compared.
    pub ty: Type,
    /// Whether there is a second destination: for the opposite, or for the high halves of packed values.
    pub two: bool,
}

/// `set`: a value that stands for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// What is asked.
    pub relation: Comparison,
    /// How the answer is joined with a third source.
    pub junction: Option<Junction>,
    /// `.ftz`
    pub ftz: bool,
    /// The type of what is compared.
    pub source: Type,
    /// The type of the result.
    pub destination: Type,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Comparing> {
    let relation = || Comparison::from_name(form.slot("CmpOp")?);
    let junction = form.slot("BoolOp").and_then(Junction::from_name);
    let ftz = form.has("ftz");
    // The type of `set`'s sources and of what decides a `slct` may be a literal of the row; it stands last.
    let last_type = || form.modifiers().filter_map(Type::from_name).last();
    Some(match form.name() {
        "setp" => {
            let sources = if junction.is_some() { 3 } else { 2 };
            let two = form.operands().len() > sources + 1;
            Comparing::Setp(Setp { relation: relation()?, junction, ftz, ty: form.main_type()?, two })
        }
        "set" => {
            let (source, destination) = (last_type()?, form.ty("dtype")?);
            Comparing::Set(Set { relation: relation()?, junction, ftz, source, destination })
        }
        "selp" => Comparing::Selp(form.main_type()?),
        "slct" => Comparing::Slct { ty: form.ty("dtype")?, by: last_type()?, ftz },
        _ => return None,
    })
}
