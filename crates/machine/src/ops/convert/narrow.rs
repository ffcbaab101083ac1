//! Conversions to and from the formats of 4 to 8 bits, two or four in a register.

use ptxvm_ir::operation::compute::Convert;
use ptxvm_isa::Type;
use ptxvm_num::convert::{
    BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, Format, bf16x2_from_pair, bf16x2_from_s2f6x2,
    bf16x2_from_ue8m0x2, narrow_pair, pair_from_f32, quick, s2f6x2_from_bf16x2, s2f6x2_from_f32,
    stochastic_quad, ue8m0x2_from_bf16x2, ue8m0x2_from_f32, widen_pair,
};

use crate::vector::lanes::{self, Op};

/// What a pair of scales is when none are given: 1 and 1.
const NO_SCALES: u16 = 0x7f7f;

pub fn executor(cvt: Convert) -> Option<Op> {
    match (cvt.to, cvt.from) {
        (Type::Ue8m0x2, _) | (_, Type::Ue8m0x2) => scale(cvt),
        (Type::S2f6x2, _) | (_, Type::S2f6x2) => fixed(cvt),
        (_, Type::F32) if cvt.stochastic => quad(cvt),
        (to, Type::F32) => from_f32(cvt, pair_format(to)?),
        (to, Type::F16x2) => from_halves(cvt, F16, pair_format(to)?),
        (to, Type::Bf16x2) => from_halves(cvt, BF16, pair_format(to)?),
        (Type::F16x2, from) => to_f16(cvt, pair_format(from)?),
        (Type::Bf16x2, from) => to_bf16(cvt, pair_format(from)?),
        _ => None,
    }
}

/// The format of each number of a packed pair.
fn pair_format(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::E4m3x2 => E4M3,
        Type::E5m2x2 => E5M2,
        Type::E2m3x2 => E2M3,
        Type::E3m2x2 => E3M2,
        Type::E2m1x2 => E2M1,
        _ => return None,
    })
}

fn from_f32(cvt: Convert, to: Format) -> Option<Op> {
    let relu = cvt.modifiers.relu;
    Some(match cvt.to {
        Type::E4m3x2 if !relu => lanes::simd2(|a: u32, b: u32| {
            u16::from(quick::f32_to_e4m3(a)) << 8 | u16::from(quick::f32_to_e4m3(b))
        }),
        Type::E5m2x2 if !relu => lanes::simd2(|a: u32, b: u32| {
            u16::from(quick::f32_to_e5m2(a)) << 8 | u16::from(quick::f32_to_e5m2(b))
        }),
        Type::E2m1x2 => lanes::map2(move |a: u32, b: u32| pair_from_f32(a, b, to, relu) as u8),
        _ => lanes::map2(move |a: u32, b: u32| pair_from_f32(a, b, to, relu)),
    })
}

fn from_halves(cvt: Convert, from: Format, to: Format) -> Option<Op> {
    let relu = cvt.modifiers.relu;
    Some(match cvt.to {
        Type::E2m1x2 => lanes::map1(move |a: u32| narrow_pair(a, from, to, relu) as u8),
        _ => lanes::map1(move |a: u32| narrow_pair(a, from, to, relu)),
    })
}

fn to_f16(cvt: Convert, from: Format) -> Option<Op> {
    let relu = cvt.modifiers.relu;
    Some(match cvt.from {
        Type::E4m3x2 if !relu => lanes::simd1(|a: u16| {
            u32::from(quick::e4m3_to_f16((a >> 8) as u8)) << 16 | u32::from(quick::e4m3_to_f16(a as u8))
        }),
        Type::E5m2x2 if !relu => lanes::simd1(|a: u16| {
            u32::from(quick::e5m2_to_f16((a >> 8) as u8)) << 16 | u32::from(quick::e5m2_to_f16(a as u8))
        }),
        Type::E2m1x2 => lanes::map1(move |a: u8| widen_pair(a.into(), from, relu)),
        _ => lanes::map1(move |a: u16| widen_pair(a, from, relu)),
    })
}

