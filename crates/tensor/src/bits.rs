//! A tensor map as its 128 bytes: where each field lies.
//!
//! The first 64 bytes are what a copy reads; after them the driver keeps two numbers for itself. All of it was read
//! off the maps that an H200's driver made (`tests/golden/tma.json.zst`), except for what that driver refuses to make.
//! The packed element types, the swizzle's atomicity and the swizzle of 96 bytes lie where the code lies that ptxas
//! 13.1 makes of `tensormap.replace` for sm_100a and sm_103a; no silicon here has confirmed those, nor which alignment
//! and how many bytes the driver notes down for them. A map for `im2col::w` is one for `im2col` with corners along W
//! only: the driver marks it in no way, and the instruction says how it is used.

use std::fmt;

use crate::map::{Element, Fill, Interleave, MOST_DIMENSIONS, Mode, Swizzle, TensorMap};

/// The bytes of a tensor map.
pub const BYTES: usize = 128;

/// A field that lies within one of the 32-bit words: the word's place in bytes, the lowest bit, the number of bits.
#[derive(Clone, Copy)]
pub(crate) struct Field(pub usize, pub u32, pub u32);

pub(crate) const IM2COL: Field = Field(8, 0, 1);
const RESERVED: Field = Field(8, 1, 3);
/// The rank less one.
pub(crate) const RANK: Field = Field(8, 4, 3);
/// One of [`CODES`].
pub(crate) const ELEMENT: Field = Field(8, 7, 4);
pub(crate) const INTERLEAVE: Field = Field(8, 11, 2);
pub(crate) const SWIZZLE: Field = Field(8, 13, 2);
pub(crate) const FILL: Field = Field(8, 15, 1);
/// `f32` is rounded to `tf32`.
pub(crate) const ROUND: Field = Field(8, 16, 1);
const PROMOTION: Field = Field(8, 17, 2);
pub(crate) const ATOMICITY: Field = Field(8, 19, 3);
/// The swizzle is that of 96 bytes.
pub(crate) const SWIZZLE_96: Field = Field(8, 22, 1);
const RESERVED_TOO: Field = Field(8, 23, 9);
/// Channels of a pixel less one, in the place of the box's size in dimension 0.
const CHANNELS: Field = Field(52, 24, 8);
const LOWER_CORNER: Field = Field(56, 0, 16);
const UPPER_CORNER: Field = Field(56, 16, 16);
/// Pixels of a column less one.
const PIXELS: Field = Field(60, 0, 10);
/// The alignment in shared memory that the swizzle asks for; a copy does not read it.
const ALIGNMENT: Field = Field(72, 0, 32);

/// Where the driver keeps the bytes of a box; a copy does not read them.
const BOX_BYTES: usize = 64;

/// The size in dimension `d` less one.
pub(crate) fn size(d: usize) -> Field {
    Field(32 + 4 * d, 0, 32)
}

/// The stride of dimension `d + 1` in units of 16 bytes: its lower 32 bits and its upper 4.
pub(crate) fn stride(d: usize) -> (Field, Field) {
    (Field(12 + 4 * d, 0, 32), Field(28, 4 * d as u32, 4))
}

/// The element stride in dimension `d` less one.
pub(crate) fn element_stride(d: usize) -> Field {
    Field(52, 3 * d as u32, 3)
}

/// The box's size in dimension `d` less one.
pub(crate) fn box_size(d: usize) -> Field {
    if d == 0 { CHANNELS } else { Field(56, 8 * (d as u32 - 1), 8) }
}

/// Element types by their code in the map; `tf32` is `f32` with [`ROUND`].
pub(crate) const CODES: [Element; 14] = [
    Element::U8,
    Element::U16,
    Element::U32,
    Element::S32,
    Element::U64,
    Element::S64,
    Element::F16,
    Element::F32,
    Element::F32Ftz,
    Element::F64,
    Element::Bf16,
    Element::U4x16Align8,
    Element::U4x16Align16,
    Element::U6x16Align16,
];

/// What a swizzle of 128 bytes is called with each atomicity.
const ATOMS: [Swizzle; 4] =
    [Swizzle::Bytes128, Swizzle::Bytes128Atom32, Swizzle::Bytes128Atom32Flip8, Swizzle::Bytes128Atom64];

