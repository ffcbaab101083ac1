//! Video operations: the manual's 9.7.18.

use ptxvm_isa::Type;
use ptxvm_num::int::video::{Compare, Mad, Negate, Operation, Part, Scalar, Source, Then};
use ptxvm_num::int::video_simd::{self as simd, Gather, Simd};

use crate::instruction::{OperandKind, SIMD_SELECTOR};
use crate::operation::form::Form;

/// A video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Video {
    /// Of one part of each source.
    Scalar(Scalar),
    /// `vmad`
    Mad(Mad),
    /// Of halves.
    Halves(Simd<2>),
    /// Of bytes.
    Bytes(Simd<4>),
}

pub(super) fn decode(form: &Form<'_>) -> Option<Video> {
    let name = form.name();
    match name.as_bytes().last()? {
        _ if name == "vmad" => mad(form).map(Video::Mad),
        b'2' => parts(form, name.trim_end_matches('2')).map(Video::Halves),
        b'4' => parts(form, name.trim_end_matches('4')).map(Video::Bytes),
        _ => scalar(form).map(Video::Scalar),
    }
}

/// Whether a type slot says `.s32`; a source's may be written out in the row.
fn signed(form: &Form<'_>, slot: &str) -> bool {
    form.ty(slot) == Some(Type::S32)
}

/// The part of a register that an operand's selector names.
fn part(form: &Form<'_>, operand: &str) -> Option<Part> {
    form.selector(operand).map_or(Some(Part::Word), Part::from_name)
}

fn source(form: &Form<'_>, operand: &str, slot: &str) -> Option<Source> {
    Some(Source { part: part(form, operand)?, signed: signed(form, slot) })
}

fn scalar(form: &Form<'_>) -> Option<Scalar> {
    let wrap = form.slot("mode") == Some("wrap");
    let operation = match form.name() {
        "vadd" => Operation::Add,
        "vsub" => Operation::Sub,
        "vabsdiff" => Operation::AbsDiff,
        "vmin" => Operation::Min,
        "vmax" => Operation::Max,
        "vshl" => Operation::Shl { wrap },
        "vshr" => Operation::Shr { wrap },
        "vset" => Operation::Set(Compare::from_name(form.slot("cmp")?)?),
        _ => return None,
    };
    Some(Scalar {
        operation,
        a: source(form, "a", "atype")?,
        b: source(form, "b", "btype")?,
        saturate: form.has("sat"),
        signed: signed(form, if form.name() == "vset" { "atype" } else { "dtype" }),
        then: match form.slot("op2") {
            Some(word) => Then::from_name(word)?,
            None => Then::Merge(part(form, "d")?),
        },
    })
}

fn mad(form: &Form<'_>) -> Option<Mad> {
    Some(Mad {
        a: source(form, "a", "atype")?,
        b: source(form, "b", "btype")?,
        negate: match (form.negated("a") != form.negated("b"), form.negated("c")) {
            (true, _) => Negate::Product,
            (false, true) => Negate::Addend,
            (false, false) => Negate::Nothing,
        },
        plus_one: form.has("po"),
        scale: match form.slot("scale") {
            Some("shr7") => 7,
            Some("shr15") => 15,
            _ => 0,
        },
        saturate: form.has("sat"),
    })
}

fn parts<const N: usize>(form: &Form<'_>, name: &str) -> Option<Simd<N>> {
    let operation = match name {
        "vadd" => simd::Operation::Add,
        "vsub" => simd::Operation::Sub,
        "vavrg" => simd::Operation::Average,
        "vabsdiff" => simd::Operation::AbsDiff,
        "vmin" => simd::Operation::Min,
        "vmax" => simd::Operation::Max,
        "vset" => simd::Operation::Set(Compare::from_name(form.slot("cmp")?)?),
        _ => return None,
    };
    let (a_signed, b_signed) = (signed(form, "atype"), signed(form, "btype"));
    Some(Simd::<N> {
        operation,
        a: gather(form, "a", Gather::first(a_signed)),
        b: gather(form, "b", Gather::second(b_signed)),
        signed: signed(form, "dtype"),
        mask: mask(form),
        then: match (form.has("add"), form.has("sat")) {
            (true, _) => simd::Then::Add,
            (false, true) => simd::Then::Saturate,
            (false, false) => simd::Then::Merge,
        },
    })
}

/// The number of a register's selector; 0 if it has none.
fn selector(form: &Form<'_>, operand: &str) -> u16 {
    match form.operand(operand).map(|o| o.kind) {
        Some(OperandKind::Register { selector, .. }) => selector,
        _ => 0,
    }
}

/// The parts that a source's selector names, or those it has without one.
fn gather<const N: usize>(form: &Form<'_>, operand: &str, without: Gather<N>) -> Gather<N> {
    match selector(form, operand) {
        digits @ SIMD_SELECTOR.. => {
            let from = std::array::from_fn(|place| (digits >> (3 * place) & 7) as u8);
            Gather { from, ..without }
        }
        _ => without,
    }
}

/// The places of the result that its selector names, all of them without one.
fn mask(form: &Form<'_>) -> u8 {
    match selector(form, "d") {
        0 => u8::MAX,
        mask @ SIMD_SELECTOR.. => mask as u8,
        // One part alone is numbered like those of scalar operands.
        _ => form.selector("d").and_then(|name| name[1..].parse().ok()).map_or(0, |place: u32| 1 << place),
    }
}
