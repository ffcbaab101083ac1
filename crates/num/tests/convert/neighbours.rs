//! A format as the sorted list of its numbers, and rounding as a search in that list.

use ptxvm_num::Rounding;

/// All non-negative finite numbers of a format in order of their bits; every one is exact in an `f64`.
pub struct Numbers {
    values: Vec<f64>,
    /// Twice the last step beyond the last number: where an infinity would stand if it were a number.
    beyond: f64,
}

impl Numbers {
    /// The numbers with this many exponent and mantissa bits, up to the pattern `largest`.
    pub fn new(exponent_bits: i32, mantissa_bits: i32, largest: u64) -> Self {
        let bias = (1 << (exponent_bits - 1)) - 1;
        let value = |bits: u64| {
            let field = (bits >> mantissa_bits) as i32;
            let fraction = (bits & ((1 << mantissa_bits) - 1)) as f64 / 2f64.powi(mantissa_bits);
            if field == 0 {
                fraction * 2f64.powi(1 - bias)
            } else {
                (1.0 + fraction) * 2f64.powi(field - bias)
            }
        };
        Self { values: (0..=largest).map(value).collect(), beyond: value(largest + 1) }
    }

    pub fn f16() -> Self {
        Self::new(5, 10, 0x7bff)
    }

    pub fn bf16() -> Self {
        Self::new(8, 7, 0x7f7f)
    }

    pub fn value(&self, bits: u64) -> f64 {
        self.values[bits as usize]
    }

    pub fn largest(&self) -> u64 {
        self.values.len() as u64 - 1
    }

    /// Numbers that rounding has to decide on: each of the format's, each middle, and what lies just beside them.
    pub fn interesting(&self) -> impl Iterator<Item = f64> {
        let ends = self.values.iter().copied().chain([self.beyond]);
        let pairs = ends.clone().zip(ends.skip(1));
        pairs.flat_map(|(low, high)| {
            let middle = f64::midpoint(low, high);
            [low, low.next_up(), middle.next_down(), middle, middle.next_up(), high.next_down()]
        })
    }

    /// The bits of a magnitude rounded; one more than the largest number's where it overflows to infinity.
    pub fn round(&self, magnitude: f64, negative: bool, rounding: Rounding) -> u64 {
        let above = self.values.partition_point(|&value| value < magnitude) as u64;
        let at = |bits: u64| if bits > self.largest() { self.beyond } else { self.value(bits) };
        if above <= self.largest() && at(above) == magnitude {
            return above;
        }
        let below = above - 1;
        let middle = f64::midpoint(at(below), at(above));
        let up = match rounding {
            Rounding::Rn => magnitude > middle || (magnitude == middle && above.is_multiple_of(2)),
            Rounding::Rna => magnitude >= middle,
            Rounding::Rz => false,
            Rounding::Rm => negative,
            Rounding::Rp => !negative,
        };
        if up { above } else { below }
    }
}
