//! Moves between registers, packing and unpacking of vectors, permutes of bytes: the manual's 9.7.9.3, 9.7.9.4 and
//! 9.7.9.7.
//!
//! Addresses of variables and functions and special registers are plain sources here.

use ptxvm_isa::Type;
use ptxvm_isa::table::{Count, CountSource, Operand, Shape, TypeOf};
use ptxvm_num::int::permute::Permute;

use crate::instruction::OperandKind;
use crate::operation::form::Form;

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// `mov` of a scalar of so many bits; a predicate has one.
    Copy {
        /// Its bits.
        bits: u32,
    },
    /// `mov` of a vector, element by element.
    CopyVector {
        /// How many elements.
        count: u32,
        /// The bits of each.
        bits: u32,
    },
    /// `mov` of a scalar to every element of a vector.
    Spread {
        /// How many elements.
        count: u32,
        /// The bits of each.
        bits: u32,
    },
    /// `mov` of a vector into a scalar, the first element lowest.
    Pack {
        /// How many elements.
        count: u32,
        /// The bits of each.
        part: u32,
        /// The bits of the result that elements give; a sink in place of one leaves zeros.
        kept: u128,
    },
    /// `mov` of a scalar into a vector, the lowest bits to the first element.
    Unpack {
        /// How many elements.
        count: u32,
        /// The bits of each.
        part: u32,
    },
    /// `prmt` of bytes that a selector names, which is nearly always a constant.
    Prmt {
        /// The selector, if it is known.
        selector: Option<u32>,
    },
    /// `prmt` in one of its modes.
    PrmtMode(Permute),
}

pub(super) fn decode(form: &Form<'_>) -> Option<Movement> {
    match form.name() {
        "prmt" => Some(match form.slot("mode") {
            None => Movement::Prmt { selector: form.constant("c").map(|c| c as u32) },
            Some(mode) => Movement::PrmtMode(Permute::from_name(mode)?),
        }),
        "mov" => {
            let [d, a] = form.row().operands else { return None };
            match (form.slot("vec"), parts(d), parts(a)) {
                (Some(vector), ..) => copy_of_vector(form, vector),
                (None, Some((1, _)), _) | (None, _, Some((1, _))) | (None, None, None) => {
                    Some(Movement::Copy { bits: form.main_type()?.bits() })
                }
                (None, Some((count, part)), _) => Some(Movement::Unpack { count, part }),
                (None, None, Some((count, part))) => {
                    let ones = u128::MAX >> (128 - part);
                    let sinks =
                        (0..count).zip(form.elements("a")).filter(|(_, e)| e.kind == OperandKind::Sink);
                    let all = u128::MAX >> (128 - count * part);
                    let kept = sinks.fold(all, |kept, (place, _)| kept & !(ones << (place * part)));
                    Some(Movement::Pack { count, part, kept })
                }
            }
        }
        _ => None,
    }
}

/// A copy to each element of a vector: of the same element of a vector, or of a scalar.
fn copy_of_vector(form: &Form<'_>, vector: &str) -> Option<Movement> {
    let count = if vector == "v2" { 2 } else { 4 };
    let bits = form.main_type()?.bits();
    let spread = form.row().operands.get(1).is_some_and(|a| !matches!(a.shape, Shape::Vector(..)));
    Some(if spread { Movement::Spread { count, bits } } else { Movement::CopyVector { count, bits } })
}

/// How many elements a vector's place has, and of how many bits; those of a vector of one are as wide as the
/// whole, which its row says by a slot.
fn parts(place: &Operand) -> Option<(u32, u32)> {
    let Shape::Vector(Count { source: CountSource::Number(count), .. }, elements) = place.shape else {
        return None;
    };
    let bits = match elements.first()?.ty {
        TypeOf::Fixed(ty) => ty.bits(),
        _ => Type::B128.bits(),
    };
    Some((count.into(), bits))
}
