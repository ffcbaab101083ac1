//! The inputs of the sweep: each register's value is a hash of its place, so the inputs need not be recorded.
//!
//! `tests/golden/generate/matrix_sweep.py` makes the same ones for the H200.

use serde_json::Value;

/// The finaliser of splitmix64.
pub fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Where registers are: the case, the exponents' regime, and the warp or warpgroup.
#[derive(Clone, Copy)]
pub struct Place {
    pub case: u64,
    pub regime: usize,
    pub warp: u64,
}

impl Place {
    /// The 64 bits that a register of a lane is made of. A's registers count from 0, B's from 16, C's from 32.
    pub fn word(self, register: u64, lane: u64) -> u64 {
        let place = self.case << 48 | (self.regime as u64) << 44 | self.warp << 16 | register << 8 | lane;
        mix(place.wrapping_add(0x9e37_79b9_7f4a_7c15))
    }
}

/// The number of the register that has the metadata of a sparse matrix.
pub const METADATA: u64 = 160;

/// What registers hold.
#[derive(Clone)]
pub enum Kind {
    /// Any bits.
    Raw,
    /// Accumulators of integers, in the last regimes near the ends of their range.
    S32,
    /// Metadata of two elements of four.
    TwoOfFour,
    /// Metadata of one element of two.
    OneOfTwo,
    /// Floating point numbers.
    Floats(Floats),
}

/// Floating point numbers and the range of their exponents in each regime.
#[derive(Clone)]
pub struct Floats {
    bits: u32,
    mantissa: u32,
    /// The all-ones pattern is the only NaN, and is kept out.
    one_nan: bool,
    regimes: Vec<Regime>,
}

#[derive(Clone)]
struct Regime {
    /// The lowest exponent field, and how many there are.
    first: u32,
    count: u32,
    /// Whether some numbers are zero.
    zeros: bool,
}

impl Kind {
    /// The kind of this name, as the recording's description has it.
    pub fn named(name: &str, kinds: &Value) -> Option<Self> {
        Some(match name {
            "raw" => Self::Raw,
            "s32" => Self::S32,
            "meta2" => Self::TwoOfFour,
            "meta1" => Self::OneOfTwo,
            _ => {
                let kind = kinds[name].as_array()?;
                let number = |value: &Value| value.as_u64().map(|number| number as u32);
                let regime = |regime: &Value| {
                    let zeros = number(&regime[2])? != 0;
                    Some(Regime { first: number(&regime[0])?, count: number(&regime[1])?, zeros })
                };
                Self::Floats(Floats {
                    bits: number(&kind[0])?,
                    mantissa: number(&kind[2])?,
                    one_nan: name == "e4m3",
                    regimes: kind[3].as_array()?.iter().map(regime).collect::<Option<_>>()?,
                })
            }
        })
    }

    /// The register that 64 bits stand for.
    pub fn register(&self, regime: usize, word: u64) -> u32 {
        let low = word as u32;
        let chunks = |of: fn(u32) -> u32| (0..8).fold(0, |all, i| all | of(low >> (4 * i) & 15) << (4 * i));
        match self {
            Self::Raw => low,
            Self::S32 => match regime {
                0 => (low & 0xffff).wrapping_sub(0x8000),
                1 => low,
                2 => 0x7fff_ffff - (low & 0x3_ffff),
                _ => 0x8000_0000 + (low & 0x3_ffff),
            },
            Self::TwoOfFour => chunks(|bits| [4, 8, 9, 12, 13, 14][(bits as usize * 6) >> 4]),
            Self::OneOfTwo => chunks(|bits| if bits & 1 == 0 { 4 } else { 14 }),
            Self::Floats(floats) => floats.register(&floats.regimes[regime], word),
        }
    }
}

impl Floats {
    fn register(&self, regime: &Regime, word: u64) -> u32 {
        let ones = |bits: u32| u32::MAX >> (32 - bits);
        let element = |i: u32| {
            let bits = (word as u32) >> (self.bits * i) & ones(self.bits);
            let chosen = (word >> (32 + 8 * i)) as u32 & 0xff;
            let exponent = regime.first + ((chosen * regime.count) >> 8);
            let fraction = bits & ones(self.mantissa);
            let fraction = if self.one_nan && exponent == 15 && fraction == 7 { 6 } else { fraction };
            let zero = regime.zeros && bits >> self.mantissa & 7 == 0;
            let magnitude = if zero { 0 } else { exponent << self.mantissa | fraction };
            (bits >> (self.bits - 1) << (self.bits - 1) | magnitude) << (self.bits * i)
        };
        (0..32 / self.bits).fold(0, |all, i| all | element(i))
    }
}
