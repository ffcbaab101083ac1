//! The H200's recorded `wgmma` products (`tests/golden/wgmma.*` and `matrix/wgmma_more.*`, described in its
//! `README.md`), bit for bit: once for
//! each level of vector instructions, and once for each mode of asynchrony.

mod common;

use ptxvm_machine::matrix::Mma;
use ptxvm_machine::vector::lanes::{Level, at_most};
use ptxvm_num::matrix::amx;
use ptxvm_vm::{Asynchrony, Buffer, Device, Findings, LaunchOptions, Settings};
use serde::Deserialize;

use common::golden;

#[derive(Deserialize)]
struct Golden {
    /// The lengths of the input blocks, which follow one another.
    input_bytes: Vec<usize>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    ptx: String,
    /// Which input block it reads.
    input: usize,
    /// Its part of the outputs.
    offset: usize,
    length: usize,
}

/// What a case gives.
fn output(case: &Case, input: &[u8], settings: Settings) -> Result<Vec<u8>, String> {
    let device = Device::default();
    let module = device.load(&case.ptx).map_err(|error| format!("does not load: {error}\n{}", case.ptx))?;
    let name = module.kernels().next().expect("a kernel").name.clone();
    let kernel = module.kernel(&name).expect("the kernel");
    let input = Buffer::from_slice(&device, input).expect("memory");
    let output = Buffer::from_slice(&device, &vec![0u8; case.length]).expect("memory");
    // Some were recorded with metadata that means nothing.
    let findings = Findings::Ignore;
    let launch = LaunchOptions {
        settings: Settings { findings, ..settings },
        ..LaunchOptions::new(1, 128).argument(&input).argument(&output)
    };
    kernel.launch(&launch).map_err(|failure| format!("does not run: {failure}"))?;
    Ok(output.to_vec::<u8>())
}

/// Runs a case and says how it differs from the H200; `None` if it does not.
fn run(case: &Case, input: &[u8], want: &[u8], asynchrony: Asynchrony, seed: u64) -> Option<String> {
    let got = match output(case, input, Settings { asynchrony, seed, ..Settings::default() }) {
        Ok(got) => got,
        Err(why) => return Some(why),
    };
    let differ: Vec<usize> =
        (0..case.length / 4).filter(|&i| got[4 * i..][..4] != want[4 * i..][..4]).collect();
    let first = *differ.first()?;
    let word =
        |bytes: &[u8]| bytes[4 * first..][..4].iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
    Some(format!(
        "{} of {} registers differ; register {} of thread {} is {}, the H200 gave {}",
        differ.len(),
        case.length / 4,
        first / 128,
        first % 128,
        word(&got),
        word(want)
    ))
}

fn all(set: &str, asynchrony: Asynchrony, seed: u64) {
    let part = |part: &str| golden(&format!("{set}.{part}.zst"));
    let golden: Golden = serde_json::from_slice(&part("json")).expect("the description");
    let (inputs, outputs) = (part("inputs"), part("outputs"));
    assert!(!golden.cases.is_empty(), "no cases in {set}");
    let wrong: Vec<String> = golden
        .cases
        .iter()
        .filter_map(|case| {
            let begin: usize = golden.input_bytes[..case.input].iter().sum();
            let input = &inputs[begin..begin + golden.input_bytes[case.input]];
            let want = &outputs[case.offset..case.offset + case.length];
            run(case, input, want, asynchrony, seed).map(|why| format!("{}: {why}", case.name))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} cases differ:\n{}",
        wrong.len(),
        golden.cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn recorded_at_every_level() {
    for level in Level::ALL {
        at_most(level, || all("wgmma", Asynchrony::Eager, 0));
        at_most(level, || all("matrix/wgmma_more", Asynchrony::Eager, 0));
    }
}

#[test]
fn recorded_late_and_in_between() {
    all("wgmma", Asynchrony::Lazy, 0);
    all("wgmma", Asynchrony::Seeded, 1);
    all("matrix/wgmma_more", Asynchrony::Seeded, 2);
}

/// Fast products have NaN and infinity where the H200 has them: no f16 or 8-bit factors overflow f32, nor do the halves that
/// the host's matrix unit multiplies.
#[test]
fn fast_ones_have_nan_and_infinity_where_they_should() {
    let part = |part: &str| golden(&format!("wgmma.{part}.zst"));
    let golden: Golden = serde_json::from_slice(&part("json")).expect("the description");
    let (inputs, outputs) = (part("inputs"), part("outputs"));
    let settings = Settings { mma: Mma::Fast, ..Settings::default() };
    let kind = |words: &[u8]| {
        let number = f32::from_le_bytes([words[0], words[1], words[2], words[3]]);
        if number.is_finite() { 0.0f32.to_bits() } else { number.to_bits() }
    };
    let mut special = 0;
    for case in golden.cases.iter().filter(|case| {
        let types = [".f32.f16.f16", ".f32.e4m3.e4m3", ".f32.e5m2.e5m2", ".f32.e4m3.e5m2"];
        types.iter().any(|types| case.name.contains(types))
    }) {
        let begin: usize = golden.input_bytes[..case.input].iter().sum();
        let input = &inputs[begin..begin + golden.input_bytes[case.input]];
        let want = &outputs[case.offset..case.offset + case.length];
        let ways = [output(case, input, settings), amx::without(|| output(case, input, settings))];
        for got in ways {
            let got = got.unwrap_or_else(|why| panic!("{}: {why}", case.name));
            for (i, (got, want)) in got.chunks_exact(4).zip(want.chunks_exact(4)).enumerate() {
                special += usize::from(kind(want) != 0);
                assert_eq!(kind(got), kind(want), "{} {i}: {got:x?}, not {want:x?}", case.name);
            }
        }
    }
    assert!(special > 1000, "only {special} were no numbers");
}
