//! Arithmetic over several words: the manual's 9.7.2.

use ptxvm_isa::Type;

use crate::operation::form::Form;

/// Arithmetic with the carry flag, which is the last source of what reads it and the last destination of what writes
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extended {
    /// What is computed.
    pub function: ExtendedFunction,
    /// The type of its words.
    pub ty: Type,
    /// `.cc`: the carry flag is written.
    pub writes_carry: bool,
    /// `.sat`
    pub sat: bool,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum ExtendedFunction {
    Add,
    Addc,
    Sub,
    Subc,
    MadLo,
    MadHi,
    MadcLo,
    MadcHi,
}

impl Extended {
    /// Whether the carry flag is read.
    #[must_use]
    pub fn reads_carry(self) -> bool {
        use ExtendedFunction as F;
        matches!(self.function, F::Addc | F::Subc | F::MadcLo | F::MadcHi)
    }
}

pub(super) fn decode(form: &Form<'_>) -> Option<Extended> {
    use ExtendedFunction as F;
    let function = match form.name() {
        "add" => F::Add,
        "addc" => F::Addc,
        "sub" => F::Sub,
        "subc" => F::Subc,
        "mad.lo" => F::MadLo,
        "mad.hi" => F::MadHi,
        "madc.lo" => F::MadcLo,
        "madc.hi" => F::MadcHi,
        _ => return None,
    };
    Some(Extended { function, ty: form.main_type()?, writes_carry: form.says("cc"), sat: form.has("sat") })
}
