//! Conversions with an integer on one side or on both.

use ptxvm_ir::operation::compute::Convert;
use ptxvm_isa::Type;
use ptxvm_num::Rounding::{self, Rm, Rn, Rp, Rz};
use ptxvm_num::convert::{float_to_integer, integer_to_float, integer_to_integer, quick};

use super::width::{by_width, float, integer};
use crate::vector::lanes::{self, Op};

pub fn executor(cvt: Convert) -> Option<Op> {
    match (integer(cvt.to), integer(cvt.from)) {
        (Some(_), Some(_)) => between(cvt),
        (Some(_), None) => from_float(cvt),
        (None, Some(_)) => to_float(cvt),
        (None, None) => None,
    }
}

/// One integer type to another.
fn between(cvt: Convert) -> Option<Op> {
    let (to, from) = (integer(cvt.to)?, integer(cvt.from)?);
    if cvt.modifiers.sat {
        return by_width(from.bits(), to.bits(), move |a| integer_to_integer(a, from, to, true));
    }
    macro_rules! cast {
        ($bits:ident $value:ident) => {
            match to.bits() {
                8 => lanes::simd1(|a: $bits| a as $value as u8),
                16 => lanes::simd1(|a: $bits| a as $value as u16),
                32 => lanes::simd1(|a: $bits| a as $value as u32),
                _ => lanes::simd1(|a: $bits| a as $value as u64),
            }
        };
    }
    Some(match cvt.from {
        Type::U8 => cast!(u8 u8),
        Type::S8 => cast!(u8 i8),
        Type::U16 => cast!(u16 u16),
        Type::S16 => cast!(u16 i16),
        Type::U32 => cast!(u32 u32),
        Type::S32 => cast!(u32 i32),
        Type::U64 => cast!(u64 u64),
        _ => cast!(u64 i64),
    })
}

/// A float to an integer. `.sat` is what happens anyway.
fn from_float(cvt: Convert) -> Option<Op> {
    let (to, from, rounding) = (integer(cvt.to)?, float(cvt.from)?, cvt.rounding?);
    let ftz = cvt.modifiers.ftz;
    quick_from_float(cvt.to, cvt.from, rounding, ftz)
        .or_else(|| by_width(from.width(), to.bits(), move |a| float_to_integer(a, from, to, rounding, ftz)))
}

/// The pairs that kernels use. A subnormal number gives zero whether it is flushed or not, unless it is rounded up
/// or down.
fn quick_from_float(to: Type, from: Type, rounding: Rounding, ftz: bool) -> Option<Op> {
    macro_rules! rounded {
        ($bits:ident $f:ident) => {
            match rounding {
                Rn => lanes::simd1(|a: $bits| quick::$f(a, Rn)),
                Rz => lanes::simd1(|a: $bits| quick::$f(a, Rz)),
                Rm if !ftz => lanes::simd1(|a: $bits| quick::$f(a, Rm)),
                Rp if !ftz => lanes::simd1(|a: $bits| quick::$f(a, Rp)),
                _ => return None,
            }
        };
    }
    Some(match (to, from) {
        (Type::S32, Type::F32) if ftz && rounding == Rm => {
            lanes::simd1(|a: u32| quick::f32_to_s32(quick::flush_f32(a), Rm))
        }
        (Type::S32, Type::F32) if ftz && rounding == Rp => {
            lanes::simd1(|a: u32| quick::f32_to_s32(quick::flush_f32(a), Rp))
        }
        (Type::S32, Type::F32) => rounded!(u32 f32_to_s32),
        (Type::U32, Type::F32) => rounded!(u32 f32_to_u32),
        (Type::S32, Type::F64) => rounded!(u64 f64_to_s32),
        (Type::U32, Type::F64) => rounded!(u64 f64_to_u32),
        (Type::S64, Type::F32) if rounding == Rz => lanes::simd1(|a: u32| quick::f32_to_s64(a, Rz)),
        (Type::U64, Type::F32) if rounding == Rz => lanes::simd1(|a: u32| quick::f32_to_u64(a, Rz)),
        (Type::S64, Type::F64) if rounding == Rz => lanes::simd1(|a: u64| quick::f64_to_s64(a, Rz)),
        (Type::U64, Type::F64) if rounding == Rz => lanes::simd1(|a: u64| quick::f64_to_u64(a, Rz)),
        _ => return None,
    })
}

/// An integer to a float. No integer is subnormal, so `.ftz` says nothing.
fn to_float(cvt: Convert) -> Option<Op> {
    let (to, from, rounding) = (float(cvt.to)?, integer(cvt.from)?, cvt.rounding?);
    let sat = cvt.modifiers.sat;
    let quick = if sat { None } else { quick_to_float(cvt.to, cvt.from, rounding) };
    quick.or_else(|| by_width(from.bits(), to.width(), move |a| integer_to_float(a, from, to, rounding, sat)))
}

/// The pairs that kernels use; where the float holds every integer, the rounding does not matter.
fn quick_to_float(to: Type, from: Type, rounding: Rounding) -> Option<Op> {
    Some(match (to, from) {
        (Type::F32, Type::U8) => lanes::simd1(|a: u8| quick::u32_to_f32(a.into())),
        (Type::F32, Type::S8) => lanes::simd1(|a: u8| quick::s32_to_f32(a as i8 as u32)),
        (Type::F32, Type::U16) => lanes::simd1(|a: u16| quick::u32_to_f32(a.into())),
        (Type::F32, Type::S16) => lanes::simd1(|a: u16| quick::s32_to_f32(a as i16 as u32)),
        (Type::F64, Type::U32) => lanes::simd1(quick::u32_to_f64),
        (Type::F64, Type::S32) => lanes::simd1(quick::s32_to_f64),
        _ if rounding != Rn => return None,
        (Type::F32, Type::U32) => lanes::simd1(quick::u32_to_f32),
        (Type::F32, Type::S32) => lanes::simd1(quick::s32_to_f32),
        (Type::F32, Type::U64) => lanes::simd1(quick::u64_to_f32),
        (Type::F32, Type::S64) => lanes::simd1(quick::s64_to_f32),
        (Type::F64, Type::U64) => lanes::simd1(quick::u64_to_f64),
        (Type::F64, Type::S64) => lanes::simd1(quick::s64_to_f64),
        _ => return None,
    })
}
