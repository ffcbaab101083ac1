//! The tensor maps that an H200's driver made of 600 sets of arguments (`tests/golden/tma.json.zst`): the same bytes,
//! and the same refusals.

use std::io::Read;
use std::path::Path;

use ptxvm_vm::Profile;
use ptxvm_vm::tensor::encode::{Im2col, Tensor, Tiled};
use ptxvm_vm::tensor::{Element, Fill, Interleave, Swizzle, TensorMap};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

/// A call of an encoder. Of the members that only one encoder has, the other's are missing.
#[derive(Deserialize)]
struct Case {
    dtype_id: u32,
    dims: Vec<u64>,
    strides: Vec<u64>,
    elem_strides: Vec<u32>,
    interleave: u32,
    swizzle: u32,
    l2: u32,
    oob: u32,
    #[serde(rename = "box")]
    box_sizes: Option<Vec<u32>>,
    lower: Option<Vec<i32>>,
    upper: Option<Vec<i32>>,
    channels: Option<u32>,
    pixels: Option<u32>,
    result: u32,
    base_low: Option<u64>,
    map: Option<String>,
}

fn golden() -> Golden {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/tma.json.zst");
    let packed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).expect("a zstd frame");
    decoder.read_to_end(&mut text).expect("a whole zstd frame");
    serde_json::from_slice(&text).expect("the recorded encodings")
}

fn encode(case: &Case) -> Result<TensorMap, String> {
    let device = Profile::named("h200").expect("the default");
    let tensor = Tensor {
        element: case.dtype_id,
        // A refusal is recorded without its address, which was the same for all.
        address: case.base_low.unwrap_or(0x7fb3_9000_0000),
        sizes: &case.dims,
        strides: &case.strides,
        element_strides: &case.elem_strides,
        interleave: case.interleave,
        swizzle: case.swizzle,
        promotion: case.l2,
        fill: case.oob,
    };
    if let Some(box_sizes) = &case.box_sizes {
        return Tiled { tensor, box_sizes }.encode(device);
    }
    let lower = case.lower.as_deref().expect("an im2col case");
    let upper = case.upper.as_deref().expect("an im2col case");
    let (channels, pixels) = (case.channels.expect("an im2col case"), case.pixels.expect("an im2col case"));
    Im2col { tensor, lower, upper, channels, pixels }.encode(device)
}

fn bytes(hex: &str) -> [u8; 128] {
    let digits: Vec<u8> =
        (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex")).collect();
    digits.try_into().expect("128 bytes")
}

#[test]
fn every_encoding_is_the_drivers() {
    let golden = golden();
    let (mut made, mut refused) = (0, 0);
    for (number, case) in golden.cases.iter().enumerate() {
        match (encode(case), &case.map) {
            (Ok(map), Some(hex)) => {
                assert_eq!(map.to_bytes(), bytes(hex), "case {number}: {map:?}");
                made += 1;
            }
            (Err(_), None) => {
                assert_eq!(case.result, 1, "case {number}");
                refused += 1;
            }
            (Ok(map), None) => panic!("case {number} is made but the driver refuses it: {map:?}"),
            (Err(why), Some(_)) => panic!("case {number} is refused ({why}) but the driver makes it"),
        }
    }
    assert_eq!((made, refused), (525, 75));
}

#[test]
fn every_map_is_read_as_what_was_asked_for() {
    for (number, case) in golden().cases.iter().enumerate() {
        let Some(hex) = &case.map else { continue };
        let map = TensorMap::from_bytes(&bytes(hex)).unwrap_or_else(|why| panic!("case {number}: {why}"));
        assert_eq!(map.address, case.base_low.expect("a map has an address"), "case {number}");
        assert_eq!(map.element as u32, case.dtype_id, "case {number}");
        assert_eq!(map.sizes[..map.rank], case.dims, "case {number}");
        assert_eq!(map.strides[1..map.rank], case.strides, "case {number}");
        assert_eq!(map.element_strides[..map.rank], case.elem_strides, "case {number}");
        assert_eq!(Some(map.interleave), Interleave::from_number(case.interleave), "case {number}");
        assert_eq!(Some(map.swizzle), Swizzle::from_number(case.swizzle), "case {number}");
        assert_eq!(Some(map.fill), Fill::from_number(case.oob), "case {number}");
        assert_eq!(u32::from(map.promotion), case.l2, "case {number}");
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
