//! Conversions to and from the formats of 4 to 8 bits, two or four in a register.

use ptxvm_num::convert::{
    BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, Format, bf16x2_from_s2f6x2, bf16x2_from_ue8m0x2, narrow_pair,
    pair_from_f32, quick, s2f6x2_from_bf16x2, s2f6x2_from_f32, stochastic_quad, ue8m0x2_from_bf16x2,
    ue8m0x2_from_f32, widen_pair,
};

use super::Cvt;
use crate::lanes::{self, Op};

/// What a pair of scales is when none are given: 1 and 1.
const NO_SCALES: u16 = 0x7f7f;

pub fn select(cvt: &Cvt<'_>) -> Option<Op> {
    match (cvt.to, cvt.from) {
        ("ue8m0x2", _) | (_, "ue8m0x2") => scale(cvt),
        ("s2f6x2", _) | (_, "s2f6x2") => fixed(cvt),
        (to, "f32") if to.ends_with("x4") => quad(cvt),
        (to, "f32") => from_f32(cvt, pair_format(to)?),
        (to, "f16x2") => from_halves(cvt, F16, pair_format(to)?),
        (to, "bf16x2") => from_halves(cvt, BF16, pair_format(to)?),
        ("f16x2", from) => to_f16(cvt, pair_format(from)?),
        _ => None,
    }
}

/// The format of each number of a packed pair.
fn pair_format(name: &str) -> Option<Format> {
    Some(match name {
        "e4m3x2" => E4M3,
        "e5m2x2" => E5M2,
        "e2m3x2" => E2M3,
        "e3m2x2" => E3M2,
        "e2m1x2" => E2M1,
        _ => return None,
    })
}

fn from_f32(cvt: &Cvt<'_>, to: Format) -> Option<Op> {
    let relu = cvt.has("relu");
    Some(match cvt.to {
        "e4m3x2" if !relu => lanes::simd2(|a: u32, b: u32| {
            u16::from(quick::f32_to_e4m3(a)) << 8 | u16::from(quick::f32_to_e4m3(b))
        }),
        "e5m2x2" if !relu => lanes::simd2(|a: u32, b: u32| {
            u16::from(quick::f32_to_e5m2(a)) << 8 | u16::from(quick::f32_to_e5m2(b))
        }),
        "e2m1x2" => lanes::map2(move |a: u32, b: u32| pair_from_f32(a, b, to, relu) as u8),
        _ => lanes::map2(move |a: u32, b: u32| pair_from_f32(a, b, to, relu)),
    })
}

fn from_halves(cvt: &Cvt<'_>, from: Format, to: Format) -> Option<Op> {
    let relu = cvt.has("relu");
    Some(match cvt.to {
        "e2m1x2" => lanes::map1(move |a: u32| narrow_pair(a, from, to, relu) as u8),
        _ => lanes::map1(move |a: u32| narrow_pair(a, from, to, relu)),
    })
}

fn to_f16(cvt: &Cvt<'_>, from: Format) -> Option<Op> {
    let relu = cvt.has("relu");
    Some(match cvt.from {
        "e4m3x2" if !relu => lanes::simd1(|a: u16| {
            u32::from(quick::e4m3_to_f16((a >> 8) as u8)) << 16 | u32::from(quick::e4m3_to_f16(a as u8))
        }),
        "e5m2x2" if !relu => lanes::simd1(|a: u16| {
            u32::from(quick::e5m2_to_f16((a >> 8) as u8)) << 16 | u32::from(quick::e5m2_to_f16(a as u8))
        }),
        "e2m1x2" => lanes::map1(move |a: u8| widen_pair(a.into(), from, relu)),
        _ => lanes::map1(move |a: u16| widen_pair(a, from, relu)),
    })
}

/// Four `f32`, stochastically rounded.
fn quad(cvt: &Cvt<'_>) -> Option<Op> {
    let relu = cvt.has("relu");
    let to = match cvt.to {
        "e4m3x4" => E4M3,
        "e5m2x4" => E5M2,
        "e2m3x4" => E2M3,
        "e3m2x4" => E3M2,
        "e2m1x4" => {
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
fn scale(cvt: &Cvt<'_>) -> Option<Op> {
    let satfinite = cvt.has("satfinite");
    let rounding = cvt.rounding()?;
    Some(match (cvt.to, cvt.from) {
        ("ue8m0x2", "f32") => lanes::map2(move |a: u32, b: u32| ue8m0x2_from_f32(a, b, rounding, satfinite)),
        ("ue8m0x2", "bf16x2") => lanes::map1(move |a: u32| ue8m0x2_from_bf16x2(a, rounding, satfinite)),
        ("bf16x2", "ue8m0x2") => lanes::map1(bf16x2_from_ue8m0x2),
        _ => return None,
    })
}

/// Fixed point, with scales or without.
fn fixed(cvt: &Cvt<'_>) -> Option<Op> {
    let (relu, satfinite) = (cvt.has("relu"), cvt.has("satfinite"));
    let scaled = cvt.form.given("scale-factor");
    Some(match (cvt.to, cvt.from, scaled) {
        ("s2f6x2", "f32", false) => lanes::map2(move |a: u32, b: u32| s2f6x2_from_f32(a, b, NO_SCALES, relu)),
        ("s2f6x2", "f32", true) => {
            lanes::map3(move |a: u32, b: u32, scales: u16| s2f6x2_from_f32(a, b, scales, relu))
        }
        ("s2f6x2", "bf16x2", false) => lanes::map1(move |a: u32| s2f6x2_from_bf16x2(a, NO_SCALES, relu)),
        ("s2f6x2", "bf16x2", true) => {
            lanes::map2(move |a: u32, scales: u16| s2f6x2_from_bf16x2(a, scales, relu))
        }
        ("bf16x2", "s2f6x2", false) => {
            lanes::map1(move |a: u16| bf16x2_from_s2f6x2(a, NO_SCALES, relu, satfinite))
        }
        ("bf16x2", "s2f6x2", true) => {
            lanes::map2(move |a: u16, scales: u16| bf16x2_from_s2f6x2(a, scales, relu, satfinite))
        }
        _ => return None,
    })
}
