//! The form of the recordings, and running a case of them.

use std::collections::HashMap;

use ptxvm_tensor::encode::{Im2col, Tensor, Tiled};
use ptxvm_vm::{
    Arguments, Asynchrony, Buffer, Device, Dimensions, Failure, Kernel, LaunchOptions, Pointer, Profile,
    Settings,
};
use serde::Deserialize;

use crate::common::golden;

/// The ways to run a case.
pub const WAYS: [(Asynchrony, u64); 4] =
    [(Asynchrony::Eager, 0), (Asynchrony::Lazy, 0), (Asynchrony::Seeded, 0), (Asynchrony::Seeded, 7)];

/// A group of cases with what the H200 left in memory, and a device to run them on.
pub struct Group {
    pub cases: Vec<Case>,
    inputs: HashMap<String, String>,
    kernels: Vec<Kernel>,
    outputs: Vec<u8>,
    /// Where the outputs hold the address of a buffer, which is another one here.
    addresses: Option<usize>,
}

#[derive(Deserialize)]
struct Recorded {
    inputs: HashMap<String, String>,
    kernels: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
pub struct Case {
    pub name: String,
    kernel: usize,
    grid: Vec<u32>,
    block: Vec<u32>,
    cluster: Option<[u32; 3]>,
    #[serde(default)]
    shared: u32,
    args: Vec<Argument>,
    #[serde(default)]
    pub outputs: Vec<Output>,
    /// The driver's result, if the H200 refused.
    pub fault: Option<u32>,
}

/// A number, a buffer, a map by value, or a buffer that holds a map (whose bytes are there too).
#[derive(Deserialize)]
struct Argument {
    u32: Option<i64>,
    u64: Option<u64>,
    buffer: Option<usize>,
    fill: Option<u8>,
    data: Option<u64>,
    input: Option<String>,
    bytes: Option<String>,
    map: Option<Map>,
}

#[derive(Deserialize)]
pub struct Output {
    arg: usize,
    offset: usize,
    pub length: usize,
}

/// The arguments of an encoding, and where its tensor lies: in the buffer of this argument, so far after its beginning.
#[derive(Deserialize)]
struct Map {
    #[serde(rename = "type")]
    element: u32,
    dims: Vec<u64>,
    strides: Vec<u64>,
    elem_strides: Vec<u32>,
    interleave: u32,
    swizzle: u32,
    l2: u32,
    oob: u32,
    #[serde(rename = "box", default)]
    box_sizes: Vec<u32>,
    #[serde(default)]
    lower: Vec<i32>,
    #[serde(default)]
    upper: Vec<i32>,
    #[serde(default)]
    channels: u32,
    #[serde(default)]
    pixels: u32,
    buffer: usize,
    #[serde(default)]
    offset: u64,
}

impl Map {
    fn encode(&self, buffer: u64) -> [u8; 128] {
        let device = Profile::named("h200").expect("a profile");
        let tensor = Tensor {
            element: self.element,
            address: buffer + self.offset,
            sizes: &self.dims,
            strides: &self.strides,
            element_strides: &self.elem_strides,
            interleave: self.interleave,
            swizzle: self.swizzle,
            promotion: self.l2,
            fill: self.oob,
        };
        let encoded = if self.box_sizes.is_empty() {
            let (lower, upper) = (&self.lower, &self.upper);
            Im2col { tensor, lower, upper, channels: self.channels, pixels: self.pixels }.encode(device)
        } else {
            Tiled { tensor, box_sizes: &self.box_sizes }.encode(device)
        };
        encoded.expect("the H200's driver made it").to_bytes()
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(digit).collect()
}

impl Argument {
    /// What its buffer holds before the kernel runs; nothing if it has none.
    fn contents(&self, inputs: &HashMap<String, String>) -> Option<Vec<u8>> {
        if let Some(bytes) = &self.bytes {
            return Some(unhex(bytes));
        }
        let mut contents = vec![self.fill.unwrap_or(0); self.buffer?];
        if let Some(seed) = self.data {
            for (i, byte) in contents.iter_mut().enumerate() {
                *byte = ((i as u64 + seed).wrapping_mul(2_654_435_761) >> 11) as u8;
            }
        }
        if let Some(name) = &self.input {
            let input = unhex(&inputs[name]);
            contents[..input.len()].copy_from_slice(&input);
        }
        Some(contents)
    }
}

impl Group {
    pub fn read(name: &str) -> Group {
        let recorded = serde_json::from_slice(&golden(&format!("async/{name}.json.zst")));
        let Recorded { inputs, kernels, cases } = recorded.expect("the recorded form");
        let device = Device::new(Profile::named("h200").expect("a profile"));
        let load = |text: &String| device.load(text).expect("ptxas took it").kernel("k").expect("an entry");
        let kernels = kernels.iter().map(load).collect();
        Group {
            cases,
            inputs,
            kernels,
            outputs: golden(&format!("async/{name}.outputs.zst")),
            addresses: None,
        }
    }

