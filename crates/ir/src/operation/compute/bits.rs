//! Bits, fields of bits, and dot products of bytes: the manual's 9.7.1.14 to 9.7.1.24.

use ptxvm_isa::Type;

use crate::operation::form::Form;

/// A function of bits. Of the types only those are told that a function may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum Bits {
    Popc(Type),
    Clz(Type),
    Brev(Type),
    Fns,
    Bfe(Type),
    Bfi(Type),
    /// `bfind`, and whether it gives the distance to shift by in place of the position.
    Bfind {
        ty: Type,
        shiftamt: bool,
    },
    Szext {
        ty: Type,
        overflow: Overflow,
    },
    Bmsk(Overflow),
    /// `dp4a`, and which sources are signed.
    Dp4a {
        a_signed: bool,
        b_signed: bool,
    },
    /// `dp2a`, which half of `b` it takes, and which sources are signed.
    Dp2a {
        high: bool,
        a_signed: bool,
        b_signed: bool,
    },
}

/// What becomes of a distance or width that is larger than the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// `.clamp`: it is the word's.
    Clamp,
    /// `.wrap`: its low bits count.
    Wrap,
}

impl Overflow {
    /// The mode in the slot `mode`.
    pub(super) fn of(form: &Form<'_>) -> Option<Self> {
        match form.slot("mode")? {
            "clamp" => Some(Self::Clamp),
            "wrap" => Some(Self::Wrap),
            _ => None,
        }
    }
}

pub(super) fn decode(form: &Form<'_>) -> Option<Bits> {
    let signed = |slot: &str| Some(form.ty(slot)? == Type::S32);
    Some(match form.name() {
        "popc" => Bits::Popc(form.main_type()?),
        "clz" => Bits::Clz(form.main_type()?),
        "brev" => Bits::Brev(form.main_type()?),
        "fns" => Bits::Fns,
        "bfe" => Bits::Bfe(form.main_type()?),
        "bfi" => Bits::Bfi(form.main_type()?),
        "bfind" => Bits::Bfind { ty: form.main_type()?, shiftamt: form.has("shiftamt") },
        "szext" => Bits::Szext { ty: form.main_type()?, overflow: Overflow::of(form)? },
        "bmsk" => Bits::Bmsk(Overflow::of(form)?),
        "dp4a" => Bits::Dp4a { a_signed: signed("atype")?, b_signed: signed("btype")? },
        name @ ("dp2a.lo" | "dp2a.hi") => {
            Bits::Dp2a { high: name == "dp2a.hi", a_signed: signed("atype")?, b_signed: signed("btype")? }
        }
        _ => return None,
    })
}
