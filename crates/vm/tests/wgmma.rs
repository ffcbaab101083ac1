//! The H200's recorded `wgmma` products (`tests/golden/wgmma.*` and `matrix/wgmma_more.*`, described in its
//! `README.md`), bit for bit: once for
//! each level of vector instructions, and once for each mode of asynchrony.

mod common;

use ptxvm_machine::vector::lanes::{Level, at_most};
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

/// Runs a case and says how it differs from the H200; `None` if it does not.
fn run(case: &Case, input: &[u8], want: &[u8], asynchrony: Asynchrony, seed: u64) -> Option<String> {
    let device = Device::default();
    let module = match device.load(&case.ptx) {
        Ok(module) => module,
        Err(error) => return Some(format!("does not load: {error}\n{}", case.ptx)),
    };
    let name = module.kernels().next().expect("a kernel").name.clone();
    let kernel = module.kernel(&name).expect("the kernel");
    let input = Buffer::from_slice(&device, input).expect("memory");
    let output = Buffer::from_slice(&device, &vec![0u8; case.length]).expect("memory");
    // Some were recorded with metadata that means nothing.
    let findings = Findings::Ignore;
    let launch = LaunchOptions {
        settings: Settings { asynchrony, seed, findings, ..Settings::default() },
        ..LaunchOptions::new(1, 128).argument(&input).argument(&output)
    };
    if let Err(failure) = kernel.launch(&launch) {
        return Some(format!("does not run: {failure}"));
    }
    let got = output.to_vec::<u8>();
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
