//! Tensor copies as whole kernels beside the H200's recorded answers (`tests/golden/async`), whenever the copies complete:
//! stores, reductions, multicast, loads through maps that the kernel changed, and the changes themselves.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use ptxvm_machine::tensor::encode::{Im2col, Tensor, Tiled};
use ptxvm_vm::{
    Arguments, Asynchrony, Buffer, Device, Dimensions, Failure, Kernel, LaunchOptions, Pointer, Profile,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Recorded {
    inputs: HashMap<String, String>,
    kernels: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kernel: usize,
    grid: Vec<u32>,
    block: Vec<u32>,
    cluster: Option<[u32; 3]>,
    args: Vec<Argument>,
    #[serde(default)]
    outputs: Vec<Output>,
    fault: Option<u32>,
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
struct Output {
    arg: usize,
    offset: usize,
    length: usize,
}

/// The arguments of an encoding, and where its tensor lies: in the buffer of this argument, so far behind its beginning.
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

fn data(name: &str) -> Vec<u8> {
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

/// Runs a case and gives what its buffers hold afterwards.
fn run(
    kernel: &Kernel,
    case: &Case,
    inputs: &HashMap<String, String>,
    asynchrony: Asynchrony,
    seed: u64,
) -> Result<Vec<Vec<u8>>, Failure> {
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
        asynchrony,
        seed,
        threads: 1,
        max_instructions: Some(50_000_000),
        ..LaunchOptions::new(shape(&case.grid), shape(&case.block))
    };
    kernel.launch(&options)?;
    Ok(buffers.iter().map(|buffer| buffer.as_ref().map_or_else(Vec::new, Buffer::to_bytes)).collect())
}

/// The ways to run a case.
const WAYS: [(Asynchrony, u64); 3] = [(Asynchrony::Eager, 0), (Asynchrony::Lazy, 0), (Asynchrony::Seeded, 7)];

/// Runs the cases of a group that `wanted` names in all ways; gives how many were done, and how many refused.
fn group(name: &str, wanted: impl Fn(&Case) -> bool) -> (usize, usize) {
    let recorded: Recorded = serde_json::from_slice(&data(&format!("{name}.json.zst"))).expect("the form");
    let outputs = data(&format!("{name}.outputs.zst"));
    let device = Device::new(Profile::named("h200").expect("a profile"));
    let mut kernels: HashMap<usize, Kernel> = HashMap::new();
    let (mut done, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    for case in recorded.cases.iter().filter(|case| wanted(case)) {
        let kernel = kernels.entry(case.kernel).or_insert_with(|| {
            let module = device.load(&recorded.kernels[case.kernel]).expect("ptxas took it");
            module.kernel("k").expect("an entry")
        });
        for (asynchrony, seed) in WAYS {
            let complaint = match (run(kernel, case, &recorded.inputs, asynchrony, seed), case.fault) {
                (Err(Failure::Finding(_)), Some(_)) => None,
                (Ok(after), None) => case.outputs.iter().find_map(|output| {
                    let expected = &outputs[output.offset..output.offset + output.length];
                    let at = expected.iter().zip(&after[output.arg]).position(|(e, f)| e != f)?;
                    Some(format!("byte {at} is {:#x}, not {:#x}", after[output.arg][at], expected[at]))
                }),
                (other, _) => Some(format!("{:?}", other.map(|_| "no finding"))),
            };
            if let Some(complaint) = complaint {
                wrong.push(format!("{} ({}): {complaint}", case.name, asynchrony.name()));
                break;
            }
        }
        if case.fault.is_some() { refused += 1 } else { done += 1 }
    }
    assert!(wrong.is_empty(), "{name}: {} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
    (done, refused)
}

#[test]
fn stores() {
    assert_eq!(group("tma_store", |_| true), (250, 138));
}

#[test]
fn reductions() {
    assert_eq!(group("tma_reduce", |_| true), (77, 16));
}

#[test]
fn multicast_and_interleaved_loads() {
    // Interleaved loads wait for more bytes than come, and look 300 times; what is left of the count was recorded.
    assert_eq!(group("tma_multicast", |_| true), (59, 5));
}

#[test]
fn masks() {
    assert_eq!(group("faults", |case| case.name.starts_with("tensor multicast")), (1, 2));
}

#[test]
fn replaced_fields() {
    assert_eq!(group("tensormap_replace", |_| true), (60, 0));
}

#[test]
fn loads_through_replaced_maps() {
    assert_eq!(group("tensormap_load", |_| true), (41, 1));
}
