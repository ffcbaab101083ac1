//! The formats of a matrix's elements, as multipliers and adders see them: a significand and an exponent.
//!
//! The exponent is the one that the alignment uses. A subnormal number has the exponent of the format's smallest normal
//! number and a significand below one: nothing is normalised.

use crate::convert::format::{BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, Finite, Format, Number, TF32};

/// The floating point formats of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// `.f16`
    F16,
    /// `.bf16`
    Bf16,
    /// `.tf32`: the low 13 bits of its register do not count.
    Tf32,
    /// `.e4m3`
    E4m3,
    /// `.e5m2`
    E5m2,
    /// `.e3m2`
    E3m2,
    /// `.e2m3`
    E2m3,
    /// `.e2m1`
    E2m1,
}

/// The formats of C and D that a fused dot product is rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accumulator {
    /// `.f16`
    F16,
    /// `.f32`
    F32,
}

/// The exponent of a term that is zero: below all others, also when two of them are added.
pub const NOTHING: i16 = -8192;

impl Element {
    /// Every format.
    pub const ALL: [Self; 8] =
        [Self::F16, Self::Bf16, Self::Tf32, Self::E4m3, Self::E5m2, Self::E3m2, Self::E2m3, Self::E2m1];

    /// The format of this name in PTX, without the dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// The name in PTX, without the dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Tf32 => "tf32",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::E3m2 => "e3m2",
            Self::E2m3 => "e2m3",
            Self::E2m1 => "e2m1",
        }
    }

    /// The bits of a value: 32 for a tf32, whose register also holds bits that do not count.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Tf32 => 32,
            _ => self.format().width(),
        }
    }

    const fn format(self) -> Format {
        match self {
            Self::F16 => F16,
            Self::Bf16 => BF16,
            Self::Tf32 => TF32,
            Self::E4m3 => E4M3,
            Self::E5m2 => E5M2,
            Self::E3m2 => E3M2,
            Self::E2m3 => E2M3,
            Self::E2m1 => E2M1,
        }
    }

    /// The significand, below two, and the exponent. Zero, NaN and infinity are themselves, with [`NOTHING`].
    #[must_use]
    pub fn decode(self, bits: u32) -> (f32, i16) {
        let (bits, format) = match self {
            Self::Tf32 => (bits >> 13, TF32),
            _ => (bits, self.format()),
        };
        decode(format, u64::from(bits) & (format.sign() | format.nan()))
    }
}

impl Accumulator {
    /// The significand, below two, and the exponent. Zero, NaN and infinity are themselves, with [`NOTHING`].
    #[must_use]
    pub fn decode(self, bits: u32) -> (f32, i16) {
        match self {
            Self::F16 => decode(F16, u64::from(bits & 0xffff)),
            Self::F32 => decode(F32, u64::from(bits)),
        }
    }
}

fn decode(format: Format, bits: u64) -> (f32, i16) {
    let (negative, magnitude, exponent) = match format.decode(bits) {
        Number::Nan => (false, f32::NAN, NOTHING),
        Number::Infinity { negative } => (negative, f32::INFINITY, NOTHING),
        Number::Finite(Finite { negative, significand: 0, .. }) => (negative, 0.0, NOTHING),
        Number::Finite(Finite { negative, significand, exponent }) => {
            // Exact: no format has more bits than f32.
            let point = format.mantissa_bits() as i32;
            (negative, significand as f32 / (1u32 << point) as f32, (exponent + point) as i16)
        }
    };
    (if negative { -magnitude } else { magnitude }, exponent)
}
