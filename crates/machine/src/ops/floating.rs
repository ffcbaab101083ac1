//! Single and double precision: the manual's 9.7.3, but for the approximations.
//!
//! What compilers write much of (`.rn`, the smaller and the larger of two, signs) are loops that vectorise; there
//! the modifiers are constants of the closure. The rest asks for its modifiers lane by lane.

use ptxvm_ir::operation::compute::{Float, FloatFunction as F};
use ptxvm_isa::Type;
use ptxvm_num::Rounding::{self, Rn};
use ptxvm_num::float::minmax::{self, Extreme, Modifiers};
use ptxvm_num::float::{f32, f32x2, f64};

use crate::vector::lanes::{self, Op};

/// The operation of floating point in single or double precision.
pub fn executor(float: Float) -> Option<Op> {
    let Float { function, ty, rounding: rnd, finish } = float;
    let (ftz, sat) = (finish.ftz, finish.sat);
    Some(match (function, ty) {
        (F::Add, _) => return add(ty, rnd, ftz, sat),
        (F::Sub, _) => return sub(ty, rnd, ftz, sat),
        (F::Mul, _) => return mul(ty, rnd, ftz, sat),
        (F::Fma, _) => return fma(ty, rnd, ftz, sat),
        (F::Div, Type::F32) => match (rnd, ftz) {
            (Rn, false) => lanes::simd2(|a: u32, b: u32| f32::div(a, b, Rn, false)),
            (Rn, true) => lanes::simd2(|a: u32, b: u32| f32::div(a, b, Rn, true)),
            _ => lanes::map2(move |a: u32, b: u32| f32::div(a, b, rnd, ftz)),
        },
        (F::Sqrt, Type::F32) => match (rnd, ftz) {
            (Rn, false) => lanes::simd1(|a: u32| f32::sqrt(a, Rn, false)),
            (Rn, true) => lanes::simd1(|a: u32| f32::sqrt(a, Rn, true)),
            _ => lanes::map1(move |a: u32| f32::sqrt(a, rnd, ftz)),
        },
        (F::Rcp, Type::F32) => match (rnd, ftz) {
            (Rn, false) => lanes::simd1(|a: u32| f32::rcp(a, Rn, false)),
            (Rn, true) => lanes::simd1(|a: u32| f32::rcp(a, Rn, true)),
            _ => lanes::map1(move |a: u32| f32::rcp(a, rnd, ftz)),
        },
        (F::Div, Type::F64) => match rnd {
            Rn => lanes::simd2(|a: u64, b: u64| f64::div(a, b, Rn)),
            _ => lanes::map2(move |a: u64, b: u64| f64::div(a, b, rnd)),
        },
        (F::Sqrt, Type::F64) => match rnd {
            Rn => lanes::simd1(|a: u64| f64::sqrt(a, Rn)),
            _ => lanes::map1(move |a: u64| f64::sqrt(a, rnd)),
        },
        // ptxas takes `.ftz` here, but the H200 does not flush.
        (F::Rcp, Type::F64) => match rnd {
            Rn => lanes::simd1(|a: u64| f64::rcp(a, Rn)),
            _ => lanes::map1(move |a: u64| f64::rcp(a, rnd)),
        },
        (F::Abs, Type::F32) if ftz => lanes::simd1(|a: u32| f32::abs(a, true)),
        (F::Abs, Type::F32) => lanes::simd1(|a: u32| f32::abs(a, false)),
        (F::Abs, Type::F64) => lanes::simd1(f64::abs),
        (F::Neg, Type::F32) if ftz => lanes::simd1(|a: u32| f32::neg(a, true)),
        (F::Neg, Type::F32) => lanes::simd1(|a: u32| f32::neg(a, false)),
        (F::Neg, Type::F64) => lanes::simd1(f64::neg),
        (F::Copysign, Type::F32) => lanes::simd2(f32::copysign),
        (F::Copysign, Type::F64) => lanes::simd2(f64::copysign),
        (F::Extreme { which: Extreme::Min, .. }, Type::F64) => {
            lanes::simd2(|a: u64, b: u64| minmax::f64(a, b, Extreme::Min))
        }
        (F::Extreme { which: Extreme::Max, .. }, Type::F64) => {
            lanes::simd2(|a: u64, b: u64| minmax::f64(a, b, Extreme::Max))
        }
        (F::Extreme { which, modifiers, three: true }, Type::F32) => {
            lanes::map3(move |a: u32, b: u32, c: u32| minmax::three_f32(a, b, c, which, modifiers))
        }
        (F::Extreme { which: Extreme::Min, modifiers, .. }, Type::F32) => extreme::<false>(modifiers),
        (F::Extreme { which: Extreme::Max, modifiers, .. }, Type::F32) => extreme::<true>(modifiers),
        (F::Testp(class), Type::F32) => lanes::map1(move |a: u32| class.has_f32(a)),
        (F::Testp(class), Type::F64) => lanes::map1(move |a: u64| class.has_f64(a)),
        _ => return None,
    })
}

