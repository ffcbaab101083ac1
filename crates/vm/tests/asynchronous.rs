//! The H200's recorded answers on asynchronous operations (`tests/golden/async`), bit for bit, whenever the operations
//! complete: bulk copies and reductions, `st.async`, `red.async`, `cp.async`, distributed shared memory.
//!
//! What the H200 refused must be a finding, and so must some of what it does although the manual leaves it undefined.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use ptxvm_vm::{
    Arguments, Asynchrony, Buffer, Device, Dimensions, Failure, Kernel, LaunchOptions, Pointer, Profile,
};
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
    grid: Vec<u32>,
    block: Vec<u32>,
    cluster: Option<[u32; 3]>,
    #[serde(default)]
    shared: u32,
    args: Vec<Argument>,
    #[serde(default)]
    outputs: Vec<Output>,
    fault: Option<u32>,
}

#[derive(Deserialize)]
struct Argument {
    u32: Option<i64>,
    u64: Option<u64>,
    buffer: Option<usize>,
    fill: Option<u8>,
    data: Option<u64>,
    input: Option<String>,
}

#[derive(Deserialize)]
struct Output {
    arg: usize,
    offset: usize,
    length: usize,
}

fn data(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/async").join(name);
    let packed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).expect("a zstd frame");
    decoder.read_to_end(&mut bytes).expect("a whole zstd frame");
    bytes
}

fn dimensions(sizes: &[u32]) -> Dimensions {
    Dimensions(std::array::from_fn(|d| sizes.get(d).copied().unwrap_or(1)))
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(digit).collect()
}

/// What a buffer holds before the kernel runs.
fn contents(argument: &Argument, bytes: usize, inputs: &HashMap<String, String>) -> Vec<u8> {
    match argument {
        Argument { fill: Some(byte), .. } => vec![*byte; bytes],
        Argument { data: Some(seed), .. } => {
            let byte = |i: u64| ((i + seed).wrapping_mul(2_654_435_761) >> 11) as u8;
            (0..bytes as u64).map(byte).collect()
        }
        Argument { input: Some(name), .. } => {
            let mut input = unhex(&inputs[name]);
            input.resize(bytes, 0);
            input
        }
        _ => panic!("an argument of a kind that these groups do not have"),
    }
}

/// The contents of the case's buffers after a run.
fn run(
    device: &Device,
    kernel: &Kernel,
    case: &Case,
    inputs: &HashMap<String, String>,
    asynchrony: Asynchrony,
    seed: u64,
) -> Result<Vec<Option<Vec<u8>>>, Failure> {
    let mut arguments = Arguments::new();
    let mut buffers = Vec::new();
    for argument in &case.args {
        buffers.push(argument.buffer.map(|bytes| {
            let buffer = Buffer::new(device, bytes).expect("memory for a buffer");
            buffer.write(&contents(argument, bytes, inputs)).expect("the buffer is as long");
            buffer
        }));
        match (buffers.last().and_then(Option::as_ref), argument) {
            (Some(buffer), _) => arguments.push(Pointer(buffer.address())),
            (_, Argument { u32: Some(value), .. }) => arguments.push(*value as u32),
            (_, Argument { u64: Some(value), .. }) => arguments.push(*value),
            _ => panic!("{}: an argument of no kind", case.name),
        }
    }
    let options = LaunchOptions {
        arguments,
        cluster: case.cluster.map(Dimensions),
        shared: case.shared,
        asynchrony,
        seed,
        max_instructions: Some(50_000_000),
        ..LaunchOptions::new(dimensions(&case.grid), dimensions(&case.block))
    };
    kernel.launch(&options)?;
    Ok(buffers.iter().map(|buffer| buffer.as_ref().map(Buffer::to_bytes)).collect())
}

/// The ways to run a case.
const WAYS: [(Asynchrony, u64); 4] =
    [(Asynchrony::Eager, 0), (Asynchrony::Lazy, 0), (Asynchrony::Seeded, 0), (Asynchrony::Seeded, 7)];

struct Group {
    golden: Golden,
    outputs: Vec<u8>,
    device: Device,
}

impl Group {
    fn read(name: &str) -> Group {
        let golden = serde_json::from_slice(&data(&format!("{name}.json.zst"))).expect("the recorded form");
        let device = Device::new(Profile::named("h200").expect("a profile"));
        Group { golden, outputs: data(&format!("{name}.outputs.zst")), device }
    }

