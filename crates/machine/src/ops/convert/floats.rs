//! Conversions between `f16 bf16 tf32 f32 f64`, one at a time or two packed.

use ptxvm_ir::operation::compute::Convert;
use ptxvm_isa::Type;
use ptxvm_num::Rounding::{self, Rm, Rn, Rna, Rp, Rz};
use ptxvm_num::convert::{
    BF16, F16, F32, Format, Modifiers, bf16_to_f32, float_to_float, float_to_integral, quick,
    stochastic_pair, tf32_from_f32, tf32_rna_from_f32,
};

use super::width::{by_width, float};
use crate::vector::lanes::{self, Op};

const NONE: Modifiers = Modifiers { ftz: false, sat: false, relu: false, satfinite: false };

pub fn executor(cvt: Convert) -> Option<Op> {
    match (cvt.to, cvt.from) {
        (Type::Tf32, Type::F32) => tf32(cvt),
        (Type::F16x2, Type::F32) => pair(cvt, F16),
        (Type::Bf16x2, Type::F32) => pair(cvt, BF16),
        (to, from) if to == from => same(cvt, float(to)?),
        (to, from) => other(cvt, float(to)?, float(from)?),
    }
}

/// The same type: rounded to a whole number, clamped, or only moved.
fn same(cvt: Convert, format: Format) -> Option<Op> {
    let (rounding, modifiers) = (cvt.rounding, cvt.modifiers);
    if let Some(op) = quick_same(cvt.to, rounding, modifiers) {
        return Some(op);
    }
    let width = format.width();
    match rounding {
        Some(rounding) => by_width(width, width, move |a| float_to_integral(a, format, rounding, modifiers)),
        None => by_width(width, width, move |a| float_to_float(a, format, format, Rn, modifiers)),
    }
}

fn quick_same(ty: Type, rounding: Option<Rounding>, modifiers: Modifiers) -> Option<Op> {
    let flush = Modifiers { ftz: true, ..NONE };
    let clamp = Modifiers { sat: true, ..NONE };
    let flush_clamp = Modifiers { sat: true, ..flush };
    macro_rules! whole {
        ($($rounding:ident)*) => {
            match (ty, rounding?) {
                $((Type::F32, $rounding) if modifiers == NONE => {
                    lanes::simd1(|a: u32| quick::f32_integral(a, $rounding))
                }
                (Type::F32, $rounding) if modifiers == flush => {
                    lanes::simd1(|a: u32| quick::f32_integral(quick::flush_f32(a), $rounding))
                }
                (Type::F64, $rounding) if modifiers == NONE => {
                    lanes::simd1(|a: u64| quick::f64_integral(a, $rounding))
                })*
                _ => return None,
            }
        };
    }
    Some(match (ty, rounding) {
        // Nothing is asked for, and nothing is done: not even a NaN changes.
        (Type::F32, None) if modifiers == NONE => lanes::simd1(|a: u32| a),
        (Type::F64, None) if modifiers == NONE => lanes::simd1(|a: u64| a),
        (Type::F32, None) if modifiers == clamp => lanes::simd1(quick::f32_saturate),
        (Type::F32, None) if modifiers == flush_clamp => {
            lanes::simd1(|a: u32| quick::f32_saturate(quick::flush_f32(a)))
        }
        _ => whole!(Rn Rz Rm Rp),
    })
}

/// Another width. A rounding may be left out where `bf16` is on one side, and is then `.rn`.
fn other(cvt: Convert, to: Format, from: Format) -> Option<Op> {
    let (rounding, modifiers) = (cvt.rounding.unwrap_or(Rn), cvt.modifiers);
    // On the way from and to `f16`, `.ftz` finds nothing to flush or is not heeded.
    let unflushed = Modifiers { ftz: false, ..modifiers };
    Some(match (cvt.to, cvt.from) {
        (Type::F64, Type::F32) if modifiers == NONE => lanes::simd1(quick::f32_to_f64),
        (Type::F32, Type::F64) if modifiers == NONE && rounding == Rn => lanes::simd1(quick::f64_to_f32),
        (Type::F32, Type::F16) if unflushed == NONE => lanes::simd1(quick::f16_to_f32),
        (Type::F16, Type::F32) if unflushed == NONE && rounding == Rn => lanes::simd1(quick::f32_to_f16),
        (Type::F32, Type::Bf16) if modifiers == NONE => lanes::simd1(bf16_to_f32),
        (Type::Bf16, Type::F32) if modifiers == NONE && rounding == Rn => lanes::simd1(quick::f32_to_bf16),
        _ => {
            return by_width(from.width(), to.width(), move |a| {
                float_to_float(a, from, to, rounding, modifiers)
            });
        }
    })
}

fn tf32(cvt: Convert) -> Option<Op> {
    let modifiers = cvt.modifiers;
    Some(match cvt.rounding? {
        Rna if modifiers.satfinite => lanes::simd1(|a: u32| tf32_rna_from_f32(a, true)),
        Rna => lanes::simd1(|a: u32| tf32_rna_from_f32(a, false)),
        rounding => lanes::map1(move |a: u32| tf32_from_f32(a, rounding, modifiers)),
    })
}

/// Two `f32` in one register, the first in the upper half.
fn pair(cvt: Convert, to: Format) -> Option<Op> {
    let modifiers = cvt.modifiers;
    if cvt.stochastic {
        let Modifiers { relu, satfinite, .. } = modifiers;
        return Some(lanes::map3(move |a: u32, b: u32, rbits: u32| {
            stochastic_pair(a, b, rbits, to, relu, satfinite)
        }));
    }
    let rounding = cvt.rounding?;
    Some(if rounding == Rn && modifiers == NONE && to == F16 {
        lanes::simd2(|a: u32, b: u32| u32::from(quick::f32_to_f16(a)) << 16 | u32::from(quick::f32_to_f16(b)))
    } else if rounding == Rn && modifiers == NONE {
        lanes::simd2(|a: u32, b: u32| {
            u32::from(quick::f32_to_bf16(a)) << 16 | u32::from(quick::f32_to_bf16(b))
        })
    } else {
        lanes::map2(move |a: u32, b: u32| {
            let half = |bits: u32| float_to_float(bits.into(), F32, to, rounding, modifiers) as u32;
            half(a) << 16 | half(b)
        })
    })
}
