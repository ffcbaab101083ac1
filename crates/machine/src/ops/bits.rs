//! Bits, fields of bits, and dot products of bytes: the manual's 9.7.1.14 to 9.7.1.24.

use ptxvm_isa::Type;
use ptxvm_num::int::bits::{
    bfe, bfi, bfind, bfind_shiftamt, bmsk_clamp, bmsk_wrap, brev, clz, fns, popc, szext_clamp, szext_wrap,
};
use ptxvm_num::int::dot::{dp2a_hi, dp2a_lo, dp4a};

use crate::form::Form;
use crate::lanes::{self, Op};

/// The operation of a form of these sections.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if !form.section().starts_with("9.7.1.") {
        return None;
    }
    match form.name() {
        "bfind" => find(form),
        "szext" | "bmsk" => mask(form),
        "dp4a" | "dp2a.lo" | "dp2a.hi" => dot(form),
        name => field(name, form.main_type()?),
    }
}

fn field(name: &str, ty: Type) -> Option<Op> {
    Some(match (name, ty) {
        ("popc", Type::B32) => lanes::simd1(popc::<u32>),
        ("popc", Type::B64) => lanes::simd1(popc::<u64>),
        ("clz", Type::B32) => lanes::simd1(clz::<u32>),
        ("clz", Type::B64) => lanes::simd1(clz::<u64>),
        ("brev", Type::B32) => lanes::simd1(brev::<u32>),
        ("brev", Type::B64) => lanes::simd1(brev::<u64>),
        ("fns", Type::B32) => lanes::map3(fns),
        ("bfe", Type::U32) => lanes::simd3(bfe::<u32>),
        ("bfe", Type::S32) => lanes::simd3(bfe::<i32>),
        ("bfe", Type::U64) => lanes::simd3(bfe::<u64>),
        ("bfe", Type::S64) => lanes::simd3(bfe::<i64>),
        ("bfi", Type::B32) => lanes::map4(bfi::<u32>),
        ("bfi", Type::B64) => lanes::map4(bfi::<u64>),
        _ => return None,
    })
}

fn find(form: &Form<'_>) -> Option<Op> {
    Some(match (form.main_type()?, form.has("shiftamt")) {
        (Type::U32, false) => lanes::simd1(bfind::<u32>),
        (Type::S32, false) => lanes::simd1(bfind::<i32>),
        (Type::U64, false) => lanes::simd1(bfind::<u64>),
        (Type::S64, false) => lanes::simd1(bfind::<i64>),
        (Type::U32, true) => lanes::simd1(bfind_shiftamt::<u32>),
        (Type::S32, true) => lanes::simd1(bfind_shiftamt::<i32>),
        (Type::U64, true) => lanes::simd1(bfind_shiftamt::<u64>),
        (Type::S64, true) => lanes::simd1(bfind_shiftamt::<i64>),
        _ => return None,
    })
}

fn mask(form: &Form<'_>) -> Option<Op> {
    Some(match (form.name(), form.slot("mode")?, form.main_type()?) {
        ("szext", "clamp", Type::U32) => lanes::simd2(szext_clamp::<u32>),
        ("szext", "clamp", Type::S32) => lanes::simd2(szext_clamp::<i32>),
        ("szext", "wrap", Type::U32) => lanes::simd2(szext_wrap::<u32>),
        ("szext", "wrap", Type::S32) => lanes::simd2(szext_wrap::<i32>),
        ("bmsk", "clamp", _) => lanes::simd2(bmsk_clamp),
        ("bmsk", "wrap", _) => lanes::simd2(bmsk_wrap),
        _ => return None,
    })
}

fn dot(form: &Form<'_>) -> Option<Op> {
    macro_rules! signs {
        ($function:ident) => {
            match (form.ty("atype")?, form.ty("btype")?) {
                (Type::U32, Type::U32) => lanes::simd3($function::<false, false>),
                (Type::U32, Type::S32) => lanes::simd3($function::<false, true>),
                (Type::S32, Type::U32) => lanes::simd3($function::<true, false>),
                (Type::S32, Type::S32) => lanes::simd3($function::<true, true>),
                _ => return None,
            }
        };
    }
    Some(match form.name() {
        "dp4a" => signs!(dp4a),
        "dp2a.lo" => signs!(dp2a_lo),
        "dp2a.hi" => signs!(dp2a_hi),
        _ => return None,
    })
}
