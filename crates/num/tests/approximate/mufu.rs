//! A sample of the 2^32 inputs of each f32 function; `cargo xtask mufu sweep` checks them all.

use ptxvm_num::approx::*;

use crate::golden::{data, description, hash, words};

/// The blocks to check, in which every entry of every table has its part: all from 1 to 4, some of each binade in
/// which tanh has entries of its own, one of every second other binade, here its first, there its last or one
/// between, and more of those where numbers are special or subnormal and so the wrappers do their work.
fn sample() -> impl Iterator<Item = u32> {
    let tables = (0x3f80..0x4080).chain((0x3b80..0x4100).step_by(8));
    let within = |binade: u32| [0, 127, binade * 11 % 128][binade as usize % 3];
    let once = (0..512).step_by(2).map(move |binade| binade << 7 | within(binade));
    let extreme = (0..512).filter(|binade| (binade + 3) & 0xff < 6);
    let closely = extreme.flat_map(|binade| [0, 1, 31, 64, 85, 127].map(|at| binade << 7 | at));
    tables.chain(once).chain(closely)
}

/// The recorded hashes of a function.
fn recorded(name: &str) -> Vec<u32> {
    let names = description("mufu.json");
    let position = names["hashes"].as_array().unwrap().iter().position(|n| n == name).unwrap();
    words(&data("mufu.hash.zst")[position << 18..][..1 << 18])
}

#[track_caller]
fn check(name: &str, function: impl Fn(u32) -> u32) {
    let recorded = recorded(name);
    for block in sample() {
        let answers = (0..1 << 16).map(|i| function(block << 16 | i));
        assert_eq!(hash(answers), recorded[block as usize], "{name}, block {block:#06x}");
    }
}

#[test]
fn sine_and_cosine_do_not_depend_on_ftz() {
    assert!(recorded("sin.approx.f32") == recorded("sin.approx.ftz.f32"));
    assert!(recorded("cos.approx.f32") == recorded("cos.approx.ftz.f32"));
}

macro_rules! functions {
    ($($test:ident: $name:literal, $function:expr;)*) => {
        $(#[test]
        fn $test() {
            check($name, $function);
        })*
    };
}

functions! {
    rcp: "rcp.approx.f32", |x| rcp_approx(x, false);
    rcp_ftz: "rcp.approx.ftz.f32", |x| rcp_approx(x, true);
    rsqrt: "rsqrt.approx.f32", |x| rsqrt_approx(x, false);
    rsqrt_ftz: "rsqrt.approx.ftz.f32", |x| rsqrt_approx(x, true);
    sqrt: "sqrt.approx.f32", |x| sqrt_approx(x, false);
    sqrt_ftz: "sqrt.approx.ftz.f32", |x| sqrt_approx(x, true);
    ex2: "ex2.approx.f32", |x| ex2_approx(x, false);
    ex2_ftz: "ex2.approx.ftz.f32", |x| ex2_approx(x, true);
    lg2: "lg2.approx.f32", |x| lg2_approx(x, false);
    lg2_ftz: "lg2.approx.ftz.f32", |x| lg2_approx(x, true);
    sin: "sin.approx.f32", sin_approx;
    cos: "cos.approx.f32", cos_approx;
    tanh: "tanh.approx.f32", tanh_approx;
}
