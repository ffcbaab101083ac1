//! What an H200 was asked and what it answered, in `tests/golden/tma.*`.

use std::io::Read;
use std::path::PathBuf;

use ptxvm_tensor::map::MOST_DIMENSIONS;
use ptxvm_tensor::{Access, Coordinates, Element, Fill, Interleave, Mode, Swizzle, TensorMap};
use serde::Deserialize;

/// The bytes of a file of `tests/golden`, unpacked.
pub fn data(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    let packed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut unpacked = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).unwrap().read_to_end(&mut unpacked).unwrap();
    unpacked
}

/// `tma.json`
#[derive(Deserialize)]
pub struct Description {
    pub cases: Vec<Case>,
}

/// The arguments of one encoding, and what the copy did.
#[derive(Deserialize)]
pub struct Case {
    pub mode: String,
    pub rank: usize,
    #[serde(alias = "type")]
    pub dtype_id: u8,
    pub dims: Vec<u64>,
    pub strides: Vec<u64>,
    pub elem_strides: Vec<u32>,
    pub interleave: u8,
    pub swizzle: u8,
    pub oob: u8,
    #[serde(rename = "box", default)]
    pub size: Vec<u32>,
    #[serde(default)]
    pub lower: Vec<i32>,
    #[serde(default)]
    pub upper: Vec<i32>,
    #[serde(default)]
    pub channels: u32,
    #[serde(default)]
    pub pixels: u32,
    /// What the driver answered; 0 is success.
    #[serde(default)]
    pub result: u32,
    #[serde(default)]
    pub coords: Vec<i32>,
    #[serde(default)]
    pub offsets: Option<Vec<u16>>,
    pub fault: Option<String>,
    pub completed: Option<u32>,
    #[serde(default)]
    pub bytes: u64,
    #[serde(default)]
    pub offset: usize,
    pub length: Option<usize>,
}

impl Case {
    pub fn map(&self, address: u64) -> TensorMap {
        let mut strides = [0; MOST_DIMENSIONS];
        strides[1..=self.strides.len()].copy_from_slice(&self.strides);
        TensorMap {
            address,
            element: Element::from_number(self.dtype_id.into()).expect("an element"),
            rank: self.rank,
            sizes: padded(&self.dims, 1),
            strides,
            element_strides: padded(&self.elem_strides, 1),
            mode: match self.mode.as_str() {
                "tile" => Mode::Tile(padded(&self.size, 1)),
                _ => Mode::Im2col {
                    lower: padded(&self.lower, 0),
                    upper: padded(&self.upper, 0),
                    channels: self.channels,
                    pixels: self.pixels,
                },
            },
            interleave: [Interleave::None, Interleave::Bytes16, Interleave::Bytes32]
                [usize::from(self.interleave)],
            swizzle: Swizzle::from_number(self.swizzle.into()).expect("a swizzle"),
            fill: if self.oob == 0 { Fill::Zeros } else { Fill::Nan },
            promotion: 0,
        }
    }

    pub fn access(&self) -> Access {
        match self.mode.as_str() {
            "tile" => Access::Tile,
            _ => Access::Im2col(padded(self.offsets.as_deref().unwrap_or_default(), 0)),
        }
    }

    pub fn coordinates(&self) -> Coordinates {
        padded(&self.coords, 0)
    }
}

/// An array with these values first.
pub fn padded<T: Copy, const N: usize>(values: &[T], rest: T) -> [T; N] {
    let mut array = [rest; N];
    for (to, from) in array.iter_mut().zip(values) {
        *to = *from;
    }
    array
}