fn word(bytes: &[u8; BYTES], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Reads a field.
pub(crate) fn get(bytes: &[u8; BYTES], Field(at, low, bits): Field) -> u32 {
    word(bytes, at) >> low & u32::MAX >> (32 - bits)
}

/// Writes a field; what does not fit is cut off.
pub(crate) fn put(bytes: &mut [u8; BYTES], Field(at, low, bits): Field, value: u32) {
    let mask = (u32::MAX >> (32 - bits)) << low;
    let word = word(bytes, at) & !mask | value << low & mask;
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// A field of 128 bytes that are no tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The field, in the words of `tensormap.replace` where it has one.
    pub field: &'static str,
    /// What is there.
    pub value: u32,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its field {} holds {:#x}, which no driver writes", self.field, self.value)
    }
}

/// The bits of the address, at the beginning of a map.
pub const ADDRESS_BITS: u32 = 57;

/// The bytes with another address (`cuTensorMapReplaceAddress`); nothing else of them is looked at, not even the bits
/// above the address (measured).
///
/// # Errors
/// The address is none that a tensor can have.
pub fn with_address(bytes: &[u8; BYTES], address: u64) -> Result<[u8; BYTES], String> {
    if address == 0 || !address.is_multiple_of(16) || address >> ADDRESS_BITS != 0 {
        return Err(format!(
            "globalAddress is {address:#x}; it must be a multiple of 16 below 2^{ADDRESS_BITS}, and not 0"
        ));
    }
    let above = u64::MAX << ADDRESS_BITS;
    let mut bytes = *bytes;
    let kept = (u64::from(word(&bytes, 4)) << 32) & above;
    bytes[..8].copy_from_slice(&(address | kept).to_le_bytes());
    Ok(bytes)
}

impl TensorMap {
    /// The very bytes that the driver writes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&self.address.to_le_bytes());
        let b = &mut bytes;
        put(b, RANK, self.rank as u32 - 1);
        let (code, round) = code(self.element);
        put(b, ELEMENT, code);
        put(b, ROUND, round);
        put(b, INTERLEAVE, self.interleave as u32);
        put_swizzle(b, self.swizzle);
        put(b, FILL, self.fill as u32);
        put(b, PROMOTION, u32::from(self.promotion));
        for d in 0..self.rank {
            put(b, size(d), (self.sizes[d] - 1) as u32);
            put(b, element_stride(d), self.element_strides[d] - 1);
        }
        for d in 1..self.rank {
            let (low, high) = stride(d - 1);
            let units = self.strides[d] >> 4;
            put(b, low, units as u32);
            put(b, high, (units >> 32) as u32);
        }
        put_mode(b, &self.mode, self.rank);
        bytes[BOX_BYTES..BOX_BYTES + 8].copy_from_slice(&self.box_bytes().to_le_bytes());
        put(&mut bytes, ALIGNMENT, alignment(self.swizzle));
        bytes
    }

    /// Reads the bytes that a copy is handed, which any program may have made up.
    ///
    /// Dimensions beyond the rank and the bytes that only the driver reads are not looked at, since programs that
    /// build maps with `tensormap.replace` leave there what they find.
    ///
    /// # Errors
    /// A field holds what no driver writes.
    pub fn from_bytes(bytes: &[u8; BYTES]) -> Result<Self, Unknown> {
        for (field, name) in [(RESERVED, "bits 1 to 3 of word 2"), (RESERVED_TOO, "bits 23 to 31 of word 2")]
        {
            known(name, get(bytes, field), |value| (value == 0).then_some(()))?;
        }
        let rank =
            known("rank", get(bytes, RANK), |n| (n < MOST_DIMENSIONS as u32).then_some(n as usize + 1))?;
        let mode = mode(bytes, rank)?;
        let mut map = TensorMap {
            address: (u64::from(word(bytes, 4)) << 32 | u64::from(word(bytes, 0)))
                & !(u64::MAX << ADDRESS_BITS),
            element: element(bytes)?,
            rank,
            sizes: [1; MOST_DIMENSIONS],
            strides: [0; MOST_DIMENSIONS],
            element_strides: [1; MOST_DIMENSIONS],
            mode,
            interleave: known("interleave_layout", get(bytes, INTERLEAVE), Interleave::from_number)?,
            swizzle: swizzle(bytes)?,
            fill: known("fill_mode", get(bytes, FILL), Fill::from_number)?,
            promotion: get(bytes, PROMOTION) as u8,
        };
        for d in 0..rank {
            map.sizes[d] = u64::from(get(bytes, size(d))) + 1;
            map.element_strides[d] = get(bytes, element_stride(d)) + 1;
        }
        map.strides[0] = u64::from(map.element.bits() / 8);
        for d in 1..rank {
            let (low, high) = stride(d - 1);
            map.strides[d] = (u64::from(get(bytes, high)) << 32 | u64::from(get(bytes, low))) << 4;
        }
        Ok(map)
    }

    /// The bytes of dimension 0 of the box in shared memory, gaps of packed types included.
    #[must_use]
    pub fn inner_bytes(&self) -> u64 {
        let elements = match self.mode {
            Mode::Tile(sizes) => sizes[0],
            Mode::Im2col { channels, .. } => channels,
        };
        let bits = if self.element.has_gaps() { 8 } else { self.element.bits() };
        u64::from(elements) * u64::from(bits) / 8
    }

    /// The bytes of a box as the driver counts them. It rounds down where an element stride does not divide the box,
    /// and lets that of dimension 0 count, while a copy rounds up and ignores it.
    #[must_use]
    pub fn box_bytes(&self) -> u64 {
        match self.mode {
            Mode::Tile(sizes) => {
                let along = |d: usize| u64::from(sizes[d] / self.element_strides[d]);
                let elements = u64::from(sizes[0]);
                let inner = self.inner_bytes() * along(0) / elements;
                (1..self.rank).map(along).fold(inner, |bytes, count| bytes * count)
            }
            Mode::Im2col { pixels, .. } => self.inner_bytes() * u64::from(pixels),
        }
    }
}

