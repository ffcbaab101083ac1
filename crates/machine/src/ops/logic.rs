//! Logic and shifts: the manual's 9.7.8. Predicates are masks of lanes, so their logic is one operation for all.

use ptxvm_ir::operation::compute::{Logic, LogicFunction as F, Overflow};
use ptxvm_isa::Type;
use ptxvm_num::float::compare::Junction;
use ptxvm_num::int::logic::{cnot, lop3, shf_l_clamp, shf_l_wrap, shf_r_clamp, shf_r_wrap, shl, shr};

use crate::context::Context;
use crate::registers::Slot;
use crate::vector::lanes::{self, Execute, Flow, Op};

/// The operation of logic or of a shift.
pub fn executor(Logic { function, ty }: Logic) -> Option<Op> {
    match (function, ty) {
        (F::Lop3 { table, junction }, _) => Some(by_table(table, junction)),
        (F::Funnel { left, overflow }, _) => Some(funnel(left, overflow)),
        (_, Type::Pred) => predicate(function),
        (_, Type::B16) => bitwise_16(function),
        (_, Type::B32) => bitwise_32(function),
        (_, Type::B64) => bitwise_64(function),
        (F::Shr, _) => shift(ty),
        _ => None,
    }
}

macro_rules! bitwise {
    ($function:ident $bits:ident) => {
        fn $function(function: F) -> Option<Op> {
            Some(match function {
                F::And => lanes::simd2(|a: $bits, b: $bits| a & b),
                F::Or => lanes::simd2(|a: $bits, b: $bits| a | b),
                F::Xor => lanes::simd2(|a: $bits, b: $bits| a ^ b),
                F::Not => lanes::simd1(|a: $bits| !a),
                F::Cnot => lanes::simd1(cnot::<$bits>),
                F::Shl => lanes::simd2(shl::<$bits>),
                F::Shr => lanes::simd2(shr::<$bits>),
                _ => return None,
            })
        }
    };
}

bitwise!(bitwise_16 u16);
bitwise!(bitwise_32 u32);
bitwise!(bitwise_64 u64);

/// The shifts of numbers to the right; the others are those of bits.
fn shift(ty: Type) -> Option<Op> {
    Some(match ty {
        Type::U16 => lanes::simd2(shr::<u16>),
        Type::U32 => lanes::simd2(shr::<u32>),
        Type::U64 => lanes::simd2(shr::<u64>),
        Type::S16 => lanes::simd2(shr::<i16>),
        Type::S32 => lanes::simd2(shr::<i32>),
        Type::S64 => lanes::simd2(shr::<i64>),
        _ => return None,
    })
}

fn funnel(left: bool, overflow: Overflow) -> Op {
    match (left, overflow) {
        (true, Overflow::Clamp) => lanes::simd3(shf_l_clamp),
        (true, Overflow::Wrap) => lanes::simd3(shf_l_wrap),
        (false, Overflow::Clamp) => lanes::simd3(shf_r_clamp),
        (false, Overflow::Wrap) => lanes::simd3(shf_r_wrap),
    }
}

/// `lop3`
fn by_table(table: u8, junction: Option<Junction>) -> Op {
    match junction {
        Some(with) => lanes::map5(move |a: u32, b: u32, c: u32, _: u32, q: bool| {
            let d = lop3(a, b, c, table);
            (d, with.join(d != 0, q))
        }),
        None => lanes::simd3(move |a: u32, b: u32, c: u32| lop3(a, b, c, table)),
    }
}

fn predicate(function: F) -> Option<Op> {
    Some(match function {
        F::And => masks(|a, b| a & b),
        F::Or => masks(|a, b| a | b),
        F::Xor => masks(|a, b| a ^ b),
        F::Not => mask(|a| !a),
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
