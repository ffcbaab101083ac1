//! Conversions: `cvt` and `cvt.pack` (manual 9.7.9.21 and 9.7.9.22).

use ptxvm_isa::Type;
use ptxvm_num::Rounding;
use ptxvm_num::convert::Modifiers;

use crate::operation::form::Form;

/// `cvt` from one type to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convert {
    /// The type converted to.
    pub to: Type,
    /// The type converted from.
    pub from: Type,
    /// The rounding that is written.
    pub rounding: Option<Rounding>,
    /// `.rs`: stochastic rounding, by the bits of a further source.
    pub stochastic: bool,
    /// What else is done to the result.
    pub modifiers: Modifiers,
    /// Whether scales are given.
    pub scaled: bool,
}

/// `cvt.pack`: integers of 32 bits into fewer, two of them, above what a third source has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvertPack {
    /// The bits of each result.
    pub bits: u32,
    /// Whether they are signed.
    pub signed: bool,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Convert> {
    if form.name() != "cvt" {
        return None;
    }
    // The last two modifiers of every form are the type converted to and the type converted from.
    let mut types = form.modifiers().filter_map(Type::from_name);
    let (to, from) = types.try_fold((None, None), |(_, last), ty| Some((last, Some(ty))))?;
    Some(Convert {
        to: to?,
        from: from?,
        rounding: form.modifiers().find_map(Rounding::from_name),
        stochastic: form.has("rs"),
        modifiers: Modifiers {
            ftz: form.has("ftz"),
            sat: form.has("sat"),
            relu: form.has("relu"),
            satfinite: form.has("satfinite"),
        },
        scaled: form.given("scale-factor"),
    })
}

pub(super) fn decode_pack(form: &Form<'_>) -> Option<ConvertPack> {
    if form.name() != "cvt.pack" {
        return None;
    }
    let (bits, signed) = match form.slot("convertType")? {
        "u16" => (16, false),
        "s16" => (16, true),
        "u8" => (8, false),
        "s8" => (8, true),
        "u4" => (4, false),
        "s4" => (4, true),
        "u2" => (2, false),
        "s2" => (2, true),
        _ => return None,
    };
    Some(ConvertPack { bits, signed })
}
