//! Single and double precision: the manual's 9.7.3, but for the approximations.
//!
//! What compilers write much of (`.rn`, the smaller and the larger of two, signs) are loops that vectorise; there
//! the modifiers are constants of the closure. The rest asks for its modifiers lane by lane.

use ptxvm_isa::Type;
use ptxvm_num::Rounding::{self, Rn};
use ptxvm_num::float::compare::Class;
use ptxvm_num::float::minmax::{self, Extreme, Modifiers};
use ptxvm_num::float::{f32, f32x2, f64};

use crate::form::Form;
use crate::lanes::{self, Op};

/// The operation of a form of this section.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if !form.section().starts_with("9.7.3.") || form.has("approx") {
        return None;
    }
    let ty = form.main_type()?;
    let rnd = form.rounding("rnd");
    let (ftz, sat) = (form.has("ftz"), form.has("sat"));
    match (form.name(), ty) {
        ("add", _) => add(ty, rnd, ftz, sat),
        ("sub", _) => sub(ty, rnd, ftz, sat),
        ("mul", _) => mul(ty, rnd, ftz, sat),
        ("fma" | "mad", _) => fma(ty, rnd, ftz, sat),
        // Without a rounding these two are approximations in single precision.
        ("div", Type::F32) if form.slot("rnd").is_some() => Some(match (rnd, ftz) {
            (Rn, false) => lanes::simd2(|a: u32, b: u32| f32::div(a, b, Rn, false)),
            (Rn, true) => lanes::simd2(|a: u32, b: u32| f32::div(a, b, Rn, true)),
            _ => lanes::map2(move |a: u32, b: u32| f32::div(a, b, rnd, ftz)),
        }),
        ("sqrt", Type::F32) if form.slot("rnd").is_some() => Some(match (rnd, ftz) {
            (Rn, false) => lanes::simd1(|a: u32| f32::sqrt(a, Rn, false)),
            (Rn, true) => lanes::simd1(|a: u32| f32::sqrt(a, Rn, true)),
            _ => lanes::map1(move |a: u32| f32::sqrt(a, rnd, ftz)),
        }),
        ("rcp", Type::F32) if form.slot("rnd").is_some() => Some(match (rnd, ftz) {
            (Rn, false) => lanes::simd1(|a: u32| f32::rcp(a, Rn, false)),
            (Rn, true) => lanes::simd1(|a: u32| f32::rcp(a, Rn, true)),
            _ => lanes::map1(move |a: u32| f32::rcp(a, rnd, ftz)),
        }),
        ("div", Type::F64) => Some(match rnd {
            Rn => lanes::simd2(|a: u64, b: u64| f64::div(a, b, Rn)),
            _ => lanes::map2(move |a: u64, b: u64| f64::div(a, b, rnd)),
        }),
        ("sqrt", Type::F64) => Some(match rnd {
            Rn => lanes::simd1(|a: u64| f64::sqrt(a, Rn)),
            _ => lanes::map1(move |a: u64| f64::sqrt(a, rnd)),
        }),
        // ptxas takes `.ftz` here, but the H200 does not flush.
        ("rcp", Type::F64) => Some(match rnd {
            Rn => lanes::simd1(|a: u64| f64::rcp(a, Rn)),
            _ => lanes::map1(move |a: u64| f64::rcp(a, rnd)),
        }),
        ("abs", Type::F32) if ftz => Some(lanes::simd1(|a: u32| f32::abs(a, true))),
        ("abs", Type::F32) => Some(lanes::simd1(|a: u32| f32::abs(a, false))),
        ("abs", Type::F64) => Some(lanes::simd1(f64::abs)),
        ("neg", Type::F32) if ftz => Some(lanes::simd1(|a: u32| f32::neg(a, true))),
        ("neg", Type::F32) => Some(lanes::simd1(|a: u32| f32::neg(a, false))),
        ("neg", Type::F64) => Some(lanes::simd1(f64::neg)),
        ("copysign", Type::F32) => Some(lanes::simd2(f32::copysign)),
        ("copysign", Type::F64) => Some(lanes::simd2(f64::copysign)),
        ("min", Type::F64) => Some(lanes::simd2(|a: u64, b: u64| minmax::f64(a, b, Extreme::Min))),
        ("max", Type::F64) => Some(lanes::simd2(|a: u64, b: u64| minmax::f64(a, b, Extreme::Max))),
        ("min", Type::F32) => Some(extreme::<false>(form)),
        ("max", Type::F32) => Some(extreme::<true>(form)),
        ("testp", _) => testp(form, ty),
        _ => None,
    }
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
fn extreme<const MAX: bool>(form: &Form<'_>) -> Op {
    let which = if MAX { Extreme::Max } else { Extreme::Min };
    let modifiers = Modifiers {
        ftz: form.has("ftz"),
        nan: form.has("NaN"),
        abs: form.has("abs"),
        xorsign: form.has("xorsign"),
    };
    // The row with a third source is a row of its own.
    if form.row().operands.len() == 4 {
        return lanes::map3(move |a: u32, b: u32, c: u32| minmax::three_f32(a, b, c, which, modifiers));
    }
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

/// `testp`. The form without a class, which ptxas takes, makes code there that reads a predicate nobody wrote; it has
/// no meaning.
fn testp(form: &Form<'_>, ty: Type) -> Option<Op> {
    let class = Class::from_name(form.slot("op")?)?;
    match ty {
        Type::F32 => Some(lanes::map1(move |a: u32| class.has_f32(a))),
        Type::F64 => Some(lanes::map1(move |a: u64| class.has_f64(a))),
        _ => None,
    }
}
