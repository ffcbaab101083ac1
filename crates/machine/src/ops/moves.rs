//! Moves between registers, and packing and unpacking of vectors: the manual's 9.7.9.3 and 9.7.9.4.
//!
//! Addresses of variables and functions and special registers arrive here as plain sources.

use ptxvm_ir::OperandKind;
use ptxvm_isa::Type;
use ptxvm_isa::table::{Count, CountSource, Operand, Shape, TypeOf};

use super::logic::mask;
use crate::form::Form;
use crate::lanes::{self, Op};

/// The operation of a form of these sections.
pub fn select(form: &Form<'_>) -> Option<Op> {
    match form.section() {
        "9.7.9.3" => copy(form),
        "9.7.9.4" => pack_or_unpack(form),
        _ => None,
    }
}

/// A copy of a scalar, of a vector element by element, or of a scalar to every element.
fn copy(form: &Form<'_>) -> Option<Op> {
    let ty = form.main_type()?;
    let spread = form.row().operands.get(1).is_some_and(|a| !matches!(a.shape, Shape::Vector(..)));
    Some(match (form.slot("vec"), ty.bits(), spread) {
        (None, 1, _) => mask(|a| a),
        (None, bits, _) => scalar(bits)?,
        (Some("v2"), 16, false) => lanes::map2(|a: u16, b: u16| (a, b)),
        (Some("v2"), 32, false) => lanes::map2(|a: u32, b: u32| (a, b)),
        (Some("v2"), 64, false) => lanes::map2(|a: u64, b: u64| (a, b)),
        (Some("v4"), 16, false) => lanes::map4(|a: u16, b: u16, c: u16, d: u16| (a, b, c, d)),
        (Some("v4"), 32, false) => lanes::map4(|a: u32, b: u32, c: u32, d: u32| (a, b, c, d)),
        (Some("v2"), 16, true) => lanes::map1(|a: u16| (a, a)),
        (Some("v2"), 32, true) => lanes::map1(|a: u32| (a, a)),
        (Some("v2"), 64, true) => lanes::map1(|a: u64| (a, a)),
        (Some("v4"), 16, true) => lanes::map1(|a: u16| (a, a, a, a)),
        (Some("v4"), 32, true) => lanes::map1(|a: u32| (a, a, a, a)),
        _ => return None,
    })
}

fn scalar(bits: u32) -> Option<Op> {
    Some(match bits {
        16 => lanes::simd1(|a: u16| a),
        32 => lanes::simd1(|a: u32| a),
        64 => lanes::simd1(|a: u64| a),
        128 => lanes::map1(|a: u128| a),
        _ => return None,
    })
}

fn pack_or_unpack(form: &Form<'_>) -> Option<Op> {
    let bits = form.main_type()?.bits();
    let [d, a] = form.row().operands else { return None };
    match (parts(d), parts(a)) {
        (Some((1, _)), _) | (_, Some((1, _))) => scalar(bits),
        (Some((count, part)), None) => unpack(bits, count, part),
        (None, Some((count, part))) if form.elements("a").any(|e| e.kind == OperandKind::Sink) => {
            pack_some(form, bits, count, part)
        }
        (None, Some((count, part))) => pack(bits, count, part),
        _ => None,
    }
}

/// How many elements a vector's place has, and of how many bits; those of a vector of one are as wide as the
/// whole, which its row says by a slot.
fn parts(place: &Operand) -> Option<(u16, u32)> {
    let Shape::Vector(Count { source: CountSource::Number(count), .. }, elements) = place.shape else {
        return None;
    };
    let bits = match elements.first()?.ty {
        TypeOf::Fixed(ty) => ty.bits(),
        _ => Type::B128.bits(),
    };
    Some((count, bits))
}

/// The first element is the lowest.
fn pack(bits: u32, count: u16, part: u32) -> Option<Op> {
    Some(match (bits, count, part) {
        (16, 2, 8) => lanes::map2(|a: u8, b: u8| u16::from_le_bytes([a, b])),
        (32, 4, 8) => lanes::map4(|a: u8, b: u8, c: u8, d: u8| u32::from_le_bytes([a, b, c, d])),
        (32, 2, 16) => lanes::simd2(|a: u16, b: u16| u32::from(a) | u32::from(b) << 16),
        (64, 4, 16) => lanes::map4(|a: u16, b: u16, c: u16, d: u16| {
            u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
        }),
        (64, 2, 32) => lanes::simd2(|a: u32, b: u32| u64::from(a) | u64::from(b) << 32),
        (128, 4, 32) => lanes::map4(|a: u32, b: u32, c: u32, d: u32| {
            u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96
        }),
        (128, 2, 64) => lanes::map2(|a: u64, b: u64| u128::from(a) | u128::from(b) << 64),
        _ => return None,
    })
}

/// A sink among the elements leaves zeros in its place.
fn pack_some(form: &Form<'_>, bits: u32, count: u16, part: u32) -> Option<Op> {
    let mut kept = 0u32;
    for (place, element) in (0..).zip(form.elements("a")) {
        if element.kind != OperandKind::Sink {
            kept |= (u32::MAX >> (32 - part)).checked_shl(place * part)?;
        }
    }
    Some(match (bits, count, part) {
        (32, 4, 8) => lanes::map4(move |a: u8, b: u8, c: u8, d: u8| u32::from_le_bytes([a, b, c, d]) & kept),
        (32, 2, 16) => lanes::map2(move |a: u16, b: u16| (u32::from(a) | u32::from(b) << 16) & kept),
        _ => return None,
    })
}

/// The lowest goes to the first element.
fn unpack(bits: u32, count: u16, part: u32) -> Option<Op> {
    Some(match (bits, count, part) {
        (16, 2, 8) => lanes::map1(|a: u16| (a as u8, (a >> 8) as u8)),
        (32, 4, 8) => lanes::map1(|a: u32| (a as u8, (a >> 8) as u8, (a >> 16) as u8, (a >> 24) as u8)),
        (32, 2, 16) => lanes::simd1(|a: u32| (a as u16, (a >> 16) as u16)),
        (64, 4, 16) => lanes::map1(|a: u64| (a as u16, (a >> 16) as u16, (a >> 32) as u16, (a >> 48) as u16)),
        (64, 2, 32) => lanes::simd1(|a: u64| (a as u32, (a >> 32) as u32)),
        (128, 4, 32) => {
            lanes::map1(|a: u128| (a as u32, (a >> 32) as u32, (a >> 64) as u32, (a >> 96) as u32))
        }
        (128, 2, 64) => lanes::map1(|a: u128| (a as u64, (a >> 64) as u64)),
        _ => return None,
    })
}
