//! `atom` and `red` (manual 9.7.13.5 and 9.7.13.6): what is done to the word in memory, by operation and type.
//!
//! Cache hints change no value, nor does `.noftz` of half precision, which only says what the operation does anyway. Asynchronous
//! reductions mean the same, element by element ([`Reduction`]).

mod combine;
mod reduction;
mod update;

use ptxvm_ir::operation::access::{Atomic, AtomicFunction, Combination};
use ptxvm_isa::Type;
use ptxvm_num::Rounding;
use ptxvm_num::float::f32;
use ptxvm_num::int::atomic;

use crate::vector::lanes::Op;
use combine::{Combine, combine};
pub use reduction::Reduction;
use update::Change;

/// The operation of an atomic.
pub fn executor(atomic: Atomic) -> Option<Op> {
    let (how, ty) = (Change(atomic), atomic.ty);
    match atomic.function {
        AtomicFunction::Exch => exchange(how, ty),
        AtomicFunction::Cas => compare_and_swap(how, ty),
        AtomicFunction::Combine(Combination::Add) if atomic.noftz && ty == Type::F32 => {
            Some(how.binary(|_, old, b| f32::add(old, b, Rounding::Rn, false, false)))
        }
        AtomicFunction::Combine(combination) => combine(how, combination, ty),
    }
}

fn exchange(how: Change, ty: Type) -> Option<Op> {
    Some(match ty.bits() {
        32 => how.binary(|_, _: u32, b| b),
        64 => how.binary(|_, _: u64, b| b),
        128 => how.binary(|_, _: u128, b| b),
        _ => return None,
    })
}

fn compare_and_swap(how: Change, ty: Type) -> Option<Op> {
    Some(match ty.bits() {
        16 => how.ternary(atomic::cas::<u16>),
        32 => how.ternary(atomic::cas::<u32>),
        64 => how.ternary(atomic::cas::<u64>),
        128 => how.ternary(atomic::cas::<u128>),
        _ => return None,
    })
}
