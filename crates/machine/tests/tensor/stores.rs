//! Stores and reductions: what an H200 left in global memory (`tests/golden/async/tma_store.*`, `tma_reduce.*`), and what
//! it refused.
#![allow(unsafe_code)]

use std::collections::HashMap;

use ptxvm_ir::operation::access::Combination;
use ptxvm_machine::asynchronous::tensor::image::Image;
use ptxvm_machine::asynchronous::tensor::reduce::{combine, reduce};
use ptxvm_machine::asynchronous::tensor::store::{Edge, store};
use ptxvm_profile::Profile;
use ptxvm_tensor::{Access, Direction, Walk, broken_by_place, broken_rule};
use serde::Deserialize;

use crate::golden::{Case as Encoding, data, padded};
use crate::memory::{Aligned, golden_byte};

/// Where the box's shared memory begins.
const SHARED: u32 = 0x400;

#[derive(Deserialize)]
struct Description {
    /// Bytes that buffers begin with, in hexadecimal digits.
    inputs: HashMap<String, String>,
    kernels: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kernel: usize,
    args: Vec<Argument>,
    #[serde(default)]
    outputs: Vec<Output>,
    fault: Option<u32>,
}

#[derive(Deserialize)]
struct Output {
    offset: usize,
    length: usize,
}

/// The map, the source, the destination, nothing, five coordinates and where the box begins.
#[derive(Deserialize)]
struct Argument {
    map: Option<Encoding>,
    buffer: Option<usize>,
    fill: Option<u8>,
    data: Option<u64>,
    input: Option<String>,
    u32: Option<i64>,
}

impl Argument {
    /// What the buffer holds before.
    fn contents(&self, inputs: &HashMap<String, String>) -> Aligned {
        let mut memory = Aligned::filled(self.buffer.unwrap(), self.fill.unwrap_or(0));
        if let Some(seed) = self.data {
            for (i, byte) in memory.bytes_mut().iter_mut().enumerate() {
                *byte = golden_byte(i as u64 + seed);
            }
        }
        if let Some(input) = &self.input {
            let digits = inputs[input].as_bytes().as_chunks::<2>().0;
            for (byte, digits) in memory.bytes_mut().iter_mut().zip(digits) {
                *byte = u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
            }
        }
        memory
    }
}

/// The operation that a kernel's instruction names; none if it stores.
fn reduction(kernel: &str) -> Option<Combination> {
    let (_, rest) = kernel.split_once("cp.reduce.async.bulk.tensor.")?;
    rest.split('.').find_map(Combination::from_name)
}

/// Runs all cases of a group; gives how many went through, and how many were refused.
fn run(group: &str) -> (usize, usize) {
    let description: Description = serde_json::from_slice(&data(&format!("async/{group}.json.zst"))).unwrap();
    let outputs = data(&format!("async/{group}.outputs.zst"));
    let h200 = Profile::named("h200").unwrap();
    let (mut done, mut refused) = (0, 0);
    for case in &description.cases {
        let name = format!("{group}, {}", case.name);
        let encoding = case.args[0].map.as_ref().unwrap();
        let mut shared = case.args[1].contents(&description.inputs);
        let mut tensor = case.args[2].contents(&description.inputs);
        let map = encoding.map(tensor.address() + encoding.offset as u64);
        let numbers: Vec<i32> = case.args[4..].iter().map(|a| a.u32.unwrap() as i32).collect();
        let coordinates = padded(&numbers[..encoding.rank], 0);
        let at = numbers[5] as u32;
        let access = if encoding.mode == "tile" { Access::Tile } else { Access::Im2col([0; 3]) };
        let reduction = reduction(&description.kernels[case.kernel]);
        let direction = if reduction.is_some() { Direction::Reduce } else { Direction::Store };
        let walk = Walk::new(&map, access, &coordinates);
        let size = u64::from(SHARED) + shared.bytes().len() as u64;
        let place = SHARED + at;
        let rule = broken_rule(h200, &map, access, encoding.rank, &coordinates, direction)
            .or_else(|| reduction.and_then(|reduction| combine(reduction, map.element).err()))
            .or_else(|| broken_by_place(walk.extent_inside(), place, u64::from(place), size));
        if case.fault.is_some() {
            assert!(rule.is_some(), "{name} must be refused");
            refused += 1;
            continue;
        }
        assert_eq!(rule, None, "{name}");
        // SAFETY: the box fits into shared memory, by the rule above, and the tensor's rows have been made to lie in
        // their buffer with room after.
        unsafe {
            let image = Image::new(&map, shared.pointer().wrapping_add(at as usize), place);
            match reduction {
                None => store(&walk, &map, image, Edge::WholeChunk),
                Some(reduction) => {
                    let combine = combine(reduction, map.element).unwrap();
                    reduce(&walk, &map, image, &combine, Edge::WholeChunk);
                }
            }
        }
        let Output { offset, length } = case.outputs[0];
        let expected = &outputs[offset..offset + length];
        let wrong = expected.iter().zip(tensor.bytes()).position(|(e, f)| e != f);
        assert_eq!(wrong, None, "{name}: the first wrong byte");
        done += 1;
    }
    (done, refused)
}

#[test]
fn stores_are_those_of_an_h200() {
    assert_eq!(run("tma_store"), (250, 138));
}

#[test]
fn reductions_are_those_of_an_h200() {
    assert_eq!(run("tma_reduce"), (77, 16));
}
