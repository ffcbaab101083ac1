//! Half precision and bfloat16, one value or two packed in a word: the manual's 9.7.4, but for the approximations.
//!
//! These operations are many instructions on the host, so the common ones are loops written out in place, which the
//! compiler cannot but vectorise.

use ptxvm_ir::operation::compute::{Float, FloatFunction as F};
use ptxvm_isa::Type;
use ptxvm_num::Rounding::{self, Rn};
use ptxvm_num::float::half::{Finish, bf16, bf16x2, f16, f16x2};
use ptxvm_num::float::minmax::{self, Extreme, Modifiers};

use crate::vector::lanes::{self, Op};
use crate::vector::vector_loop::vector_loop;

/// Nothing but rounding.
const PLAIN: Finish = Finish { ftz: false, sat: false, relu: false, oob: false };
/// `.relu`
const RELU: Finish = Finish { relu: true, ..PLAIN };

/// `min` and `max` without modifiers.
const NUMBER: Modifiers = Modifiers { ftz: false, nan: false, abs: false, xorsign: false };
/// `.NaN`
const NAN: Modifiers = Modifiers { nan: true, ..NUMBER };

/// The operation of floating point in half precision.
pub fn executor(float: Float) -> Option<Op> {
    let Float { function, ty, rounding, finish } = float;
    match function {
        F::Add => add(ty, finish),
        F::Sub => sub(ty, finish),
        F::Mul => mul(ty, finish),
        F::Fma => fma(ty, rounding, finish),
        F::Abs => abs(ty, finish.ftz),
        F::Neg => neg(ty, finish.ftz),
        F::Extreme { which: Extreme::Min, modifiers, .. } => extreme::<false>(ty, modifiers),
        F::Extreme { which: Extreme::Max, modifiers, .. } => extreme::<true>(ty, modifiers),
        _ => None,
    }
}

macro_rules! of_two {
    ($name:ident) => {
        fn $name(ty: Type, then: Finish) -> Option<Op> {
            Some(match (ty, then) {
                (Type::F16, PLAIN) => vector_loop!(|a: u16, b: u16| -> u16 { f16::$name(a, b, PLAIN) }),
                (Type::F16x2, PLAIN) => vector_loop!(|a: u32, b: u32| -> u32 { f16x2::$name(a, b, PLAIN) }),
                (Type::F16, _) => lanes::map2(move |a: u16, b: u16| f16::$name(a, b, then)),
                (Type::F16x2, _) => lanes::map2(move |a: u32, b: u32| f16x2::$name(a, b, then)),
                (Type::Bf16, _) => vector_loop!(|a: u16, b: u16| -> u16 { bf16::$name(a, b) }),
                (Type::Bf16x2, _) => vector_loop!(|a: u32, b: u32| -> u32 { bf16x2::$name(a, b) }),
                _ => return None,
            })
        }
    };
}

of_two!(add);
of_two!(sub);
of_two!(mul);

