//! `atom` and `red` (manual 9.7.13.5 and 9.7.13.6): what is done to the word in memory, by operation and type.
//!
//! Cache hints change no value, nor does `.noftz`, which only says what the operation does anyway. Asynchronous
//! reductions mean the same, element by element ([`Reduction`]).

mod reduction;
mod update;

use ptxvm_isa::Type;
use ptxvm_num::float::atomic::{Unit, add_f32, add_f64};
use ptxvm_num::float::half::{self, Finish, bf16x2, f16x2};
use ptxvm_num::float::minmax::{self, Extreme, Modifiers};
use ptxvm_num::int::{arithmetic, atomic};

use super::load_store::space_of;
use crate::lanes::Op;
use ptxvm_ir::operation::Form;
pub use reduction::Reduction;
pub(crate) use update::Access;
use update::Memorable;

/// What is made of an operation with one operand: an instruction, or the elements' part in an asynchronous reduction.
pub trait Combine: Sized {
    /// What that is.
    type Output;

    /// Makes it of `f`: of the unit that does it, the word in memory, and the operand.
    fn binary<T: Memorable>(self, f: impl Fn(Unit, T, T) -> T + Send + Sync + 'static) -> Self::Output;
}

/// The operation of `atom` or `red`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    let returns = match form.name() {
        "atom" => true,
        "red" => false,
        _ => return None,
    };
    let (base, offset) = form.address()?;
    let how = Access {
        space: space_of(form, base)?,
        offset,
        count: form.elements("b").count(),
        destinations: form.operands().iter().filter(|o| o.written).count(),
        acquire: form.has("acquire") || form.has("acq_rel"),
        release: form.has("release") || form.has("acq_rel"),
        returns,
    };
    let ty = form.main_type()?;
    form.modifiers().find_map(|word| match word {
        "exch" => exchange(how, ty),
        "cas" => compare_and_swap(how, ty),
        _ => combination(how, word, ty),
    })
}

/// The operation of this name that combines numbers of a type; `None` if there is none.
pub(crate) fn combination<C: Combine>(how: C, name: &str, ty: Type) -> Option<C::Output> {
    match name {
        "add" => add(how, ty),
        "min" => extreme(how, ty, Extreme::Min),
        "max" => extreme(how, ty, Extreme::Max),
        "inc" => Some(how.binary(|_, old: u32, b| atomic::inc(old, b))),
        "dec" => Some(how.binary(|_, old: u32, b| atomic::dec(old, b))),
        "and" | "or" | "xor" => logic(how, ty, name),
        _ => None,
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

fn logic<C: Combine>(how: C, ty: Type, word: &str) -> Option<C::Output> {
    Some(match (ty.bits(), word) {
        (32, "and") => how.binary(|_, old: u32, b| old & b),
        (32, "or") => how.binary(|_, old: u32, b| old | b),
        (32, _) => how.binary(|_, old: u32, b| old ^ b),
        (64, "and") => how.binary(|_, old: u64, b| old & b),
        (64, "or") => how.binary(|_, old: u64, b| old | b),
        (64, _) => how.binary(|_, old: u64, b| old ^ b),
        _ => return None,
    })
}

fn exchange(how: Access, ty: Type) -> Option<Op> {
    Some(match ty.bits() {
        32 => how.binary(|_, _: u32, b| b),
        64 => how.binary(|_, _: u64, b| b),
        128 => how.binary(|_, _: u128, b| b),
        _ => return None,
    })
}

fn compare_and_swap(how: Access, ty: Type) -> Option<Op> {
    Some(match ty.bits() {
        16 => how.ternary(atomic::cas::<u16>),
        32 => how.ternary(atomic::cas::<u32>),
        64 => how.ternary(atomic::cas::<u64>),
        128 => how.ternary(atomic::cas::<u128>),
        _ => return None,
    })
}
