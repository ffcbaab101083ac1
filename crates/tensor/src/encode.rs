//! `cuTensorMapEncodeTiled`, `cuTensorMapEncodeIm2col` and `cuTensorMapEncodeIm2colWide`: what they are given, what the
//! driver refuses, and the tensor map that comes of it.
//!
//! The driver answers every refusal with the same code; the sentences are ours.

use crate::bits::{ADDRESS_BITS, corner_bits};
use crate::map::{Element, Fill, Interleave, MOST_DIMENSIONS, Mode, Swizzle, TensorMap};
use ptxvm_profile::Profile;

/// What all encoders are given, enumerations as the numbers of the driver API. There are as many dimensions as sizes.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    /// `tensorDataType`
    pub element: u32,
    /// `globalAddress`
    pub address: u64,
    /// `globalDim`: a size for each dimension, in elements.
    pub sizes: &'a [u64],
    /// `globalStrides`: one less than sizes, in bytes.
    pub strides: &'a [u64],
    /// `elementStrides`
    pub element_strides: &'a [u32],
    /// `interleave`
    pub interleave: u32,
    /// `swizzle`
    pub swizzle: u32,
    /// `l2Promotion`
    pub promotion: u32,
    /// `oobFill`
    pub fill: u32,
}

/// What `cuTensorMapEncodeTiled` is given.
#[derive(Clone, Copy, Debug)]
pub struct Tiled<'a> {
    /// What the tensor is like.
    pub tensor: Tensor<'a>,
    /// `boxDim`
    pub box_sizes: &'a [u32],
}

/// What `cuTensorMapEncodeIm2col` is given.
#[derive(Clone, Copy, Debug)]
pub struct Im2col<'a> {
    /// What the tensor is like.
    pub tensor: Tensor<'a>,
    /// `pixelBoxLowerCorner`: W, H, D in this order, whatever the header says.
    pub lower: &'a [i32],
    /// `pixelBoxUpperCorner`
    pub upper: &'a [i32],
    /// `channelsPerPixel`
    pub channels: u32,
    /// `pixelsPerColumn`
    pub pixels: u32,
}

/// What `cuTensorMapEncodeIm2colWide` is given.
#[derive(Clone, Copy, Debug)]
pub struct Im2colWide<'a> {
    /// What the tensor is like.
    pub tensor: Tensor<'a>,
    /// `pixelBoxLowerCornerWidth`
    pub lower: i32,
    /// `pixelBoxUpperCornerWidth`
    pub upper: i32,
    /// `channelsPerPixel`
    pub channels: u32,
    /// `pixelsPerColumn`
    pub pixels: u32,
    /// `mode`: 0 for `im2col::w`, 1 for `im2col::w::128`.
    pub mode: u32,
}

impl Tiled<'_> {
    /// Makes the map.
    ///
    /// # Errors
    /// The driver of this device refuses it, for the reason in the sentence.
    pub fn encode(&self, device: &Profile) -> Result<TensorMap, String> {
        let mut map = self.tensor.map(1)?;
        count("boxDim", self.box_sizes.len(), map.rank)?;
        let mut sizes = [1; MOST_DIMENSIONS];
        for (d, &size) in self.box_sizes.iter().enumerate() {
            within(&format!("boxDim[{d}]"), i64::from(size), 1, 256)?;
            sizes[d] = size;
        }
        map.mode = Mode::Tile(sizes);
        map.allowed(device)?;
        Ok(map)
    }
}

impl Im2col<'_> {
    /// Makes the map.
    ///
    /// # Errors
    /// The driver of this device refuses it, for the reason in the sentence.
    pub fn encode(&self, device: &Profile) -> Result<TensorMap, String> {
        let mut map = self.tensor.map(3)?;
        columns(self.channels, self.pixels)?;
        let reach = 1 << (corner_bits(map.rank) - 1);
        let corner = |name: &str, given: &[i32]| {
            count(name, given.len(), map.rank - 2)?;
            let mut all = [0; 3];
            for (d, &coordinate) in given.iter().enumerate() {
                within(&format!("{name}[{d}]"), i64::from(coordinate), -reach, reach - 1)?;
                all[d] = coordinate;
            }
            Ok::<_, String>(all)
        };
        let (lower, upper) =
            (corner("pixelBoxLowerCorner", self.lower)?, corner("pixelBoxUpperCorner", self.upper)?);
        map.mode = Mode::Im2col { lower, upper, channels: self.channels, pixels: self.pixels };
        map.allowed(device)?;
        // Pixels lie after the channels; in an interleaved tensor those come last.
        let first = usize::from(map.interleave == Interleave::None);
        for (d, size) in map.sizes[first..first + map.rank - 2].iter().enumerate() {
            area(*size, lower[d], upper[d])?;
        }
        Ok(map)
    }
}

