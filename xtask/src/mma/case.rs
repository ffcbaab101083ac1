//! One instruction of the sweep: reads matrices from its registers, multiplies them, and writes the result to registers.
//!
//! The layouts are those of the manual's figures, in words of four bytes. Where a lane `4g + t` has words and pairs of
//! elements does not depend on the formats.

use ptxvm_num::matrix::integer::IntegerElement;
use ptxvm_num::matrix::{
    Accumulator, Element, Family, Left, Packed, Precision, Right, Scheme, Unit, fragment, tile,
};
use serde_json::Value;

use super::blocks::{Blocks, Dense};
use super::inputs::{Kind, METADATA, Place, mix};

/// What the products are of.
enum Factors {
    Floats { a: Element, b: Element, d: Accumulator },
    Integers { a: IntegerElement, b: IntegerElement, satfinite: bool },
}

/// An instruction and how its registers are made.
pub struct ProductCase {
    pub ptx: String,
    pub number: u64,
    /// Hashes of each regime, and where those of the first begin.
    pub hashes: usize,
    pub offset: usize,
    /// Whether it is a warpgroup's.
    pub group: bool,
    factors: Factors,
    /// Products of an element of D.
    k: usize,
    a: Kind,
    b: Kind,
    c: Kind,
    metadata: Option<Kind>,
    selector: usize,
    /// Registers of D, A and B.
    registers: [usize; 3],
}

/// Room for the matrices of one product after the other.
#[derive(Default)]
pub struct Matrices {
    left: Left,
    right: Right,
    a: Vec<u32>,
    b: Vec<u32>,
    d: Vec<u32>,
    blocks: Blocks,
}

impl ProductCase {
    /// A case of the recording's description.
    pub fn new(case: &Value, kinds: &Value) -> Option<Self> {
        let number = |value: &Value| value.as_u64().map(|number| number as usize);
        let kind = |name: &str| Kind::named(case[name].as_str()?, kinds);
        let ptx = case["ptx"].as_str()?;
        let factors = match case["d"].as_str()? {
            "s32" => {
                // `.s32.u8.s8` and perhaps C's type.
                let mut types = ptx.split(".s32.").nth(1)?.split('.');
                let mut next = || IntegerElement::from_name(types.next()?);
                Factors::Integers { a: next()?, b: next()?, satfinite: ptx.contains(".satfinite") }
            }
            d => Factors::Floats {
                a: Element::from_name(case["a"].as_str()?)?,
                b: Element::from_name(case["b"].as_str()?)?,
                d: if d == "f16" { Accumulator::F16 } else { Accumulator::F32 },
            },
        };
        let group = case["groups"].as_bool()?;
        // What follows a warp's operands is the selector.
        let selector =
            if group { 0 } else { case["tail"].as_str()?.trim_start_matches(',').parse().unwrap_or(0) };
        let registers = &case["registers"];
        Some(Self {
            ptx: ptx.into(),
            number: case["case"].as_u64()?,
            hashes: number(&case["hashes"])?,
            offset: number(&case["offset"])?,
            group,
            factors,
            k: number(&case["k"])?,
            a: kind("a")?,
            b: kind("b")?,
            c: kind("c")?,
            metadata: if case["meta"].is_null() { None } else { Some(kind("meta")?) },
            selector,
            registers: [number(&registers[0])?, number(&registers[1])?, number(&registers[2])?],
        })
    }

    /// Outputs of a regime.
    pub fn outputs(&self, warps: usize) -> usize {
        if self.group { self.hashes * 64 * 64 } else { warps * 16 * 8 }
    }

