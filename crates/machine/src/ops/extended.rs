//! Arithmetic over several words: the manual's 9.7.2. The carry flag is the last source of what reads it and the
//! last destination of what writes it.

use ptxvm_ir::operation::compute::{Extended, ExtendedFunction as F};
use ptxvm_isa::Type;
use ptxvm_num::int::Int;
use ptxvm_num::int::extended::{addc, addc_sat, madc_hi, madc_hi_16, madc_lo, subc, subc_sat};

use crate::vector::lanes::{self, Op};
use crate::vector::value::Value;

/// The operation of arithmetic with the carry flag.
pub fn executor(extended: Extended) -> Option<Op> {
    match (extended.function, extended.ty, extended.sat) {
        (F::Addc, _, true) => Some(lanes::simd3(addc_sat)),
        (F::Subc, _, true) => Some(lanes::simd3(subc_sat)),
        (F::MadcHi, Type::U16, _) => Some(lanes::map4(madc_hi_16::<u16>)),
        (F::MadcHi, Type::S16, _) => Some(lanes::map4(madc_hi_16::<i16>)),
        // ptxas drops `.sat` from `madc.hi`.
        (_, Type::U16 | Type::S16, _) => word::<u16>(extended),
        (_, Type::U32, _) => word::<u32>(extended),
        (_, Type::S32, _) => word::<i32>(extended),
        (_, Type::U64, _) => word::<u64>(extended),
        (_, Type::S64, _) => word::<i64>(extended),
        _ => None,
    }
}

fn word<T: Int + 'static>(extended: Extended) -> Option<Op>
where
    T::Bits: Value + 'static,
{
    type Bits<T> = <T as Int>::Bits;
    Some(match (extended.function, extended.writes_carry) {
        (F::Add, true) => lanes::simd2(|a: Bits<T>, b: Bits<T>| addc::<T>(a, b, false)),
        (F::Addc, true) => lanes::simd3(addc::<T>),
        (F::Addc, false) => lanes::simd3(|a: Bits<T>, b: Bits<T>, carry: bool| addc::<T>(a, b, carry).0),
        (F::Sub, true) => lanes::simd2(|a: Bits<T>, b: Bits<T>| subc::<T>(a, b, true)),
        (F::Subc, true) => lanes::simd3(subc::<T>),
        (F::Subc, false) => lanes::simd3(|a: Bits<T>, b: Bits<T>, carry: bool| subc::<T>(a, b, carry).0),
        (F::MadLo, true) => lanes::simd3(|a: Bits<T>, b: Bits<T>, c: Bits<T>| madc_lo::<T>(a, b, c, false)),
        (F::MadHi, true) => lanes::simd3(|a: Bits<T>, b: Bits<T>, c: Bits<T>| madc_hi::<T>(a, b, c, false)),
        (F::MadcLo, true) => lanes::map4(madc_lo::<T>),
        (F::MadcHi, true) => lanes::map4(madc_hi::<T>),
        (F::MadcLo, false) => {
            lanes::map4(|a: Bits<T>, b: Bits<T>, c: Bits<T>, carry: bool| madc_lo::<T>(a, b, c, carry).0)
        }
        (F::MadcHi, false) => {
            lanes::map4(|a: Bits<T>, b: Bits<T>, c: Bits<T>, carry: bool| madc_hi::<T>(a, b, c, carry).0)
        }
        (F::Add | F::Sub | F::MadLo | F::MadHi, false) => return None,
    })
}