impl Im2colWide<'_> {
    /// Makes the map, which is that of `cuTensorMapEncodeIm2col` with corners along W alone. An H200's driver makes it
    /// too, although no instruction of Hopper's can use it.
    ///
    /// # Errors
    /// The driver of this device refuses it, for the reason in the sentence.
    pub fn encode(&self, device: &Profile) -> Result<TensorMap, String> {
        within("mode", i64::from(self.mode), 0, 1)?;
        let corners = self.tensor.sizes.len().saturating_sub(2).min(3);
        let (lower, upper) = ([self.lower, 0, 0], [self.upper, 0, 0]);
        let (lower, upper) = (&lower[..corners], &upper[..corners]);
        let (tensor, channels, pixels) = (self.tensor, self.channels, self.pixels);
        Im2col { tensor, lower, upper, channels, pixels }.encode(device)
    }
}

impl Tensor<'_> {
    /// The map, each argument checked for itself; its mode is still to come.
    fn map(&self, least_rank: i64) -> Result<TensorMap, String> {
        let rank = self.sizes.len();
        within("tensorRank", rank as i64, least_rank, MOST_DIMENSIONS as i64)?;
        count("globalStrides", self.strides.len(), rank - 1)?;
        count("elementStrides", self.element_strides.len(), rank)?;
        let element = numbered("tensorDataType", self.element, Element::from_number)?;
        let mut map = TensorMap {
            address: self.address,
            element,
            rank,
            sizes: [1; MOST_DIMENSIONS],
            strides: [0; MOST_DIMENSIONS],
            element_strides: [1; MOST_DIMENSIONS],
            mode: Mode::Tile([1; MOST_DIMENSIONS]),
            interleave: numbered("interleave", self.interleave, Interleave::from_number)?,
            swizzle: numbered("swizzle", self.swizzle, Swizzle::from_number)?,
            fill: numbered("oobFill", self.fill, Fill::from_number)?,
            promotion: numbered("l2Promotion", self.promotion, |n| (n < 4).then_some(n as u8))?,
        };
        for (d, &size) in self.sizes.iter().enumerate() {
            if size == 0 || size > 1 << 32 {
                return Err(format!("globalDim[{d}] is {size}; it must be from 1 to 4294967296"));
            }
            map.sizes[d] = size;
        }
        map.strides[0] = u64::from(element.bits() / 8);
        for (d, &stride) in self.strides.iter().enumerate() {
            if stride >= 1 << 40 {
                return Err(format!("globalStrides[{d}] is {stride}; it must be less than 2^40"));
            }
            map.strides[d + 1] = stride;
        }
        for (d, &stride) in self.element_strides.iter().enumerate() {
            within(&format!("elementStrides[{d}]"), i64::from(stride), 1, 8)?;
            map.element_strides[d] = stride;
        }
        Ok(map)
    }
}

impl TensorMap {
    /// What the fields must fulfil together, on this device.
    ///
    /// # Errors
    /// The first rule that they break.
    pub fn allowed(&self, device: &Profile) -> Result<(), String> {
        self.device_has(device)?;
        let unit: u64 =
            if self.interleave == Interleave::Bytes32 || self.element.has_gaps() { 32 } else { 16 };
        if self.address >= 1 << ADDRESS_BITS {
            return Err(format!(
                "globalAddress is {:#x}; a map holds {ADDRESS_BITS} bits of it",
                self.address
            ));
        }
        if !self.address.is_multiple_of(unit) {
            return Err(format!("globalAddress is {:#x}; it must be a multiple of {unit}", self.address));
        }
        if let Some(d) = (1..self.rank).find(|&d| !self.strides[d].is_multiple_of(unit)) {
            let stride = self.strides[d];
            return Err(format!("globalStrides[{}] is {stride}; it must be a multiple of {unit}", d - 1));
        }
        if self.fill == Fill::Nan && !self.element.is_float() {
            return Err("only floating-point elements can be filled with NaN".to_owned());
        }
        self.packed()?;
        self.inner()?;
        // What one multiprocessor has is the limit, though a CTA cannot have all of it: measured.
        let (bytes, room) = (self.box_bytes(), u64::from(device.shared_per_sm));
        if bytes > room {
            return Err(format!("a box has {bytes} bytes; shared memory has {room}"));
        }
        Ok(())
    }

