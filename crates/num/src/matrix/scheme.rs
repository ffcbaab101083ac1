//! How each architecture adds products: how many at once, with how many bits, rounded to what.
//!
//! The figures are those of public measurements (MMA-Sim, arXiv 2511.10909; Khattak and Mikaitis, arXiv 2512.07004) and,
//! for Hopper, of the H200's own vectors in `tests/golden`.

use super::element::{Accumulator, Element};

/// A generation of tensor cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// sm_70
    Volta,
    /// sm_75
    Turing,
    /// sm_80 to sm_88
    Ampere,
    /// sm_89
    Ada,
    /// sm_90
    Hopper,
    /// sm_100 to sm_110, of data centres
    Blackwell,
    /// sm_120 and above
    BlackwellRtx,
}

impl Unit {
    /// Every generation.
    pub const ALL: [Self; 7] = [
        Self::Volta,
        Self::Turing,
        Self::Ampere,
        Self::Ada,
        Self::Hopper,
        Self::Blackwell,
        Self::BlackwellRtx,
    ];

    /// The generation of a compute capability.
    #[must_use]
    pub const fn of(major: u32, minor: u32) -> Self {
        match (major, minor) {
            (..=6, _) | (7, ..=4) => Self::Volta,
            (7, _) => Self::Turing,
            (8, 9) => Self::Ada,
            (8, _) => Self::Ampere,
            (9, _) => Self::Hopper,
            (10 | 11, _) => Self::Blackwell,
            _ => Self::BlackwellRtx,
        }
    }

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Volta => "volta",
            Self::Turing => "turing",
            Self::Ampere => "ampere",
            Self::Ada => "ada",
            Self::Hopper => "hopper",
            Self::Blackwell => "blackwell",
            Self::BlackwellRtx => "blackwell-rtx",
        }
    }
}

/// The instructions that differ in how they add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// `mma`
    Mma,
    /// `wmma`
    Wmma,
    /// `wgmma`
    Wgmma,
    /// `tcgen05.mma`
    Tcgen05,
}

/// What a step's sum is rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounded {
    /// f32, towards zero.
    F32,
    /// f32 with 13 bits after the point, towards zero.
    E8m13,
    /// f16, to the nearest even.
    F16,
}

impl Rounded {
    /// The format of the bits.
    #[must_use]
    pub const fn accumulator(self) -> Accumulator {
        match self {
            Self::F32 | Self::E8m13 => Accumulator::F32,
            Self::F16 => Accumulator::F16,
        }
    }
}

/// Which products are added together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Those of consecutive k, the accumulator with the first.
    Consecutive,
    /// ptxas's own way for 8-bit formats where the cores only know f16, which the factors become: first those with k
    /// mod 4 below 2, then the others, and at last the accumulator, by an ordinary addition.
    Interleaved,
}

/// How one dot product of an instruction is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scheme {
    /// Products of one step.
    pub products: usize,
    /// Bits after the point of the largest exponent that the terms of a step keep.
    pub fraction: i32,
    /// The exponent of a step is not below this.
    pub floor: i32,
    /// What each step's sum is rounded to.
    pub rounded: Rounded,
    /// Which products make a step.
    pub order: Order,
}

impl Scheme {
    /// The scheme of an instruction whose dot products have `k` products.
    #[must_use]
    pub fn of(unit: Unit, family: Family, a: Element, d: Accumulator, k: usize) -> Self {
        let wide = match d {
            Accumulator::F32 => Rounded::F32,
            Accumulator::F16 => Rounded::F16,
        };
        let small = !matches!(a, Element::F16 | Element::Bf16 | Element::Tf32);
        let tf32 = a == Element::Tf32;
        let new = |products: usize, fraction: i32, rounded: Rounded| Self {
            products,
            fraction,
            floor: floor(unit, rounded),
            rounded,
            order: Order::Consecutive,
        };
        let narrow = if d == Accumulator::F32 { Rounded::E8m13 } else { Rounded::F16 };
        match (unit, family) {
            (Unit::Volta, _) => new(4, 23, wide),
            (Unit::Turing, _) => new(k.min(8), 24, wide),
            (Unit::Ada, _) if small => new(16, 13, narrow),
            (Unit::Ampere | Unit::Ada, _) => new(if tf32 { 4 } else { 8 }, 24, wide),
            (Unit::Hopper, Family::Wgmma) if small => new(k, 13, narrow),
            (Unit::Hopper | Unit::Blackwell, Family::Mma) if small => {
                Self { order: Order::Interleaved, ..new(k / 2, 25, wide) }
            }
            // ptxas takes the instructions of depth 4.
            (_, Family::Wmma) if tf32 => new(4, 25, wide),
            _ => new(k, 25, wide),
        }
    }
}

/// The least exponent of a step.
const fn floor(unit: Unit, rounded: Rounded) -> i32 {
    let (single, half) = match unit {
        Unit::Volta => (i32::MIN / 4, -19),
        Unit::Turing | Unit::Ampere | Unit::Ada => (-132, -20),
        Unit::Hopper | Unit::Blackwell | Unit::BlackwellRtx => (-133, -21),
    };
    match rounded {
        Rounded::F32 | Rounded::E8m13 => single,
        Rounded::F16 => half,
    }
}
