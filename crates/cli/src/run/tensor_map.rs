//! `tensormap(#0, box [32,8], swizzle 128B)`: an argument that is the tensor map of a buffer, made as the driver would.

use ptxvm_profile::Profile;
use ptxvm_tensor::encode::{Im2col, Im2colWide, Tensor, Tiled};
use ptxvm_tensor::{Element, TensorMap};

use super::contents::HostBuffer;
use super::element;
use super::items::{self, choice, list, number};

/// A tensor map as it was written; what is left out follows from the buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorMapDescription {
    /// The buffer that holds the tensor: `#0` or the name of a parameter.
    pub buffer: String,
    element: Option<Element>,
    sizes: Option<Vec<u64>>,
    strides: Option<Vec<u64>>,
    box_sizes: Option<Vec<u32>>,
    element_strides: Option<Vec<u32>>,
    lower: Option<Vec<i32>>,
    upper: Option<Vec<i32>>,
    channels: Option<u32>,
    pixels: Option<u32>,
    wide: Option<u32>,
    interleave: u32,
    swizzle: u32,
    fill: u32,
    promotion: u32,
}

/// Element types as `tensormap.replace` names them.
const ELEMENTS: [(&str, Element); 16] = [
    ("u8", Element::U8),
    ("u16", Element::U16),
    ("u32", Element::U32),
    ("s32", Element::S32),
    ("u64", Element::U64),
    ("s64", Element::S64),
    ("f16", Element::F16),
    ("f32", Element::F32),
    ("f32.ftz", Element::F32Ftz),
    ("f64", Element::F64),
    ("bf16", Element::Bf16),
    ("tf32", Element::Tf32),
    ("tf32.ftz", Element::Tf32Ftz),
    ("b4x16", Element::U4x16Align8),
    ("b4x16_p64", Element::U4x16Align16),
    ("b6x16_p32", Element::U6x16Align16),
];

/// The words of each setting stand where the driver's numbers for them are.
const INTERLEAVES: [&str; 3] = ["none", "16B", "32B"];
const SWIZZLES: [&str; 7] =
    ["none", "32B", "64B", "128B", "128B-atom-32B", "128B-atom-32B-flip-8B", "128B-atom-64B"];
const FILLS: [&str; 2] = ["zeros", "nan"];
const PROMOTIONS: [&str; 4] = ["none", "64B", "128B", "256B"];
const WIDES: [&str; 2] = ["w", "w128"];

const EXPECTED: &str = "an element type, sizes such as [64,64], strides, box, element-strides, interleave, swizzle, \
                        fill, promotion, or lower, upper, channels, pixels, wide for im2col";

impl TensorMapDescription {
    /// Reads what stands between the parentheses; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all = items::split(text)?.into_iter();
        let buffer = all.next().filter(|b| !b.is_empty());
        let buffer = buffer.ok_or("`tensormap()` lacks its buffer: `#0` or a parameter's name")?;
        let mut map = Self { buffer: buffer.to_owned(), ..Self::default() };
        for item in all {
            map.set(item)?;
        }
        Ok(map)
    }

    fn set(&mut self, item: &str) -> Result<(), String> {
        if item.starts_with('[') {
            self.sizes = Some(list("the sizes", item)?);
            return Ok(());
        }
        let (word, value) = items::word(item);
        match word {
            "strides" => self.strides = Some(list(word, value)?),
            "box" => self.box_sizes = Some(list(word, value)?),
            "element-strides" => self.element_strides = Some(list(word, value)?),
            "lower" => self.lower = Some(list(word, value)?),
            "upper" => self.upper = Some(list(word, value)?),
            "channels" => self.channels = Some(number(word, value)?),
            "pixels" => self.pixels = Some(number(word, value)?),
            "interleave" => self.interleave = choice(word, value, &INTERLEAVES)?,
            "swizzle" => self.swizzle = choice(word, value, &SWIZZLES)?,
            "fill" => self.fill = choice(word, value, &FILLS)?,
            "promotion" => self.promotion = choice(word, value, &PROMOTIONS)?,
            "wide" => self.wide = Some(choice(word, value, &WIDES)?),
            _ => {
                let known = ELEMENTS.iter().find(|(name, _)| *name == item);
                let (_, element) = known.ok_or_else(|| {
                    format!("`{item}` is not a setting of a tensor map; expected {EXPECTED}")
                })?;
                self.element = Some(*element);
            }
        }
        Ok(())
    }

    /// The map of a buffer that lies at an address.
    pub fn encode(&self, address: u64, buffer: &HostBuffer, device: &Profile) -> Result<[u8; 128], String> {
        let element = self.element.map_or_else(|| element_of(buffer.element), Ok)?;
        let sizes = self.sizes.clone().unwrap_or_else(|| buffer.shape.iter().rev().copied().collect());
        let strides = self.strides.clone().unwrap_or_else(|| packed(element, &sizes));
        let ones = vec![1; sizes.len()];
        let tensor = Tensor {
            element: element as u32,
            address,
            sizes: &sizes,
            strides: &strides,
            element_strides: self.element_strides.as_deref().unwrap_or(&ones),
            interleave: self.interleave,
            swizzle: self.swizzle,
            promotion: self.promotion,
            fill: self.fill,
        };
        self.mode(tensor, device)
            .map(|map| map.to_bytes())
            .map_err(|why| format!("cannot make a tensor map: {why}"))
    }

    fn mode(&self, tensor: Tensor, device: &Profile) -> Result<TensorMap, String> {
        let (channels, pixels) = (self.channels, self.pixels);
        match (&self.box_sizes, &self.lower, &self.upper, channels.zip(pixels)) {
            (Some(box_sizes), None, None, None) => Tiled { tensor, box_sizes }.encode(device),
            (None, Some(lower), Some(upper), Some((channels, pixels))) => {
                match (self.wide, &lower[..], &upper[..]) {
                    (None, lower, upper) => Im2col { tensor, lower, upper, channels, pixels }.encode(device),
                    (Some(mode), &[lower], &[upper]) => {
                        Im2colWide { tensor, lower, upper, channels, pixels, mode }.encode(device)
                    }
                    _ => Err("with `wide`, lower and upper have one number each".to_owned()),
                }
            }
            _ => {
                Err("it needs `box […]`, or for im2col `lower […], upper […], channels N, pixels N`"
                    .to_owned())
            }
        }
    }
}

