//! The shape of a binary floating-point format, so that the exact arithmetic is written once for all of them.

/// How many bits of a format are exponent and fraction (the sign is one more), and whether results use the numbers
/// below the least normal one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IeeeFormat {
    exponent_bits: u32,
    fraction_bits: u32,
    flushes: bool,
}

/// `.bf16`
#[cfg(test)]
pub const BF16: IeeeFormat = IeeeFormat::new(8, 7);
/// `.f32`
pub const F32: IeeeFormat = IeeeFormat::new(8, 23);
/// `.f64`
pub const F64: IeeeFormat = IeeeFormat::new(11, 52);

impl IeeeFormat {
    pub(super) const fn new(exponent_bits: u32, fraction_bits: u32) -> Self {
        Self { exponent_bits, fraction_bits, flushes: false }
    }

    /// The format with results as `.ftz` wants them, if it is there.
    #[must_use]
    pub const fn ftz(self, ftz: bool) -> Self {
        Self { flushes: ftz, ..self }
    }

    /// Whether a result below the least normal number becomes zero.
    #[must_use]
    pub const fn flushes(self) -> bool {
        self.flushes
    }

    /// The number of significant bits of a normal number, the hidden one included.
    #[must_use]
    pub const fn precision(self) -> u32 {
        self.fraction_bits + 1
    }

    /// The bit that holds the sign.
    #[must_use]
    pub const fn sign_bit(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// The bits of plus infinity.
    #[must_use]
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The exponent of the lowest bit of a subnormal number: no bit of the format weighs less.
    #[must_use]
    pub const fn least_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1)) - self.fraction_bits as i32
    }

    /// Whether the bits are a number that is not infinite.
    #[must_use]
    pub const fn is_finite(self, bits: u64) -> bool {
        bits & self.infinity() != self.infinity()
    }

    /// Whether the bits are zero of either sign.
    #[must_use]
    pub const fn is_zero(self, bits: u64) -> bool {
        bits & !self.sign_bit() == 0
    }

    /// Sign, significand and exponent of a finite number, which is the significand times two to the exponent.
    #[must_use]
    pub const fn unpack(self, bits: u64) -> (bool, u64, i32) {
        let negative = bits & self.sign_bit() != 0;
        let biased = (bits & self.infinity()) >> self.fraction_bits;
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        if biased == 0 {
            (negative, fraction, self.least_exponent())
        } else {
            (negative, fraction | 1 << self.fraction_bits, self.least_exponent() + biased as i32 - 1)
        }
    }
}