    /// The hash of the results of a warp or warpgroup.
    pub fn hash(&self, place: Place, matrices: &mut Matrices) -> u64 {
        let (rows, columns) = if self.group { (64, 64) } else { (16, 8) };
        let lanes = if self.group { 128 } else { 32 };
        let [d_registers, a_registers, b_registers] = self.registers;
        let made = |kind: &Kind, register: usize, lane: usize| {
            kind.register(place.regime, place.word(register as u64, lane as u64))
        };
        let Matrices { left, right, a, b, d, blocks } = matrices;
        // A is row after row, B column after column.
        let words = [a_registers * lanes / rows, b_registers * lanes / columns];
        a.resize(rows * words[0], 0);
        b.resize(columns * words[1], 0);
        d.resize(rows * columns, 0);
        for lane in 0..lanes {
            for register in 0..a_registers {
                let at = match self.group {
                    true => register * lanes + lane,
                    false => (lane / 4 + 8 * (register % 2)) * words[0] + lane % 4 + 4 * (register / 2),
                };
                a[at] = made(&self.a, register, lane);
            }
            for register in 0..b_registers {
                let at = match self.group {
                    true => register * lanes + lane,
                    false => lane / 4 * words[1] + lane % 4 + 4 * register,
                };
                b[at] = made(&self.b, 16 + register, lane);
            }
        }
        let halves = matches!(self.factors, Factors::Floats { d: Accumulator::F16, .. });
        // The place of the first of a register's elements, of which there are two if they are halves.
        let place_of_d = |register: usize, lane: usize| {
            let (pair, odd) = if halves { (register, 0) } else { (register / 2, register % 2) };
            let row = lane / 32 * 16 + lane % 32 / 4 + 8 * (pair % 2);
            row * columns + 8 * (pair / 2) + 2 * (lane % 4) + odd
        };
        for lane in 0..lanes {
            for register in 0..d_registers {
                let (bits, at) = (made(&self.c, 32 + register, lane), place_of_d(register, lane));
                if halves {
                    (d[at], d[at + 1]) = (bits & 0xffff, bits >> 16);
                } else {
                    d[at] = bits;
                }
            }
        }
        match self.factors {
            Factors::Floats { a: of_a, b: of_b, d: of_d }
                if let Some(scheme) = self.in_blocks(of_a, of_d) =>
            {
                let packed = (Packed::tight(of_a), Packed::tight(of_b));
                blocks.floats(&scheme, packed, Dense { a, b, columns, d });
            }
            Factors::Floats { a: of_a, b: of_b, d: of_d } => {
                let bytes =
                    |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
                left.decode(Packed::tight(of_a), rows, &bytes(a));
                right.decode_columns(Packed::tight(of_b), columns, &bytes(b));
                left.belongs = self.metadata.as_ref().map(|kind| {
                    let metadata: Vec<u32> =
                        (0..lanes).map(|lane| made(kind, METADATA as usize, lane)).collect();
                    self.belongs(of_a, rows, &metadata)
                });
                let scheme = Scheme::of(Unit::Hopper, self.family(), of_a, of_d, left.depth);
                tile::multiply(&scheme, Precision::Exact, left, right, d);
            }
            Factors::Integers { a: of_a, b: of_b, satfinite } => {
                blocks.integers((of_a, of_b), satfinite, Dense { a, b, columns, d });
            }
        }
        let mut hash = 0u64;
        for lane in 0..lanes {
            for register in 0..d_registers {
                let at = place_of_d(register, lane);
                let bits = if halves { d[at] | d[at + 1] << 16 } else { d[at] };
                let key = mix(place.warp << 16 | (register as u64) << 8 | lane as u64);
                hash = hash.wrapping_add(mix(u64::from(bits) ^ key));
            }
        }
        hash
    }

    fn family(&self) -> Family {
        if self.group { Family::Wgmma } else { Family::Mma }
    }

    /// How a dense product is computed, if that is in blocks.
    fn in_blocks(&self, a: Element, d: Accumulator) -> Option<Scheme> {
        let scheme = Scheme::of(Unit::Hopper, self.family(), a, d, self.k);
        let suits = fragment::suits(&scheme, Precision::Exact, Packed::tight(a), self.k);
        (self.metadata.is_none() && suits).then_some(scheme)
    }

    /// The row of B that each stored element of A belongs to.
    fn belongs(&self, element: Element, rows: usize, metadata: &[u32]) -> Vec<u16> {
        let stored = self.k / 2;
        let place = |row: usize, s: usize| {
            let (high, quad) = (row % 16 / 8, row / 16 * 32 + row % 8 * 4);
            // The lane of the quad, and the bit of the stored element's index.
            let (lane, bit) = match (element, stored) {
                (Element::Tf32, 4) => (self.selector, 4 * s + 16 * high),
                (Element::Tf32, _) => (2 * self.selector + s / 4, 4 * (s % 4) + 16 * high),
                (_, 8) => (self.selector, 2 * s + 16 * high),
                (_, 16) => (2 * self.selector + s / 8, 2 * (s % 8) + 16 * high),
                _ => (high + 2 * (s / 16), 2 * (s % 16)),
            };
            let index = (metadata[quad + lane] >> bit & 3) as usize;
            let column = if element == Element::Tf32 { 2 * s + index / 2 } else { s / 2 * 4 + index };
            column as u16
        };
        (0..rows).flat_map(|row| (0..stored).map(move |s| (row, s))).map(|(row, s)| place(row, s)).collect()
    }
}
