//! Arithmetic over several words: the manual's 9.7.2. The carry flag is the last source of what reads it and the
//! last destination of what writes it.

use ptxvm_isa::Type;
use ptxvm_num::int::Int;
use ptxvm_num::int::extended::{addc, addc_sat, madc_hi, madc_hi_16, madc_lo, subc, subc_sat};

use crate::form::Form;
use crate::lanes::{self, Op};
use crate::registers::Value;

/// The operation of a form of these sections.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if !form.section().starts_with("9.7.2.") {
        return None;
    }
    let ty = form.main_type()?;
    match (form.name(), form.has("sat")) {
        ("addc", true) => Some(lanes::simd3(addc_sat)),
        ("subc", true) => Some(lanes::simd3(subc_sat)),
        ("madc.hi", _) if ty == Type::U16 => Some(lanes::map4(madc_hi_16::<u16>)),
        ("madc.hi", _) if ty == Type::S16 => Some(lanes::map4(madc_hi_16::<i16>)),
        // ptxas drops `.sat` from `madc.hi`.
        _ => match ty {
            Type::U16 | Type::S16 => word::<u16>(form),
            Type::U32 => word::<u32>(form),
            Type::S32 => word::<i32>(form),
            Type::U64 => word::<u64>(form),
            Type::S64 => word::<i64>(form),
            _ => None,
        },
    }
}

fn word<T: Int + 'static>(form: &Form<'_>) -> Option<Op>
where
    T::Bits: Value + 'static,
{
    type Bits<T> = <T as Int>::Bits;
    Some(match (form.name(), form.has("cc")) {
        ("add", true) => lanes::simd2(|a: Bits<T>, b: Bits<T>| addc::<T>(a, b, false)),
        ("addc", true) => lanes::simd3(addc::<T>),
        ("addc", false) => lanes::simd3(|a: Bits<T>, b: Bits<T>, carry: bool| addc::<T>(a, b, carry).0),
        ("sub", true) => lanes::simd2(|a: Bits<T>, b: Bits<T>| subc::<T>(a, b, true)),
        ("subc", true) => lanes::simd3(subc::<T>),
        ("subc", false) => lanes::simd3(|a: Bits<T>, b: Bits<T>, carry: bool| subc::<T>(a, b, carry).0),
        ("mad.lo", true) => lanes::simd3(|a: Bits<T>, b: Bits<T>, c: Bits<T>| madc_lo::<T>(a, b, c, false)),
        ("mad.hi", true) => lanes::simd3(|a: Bits<T>, b: Bits<T>, c: Bits<T>| madc_hi::<T>(a, b, c, false)),
        ("madc.lo", true) => lanes::map4(madc_lo::<T>),
        ("madc.hi", true) => lanes::map4(madc_hi::<T>),
        ("madc.lo", false) => {
            lanes::map4(|a: Bits<T>, b: Bits<T>, c: Bits<T>, carry: bool| madc_lo::<T>(a, b, c, carry).0)
        }
        ("madc.hi", false) => {
            lanes::map4(|a: Bits<T>, b: Bits<T>, c: Bits<T>, carry: bool| madc_hi::<T>(a, b, c, carry).0)
        }
        _ => return None,
    })
}