    /// The same, where all outputs hold the address of a buffer at this byte.
    pub fn with_address_at(self, byte: usize) -> Group {
        Group { addresses: Some(byte), ..self }
    }

    /// Runs a case and gives what its buffers hold afterwards.
    pub fn run(&self, case: &Case, asynchrony: Asynchrony, seed: u64) -> Result<Vec<Vec<u8>>, Failure> {
        let kernel = &self.kernels[case.kernel];
        let inputs = &self.inputs;
        let device = kernel.module().device();
        let buffer = |argument: &Argument| {
            let contents = argument.contents(inputs)?;
            Some(Buffer::from_slice(device, &contents).expect("memory for a buffer"))
        };
        let buffers: Vec<Option<Buffer>> = case.args.iter().map(buffer).collect();
        let mut arguments = Arguments::new();
        for (argument, buffer) in case.args.iter().zip(&buffers) {
            match (buffer, argument) {
                (Some(buffer), _) => arguments.push(Pointer(buffer.address())),
                (_, Argument { map: Some(map), .. }) => {
                    let tensor = buffers[map.buffer].as_ref().expect("the tensor's buffer").address();
                    arguments.push(map.encode(tensor).as_slice());
                }
                (_, Argument { u32: Some(value), .. }) => arguments.push(*value as u32),
                (_, Argument { u64: Some(value), .. }) => arguments.push(*value),
                _ => panic!("{}: an argument of no kind", case.name),
            }
        }
        let shape = |sizes: &[u32]| Dimensions(std::array::from_fn(|d| sizes.get(d).copied().unwrap_or(1)));
        let options = LaunchOptions {
            arguments,
            cluster: case.cluster.map(Dimensions),
            shared: case.shared,
            settings: Settings {
                asynchrony,
                seed,
                max_instructions: Some(50_000_000),
                ..Settings::default()
            },
            ..LaunchOptions::new(shape(&case.grid), shape(&case.block))
        };
        kernel.launch(&options)?;
        Ok(buffers.iter().map(|buffer| buffer.as_ref().map_or_else(Vec::new, Buffer::to_bytes)).collect())
    }

    /// What is wrong with what a run left, if it should have left what the H200 did.
    pub fn compare(&self, case: &Case, after: &[Vec<u8>]) -> Option<String> {
        case.outputs.iter().find_map(|output| {
            let expected = &self.outputs[output.offset..output.offset + output.length];
            let got = &after[output.arg];
            let address = self.addresses.map_or(0..0, |at| at..at + 8);
            let differs = |at: &usize| expected[*at] != got[*at] && !address.contains(at);
            let at = (0..expected.len().min(got.len())).find(differs)?;
            let shown = |bytes: &[u8]| format!("{:02x?}", &bytes[at..(at + 16).min(bytes.len())]);
            Some(format!("argument {} at byte {at}: {} is not {}", output.arg, shown(got), shown(expected)))
        })
    }

    /// Runs the cases that `wanted` names in all ways; what the H200 refused must be a finding. Gives how many it did,
    /// and how many it refused.
    pub fn check(&self, wanted: impl Fn(&str) -> bool) -> (usize, usize) {
        let (mut done, mut refused) = (0, 0);
        let mut wrong = Vec::new();
        for case in self.cases.iter().filter(|case| wanted(&case.name)) {
            for (asynchrony, seed) in WAYS {
                let complaint = match (self.run(case, asynchrony, seed), case.fault) {
                    (Err(Failure::Finding(_)), Some(_)) => None,
                    (Ok(after), None) => self.compare(case, &after),
                    (other, _) => Some(format!("{:?}", other.map(|_| "no finding"))),
                };
                if let Some(complaint) = complaint {
                    wrong.push(format!("{} ({}, seed {seed}): {complaint}", case.name, asynchrony.name()));
                    break;
                }
            }
            if case.fault.is_some() { refused += 1 } else { done += 1 }
        }
        assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), done + refused, wrong.join("\n"));
        (done, refused)
    }
}