/// An operation that has `.rnd`, `.ftz` and `.sat` in single precision, `.rnd` and `.ftz` in pairs, and only `.rnd` in
/// double precision.
macro_rules! arithmetic {
    ($name:ident, $simd:ident, $map:ident, $($arg:ident),+) => {
        fn $name(ty: Type, rnd: Rounding, ftz: bool, sat: bool) -> Option<Op> {
            Some(match (ty, rnd, ftz, sat) {
                (Type::F32, Rn, false, false) => {
                    lanes::$simd(|$($arg: u32),+| f32::$name($($arg,)+ Rn, false, false))
                }
                (Type::F32, Rn, true, false) => {
                    lanes::$simd(|$($arg: u32),+| f32::$name($($arg,)+ Rn, true, false))
                }
                (Type::F32, Rn, false, true) => {
                    lanes::$simd(|$($arg: u32),+| f32::$name($($arg,)+ Rn, false, true))
                }
                (Type::F32, Rn, true, true) => {
                    lanes::$simd(|$($arg: u32),+| f32::$name($($arg,)+ Rn, true, true))
                }
                (Type::F32, ..) => lanes::$map(move |$($arg: u32),+| f32::$name($($arg,)+ rnd, ftz, sat)),
                (Type::F32x2, Rn, false, _) => {
                    lanes::$simd(|$($arg: u64),+| f32x2::$name($($arg,)+ Rn, false))
                }
                (Type::F32x2, Rn, true, _) => lanes::$simd(|$($arg: u64),+| f32x2::$name($($arg,)+ Rn, true)),
                (Type::F32x2, ..) => lanes::$map(move |$($arg: u64),+| f32x2::$name($($arg,)+ rnd, ftz)),
                (Type::F64, Rn, ..) => lanes::$simd(|$($arg: u64),+| f64::$name($($arg,)+ Rn)),
                (Type::F64, ..) => lanes::$map(move |$($arg: u64),+| f64::$name($($arg,)+ rnd)),
                _ => return None,
            })
        }
    };
}

arithmetic!(add, simd2, map2, a, b);
arithmetic!(sub, simd2, map2, a, b);
arithmetic!(mul, simd2, map2, a, b);
arithmetic!(fma, simd3, map3, a, b, c);

/// `min.f32` and `max.f32`
fn extreme<const MAX: bool>(modifiers: Modifiers) -> Op {
    let which = if MAX { Extreme::Max } else { Extreme::Min };
    match modifiers {
        Modifiers { abs: true, .. } => lanes::map2(move |a: u32, b: u32| minmax::f32(a, b, which, modifiers)),
        Modifiers { ftz: false, nan: false, .. } => extreme_of_two::<MAX, false, false>(),
        Modifiers { ftz: true, nan: false, .. } => extreme_of_two::<MAX, true, false>(),
        Modifiers { ftz: false, nan: true, .. } => extreme_of_two::<MAX, false, true>(),
        Modifiers { ftz: true, nan: true, .. } => extreme_of_two::<MAX, true, true>(),
    }
}

fn extreme_of_two<const MAX: bool, const FTZ: bool, const NAN: bool>() -> Op {
    lanes::simd2(|a: u32, b: u32| {
        let which = if MAX { Extreme::Max } else { Extreme::Min };
        minmax::f32(a, b, which, Modifiers { ftz: FTZ, nan: NAN, abs: false, xorsign: false })
    })
}
