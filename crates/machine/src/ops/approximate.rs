//! The approximations of the manual's 9.7.3 and 9.7.4, which are forms with `.approx` or `.full`.
//!
//! The functions of single precision are loops that vectorise where the host can gather.

use ptxvm_isa::Type;
use ptxvm_num::approx::*;

use crate::form::Form;
use crate::lanes::{self, Op};
use crate::vector_loop::vector_loop;

/// The operation of a form with `.approx` or `.full`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if !form.section().starts_with("9.7.3.") && !form.section().starts_with("9.7.4.") {
        return None;
    }
    // Before PTX ISA 1.4 a form without `.approx` and without a rounding meant `.approx.ftz` in single precision.
    let old = !form.has("approx") && form.name() != "div.full";
    if old && form.slot("rnd").is_some() {
        return None;
    }
    let ty = form.main_type()?;
    let ftz = form.has("ftz") || old && ty == Type::F32;
    match ty {
        Type::F32 => single(form.name(), ftz),
        Type::F64 => double(form.name(), ftz, old),
        _ => half(form.name(), ty),
    }
}

/// A loop for either value of `.ftz`, which must be a constant in it.
macro_rules! with_ftz {
    ($ftz:ident, $function:ident) => {
        if $ftz {
            vector_loop!(|a: u32| -> u32 { $function(a, true) })
        } else {
            vector_loop!(|a: u32| -> u32 { $function(a, false) })
        }
    };
    ($ftz:ident, $function:ident of two) => {
        if $ftz {
            vector_loop!(|a: u32, b: u32| -> u32 { $function(a, b, true) })
        } else {
            vector_loop!(|a: u32, b: u32| -> u32 { $function(a, b, false) })
        }
    };
}

fn single(name: &str, ftz: bool) -> Option<Op> {
    Some(match name {
        "div" => with_ftz!(ftz, div_approx of two),
        "div.full" => with_ftz!(ftz, div_full of two),
        "rcp" => with_ftz!(ftz, rcp_approx),
        "sqrt" => with_ftz!(ftz, sqrt_approx),
        "rsqrt" => with_ftz!(ftz, rsqrt_approx),
        "ex2" => with_ftz!(ftz, ex2_approx),
        "lg2" => with_ftz!(ftz, lg2_approx),
        "sin" => vector_loop!(|a: u32| -> u32 { sin_approx(a) }),
        "cos" => vector_loop!(|a: u32| -> u32 { cos_approx(a) }),
        "tanh" => vector_loop!(|a: u32| -> u32 { tanh_approx(a) }),
        _ => return None,
    })
}

/// The other old forms of double precision are exactly rounded and stand with their like.
fn double(name: &str, ftz: bool, old: bool) -> Option<Op> {
    Some(match name {
        "rcp" if !old => lanes::map1(rcp_approx_f64),
        "rsqrt" => lanes::map1(move |a: u64| rsqrt_approx_f64(a, ftz)),
        _ => return None,
    })
}

fn half(name: &str, ty: Type) -> Option<Op> {
    Some(match (name, ty) {
        ("ex2", Type::F16) => vector_loop!(|a: u16| -> u16 { ex2_approx_f16(a) }),
        ("ex2", Type::F16x2) => vector_loop!(|a: u32| -> u32 { both(a, ex2_approx_f16) }),
        ("ex2", Type::Bf16) => vector_loop!(|a: u16| -> u16 { ex2_approx_bf16(a) }),
        ("ex2", Type::Bf16x2) => vector_loop!(|a: u32| -> u32 { both(a, ex2_approx_bf16) }),
        ("tanh", Type::F16) => vector_loop!(|a: u16| -> u16 { tanh_approx_f16(a) }),
        ("tanh", Type::F16x2) => vector_loop!(|a: u32| -> u32 { both(a, tanh_approx_f16) }),
        ("tanh", Type::Bf16) => vector_loop!(|a: u16| -> u16 { tanh_approx_bf16(a) }),
        ("tanh", Type::Bf16x2) => vector_loop!(|a: u32| -> u32 { both(a, tanh_approx_bf16) }),
        _ => return None,
    })
}

/// A function of each half of a word.
#[inline(always)]
fn both(a: u32, function: impl Fn(u16) -> u16) -> u32 {
    u32::from(function((a >> 16) as u16)) << 16 | u32::from(function(a as u16))
}