/// The type of a buffer's elements in a map; the copy does not tell signs of small integers apart.
fn element_of(element: element::Element) -> Result<Element, String> {
    let name = match element.name() {
        "s8" => "u8",
        "s16" => "u16",
        name => name,
    };
    let found = ELEMENTS.iter().find(|(n, _)| *n == name);
    found.map(|&(_, e)| e).ok_or_else(|| format!("a tensor map has no elements of type {name}"))
}

/// The strides of a tensor without gaps.
fn packed(element: Element, sizes: &[u64]) -> Vec<u64> {
    let inner = sizes.first().map_or(0, |&size| size.saturating_mul(element.bits().into()).div_ceil(8));
    let outer = sizes.get(1..).unwrap_or_default();
    let strides = outer.iter().scan(inner, |stride, &size| {
        let this = *stride;
        *stride = stride.saturating_mul(size);
        Some(this)
    });
    strides.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(shape: &[u64]) -> HostBuffer {
        HostBuffer {
            element: element::Element::F32,
            shape: shape.to_vec(),
            bytes: Vec::new(),
            is_unwritten: false,
        }
    }

    fn encode(text: &str, shape: &[u64]) -> Result<TensorMap, String> {
        let bytes = TensorMapDescription::parse(text)?.encode(0x1000, &buffer(shape), Default::default())?;
        TensorMap::from_bytes(&bytes).map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_left_out_follows_from_the_buffer() {
        let short = encode("#0, box [32,8,1]", &[2, 48, 64]).expect("a map");
        let long =
            "x, f32, [64,48,2], strides [256, 12_288], box[32, 8, 1], element-strides [1,1,1], fill zeros";
        assert_eq!(Ok(short.clone()), encode(long, &[1]));
        assert_eq!(
            (short.address, &short.sizes[..3], &short.strides[1..3]),
            (0x1000, &[64, 48, 2][..], &[256, 12_288][..])
        );
    }

    #[test]
    fn every_setting_reaches_the_map() {
        use ptxvm_tensor::{Fill, Interleave, Mode, Swizzle};
        let map = encode(
            "#0, tf32, box [8,2,3], interleave 32B, swizzle 32B, fill nan, promotion 256B",
            &[4, 4, 64],
        );
        let map = map.expect("a map");
        assert_eq!(map.element, Element::Tf32);
        assert_eq!((map.interleave, map.swizzle), (Interleave::Bytes32, Swizzle::Bytes32));
        assert_eq!((map.fill, map.promotion), (Fill::Nan, 3));
        let map =
            encode("#0, lower [-1,-2], upper [0,1], channels 16, pixels 32", &[4, 8, 8, 64]).expect("a map");
        let corners = Mode::Im2col { lower: [-1, -2, 0], upper: [0, 1, 0], channels: 16, pixels: 32 };
        assert_eq!(map.mode, corners);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expected) in [
            ("", "lacks its buffer"),
            ("#0", "needs `box"),
            ("#0, box [32", "lacks a `]`"),
            ("#0, box 32]", "too many"),
            ("#0, box 32", "should be a list"),
            ("#0, box [32,x]", "`x` is not a number for box"),
            ("#0, box [32,-8]", "not a number for box"),
            ("#0, boxes [32,8]", "not a setting of a tensor map"),
            ("#0, swizzle 256B, box [32,8]", "swizzle cannot be `256B`; expected none, 32B"),
            ("#0, box [300,8]", "boxDim[0] is 300; it must be from 1 to 256"),
            ("#0, box [32]", "boxDim has 1 values where 2 are needed"),
            ("#0, box [32,8], swizzle 64B", "128 bytes, the swizzle spans 64"),
            ("#0, box [32,8], channels 4, pixels 4", "needs `box"),
        ] {
            let error = encode(text, &[64, 64]).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