    fn kernels(&self) -> Vec<Kernel> {
        let load =
            |text: &String| self.device.load(text).expect("ptxas took it").kernel("k").expect("an entry");
        self.golden.kernels.iter().map(load).collect()
    }

    /// What is wrong with a run that should have given what the H200 did.
    fn compare(&self, case: &Case, after: &[Option<Vec<u8>>]) -> Option<String> {
        case.outputs.iter().find_map(|output| {
            let expected = &self.outputs[output.offset..output.offset + output.length];
            let got = after[output.arg].as_deref().unwrap_or_default();
            let at = expected.iter().zip(got).position(|(a, b)| a != b)?;
            let shown = |bytes: &[u8]| format!("{:02x?}", &bytes[at..(at + 16).min(bytes.len())]);
            Some(format!("argument {} at byte {at}: {} is not {}", output.arg, shown(got), shown(expected)))
        })
    }
}

/// Runs the cases of a group that `wanted` names in all ways.
fn group(name: &str, wanted: impl Fn(&str) -> bool) {
    let group = Group::read(name);
    let kernels = group.kernels();
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in group.golden.cases.iter().filter(|case| wanted(&case.name)) {
        count += 1;
        for (asynchrony, seed) in WAYS {
            let inputs = &group.golden.inputs;
            let complaint = match run(&group.device, &kernels[case.kernel], case, inputs, asynchrony, seed) {
                Ok(after) => group.compare(case, &after),
                Err(failure) => Some(format!("{failure:?}")),
            };
            if let Some(complaint) = complaint {
                wrong.push(format!("{} ({}, seed {seed}): {complaint}", case.name, asynchrony.name()));
                break;
            }
        }
    }
    assert!(count > 0, "{name} has no such cases");
    assert!(wrong.is_empty(), "{} of {count} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn copies() {
    group("bulk", |name| ["global to", "shared to", "multicast"].iter().any(|head| name.starts_with(head)));
}

#[test]
fn reductions() {
    group("bulk", |name| name.starts_with("reduce"));
}

#[test]
fn small_stores_and_reductions() {
    group("bulk", |name| name.starts_with("st.async") || name.starts_with("red.async"));
}

#[test]
fn ordinary_asynchronous_copies() {
    group("bulk", |name| name.starts_with("cp.async"));
}

#[test]
fn stages() {
    group("bulk", |name| name.starts_with("sixteen chunks"));
}

#[test]
fn distributed_shared_memory() {
    group("dsmem", |_| true);
}

/// What an H200 does although the manual leaves it undefined, and we refuse: the rule that the finding names.
const UNDEFINED: &[(&str, &str)] = &[
    ("size 8", "multiple of 16"),
    ("size 24", "multiple of 16"),
    ("size 20", "multiple of 16"),
    ("size 1", "multiple of 16"),
    ("size 17 expecting 16", "multiple of 16"),
    ("size 2^20 and more", "out of bounds"),
    ("st.async, mbarrier elsewhere", "same CTA"),
];

#[test]
fn misuse() {
    let group = Group::read("faults");
    let kernels = group.kernels();
    let mut wrong = Vec::new();
    let bulk = |name: &str| {
        ["global to", "shared to", "bulk multicast", "reduce global", "st.async"]
            .iter()
            .any(|head| name.starts_with(head))
    };
    for case in group.golden.cases.iter().filter(|case| bulk(&case.name)) {
        // Bytes that come and are not expected, or the other way round, never end the phase.
        if case.name.contains("expects") {
            continue;
        }
        let rule = UNDEFINED.iter().find(|(name, _)| case.name.ends_with(name)).map(|(_, rule)| *rule);
        for (asynchrony, seed) in WAYS {
            let inputs = &group.golden.inputs;
            let ran = run(&group.device, &kernels[case.kernel], case, inputs, asynchrony, seed);
            let complaint = match (ran, case.fault, rule) {
                (Err(Failure::Finding(_)), Some(_), _) => None,
                (Err(Failure::Finding(finding)), None, Some(rule)) => {
                    let said = format!("{} {}", finding.message, finding.notes.join(" "));
                    (!said.contains(rule)).then(|| format!("`{said}` does not say `{rule}`"))
                }
                (Ok(after), None, None) => group.compare(case, &after),
                (ran, fault, rule) => Some(format!("{:?}, fault {fault:?}, rule {rule:?}", ran.err())),
            };
            if let Some(complaint) = complaint {
                wrong.push(format!("{} ({}, seed {seed}): {complaint}", case.name, asynchrony.name()));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}
