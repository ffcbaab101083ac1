//! The tensor maps that an H200's driver made of 600 sets of arguments (`tests/golden/tma.json.zst`) and of 676 more,
//! many of them wrong (`async/tensormap.json.zst`), and of 760 where one argument lies at the edge of what is allowed: the same bytes, and the same refusals. And the maps that its
//! `tensormap.replace` made.

use std::io::Read;
use std::path::Path;

use ptxvm_profile::Profile;
use ptxvm_tensor::encode::{Im2col, Im2colWide, Tensor, Tiled};
use ptxvm_tensor::replace::{TensorField, replace};
use ptxvm_tensor::{Element, Fill, Interleave, Swizzle, TensorMap};
use serde::Deserialize;

/// A file of `tests/golden`, unpacked.
fn golden(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    let packed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).expect("a zstd frame");
    decoder.read_to_end(&mut bytes).expect("a whole zstd frame");
    bytes
}

#[derive(Deserialize)]
struct Golden<T> {
    cases: Vec<T>,
}

/// A call of an encoder. Of the members that only one encoder has, the others' are missing.
#[derive(Deserialize)]
struct Case {
    #[serde(alias = "type")]
    dtype_id: i64,
    rank: usize,
    dims: Vec<u64>,
    strides: Vec<u64>,
    elem_strides: Vec<u32>,
    interleave: i64,
    swizzle: i64,
    l2: i64,
    oob: i64,
    #[serde(rename = "box")]
    box_sizes: Option<Vec<u32>>,
    lower: Option<Corner>,
    upper: Option<Corner>,
    channels: Option<u32>,
    pixels: Option<u32>,
    wide: Option<u32>,
    result: u32,
    #[serde(alias = "base_low")]
    address: Option<u64>,
    map: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Corner {
    AlongW(i32),
    Whole(Vec<i32>),
}

impl Corner {
    fn whole(&self, rank: usize) -> &[i32] {
        match self {
            Corner::Whole(all) => first(all, rank.saturating_sub(2)),
            Corner::AlongW(_) => panic!("an im2col case has whole corners"),
        }
    }

