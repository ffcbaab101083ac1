//! The floating point formats, and how a bit pattern of one is read as an exact number.

/// What the patterns with an exponent of all ones mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Top {
    /// Infinity where the mantissa is zero, NaN elsewhere.
    Ieee,
    /// Numbers, except that all ones is NaN; there is no infinity.
    OneNan,
    /// Numbers like any other.
    Finite,
}

/// A format of sign, biased exponent and mantissa; the bias is that of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    top: Top,
}

pub const F64: Format = Format { exponent_bits: 11, mantissa_bits: 52, top: Top::Ieee };
pub const F32: Format = Format { exponent_bits: 8, mantissa_bits: 23, top: Top::Ieee };
pub const F16: Format = Format { exponent_bits: 5, mantissa_bits: 10, top: Top::Ieee };
pub const BF16: Format = Format { exponent_bits: 8, mantissa_bits: 7, top: Top::Ieee };
/// The upper 19 bits of the register that holds a tf32.
pub(crate) const TF32: Format = Format { exponent_bits: 8, mantissa_bits: 10, top: Top::Ieee };
pub const E5M2: Format = Format { exponent_bits: 5, mantissa_bits: 2, top: Top::Ieee };
pub const E4M3: Format = Format { exponent_bits: 4, mantissa_bits: 3, top: Top::OneNan };
pub const E3M2: Format = Format { exponent_bits: 3, mantissa_bits: 2, top: Top::Finite };
pub const E2M3: Format = Format { exponent_bits: 2, mantissa_bits: 3, top: Top::Finite };
pub const E2M1: Format = Format { exponent_bits: 2, mantissa_bits: 1, top: Top::Finite };

impl Format {
    /// The number of bits of a value, its sign included.
    #[must_use]
    pub const fn width(self) -> u32 {
        1 + self.exponent_bits + self.mantissa_bits
    }

    /// The number of stored bits below the binary point.
    #[must_use]
    pub const fn mantissa_bits(self) -> u32 {
        self.mantissa_bits
    }

    /// The sign bit.
    #[must_use]
    pub const fn sign(self) -> u64 {
        1 << (self.width() - 1)
    }

    /// All bits but the sign.
    ///
    /// This is also the NaN that the GPU makes (positive, payload of all ones), and where a format has no NaN, the
    /// largest number, which is what it gives for NaN instead.
    #[must_use]
    pub const fn nan(self) -> u64 {
        self.sign() - 1
    }

    /// The bits of plus infinity, where there is one.
    #[must_use]
    pub const fn infinity(self) -> Option<u64> {
        match self.top {
            Top::Ieee => Some(self.nan() - self.mantissa_mask()),
            Top::OneNan | Top::Finite => None,
        }
    }

    /// The bits of the largest finite number.
    #[must_use]
    pub const fn largest(self) -> u64 {
        match self.top {
            Top::Ieee => self.nan() - self.mantissa_mask() - 1,
            Top::OneNan => self.nan() - 1,
            Top::Finite => self.nan(),
        }
    }

    /// The bits of one.
    #[must_use]
    pub const fn one(self) -> u64 {
        (self.bias() as u64) << self.mantissa_bits
    }

    /// The bits of the smallest normal number.
    #[must_use]
    pub const fn smallest_normal(self) -> u64 {
        1 << self.mantissa_bits
    }

    /// Whether these bits are a NaN.
    #[must_use]
    pub const fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & self.nan();
        match self.top {
            Top::Ieee => magnitude > self.nan() - self.mantissa_mask(),
            Top::OneNan => magnitude == self.nan(),
            Top::Finite => false,
        }
    }

    /// These bits, or the zero of their sign if they are a subnormal number: what `.ftz` does.
    #[must_use]
    pub const fn flush(self, bits: u64) -> u64 {
        if bits & self.nan() < self.smallest_normal() { bits & self.sign() } else { bits }
    }

    /// The exponent of the smallest normal number.
    pub(crate) const fn smallest_exponent(self) -> i32 {
        1 - self.bias()
    }

    pub(crate) const fn mantissa_mask(self) -> u64 {
        (1 << self.mantissa_bits) - 1
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The number these bits stand for.
    pub(crate) const fn decode(self, bits: u64) -> Number {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & self.nan();
        if self.is_nan(bits) {
            return Number::Nan;
        }
        if let Some(infinity) = self.infinity()
            && magnitude == infinity
        {
            return Number::Infinity { negative };
        }
        let field = (magnitude >> self.mantissa_bits) as i32;
        let fraction = magnitude & self.mantissa_mask();
        let (significand, exponent) = if field == 0 {
            (fraction, self.smallest_exponent())
        } else {
            (fraction | self.smallest_normal(), field - self.bias())
        };
        Number::Finite(Finite { negative, significand, exponent: exponent - self.mantissa_bits as i32 })
    }
}

/// What a bit pattern stands for. The sign and payload of a NaN are looked up in the bits where they matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Nan,
    Infinity { negative: bool },
    Finite(Finite),
}

/// The number `significand * 2^exponent`, negated if `negative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finite {
    pub negative: bool,
    pub significand: u64,
    pub exponent: i32,
}
