//! Integer arithmetic: the manual's 9.7.1.1 to 9.7.1.13.

use ptxvm_isa::Type;
use ptxvm_num::int::arithmetic::{
    abs, add, add_sat, mad_hi, mad_hi_sat, mad_lo, mad_wide, mad24_hi, mad24_hi_sat, mad24_lo, max, max_relu,
    min, min_relu, mul_hi, mul_lo, mul_wide, mul24_hi, mul24_lo, neg, sad, sub, sub_sat,
};
use ptxvm_num::int::division::{div, rem};
use ptxvm_num::int::packed::Part;

use crate::form::Form;
use crate::lanes::{self, Op};

/// The operation of a form of these sections.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if !form.section().starts_with("9.7.1.") {
        return None;
    }
    let ty = form.main_type()?;
    if matches!(ty, Type::U16x2 | Type::S16x2) {
        return packed(form, ty);
    }
    match (form.name(), form.has("sat"), form.has("relu")) {
        ("add" | "sub" | "neg" | "abs", false, _) => sum(form.name(), ty),
        ("min" | "max", _, false) => extreme(form.name(), ty),
        ("sad", ..) => distance(ty),
        ("div" | "rem", ..) => quotient(form.name(), ty),
        (_, true, _) | (_, _, true) => limited(form.name(), ty),
        (name, ..) if name.starts_with("mul24") || name.starts_with("mad24") => product24(name, ty),
        (name, ..) if name.ends_with(".wide") => wide(name, ty),
        (name, ..) => product(name, ty),
    }
}

/// Where only the width counts, not the sign.
macro_rules! by_width {
    ($ty:expr, $make:ident, $function:ident) => {
        match $ty.bits() {
            16 => lanes::$make($function::<u16>),
            32 => lanes::$make($function::<u32>),
            64 => lanes::$make($function::<u64>),
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
            Type::U16 => lanes::$make($function::<u16>),
            Type::S16 => lanes::$make($function::<i16>),
            Type::U32 => lanes::$make($function::<u32>),
            Type::S32 => lanes::$make($function::<i32>),
            Type::U64 => lanes::$make_64($function::<u64>),
            Type::S64 => lanes::$make_64($function::<i64>),
            _ => return None,
        }
    };
}

fn sum(name: &str, ty: Type) -> Option<Op> {
    Some(match (name, ty) {
        ("add", _) => by_width!(ty, simd2, add),
        ("sub", _) => by_width!(ty, simd2, sub),
        ("neg", _) => by_width!(ty, simd1, neg),
        ("abs", Type::S16) => lanes::simd1(abs::<i16>),
        ("abs", Type::S32) => lanes::simd1(abs::<i32>),
        ("abs", Type::S64) => lanes::simd1(abs::<i64>),
        _ => return None,
    })
}

fn extreme(name: &str, ty: Type) -> Option<Op> {
    Some(match name {
        "min" => by_type!(ty, simd2, min),
        "max" => by_type!(ty, simd2, max),
        _ => return None,
    })
}

fn distance(ty: Type) -> Option<Op> {
    Some(by_type!(ty, simd3, sad))
}

fn quotient(name: &str, ty: Type) -> Option<Op> {
    Some(match name {
        "div" => by_type!(ty, simd2, map2, div),
        "rem" => by_type!(ty, simd2, map2, rem),
        _ => return None,
    })
}

fn product(name: &str, ty: Type) -> Option<Op> {
    Some(match name {
        "mul.lo" => by_width!(ty, simd2, mul_lo),
        "mul.hi" => by_type!(ty, simd2, map2, mul_hi),
        "mad.lo" => by_width!(ty, simd3, mad_lo),
        "mad.hi" => by_type!(ty, simd3, map3, mad_hi),
        _ => return None,
    })
}

fn wide(name: &str, ty: Type) -> Option<Op> {
    Some(match (name, ty) {
        ("mul.wide", Type::U16) => lanes::simd2(mul_wide::<u16>),
        ("mul.wide", Type::S16) => lanes::simd2(mul_wide::<i16>),
        ("mul.wide", Type::U32) => lanes::simd2(mul_wide::<u32>),
        ("mul.wide", Type::S32) => lanes::simd2(mul_wide::<i32>),
        ("mad.wide", Type::U16) => lanes::simd3(mad_wide::<u16>),
        ("mad.wide", Type::S16) => lanes::simd3(mad_wide::<i16>),
        ("mad.wide", Type::U32) => lanes::simd3(mad_wide::<u32>),
        ("mad.wide", Type::S32) => lanes::simd3(mad_wide::<i32>),
        _ => return None,
    })
}

fn product24(name: &str, ty: Type) -> Option<Op> {
    Some(match (name, ty) {
        ("mul24.hi", Type::U32) => lanes::simd2(mul24_hi::<u32>),
        ("mul24.hi", Type::S32) => lanes::simd2(mul24_hi::<i32>),
        ("mul24.lo", Type::U32) => lanes::simd2(mul24_lo::<u32>),
        ("mul24.lo", Type::S32) => lanes::simd2(mul24_lo::<i32>),
        ("mad24.hi", Type::U32) => lanes::simd3(mad24_hi::<u32>),
        ("mad24.hi", Type::S32) => lanes::simd3(mad24_hi::<i32>),
        ("mad24.lo", Type::U32) => lanes::simd3(mad24_lo::<u32>),
        ("mad24.lo", Type::S32) => lanes::simd3(mad24_lo::<i32>),
        _ => return None,
    })
}

/// What `.sat` and `.relu` keep within bounds.
fn limited(name: &str, ty: Type) -> Option<Op> {
    Some(match (name, ty) {
        ("add", Type::S32) => lanes::simd2(add_sat::<i32>),
        ("sub", Type::S32) => lanes::simd2(sub_sat::<i32>),
        ("mad.hi", Type::S32) => lanes::simd3(mad_hi_sat::<i32>),
        ("mad24.hi", Type::S32) => lanes::simd3(mad24_hi_sat::<i32>),
        ("min", Type::S32) => lanes::simd2(min_relu::<i32>),
        ("max", Type::S32) => lanes::simd2(max_relu::<i32>),
        _ => return None,
    })
}

/// Two halves of a word at once.
fn packed(form: &Form<'_>, ty: Type) -> Option<Op> {
    Some(match (form.name(), ty, form.has("relu")) {
        ("add", ..) => lanes::simd2(|a: u32, b: u32| u16::each(a, b, add::<u16>)),
        ("min", Type::U16x2, _) => lanes::simd2(|a: u32, b: u32| u16::each(a, b, min::<u16>)),
        ("max", Type::U16x2, _) => lanes::simd2(|a: u32, b: u32| u16::each(a, b, max::<u16>)),
        ("min", Type::S16x2, false) => lanes::simd2(|a: u32, b: u32| i16::each(a, b, min::<i16>)),
        ("max", Type::S16x2, false) => lanes::simd2(|a: u32, b: u32| i16::each(a, b, max::<i16>)),
        ("min", Type::S16x2, true) => lanes::simd2(|a: u32, b: u32| i16::each(a, b, min_relu::<i16>)),
        ("max", Type::S16x2, true) => lanes::simd2(|a: u32, b: u32| i16::each(a, b, max_relu::<i16>)),
        _ => return None,
    })
}