    fn along_w(&self) -> i32 {
        match self {
            Corner::AlongW(w) => *w,
            Corner::Whole(_) => panic!("a wide case has corners along W"),
        }
    }
}

/// A replacement of several fields, each in the map as it was.
#[derive(Deserialize)]
struct Replacement {
    name: String,
    fields: Vec<(String, Option<u32>, String)>,
    args: Vec<Argument>,
    outputs: Vec<Output>,
}

#[derive(Deserialize)]
struct Argument {
    encoded: Option<serde_json::Value>,
    bytes: Option<String>,
}

#[derive(Deserialize)]
struct Output {
    offset: usize,
}

fn cases(name: &str) -> Vec<Case> {
    let golden: Golden<Case> = serde_json::from_slice(&golden(name)).expect("recorded encodings");
    golden.cases
}

/// Arrays are recorded as they were passed, which may be longer than the rank.
fn first<T>(all: &[T], count: usize) -> &[T] {
    &all[..count.min(all.len())]
}

fn encode(case: &Case) -> Result<TensorMap, String> {
    let device = Profile::named("h200").expect("the default");
    let rank = case.rank;
    let tensor = Tensor {
        element: case.dtype_id as u32,
        // The refusals of the first file are recorded without their address, which was the same for all.
        address: case.address.unwrap_or(0x7fb3_9000_0000),
        sizes: first(&case.dims, rank),
        strides: first(&case.strides, rank.saturating_sub(1)),
        element_strides: first(&case.elem_strides, rank),
        interleave: case.interleave as u32,
        swizzle: case.swizzle as u32,
        promotion: case.l2 as u32,
        fill: case.oob as u32,
    };
    if let Some(box_sizes) = &case.box_sizes {
        return Tiled { tensor, box_sizes: first(box_sizes, rank) }.encode(device);
    }
    let lower = case.lower.as_ref().expect("an im2col case");
    let upper = case.upper.as_ref().expect("an im2col case");
    let (channels, pixels) = (case.channels.expect("an im2col case"), case.pixels.expect("an im2col case"));
    if let Some(mode) = case.wide {
        let (lower, upper) = (lower.along_w(), upper.along_w());
        return Im2colWide { tensor, lower, upper, channels, pixels, mode }.encode(device);
    }
    let (lower, upper) = (lower.whole(rank), upper.whole(rank));
    Im2col { tensor, lower, upper, channels, pixels }.encode(device)
}

fn bytes(hex: &str) -> [u8; 128] {
    let digits: Vec<u8> =
        (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex")).collect();
    digits.try_into().expect("128 bytes")
}

/// Compares every case of a file; gives how many maps were made and how many refused.
fn agreement(file: &str) -> (usize, usize) {
    let (mut made, mut refused) = (0, 0);
    for (number, case) in cases(file).iter().enumerate() {
        match (encode(case), &case.map) {
            (Ok(map), Some(hex)) => {
                assert_eq!(map.to_bytes(), bytes(hex), "{file}, case {number}: {map:?}");
                made += 1;
            }
            (Err(_), None) => {
                assert_eq!(case.result, 1, "{file}, case {number}");
                refused += 1;
            }
            (Ok(map), None) => panic!("{file}, case {number} is made, the driver refuses it: {map:?}"),
            (Err(why), Some(_)) => panic!("{file}, case {number} is refused ({why}), the driver makes it"),
        }
    }
    (made, refused)
}

#[test]
fn every_encoding_is_the_drivers() {
    assert_eq!(agreement("tma.json.zst"), (525, 75));
    assert_eq!(agreement("async/tensormap.json.zst"), (381, 295));
    assert_eq!(agreement("async/tensormap_edges.json.zst"), (282, 478));
}

#[test]
fn every_replaced_field_is_the_h200s() {
    let after = golden("async/tensormap_replace.outputs.zst");
    let golden: Golden<Replacement> =
        serde_json::from_slice(&golden("async/tensormap_replace.json.zst")).expect("recorded replacements");
    let mut compared = 0;
    for case in &golden.cases {
        let map = case.args.iter().find(|a| a.encoded.is_some()).and_then(|a| a.bytes.as_deref());
        let map = bytes(map.expect("a map"));
        let offset = case.outputs[0].offset;
        for (number, (name, ord, value)) in case.fields.iter().enumerate() {
            let field = TensorField::from_name(name).expect("a field");
            let value = value.parse().expect("a number");
            let made = replace(&map, field, ord.unwrap_or(0), value)
                .unwrap_or_else(|why| panic!("{}: {why}", case.name));
            let expected = &after[offset + 128 * number..][..128];
            assert_eq!(made, expected, "{}: {name} {ord:?} {value}", case.name);
            compared += 1;
        }
    }
    assert_eq!(compared, 1152);
}

#[test]
fn every_map_is_read_as_what_was_asked_for() {
    for (number, case) in cases("tma.json.zst").iter().enumerate() {
        let Some(hex) = &case.map else { continue };
        let map = TensorMap::from_bytes(&bytes(hex)).unwrap_or_else(|why| panic!("case {number}: {why}"));
        assert_eq!(map.address, case.address.expect("a map has an address"), "case {number}");
        assert_eq!(i64::from(map.element as u8), case.dtype_id, "case {number}");
        assert_eq!(map.sizes[..map.rank], case.dims, "case {number}");
        assert_eq!(map.strides[1..map.rank], case.strides, "case {number}");
        assert_eq!(map.element_strides[..map.rank], case.elem_strides, "case {number}");
        assert_eq!(Some(map.interleave), Interleave::from_number(case.interleave as u32), "case {number}");
        assert_eq!(Some(map.swizzle), Swizzle::from_number(case.swizzle as u32), "case {number}");
        assert_eq!(Some(map.fill), Fill::from_number(case.oob as u32), "case {number}");
        assert_eq!(i64::from(map.promotion), case.l2, "case {number}");
        assert_eq!(Ok(map), encode(case), "case {number}");
    }
}

#[test]
fn numbers_are_the_drivers() {
    for number in 0..16 {
        assert_eq!(Element::from_number(number).map(|e| e as u32), Some(number));
    }
    assert_eq!(Element::from_number(16), None);
    for number in 0..7 {
        assert_eq!(Swizzle::from_number(number).map(|s| s as u32), Some(number));
    }
    assert_eq!(Swizzle::from_number(7), None);
}
