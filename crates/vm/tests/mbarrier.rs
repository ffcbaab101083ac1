//! 65,536 steps of mbarrier objects that an H200 took (`tests/golden/async/mbarrier.json.zst`): after each the state that
//! it returned, its pending count and what tests say, and in the end the objects' bits.
//!
//! The kernel is the one that ran there. It asks right after a `cp.async.mbarrier.arrive`, so arrivals happen at once.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use ptxvm_vm::{Arguments, Asynchrony, Buffer, Device, Dimensions, LaunchOptions, Pointer, Profile};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    inputs: HashMap<String, String>,
    kernels: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kernel: usize,
    grid: [u32; 1],
    block: [u32; 1],
    args: [Argument; 2],
    outputs: [Output; 1],
}

#[derive(Deserialize)]
struct Argument {
    buffer: usize,
    input: Option<String>,
}

#[derive(Deserialize)]
struct Output {
    offset: usize,
    length: usize,
}

fn golden(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/async").join(name);
    let packed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).expect("a zstd frame");
    decoder.read_to_end(&mut bytes).expect("a whole zstd frame");
    bytes
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(digit).collect()
}

#[test]
fn every_step_is_that_of_an_h200() {
    let recorded: Golden = serde_json::from_slice(&golden("mbarrier.json.zst")).expect("the recorded form");
    let outputs = golden("mbarrier.outputs.zst");
    let device = Device::new(Profile::named("h200").expect("a profile"));
    let mut steps = 0;
    for case in &recorded.cases {
        let module = device.load(&recorded.kernels[case.kernel]).expect("ptxas took it");
        let kernel = module.kernel("k").expect("the entry");
        let [input, output] = &case.args;
        let name = input.input.as_ref().expect("the steps are an input");
        let mut bytes = unhex(&recorded.inputs[name]);
        bytes.resize(input.buffer, 0);
        let from = Buffer::from_slice(&device, &bytes).expect("memory for the steps");
        let to = Buffer::new(&device, output.buffer).expect("memory for the answers");
        let mut arguments = Arguments::new();
        arguments.push(Pointer(from.address()));
        arguments.push(Pointer(to.address()));
        let options = LaunchOptions {
            arguments,
            asynchrony: Asynchrony::Eager,
            ..LaunchOptions::new(Dimensions([case.grid[0], 1, 1]), Dimensions([case.block[0], 1, 1]))
        };
        kernel.launch(&options).unwrap_or_else(|failure| panic!("{}: {failure:?}", case.name));
        let Output { offset, length } = case.outputs[0];
        let expected = &outputs[offset..offset + length];
        let got = to.to_bytes();
        let wrong = expected.iter().zip(&got).position(|(a, b)| a != b);
        assert!(wrong.is_none(), "{}: the answers differ at byte {wrong:?}", case.name);
        // Sixteen bytes of answers for each step.
        steps += 32 * case.grid[0] * case.block[0];
    }
    assert_eq!(steps, 65_536);
}
