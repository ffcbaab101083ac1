//! What combines the word in memory with an operand, by operation and type.

use ptxvm_ir::operation::access::Combination;
use ptxvm_isa::Type;
use ptxvm_memory::atomic::AtomicWord;
use ptxvm_num::float::atomic::{AtomicUnit, add_f32, add_f64};
use ptxvm_num::float::half::{self, Finish, bf16x2, f16x2};
use ptxvm_num::float::minmax::{self, Extreme, Modifiers};
use ptxvm_num::int::{arithmetic, atomic};

use crate::vector::mask::Plain;
use crate::vector::value::Value;

/// A word as registers and memory hold it.
pub trait Memorable: AtomicWord + Plain + Value + PartialEq + Default + Send + Sync + 'static {}
impl<T: AtomicWord + Plain + Value + PartialEq + Default + Send + Sync + 'static> Memorable for T {}

/// What is made of an operation with one operand: an instruction, or the elements' part in an asynchronous reduction.
pub trait Combine: Sized {
    /// What that is.
    type Output;

    /// Makes it of `f`: of the unit that does it, the word in memory, and the operand.
    fn binary<T: Memorable>(self, f: impl Fn(AtomicUnit, T, T) -> T + Send + Sync + 'static) -> Self::Output;
}

/// Where only the width counts.
macro_rules! by_width {
    ($how:ident, $ty:ident, |$unit:tt, $old:ident, $b:ident| $result:expr) => {
        match $ty.bits() {
            32 => Some($how.binary(|$unit, $old: u32, $b| $result)),
            64 => Some($how.binary(|$unit, $old: u64, $b| $result)),
            _ => None,
        }
    };
}

/// The operation that combines numbers of a type; `None` if there is none.
pub fn combine<C: Combine>(how: C, combination: Combination, ty: Type) -> Option<C::Output> {
    match combination {
        Combination::Add => add(how, ty),
        Combination::Min => extreme(how, ty, Extreme::Min),
        Combination::Max => extreme(how, ty, Extreme::Max),
        Combination::Inc => Some(how.binary(|_, old: u32, b| atomic::inc(old, b))),
        Combination::Dec => Some(how.binary(|_, old: u32, b| atomic::dec(old, b))),
        Combination::And => by_width!(how, ty, |_, old, b| old & b),
        Combination::Or => by_width!(how, ty, |_, old, b| old | b),
        Combination::Xor => by_width!(how, ty, |_, old, b| old ^ b),
    }
}

fn add<C: Combine>(how: C, ty: Type) -> Option<C::Output> {
    Some(match ty {
        Type::U32 | Type::S32 => how.binary(|_, old, b| arithmetic::add::<u32>(old, b)),
        Type::U64 => how.binary(|_, old, b| arithmetic::add::<u64>(old, b)),
        Type::F32 => how.binary(add_f32),
        Type::F64 => how.binary(add_f64),
        Type::F16 => how.binary(|_, old, b| half::f16::add(old, b, Finish::default())),
        Type::F16x2 => how.binary(|_, old, b| f16x2::add(old, b, Finish::default())),
        Type::Bf16 => how.binary(|_, old, b| half::bf16::add(old, b)),
        Type::Bf16x2 => how.binary(|_, old, b| bf16x2::add(old, b)),
        _ => return None,
    })
}

fn extreme<C: Combine>(how: C, ty: Type, which: Extreme) -> Option<C::Output> {
    let plain = Modifiers::default();
    Some(match (ty, which) {
        (Type::U32, Extreme::Min) => how.binary(|_, old, b| arithmetic::min::<u32>(old, b)),
        (Type::U32, Extreme::Max) => how.binary(|_, old, b| arithmetic::max::<u32>(old, b)),
        (Type::S32, Extreme::Min) => how.binary(|_, old, b| arithmetic::min::<i32>(old, b)),
        (Type::S32, Extreme::Max) => how.binary(|_, old, b| arithmetic::max::<i32>(old, b)),
        (Type::U64, Extreme::Min) => how.binary(|_, old, b| arithmetic::min::<u64>(old, b)),
        (Type::U64, Extreme::Max) => how.binary(|_, old, b| arithmetic::max::<u64>(old, b)),
        (Type::S64, Extreme::Min) => how.binary(|_, old, b| arithmetic::min::<i64>(old, b)),
        (Type::S64, Extreme::Max) => how.binary(|_, old, b| arithmetic::max::<i64>(old, b)),
        (Type::F16, _) => how.binary(move |_, old, b| minmax::f16(old, b, which, plain)),
        (Type::F16x2, _) => how.binary(move |_, old, b| f16x2::extreme(old, b, which, plain)),
        (Type::Bf16, _) => how.binary(move |_, old, b| minmax::bf16(old, b, which, plain)),
        (Type::Bf16x2, _) => how.binary(move |_, old, b| bf16x2::extreme(old, b, which, plain)),
        _ => return None,
    })
}
