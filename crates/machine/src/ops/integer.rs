//! Integer arithmetic: the manual's 9.7.1.1 to 9.7.1.13, and `clmad`.

use ptxvm_ir::operation::compute::{Integer, IntegerFunction as F, IntegerType as T, Limit};
use ptxvm_num::int::arithmetic::{
    abs, add, add_sat, clmad_hi, clmad_lo, mad_hi, mad_hi_sat, mad_lo, mad_wide, mad24_hi, mad24_hi_sat,
    mad24_lo, max, max_relu, min, min_relu, mul_hi, mul_lo, mul_wide, mul24_hi, mul24_lo, neg, sad, sub,
    sub_sat,
};
use ptxvm_num::int::division::{div, rem};
use ptxvm_num::int::packed::PackedPart;

use crate::vector::lanes::{self, Op};

/// Where only the width counts, not the sign.
macro_rules! by_width {
    ($ty:expr, $make:ident, $function:ident) => {
        match $ty {
            T::U16 | T::S16 => lanes::$make($function::<u16>),
            T::U32 | T::S32 => lanes::$make($function::<u32>),
            T::U64 | T::S64 => lanes::$make($function::<u64>),
            _ => return None,
        }
    };
}

/// Where the sign counts too. Some functions do not vectorise on 64 bits, and have another way there.
macro_rules! by_type {
    ($ty:expr, $make:ident, $function:ident) => {
        by_type!($ty, $make, $make, $function)
    };
    ($ty:expr, $make:ident, $make_64:ident, $function:ident) => {
        match $ty {
            T::U16 => lanes::$make($function::<u16>),
            T::S16 => lanes::$make($function::<i16>),
            T::U32 => lanes::$make($function::<u32>),
            T::S32 => lanes::$make($function::<i32>),
            T::U64 => lanes::$make_64($function::<u64>),
            T::S64 => lanes::$make_64($function::<i64>),
            _ => return None,
        }
    };
}

/// Of signed numbers alone.
macro_rules! by_sign {
    ($ty:expr, $make:ident, $function:ident) => {
        match $ty {
            T::S16 => lanes::$make($function::<i16>),
            T::S32 => lanes::$make($function::<i32>),
            T::S64 => lanes::$make($function::<i64>),
            _ => return None,
        }
    };
}

/// Where the result is twice as wide.
macro_rules! widened {
    ($ty:expr, $make:ident, $function:ident) => {
        match $ty {
            T::U16 => lanes::$make($function::<u16>),
            T::S16 => lanes::$make($function::<i16>),
            T::U32 => lanes::$make($function::<u32>),
            T::S32 => lanes::$make($function::<i32>),
            _ => return None,
        }
    };
}

/// Of words of 32 bits alone.
macro_rules! of_word {
    ($ty:expr, $make:ident, $function:ident) => {
        match $ty {
            T::U32 => lanes::$make($function::<u32>),
            T::S32 => lanes::$make($function::<i32>),
            _ => return None,
        }
    };
}

/// The operation of integer arithmetic.
pub fn executor(integer: Integer) -> Option<Op> {
    let Integer { function, ty, limit } = integer;
    match ty {
        T::U16 | T::S16 | T::U32 | T::S32 | T::U64 | T::S64 => match limit {
            None => whole(function, ty),
            Some(limit) => limited(function, ty, limit),
        },
        T::U16x2 => packed::<u16>(function, limit),
        T::S16x2 => packed::<i16>(function, limit),
        T::U8x4 => packed::<u8>(function, limit),
        T::S8x4 => packed::<i8>(function, limit),
    }
}

/// One number in each register.
fn whole(function: F, ty: T) -> Option<Op> {
    Some(match function {
        F::Add => by_width!(ty, simd2, add),
        F::Sub => by_width!(ty, simd2, sub),
        F::Neg => by_width!(ty, simd1, neg),
        F::Abs => by_sign!(ty, simd1, abs),
        F::Min => by_type!(ty, simd2, min),
        F::Max => by_type!(ty, simd2, max),
        F::Sad => by_type!(ty, simd3, sad),
        F::Div => by_type!(ty, simd2, map2, div),
        F::Rem => by_type!(ty, simd2, map2, rem),
        F::MulLo => by_width!(ty, simd2, mul_lo),
        F::MulHi => by_type!(ty, simd2, map2, mul_hi),
        F::MulWide => widened!(ty, simd2, mul_wide),
        F::MadLo => by_width!(ty, simd3, mad_lo),
        F::MadHi => by_type!(ty, simd3, map3, mad_hi),
        F::MadWide => widened!(ty, simd3, mad_wide),
        F::Mul24Lo => of_word!(ty, simd2, mul24_lo),
        F::Mul24Hi => of_word!(ty, simd2, mul24_hi),
        F::Mad24Lo => of_word!(ty, simd3, mad24_lo),
        F::Mad24Hi => of_word!(ty, simd3, mad24_hi),
        F::ClmadLo | F::ClmadHi if ty != T::U64 => return None,
        F::ClmadLo => lanes::map3(clmad_lo),
        F::ClmadHi => lanes::map3(clmad_hi),
    })
}

/// What `.sat` and `.relu` keep within bounds.
fn limited(function: F, ty: T, limit: Limit) -> Option<Op> {
    Some(match (function, limit, ty) {
        (F::Add, Limit::Sat, T::U32) => lanes::simd2(add_sat::<u32>),
        (F::Add, Limit::Sat, T::S32) => lanes::simd2(add_sat::<i32>),
        (F::Sub, Limit::Sat, T::S32) => lanes::simd2(sub_sat::<i32>),
        (F::MadHi, Limit::Sat, T::S32) => lanes::simd3(mad_hi_sat::<i32>),
        (F::Mad24Hi, Limit::Sat, T::S32) => lanes::simd3(mad24_hi_sat::<i32>),
        (F::Min, Limit::Relu, T::S32) => lanes::simd2(min_relu::<i32>),
        (F::Max, Limit::Relu, T::S32) => lanes::simd2(max_relu::<i32>),
        _ => return None,
    })
}

/// Several numbers in each word.
fn packed<P: PackedPart + 'static>(function: F, limit: Option<Limit>) -> Option<Op> {
    Some(match (function, limit) {
        (F::Neg, None) => lanes::simd1(|a: u32| P::each_alone(a, neg::<P>)),
        (F::Add, None) => lanes::simd2(|a: u32, b: u32| P::each(a, b, add::<P>)),
        (F::Add, Some(Limit::Sat)) => lanes::simd2(|a: u32, b: u32| P::each(a, b, add_sat::<P>)),
        (F::Sub, None) => lanes::simd2(|a: u32, b: u32| P::each(a, b, sub::<P>)),
        (F::Sub, Some(Limit::Sat)) => lanes::simd2(|a: u32, b: u32| P::each(a, b, sub_sat::<P>)),
        (F::Min, None) => lanes::simd2(|a: u32, b: u32| P::each(a, b, min::<P>)),
        (F::Max, None) => lanes::simd2(|a: u32, b: u32| P::each(a, b, max::<P>)),
        (F::Min, Some(Limit::Relu)) => lanes::simd2(|a: u32, b: u32| P::each(a, b, min_relu::<P>)),
        (F::Max, Some(Limit::Relu)) => lanes::simd2(|a: u32, b: u32| P::each(a, b, max_relu::<P>)),
        _ => return None,
    })
}