fn known<V>(field: &'static str, value: u32, read: impl Fn(u32) -> Option<V>) -> Result<V, Unknown> {
    read(value).ok_or(Unknown { field, value })
}

/// The code of an element type and whether [`ROUND`] goes with it.
pub(crate) fn code(element: Element) -> (u32, u32) {
    let (stored, round) = match element {
        Element::Tf32 => (Element::F32, 1),
        Element::Tf32Ftz => (Element::F32Ftz, 1),
        other => (other, 0),
    };
    (CODES.iter().position(|&e| e == stored).unwrap_or_default() as u32, round)
}

fn element(bytes: &[u8; BYTES]) -> Result<Element, Unknown> {
    let stored = known("elemtype", get(bytes, ELEMENT), |code| CODES.get(code as usize).copied())?;
    match (stored, get(bytes, ROUND)) {
        (Element::F32, 1) => Ok(Element::Tf32),
        (Element::F32Ftz, 1) => Ok(Element::Tf32Ftz),
        (_, 0) => Ok(stored),
        (_, value) => Err(Unknown { field: "elemtype (rounding to tf32)", value }),
    }
}

fn put_swizzle(bytes: &mut [u8; BYTES], swizzle: Swizzle) {
    let (mode, atomicity) = match swizzle {
        Swizzle::None => (0, 0),
        Swizzle::Bytes32 => (1, 0),
        Swizzle::Bytes64 => (2, 0),
        Swizzle::Bytes96 => (0, 0),
        of_128 => (3, ATOMS.iter().position(|&s| s == of_128).unwrap_or_default() as u32),
    };
    put(bytes, SWIZZLE, mode);
    put(bytes, ATOMICITY, atomicity);
    put(bytes, SWIZZLE_96, u32::from(swizzle == Swizzle::Bytes96));
}

fn swizzle(bytes: &[u8; BYTES]) -> Result<Swizzle, Unknown> {
    let atomicity = get(bytes, ATOMICITY);
    let plain = |swizzle| known("swizzle_atomicity", atomicity, |a| (a == 0).then_some(swizzle));
    match (get(bytes, SWIZZLE), get(bytes, SWIZZLE_96)) {
        // Without swizzle an atomicity has no meaning (table 14).
        (0, 0) => Ok(Swizzle::None),
        (0, 1) => plain(Swizzle::Bytes96),
        (1, 0) => plain(Swizzle::Bytes32),
        (2, 0) => plain(Swizzle::Bytes64),
        (3, 0) => known("swizzle_atomicity", atomicity, |a| ATOMS.get(a as usize).copied()),
        (mode, _) => Err(Unknown { field: "swizzle_mode", value: 4 | mode }),
    }
}

/// The alignment of a box in shared memory with a swizzle: one period of its pattern.
fn alignment(swizzle: Swizzle) -> u32 {
    match swizzle {
        Swizzle::None => 16,
        Swizzle::Bytes32 | Swizzle::Bytes96 => 256,
        Swizzle::Bytes64 => 512,
        Swizzle::Bytes128
        | Swizzle::Bytes128Atom32
        | Swizzle::Bytes128Atom32Flip8
        | Swizzle::Bytes128Atom64 => 1024,
    }
}

/// The bits of each coordinate of a corner: 16 bits are shared by the dimensions W, H, D that there are.
pub(crate) fn corner_bits(rank: usize) -> u32 {
    match rank {
        ..=3 => 16,
        4 => 8,
        5.. => 5,
    }
}

fn corner(coordinates: &[i32], bits: u32) -> u32 {
    let mask = u32::MAX >> (32 - bits);
    let places = coordinates.iter().zip(0..).map(|(&c, d)| (c as u32 & mask) << (bits * d));
    places.fold(0, |all, one| all | one)
}

