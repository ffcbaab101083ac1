//! Logic and shifts: the manual's 9.7.8. Predicates are masks of lanes, so their logic is one operation for all.

use ptxvm_isa::Type;
use ptxvm_num::int::logic::{cnot, lop3, shf_l_clamp, shf_l_wrap, shf_r_clamp, shf_r_wrap, shl, shr};

use crate::context::Context;
use crate::form::Form;
use crate::lanes::{self, Execute, Flow, Op};
use crate::registers::Slot;

/// The operation of a form of these sections.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if !form.section().starts_with("9.7.8.") {
        return None;
    }
    match form.name() {
        "lop3" => Some(table(form)),
        "shf.l" | "shf.r" => funnel(form),
        name => match form.main_type()? {
            Type::Pred => predicate(name),
            Type::B16 => bitwise_16(name),
            Type::B32 => bitwise_32(name),
            Type::B64 => bitwise_64(name),
            ty => shift(name, ty),
        },
    }
}

macro_rules! bitwise {
    ($function:ident $bits:ident) => {
        fn $function(name: &str) -> Option<Op> {
            Some(match name {
                "and" => lanes::simd2(|a: $bits, b: $bits| a & b),
                "or" => lanes::simd2(|a: $bits, b: $bits| a | b),
                "xor" => lanes::simd2(|a: $bits, b: $bits| a ^ b),
                "not" => lanes::simd1(|a: $bits| !a),
                "cnot" => lanes::simd1(cnot::<$bits>),
                "shl" => lanes::simd2(shl::<$bits>),
                "shr" => lanes::simd2(shr::<$bits>),
                _ => return None,
            })
        }
    };
}

bitwise!(bitwise_16 u16);
bitwise!(bitwise_32 u32);
bitwise!(bitwise_64 u64);

/// The shifts of numbers; the others are those of bits.
fn shift(name: &str, ty: Type) -> Option<Op> {
    Some(match (name, ty) {
        ("shr", Type::U16) => lanes::simd2(shr::<u16>),
        ("shr", Type::U32) => lanes::simd2(shr::<u32>),
        ("shr", Type::U64) => lanes::simd2(shr::<u64>),
        ("shr", Type::S16) => lanes::simd2(shr::<i16>),
        ("shr", Type::S32) => lanes::simd2(shr::<i32>),
        ("shr", Type::S64) => lanes::simd2(shr::<i64>),
        _ => return None,
    })
}

fn funnel(form: &Form<'_>) -> Option<Op> {
    Some(match (form.name(), form.slot("mode")?) {
        ("shf.l", "clamp") => lanes::simd3(shf_l_clamp),
        ("shf.l", "wrap") => lanes::simd3(shf_l_wrap),
        ("shf.r", "clamp") => lanes::simd3(shf_r_clamp),
        ("shf.r", "wrap") => lanes::simd3(shf_r_wrap),
        _ => return None,
    })
}

/// `lop3`, of whose table the low eight bits count.
fn table(form: &Form<'_>) -> Op {
    let table = form.constant("immLut").unwrap_or(0) as u8;
    match form.slot("BoolOp") {
        Some("or") => lanes::map5(move |a: u32, b: u32, c: u32, _: u32, q: bool| {
            let d = lop3(a, b, c, table);
            (d, (d != 0) | q)
        }),
        Some(_) => lanes::map5(move |a: u32, b: u32, c: u32, _: u32, q: bool| {
            let d = lop3(a, b, c, table);
            (d, (d != 0) & q)
        }),
        None => lanes::simd3(move |a: u32, b: u32, c: u32| lop3(a, b, c, table)),
    }
}

fn predicate(name: &str) -> Option<Op> {
    Some(match name {
        "and" => masks(|a, b| a & b),
        "or" => masks(|a, b| a | b),
        "xor" => masks(|a, b| a ^ b),
        "not" => mask(|a| !a),
        _ => return None,
    })
}

/// An operation on one predicate.
pub fn mask(f: impl Fn(u32) -> u32 + Send + Sync + 'static) -> Op {
    Box::new(Mask(f))
}

/// An operation on two predicates.
fn masks(f: impl Fn(u32, u32) -> u32 + Send + Sync + 'static) -> Op {
    Box::new(Masks(f))
}

struct Mask<F>(F);

impl<F: Fn(u32) -> u32 + Send + Sync> Execute for Mask<F> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let value = (self.0)(context.bank.mask(slots[1]));
        context.bank.set_mask(slots[0], mask, value);
        Flow::Next
    }
}

struct Masks<F>(F);

impl<F: Fn(u32, u32) -> u32 + Send + Sync> Execute for Masks<F> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let value = (self.0)(context.bank.mask(slots[1]), context.bank.mask(slots[2]));
        context.bank.set_mask(slots[0], mask, value);
        Flow::Next
    }
}
