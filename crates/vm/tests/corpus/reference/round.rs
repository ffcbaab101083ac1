//! Rounding to the small formats, the slow way: by dividing by the distance of neighbours.

/// A binary format, to the nearest with ties to even.
#[derive(Clone, Copy)]
pub struct Format {
    pub exponent: i32,
    pub fraction: i32,
    /// The largest number, for conversions that do not go to infinity.
    pub most: Option<f64>,
}

pub const F16: Format = Format { exponent: 5, fraction: 10, most: None };
pub const BF16: Format = Format { exponent: 8, fraction: 7, most: None };
pub const E4M3: Format = Format { exponent: 4, fraction: 3, most: Some(448.0) };
pub const E5M2: Format = Format { exponent: 5, fraction: 2, most: Some(57344.0) };
pub const E3M2: Format = Format { exponent: 3, fraction: 2, most: Some(28.0) };
pub const E2M3: Format = Format { exponent: 2, fraction: 3, most: Some(7.5) };
pub const E2M1: Format = Format { exponent: 2, fraction: 1, most: Some(6.0) };

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of the nearest number.
    pub fn round(self, value: f64) -> u64 {
        let sign = u64::from(value.is_sign_negative()) << (self.exponent + self.fraction);
        let top = self.most.unwrap_or(f64::INFINITY);
        let magnitude = value.abs().min(top);
        let least = 1 - self.bias();
        let binade = if magnitude == 0.0 { least } else { (magnitude.log2().floor() as i32).max(least) };
        let steps = (magnitude / 2f64.powi(binade - self.fraction)).round_ties_even() as u64;
        // Rounding up to the next binade carries into the exponent by itself.
        let code = (((binade - least) as u64) << self.fraction) + steps;
        let infinity = ((1u64 << self.exponent) - 1) << self.fraction;
        sign | if self.most.is_none() { code.min(infinity) } else { code }
    }

    /// The number that bits stand for; infinities and NaN are not asked for.
    pub fn value(self, bits: u64) -> f64 {
        let sign = if bits >> (self.exponent + self.fraction) & 1 == 1 { -1.0 } else { 1.0 };
        let exponent = (bits >> self.fraction) as i32 & ((1 << self.exponent) - 1);
        let fraction = (bits & ((1 << self.fraction) - 1)) as f64 / 2f64.powi(self.fraction);
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(1 - self.bias()),
            _ => (1.0 + fraction) * 2f64.powi(exponent - self.bias()),
        };
        sign * magnitude
    }
}

/// The numbers of a buffer of 16-bit floats.
pub fn values(format: Format, bits: &[u16]) -> Vec<f64> {
    bits.iter().map(|b| format.value(u64::from(*b))).collect()
}

#[test]
fn formats_round_as_known() {
    assert_eq!(F16.round(1.0), 0x3c00);
    assert_eq!(F16.round(-65519.9), 0xfbff);
    assert_eq!(F16.round(65520.0), 0x7c00);
    assert_eq!(F16.round(2f64.powi(-25)), 0);
    assert_eq!(F16.round(1.5 * 2f64.powi(-24)), 2);
    assert_eq!(BF16.round(1.0 + 2f64.powi(-8)), 0x3f80);
    assert_eq!(E4M3.round(1e9), 0x7e);
    assert_eq!(E5M2.round(-1e9), 0xfb);
    assert_eq!(E2M1.round(5.0), 6);
    for bits in 0..0x7c00 {
        assert_eq!(F16.round(F16.value(bits)), bits);
    }
}
