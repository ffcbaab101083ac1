//! The golden tensor copies as whole kernels: what an H200 loaded through 525 tensor maps, and what it refused.
//!
//! The kernel is the one that ran there (`tests/golden/tma.ptx`): it fills shared memory with a pattern, starts the
//! copy, waits for the barrier and writes all of shared memory out. Interleaved copies were told to wait for more bytes
//! than come, because nobody knew how many that are; here they wait for those that the box has.

mod common;

use ptxvm_machine::Asynchrony;
use ptxvm_tensor::{Access, TensorMap, Walk};
use ptxvm_vm::{Buffer, Device, Failure, Kind, LaunchOptions, Module, Settings};
use serde::Deserialize;

use common::golden;

/// The shared memory that the kernel writes out, and where it says whether the barrier's phase ended.
const SHARED: usize = 40_960;

#[derive(Deserialize)]
struct Description {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    mode: String,
    rank: usize,
    interleave: u8,
    #[serde(default)]
    map: String,
    #[serde(default)]
    coords: Vec<i32>,
    offsets: Option<Vec<u16>>,
    #[serde(default)]
    bytes: u32,
    fault: Option<String>,
    #[serde(default)]
    offset: usize,
    length: Option<usize>,
}

/// Everything that the cases share.
struct Bench {
    module: Module,
    tensor: Buffer,
    map: Buffer,
    coordinates: Buffer,
    out: Buffer,
}

impl Bench {
    fn new(device: &Device) -> Self {
        let text = String::from_utf8(golden("tma.ptx")).unwrap();
        let module = device.load(&text).unwrap_or_else(|error| panic!("{error}"));
        let bytes: Vec<u8> =
            (0..32 << 20).map(|i: u64| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
        let buffer = |bytes| Buffer::new(device, bytes).unwrap();
        Self {
            module,
            tensor: Buffer::from_slice(device, &bytes).unwrap(),
            map: buffer(128),
            coordinates: buffer(64),
            out: buffer(SHARED + 64),
        }
    }

    /// The case's 128 bytes with the address of our tensor.
    fn map_bytes(&self, case: &Case) -> [u8; 128] {
        let digits = case.map.as_bytes().as_chunks::<2>().0;
        let byte = |d: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap();
        let mut map: [u8; 128] = digits.iter().map(byte).collect::<Vec<_>>().try_into().unwrap();
        map[..8].copy_from_slice(&self.tensor.address().to_le_bytes());
        map
    }

    fn launch(&self, case: &Case, asynchrony: Asynchrony) -> Result<(), Failure> {
        let map = self.map_bytes(case);
        self.map.write(&map).unwrap();
        let mut operands = [0; 64];
        for (bytes, coordinate) in operands.chunks_exact_mut(4).zip(&case.coords) {
            bytes.copy_from_slice(&coordinate.to_le_bytes());
        }
        for (bytes, offset) in operands[32..].chunks_exact_mut(2).zip(case.offsets.iter().flatten()) {
            bytes.copy_from_slice(&offset.to_le_bytes());
        }
        self.coordinates.write(&operands).unwrap();
        self.out.fill(0);
        let bytes = if case.interleave == 0 { case.bytes } else { complete(&map, case) };
        let kernel = self.module.kernel(&format!("k{}{}", case.rank, case.mode)).unwrap();
        let launch = LaunchOptions {
            settings: Settings { asynchrony, threads: 1, ..Settings::default() },
            ..LaunchOptions::new(1, 128)
        };
        let launch =
            launch.argument(&self.map).argument(&self.coordinates).argument(&self.out).argument(bytes);
        kernel.launch(&launch).map(|_| ())
    }
}

/// What an interleaved copy will tell the barrier.
fn complete(map: &[u8; 128], case: &Case) -> u32 {
    let map = TensorMap::from_bytes(map).unwrap();
    let access = if case.mode == "tile" { Access::Tile } else { Access::Im2col([0; 3]) };
    Walk::new(&map, access, &[0; 5]).bytes() as u32
}

fn images_match(asynchrony: Asynchrony) {
    let description: Description = serde_json::from_slice(&golden("tma.json.zst")).unwrap();
    let images = golden("tma.smem.zst");
    let device = Device::default();
    let bench = Bench::new(&device);
    let mut copied = 0;
    for (number, case) in description.cases.iter().enumerate().filter(|(_, case)| case.length.is_some()) {
        bench.launch(case, asynchrony).unwrap_or_else(|failure| panic!("case {number}: {failure}"));
        let out = bench.out.to_bytes();
        assert_eq!(out[SHARED], 1, "case {number}: the phase must end");
        let length = case.length.unwrap();
        let expected = &images[case.offset..case.offset + length];
        let wrong = expected.iter().zip(&out).position(|(e, f)| e != f);
        assert_eq!(wrong, None, "case {number}: the first wrong byte");
        assert!(out[length..SHARED].iter().all(|byte| *byte == 0xee), "case {number} writes too much");
        copied += 1;
    }
    assert_eq!(copied, 485);
}

#[test]
fn images_of_eager_copies_are_those_of_an_h200() {
    images_match(Asynchrony::Eager);
}

#[test]
fn images_of_lazy_copies_are_those_of_an_h200() {
    images_match(Asynchrony::Lazy);
}

#[test]
fn what_an_h200_refuses_is_a_finding() {
    let description: Description = serde_json::from_slice(&golden("tma.json.zst")).unwrap();
    let device = Device::default();
    let bench = Bench::new(&device);
    let rules = [
        ("without interleave a row must begin at a multiple of 16 bytes", 8),
        ("im2col must begin in its bounding box", 10),
        ("a box must fit into shared memory", 22),
    ];
    let mut seen = [0; 3];
    for (number, case) in description.cases.iter().enumerate().filter(|(_, case)| case.fault.is_some()) {
        match bench.launch(case, Asynchrony::Lazy) {
            Err(Failure::Finding(finding)) => {
                assert_eq!(finding.kind, Kind::Misuse, "case {number}: {}", finding.message);
                let rule = rules.iter().position(|(rule, _)| finding.message.contains(rule));
                seen[rule.unwrap_or_else(|| panic!("case {number}: {}", finding.message))] += 1;
            }
            other => panic!("case {number}: {other:?}"),
        }
    }
    assert_eq!(seen, rules.map(|(_, count)| count));
}