fn fma(ty: Type, rounding: Rounding, then: Finish) -> Option<Op> {
    // Measured: with another rounding than `.rn`, which only ptxas knows, an H200 takes the bits for halves and
    // does not heed `.relu`.
    let (ty, then) = match ty {
        Type::Bf16 if rounding != Rn => (Type::F16, Finish { relu: false, ..then }),
        Type::Bf16x2 if rounding != Rn => (Type::F16x2, Finish { relu: false, ..then }),
        ty => (ty, then),
    };
    Some(match (ty, then) {
        (Type::F16, PLAIN) => {
            vector_loop!(|a: u16, b: u16, c: u16| -> u16 { f16::fma(a, b, c, PLAIN) })
        }
        (Type::F16, RELU) => {
            vector_loop!(|a: u16, b: u16, c: u16| -> u16 { f16::fma(a, b, c, RELU) })
        }
        (Type::F16, _) => lanes::map3(move |a: u16, b: u16, c: u16| f16::fma(a, b, c, then)),
        (Type::F16x2, PLAIN) => {
            vector_loop!(|a: u32, b: u32, c: u32| -> u32 { f16x2::fma(a, b, c, PLAIN) })
        }
        (Type::F16x2, RELU) => {
            vector_loop!(|a: u32, b: u32, c: u32| -> u32 { f16x2::fma(a, b, c, RELU) })
        }
        (Type::F16x2, _) => lanes::map3(move |a: u32, b: u32, c: u32| f16x2::fma(a, b, c, then)),
        (Type::Bf16, PLAIN) => {
            vector_loop!(|a: u16, b: u16, c: u16| -> u16 { bf16::fma(a, b, c, PLAIN) })
        }
        (Type::Bf16, RELU) => {
            vector_loop!(|a: u16, b: u16, c: u16| -> u16 { bf16::fma(a, b, c, RELU) })
        }
        (Type::Bf16, _) => lanes::map3(move |a: u16, b: u16, c: u16| bf16::fma(a, b, c, then)),
        (Type::Bf16x2, PLAIN) => {
            vector_loop!(|a: u32, b: u32, c: u32| -> u32 { bf16x2::fma(a, b, c, PLAIN) })
        }
        (Type::Bf16x2, RELU) => {
            vector_loop!(|a: u32, b: u32, c: u32| -> u32 { bf16x2::fma(a, b, c, RELU) })
        }
        (Type::Bf16x2, _) => lanes::map3(move |a: u32, b: u32, c: u32| bf16x2::fma(a, b, c, then)),
        _ => return None,
    })
}

macro_rules! of_one {
    ($name:ident) => {
        fn $name(ty: Type, ftz: bool) -> Option<Op> {
            Some(match ty {
                Type::F16 => lanes::simd1(move |a: u16| f16::$name(a, ftz)),
                Type::F16x2 => lanes::simd1(move |a: u32| f16x2::$name(a, ftz)),
                Type::Bf16 => lanes::simd1(bf16::$name),
                Type::Bf16x2 => lanes::simd1(bf16x2::$name),
                _ => return None,
            })
        }
    };
}

of_one!(abs);
of_one!(neg);

/// `min` and `max`
fn extreme<const MAX: bool>(ty: Type, modifiers: Modifiers) -> Option<Op> {
    let which = if MAX { Extreme::Max } else { Extreme::Min };
    Some(match (ty, modifiers) {
        (Type::F16x2, NUMBER) => packed_extreme::<MAX, false, false>(),
        (Type::F16x2, NAN) => packed_extreme::<MAX, false, true>(),
        (Type::Bf16x2, NUMBER) => packed_extreme::<MAX, true, false>(),
        (Type::Bf16x2, NAN) => packed_extreme::<MAX, true, true>(),
        (Type::F16, _) => lanes::map2(move |a: u16, b: u16| minmax::f16(a, b, which, modifiers)),
        (Type::F16x2, _) => lanes::map2(move |a: u32, b: u32| f16x2::extreme(a, b, which, modifiers)),
        (Type::Bf16, _) => lanes::map2(move |a: u16, b: u16| minmax::bf16(a, b, which, modifiers)),
        (Type::Bf16x2, _) => lanes::map2(move |a: u32, b: u32| bf16x2::extreme(a, b, which, modifiers)),
        _ => return None,
    })
}

/// The common forms: without `.ftz` and `.xorsign.abs`.
fn packed_extreme<const MAX: bool, const BRAIN: bool, const NAN: bool>() -> Op {
    lanes::simd2(|a: u32, b: u32| {
        let which = if MAX { Extreme::Max } else { Extreme::Min };
        let modifiers = Modifiers { nan: NAN, ..NUMBER };
        if BRAIN { bf16x2::extreme(a, b, which, modifiers) } else { f16x2::extreme(a, b, which, modifiers) }
    })
}
