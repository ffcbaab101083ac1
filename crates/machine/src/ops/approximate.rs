//! The approximations of the manual's 9.7.3 and 9.7.4, which are forms with `.approx` or `.full`.
//!
//! The functions of single precision are loops that vectorise where the host can gather.

use ptxvm_ir::operation::compute::{Approximate, ApproximateFunction as F};
use ptxvm_isa::Type;
use ptxvm_num::approx::*;

use crate::vector::lanes::{self, Op};
use crate::vector::vector_loop::vector_loop;

/// The operation of an approximation.
pub fn executor(Approximate { function, ty, ftz }: Approximate) -> Option<Op> {
    match ty {
        Type::F32 => Some(single(function, ftz)),
        Type::F64 => double(function, ftz),
        _ => half(function, ty),
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

fn single(function: F, ftz: bool) -> Op {
    match function {
        F::Div => with_ftz!(ftz, div_approx of two),
        F::DivFull => with_ftz!(ftz, div_full of two),
        F::Rcp => with_ftz!(ftz, rcp_approx),
        F::Sqrt => with_ftz!(ftz, sqrt_approx),
        F::Rsqrt => with_ftz!(ftz, rsqrt_approx),
        F::Ex2 => with_ftz!(ftz, ex2_approx),
        F::Lg2 => with_ftz!(ftz, lg2_approx),
        F::Sin => vector_loop!(|a: u32| -> u32 { sin_approx(a) }),
        F::Cos => vector_loop!(|a: u32| -> u32 { cos_approx(a) }),
        F::Tanh => vector_loop!(|a: u32| -> u32 { tanh_approx(a) }),
    }
}

fn double(function: F, ftz: bool) -> Option<Op> {
    Some(match function {
        F::Rcp => lanes::map1(rcp_approx_f64),
        F::Rsqrt => lanes::map1(move |a: u64| rsqrt_approx_f64(a, ftz)),
        _ => return None,
    })
}

fn half(function: F, ty: Type) -> Option<Op> {
    Some(match (function, ty) {
        (F::Ex2, Type::F16) => vector_loop!(|a: u16| -> u16 { ex2_approx_f16(a) }),
        (F::Ex2, Type::F16x2) => vector_loop!(|a: u32| -> u32 { both(a, ex2_approx_f16) }),
        (F::Ex2, Type::Bf16) => vector_loop!(|a: u16| -> u16 { ex2_approx_bf16(a) }),
        (F::Ex2, Type::Bf16x2) => vector_loop!(|a: u32| -> u32 { both(a, ex2_approx_bf16) }),
        (F::Tanh, Type::F16) => vector_loop!(|a: u16| -> u16 { tanh_approx_f16(a) }),
        (F::Tanh, Type::F16x2) => vector_loop!(|a: u32| -> u32 { both(a, tanh_approx_f16) }),
        (F::Tanh, Type::Bf16) => vector_loop!(|a: u16| -> u16 { tanh_approx_bf16(a) }),
        (F::Tanh, Type::Bf16x2) => vector_loop!(|a: u32| -> u32 { both(a, tanh_approx_bf16) }),
        _ => return None,
    })
}

/// A function of each half of a word.
#[inline(always)]
fn both(a: u32, function: impl Fn(u16) -> u16) -> u32 {
    u32::from(function((a >> 16) as u16)) << 16 | u32::from(function(a as u16))
}