    /// What came after Hopper.
    fn device_has(&self, device: &Profile) -> Result<(), String> {
        let newer = match self.swizzle {
            Swizzle::Bytes128Atom32 | Swizzle::Bytes128Atom32Flip8 | Swizzle::Bytes128Atom64 => {
                Some("swizzling in atoms of more than 16 bytes")
            }
            _ if self.element.bits() < 8 => Some("packed elements"),
            _ => None,
        };
        match newer {
            _ if device.capability < (9, 0) => {
                Err(format!("{} has no tensor maps; they need compute capability 9.0", device.marketing))
            }
            Some(what) if device.capability < (10, 0) => Err(newer_device(what, device)),
            _ => Ok(()),
        }
    }

    /// The rules of packed elements, which no device here has confirmed.
    fn packed(&self) -> Result<(), String> {
        let (sizes, swizzle) = (self.sizes[0], self.swizzle);
        if self.element == Element::U4x16Align8 && !sizes.is_multiple_of(2) {
            return Err(format!("globalDim[0] is {sizes}; with 4-bit elements it must be a multiple of 2"));
        }
        if !self.element.has_gaps() {
            return Ok(());
        }
        if !sizes.is_multiple_of(128) {
            return Err(format!("globalDim[0] is {sizes}; with these elements it must be a multiple of 128"));
        }
        let (name, elements) = match self.mode {
            Mode::Tile(sizes) => ("boxDim[0]", sizes[0]),
            Mode::Im2col { channels, .. } => ("channelsPerPixel", channels),
        };
        if elements != 128 {
            return Err(format!("{name} is {elements}; with these elements it must be 128"));
        }
        if self.element == Element::U6x16Align16 && self.interleave != Interleave::None {
            return Err("6-bit elements cannot be interleaved".to_owned());
        }
        let stored = self.element == Element::U6x16Align16;
        let fits = match swizzle {
            Swizzle::None | Swizzle::Bytes128 | Swizzle::Bytes128Atom32 => true,
            Swizzle::Bytes128Atom64 => stored,
            _ => false,
        };
        if fits { Ok(()) } else { Err("these elements cannot be swizzled like that".to_owned()) }
    }

    /// How interleave, swizzle and the innermost dimension of the box go together. The driver's documentation asks for
    /// a swizzle of 32 bytes with slices of 32 bytes; the driver does not.
    fn inner(&self) -> Result<(), String> {
        let inner = self.inner_bytes();
        if !inner.is_multiple_of(16) {
            return Err(format!("dimension 0 of the box has {inner} bytes; it must be a multiple of 16"));
        }
        if self.interleave != Interleave::None {
            let rank = self.rank;
            let flat = || format!("an interleaved tensor has 3 dimensions at least, this one {rank}");
            return if rank < 3 { Err(flat()) } else { Ok(()) };
        }
        match self.swizzle.span() {
            Some(span) if inner > span => {
                Err(format!("dimension 0 of the box has {inner} bytes, the swizzle spans {span}"))
            }
            _ => Ok(()),
        }
    }
}

fn newer_device(what: &str, device: &Profile) -> String {
    let (major, minor) = device.capability;
    format!("compute capability 10.0 is needed for {what}; {} has {major}.{minor}", device.marketing)
}

fn within(name: &str, value: i64, least: i64, most: i64) -> Result<(), String> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{name} is {value}; it must be from {least} to {most}"))
}

fn count(name: &str, given: usize, needed: usize) -> Result<(), String> {
    if given == needed { Ok(()) } else { Err(format!("{name} has {given} values where {needed} are needed")) }
}

fn numbered<V>(name: &str, number: u32, read: impl Fn(u32) -> Option<V>) -> Result<V, String> {
    read(number).ok_or_else(|| format!("{name} is {number}, which the driver does not know"))
}

fn columns(channels: u32, pixels: u32) -> Result<(), String> {
    within("channelsPerPixel", i64::from(channels), 1, 256)?;
    within("pixelsPerColumn", i64::from(pixels), 1, 1024)
}

/// The bounding box may not be empty.
fn area(size: u64, lower: i32, upper: i32) -> Result<(), String> {
    if size as i64 + i64::from(upper) <= i64::from(lower) {
        return Err(format!("the box from {lower} to {upper} of a dimension of {size} is empty"));
    }
    Ok(())
}