fn coordinate(corner: u32, bits: u32, d: u32) -> i32 {
    let left = 32 - bits;
    ((corner >> (bits * d) << left) as i32) >> left
}

fn put_mode(b: &mut [u8; BYTES], mode: &Mode, rank: usize) {
    match *mode {
        Mode::Tile(sizes) => {
            for d in 0..rank {
                put(b, box_size(d), sizes[d] - 1);
            }
        }
        Mode::Im2col { lower, upper, channels, pixels } => {
            put(b, IM2COL, 1);
            put(b, CHANNELS, channels - 1);
            put(b, LOWER_CORNER, corner(&lower[..rank - 2], corner_bits(rank)));
            put(b, UPPER_CORNER, corner(&upper[..rank - 2], corner_bits(rank)));
            put(b, PIXELS, pixels - 1);
        }
    }
}

fn mode(bytes: &[u8; BYTES], rank: usize) -> Result<Mode, Unknown> {
    if get(bytes, IM2COL) == 0 {
        let mut sizes = [1; MOST_DIMENSIONS];
        for d in 0..rank {
            sizes[d] = get(bytes, box_size(d)) + 1;
        }
        return Ok(Mode::Tile(sizes));
    }
    known("rank", rank as u32 - 1, |n| (n >= 2).then_some(()))?;
    let (channels, pixels) = (get(bytes, CHANNELS) + 1, get(bytes, PIXELS) + 1);
    let corners = [get(bytes, LOWER_CORNER), get(bytes, UPPER_CORNER)];
    let [lower, upper] = corners.map(|c| {
        let mut all = [0; 3];
        for (d, place) in all[..rank - 2].iter_mut().enumerate() {
            *place = coordinate(c, corner_bits(rank), d as u32);
        }
        all
    });
    Ok(Mode::Im2col { lower, upper, channels, pixels })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(mode: Mode, element: Element, swizzle: Swizzle) -> TensorMap {
        TensorMap {
            address: 0x1000,
            element,
            rank: 4,
            sizes: [128, 7, 8, 9, 1],
            strides: [u64::from(element.bits() / 8), 128, 1024, 1 << 36, 0],
            element_strides: [1, 2, 3, 4, 1],
            mode,
            interleave: Interleave::None,
            swizzle,
            fill: Fill::Zeros,
            promotion: 2,
        }
    }

    #[test]
    fn what_no_device_here_can_make_comes_back_as_it_was() {
        let tile = Mode::Tile([128, 2, 3, 4, 1]);
        let im2col = Mode::Im2col { lower: [-128, 127, 0], upper: [0, -1, 0], channels: 64, pixels: 1024 };
        for swizzle in Swizzle::NUMBERED.into_iter().chain([Swizzle::Bytes96]) {
            for element in Element::ALL {
                for mode in [tile, im2col] {
                    let map = map(mode, element, swizzle);
                    assert_eq!(TensorMap::from_bytes(&map.to_bytes()), Ok(map));
                }
            }
        }
    }

    #[test]
    fn what_no_driver_writes_is_named() {
        let good = map(Mode::Tile([16, 2, 3, 4, 1]), Element::F16, Swizzle::Bytes64).to_bytes();
        assert!(TensorMap::from_bytes(&good).is_ok());
        for (field, value, name) in [
            (RESERVED, 1, "bits 1 to 3 of word 2"),
            (RESERVED_TOO, 1, "bits 23 to 31 of word 2"),
            (RANK, 5, "rank"),
            (ELEMENT, 14, "elemtype"),
            (ROUND, 1, "elemtype (rounding to tf32)"),
            (INTERLEAVE, 3, "interleave_layout"),
            (SWIZZLE_96, 1, "swizzle_mode"),
            (ATOMICITY, 1, "swizzle_atomicity"),
        ] {
            let mut bytes = good;
            put(&mut bytes, field, value);
            assert_eq!(TensorMap::from_bytes(&bytes).map_err(|u| u.field), Err(name));
        }
        let mut flat = good;
        put(&mut flat, RANK, 1);
        put(&mut flat, IM2COL, 1);
        assert_eq!(TensorMap::from_bytes(&flat).map_err(|u| u.field), Err("rank"));
    }

    #[test]
    fn any_bytes_are_read_without_harm() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut bytes = [0; BYTES];
            for byte in &mut bytes {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                *byte = (state >> 56) as u8;
            }
            // The fields that would be refused nearly always are given a chance.
            put(&mut bytes, RESERVED, 0);
            put(&mut bytes, RESERVED_TOO, 0);
            put(&mut bytes, ROUND, 0);
            if let Ok(map) = TensorMap::from_bytes(&bytes) {
                assert_eq!(TensorMap::from_bytes(&map.to_bytes()), Ok(map));
            }
        }
    }
}
