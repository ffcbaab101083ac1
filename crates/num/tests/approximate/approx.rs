//! Half and double precision and the divisions, against `approx.*`.

use ptxvm_num::approx::*;

use crate::golden::{data, description, hash, mix, words};

/// The recorded bytes of an entry.
fn recorded(kind: &str, name: &str) -> Vec<u8> {
    let entries = description("approx.json");
    let entry =
        entries["entries"].as_array().unwrap().iter().find(|e| e["kind"] == kind && e["name"] == name);
    let number = |key: &str| entry.unwrap()[key].as_u64().unwrap() as usize;
    data("approx.bin.zst")[number("offset")..][..number("count") * number("width")].to_vec()
}

#[track_caller]
fn check_all(name: &str, function: impl Fn(u16) -> u16) {
    for (x, y) in (0..=u16::MAX).zip(recorded("all", name).chunks_exact(2)) {
        let y = u16::from_le_bytes([y[0], y[1]]);
        assert_eq!(function(x), y, "{name} of {x:#06x}");
    }
}

#[test]
fn half_precision() {
    check_all("ex2.approx.f16", ex2_approx_f16);
    check_all("ex2.approx.ftz.bf16", ex2_approx_bf16);
    check_all("tanh.approx.f16", tanh_approx_f16);
    check_all("tanh.approx.bf16", tanh_approx_bf16);
}

/// The generator's number for a counter: one of eight kinds, so that every corner is met often.
fn number(counter: u32) -> u32 {
    let bits = mix(counter.wrapping_add(0x9e37_79b9));
    let kind = mix(bits.wrapping_add(1));
    let (unsigned, some) = (bits & 0x807f_ffff, (kind >> 8 & 31) << 23);
    match kind & 7 {
        0 => bits,
        1 => (some + 0x3800_0000) | unsigned,
        2 => some & 0x0180_0000 | unsigned,
        3 => some & 0x0180_0000 | 0x7e00_0000 | unsigned,
        4 => unsigned,
        5 => bits & 0xff80_0000,
        6 => bits & 0x8000_0000 | some << 3,
        _ => (bits & 0xff80_0003).wrapping_sub(2),
    }
}

#[track_caller]
fn check_pairs(name: &str, function: impl Fn(u32, u32) -> u32) {
    for (block, recorded) in (0u32..).zip(words(&recorded("pairs", name))) {
        let answers = (0..1 << 16).map(|i| {
            let x = block << 16 | i;
            function(number(x << 1), number(x << 1 | 1))
        });
        assert_eq!(hash(answers), recorded, "{name}, block {block}");
    }
}

#[test]
fn division() {
    check_pairs("div.approx.f32", |a, b| div_approx(a, b, false));
    check_pairs("div.approx.ftz.f32", |a, b| div_approx(a, b, true));
    check_pairs("div.full.f32", |a, b| div_full(a, b, false));
    check_pairs("div.full.ftz.f32", |a, b| div_full(a, b, true));
}

/// Every `step`-th binade of the upper words, and all that lie within two of a special one.
#[track_caller]
fn check_upper(name: &str, function: impl Fn(u64) -> u64) {
    for (binade, recorded) in (0u32..).zip(words(&recorded("upper", name))) {
        let near_special = (binade + 2) & 0x7ff < 5 || (binade + 5) & 0x7ff < 5;
        if near_special || binade % 61 == 0 {
            let answers = (0..1 << 20).map(|i| {
                let x = u64::from(binade << 20 | i) << 32 | u64::from(mix(i));
                let y = function(x);
                assert_eq!(y as u32, 0);
                (y >> 32) as u32
            });
            assert_eq!(hash(answers), recorded, "{name}, binade {binade:#05x}");
        }
    }
}

#[test]
fn upper_words() {
    check_upper("rcp.approx.ftz.f64", rcp_approx_f64);
    check_upper("rsqrt.approx.ftz.f64", |a| rsqrt_approx_f64(a, true));
}

/// The generator's double for a counter.
fn double(counter: u32) -> u64 {
    let (number, noise) = (number(counter << 1), mix(counter << 1 | 1));
    let upper = match noise & 3 {
        0 => noise,
        1 => number & 0x800f_ffff,
        2 => number | 0x7f80_0000,
        _ => number,
    };
    let lower = mix(noise ^ counter);
    u64::from(upper) << 32 | if lower >> 28 == 0 { 0 } else { u64::from(lower) }
}

#[test]
fn reciprocal_root_of_doubles() {
    for (block, recorded) in (0u32..).zip(words(&recorded("doubles", "rsqrt.approx.f64"))) {
        let answers = (0..1 << 16).map(|i| {
            let y = rsqrt_approx_f64(double(block << 16 | i), false);
            mix(y as u32) ^ (y >> 32) as u32
        });
        assert_eq!(hash(answers), recorded, "rsqrt.approx.f64, block {block}");
    }
}