/// With scales or without.
fn to_bf16(cvt: Convert, from: Format) -> Option<Op> {
    let (relu, satfinite) = (cvt.modifiers.relu, cvt.modifiers.satfinite);
    Some(match (cvt.from, cvt.scaled) {
        (Type::E2m1x2, false) => {
            lanes::map1(move |a: u8| bf16x2_from_pair(a.into(), from, NO_SCALES, relu, satfinite))
        }
        (Type::E2m1x2, true) => {
            lanes::map2(move |a: u8, scales: u16| bf16x2_from_pair(a.into(), from, scales, relu, satfinite))
        }
        (_, false) => lanes::map1(move |a: u16| bf16x2_from_pair(a, from, NO_SCALES, relu, satfinite)),
        (_, true) => {
            lanes::map2(move |a: u16, scales: u16| bf16x2_from_pair(a, from, scales, relu, satfinite))
        }
    })
}

/// Four `f32`, stochastically rounded.
fn quad(cvt: Convert) -> Option<Op> {
    let relu = cvt.modifiers.relu;
    let to = match cvt.to {
        Type::E4m3x4 => E4M3,
        Type::E5m2x4 => E5M2,
        Type::E2m3x4 => E2M3,
        Type::E3m2x4 => E3M2,
        Type::E2m1x4 => {
            return Some(lanes::map5(move |a: u32, b: u32, e: u32, f: u32, rbits: u32| {
                stochastic_quad([a, b, e, f], rbits, E2M1, relu) as u16
            }));
        }
        _ => return None,
    };
    Some(lanes::map5(move |a: u32, b: u32, e: u32, f: u32, rbits: u32| {
        stochastic_quad([a, b, e, f], rbits, to, relu)
    }))
}

/// Powers of two.
fn scale(cvt: Convert) -> Option<Op> {
    let satfinite = cvt.modifiers.satfinite;
    let rounding = cvt.rounding?;
    Some(match (cvt.to, cvt.from) {
        (Type::Ue8m0x2, Type::F32) => {
            lanes::map2(move |a: u32, b: u32| ue8m0x2_from_f32(a, b, rounding, satfinite))
        }
        (Type::Ue8m0x2, Type::Bf16x2) => {
            lanes::map1(move |a: u32| ue8m0x2_from_bf16x2(a, rounding, satfinite))
        }
        (Type::Bf16x2, Type::Ue8m0x2) => lanes::map1(bf16x2_from_ue8m0x2),
        _ => return None,
    })
}

/// Fixed point, with scales or without.
fn fixed(cvt: Convert) -> Option<Op> {
    let (relu, satfinite) = (cvt.modifiers.relu, cvt.modifiers.satfinite);
    let scaled = cvt.scaled;
    Some(match (cvt.to, cvt.from, scaled) {
        (Type::S2f6x2, Type::F32, false) => {
            lanes::map2(move |a: u32, b: u32| s2f6x2_from_f32(a, b, NO_SCALES, relu))
        }
        (Type::S2f6x2, Type::F32, true) => {
            lanes::map3(move |a: u32, b: u32, scales: u16| s2f6x2_from_f32(a, b, scales, relu))
        }
        (Type::S2f6x2, Type::Bf16x2, false) => {
            lanes::map1(move |a: u32| s2f6x2_from_bf16x2(a, NO_SCALES, relu))
        }
        (Type::S2f6x2, Type::Bf16x2, true) => {
            lanes::map2(move |a: u32, scales: u16| s2f6x2_from_bf16x2(a, scales, relu))
        }
        (Type::Bf16x2, Type::S2f6x2, false) => {
            lanes::map1(move |a: u16| bf16x2_from_s2f6x2(a, NO_SCALES, relu, satfinite))
        }
        (Type::Bf16x2, Type::S2f6x2, true) => {
            lanes::map2(move |a: u16, scales: u16| bf16x2_from_s2f6x2(a, scales, relu, satfinite))
        }
        _ => return None,
    })
}
