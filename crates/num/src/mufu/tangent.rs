//! MUFU.TANH: the hyperbolic tangent, to 11 bits.

use super::polynomial::{INFINITY, MANTISSA, NAN, Polynomial, SIGN, square};
use super::tables::TANH_TABLE;

/// Each entry covers 2^17 steps of an interval; how wide that is depends on the argument's binade.
pub const TANH: Polynomial =
    Polynomial { c0_shift: 15, c1_negative: false, c2_negative: true, c2_shift: 1, k: 0 };

/// How a binade is cut into intervals, in one word so that lanes can fetch it together.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Binade(u32);

impl Binade {
    const fn new(first: u32, dropped: u32, unit: u32) -> Self {
        Self(first | dropped << 8 | unit << 16)
    }

    /// Its first table entry.
    #[inline(always)]
    pub const fn first(self) -> u32 {
        self.0 & 0xff
    }

    /// Low bits of the mantissa that the unit drops; the 17 above them are the place within an interval.
    #[inline(always)]
    pub const fn dropped(self) -> u32 {
        self.0 >> 8 & 0xff
    }

    /// The polynomial counts in units of two to the minus this.
    #[inline(always)]
    pub const fn unit(self) -> u32 {
        self.0 >> 16
    }
}

/// The exponent field of the first binade: below 2^-8 tanh(x) is x. From 8 on it is 1.
pub const FIRST: u32 = 119;

/// The binades from 2^-8 to 8, filled up to a power of two.
pub static BINADES: [Binade; 16] = {
    let last = Binade::new(43, 3, 39);
    [
        Binade::new(0, 6, 40),
        Binade::new(1, 6, 40),
        Binade::new(2, 6, 39),
        Binade::new(3, 5, 39),
        Binade::new(5, 5, 38),
        Binade::new(7, 4, 38),
        Binade::new(11, 4, 37),
        Binade::new(15, 4, 36),
        Binade::new(19, 3, 37),
        Binade::new(27, 2, 39),
        last,
        last,
        last,
        last,
        last,
        last,
    ]
};

/// MUFU.TANH.
#[inline(always)]
pub fn tanh(x: u32) -> u32 {
    let magnitude = x & !SIGN;
    let binade = BINADES[((magnitude >> 23).saturating_sub(FIRST) & 15) as usize];
    let place = (x & MANTISSA) >> binade.dropped();
    let rest = place & 0x1_ffff;
    let entry = TANH_TABLE[((binade.first() + (place >> 17)) & 63) as usize];
    let sum = TANH.at(entry, rest, square(rest)) as u64;
    let shift = sum.leading_zeros() & 63;
    // The leading one of the 24 bits adds one to the exponent.
    let bits = ((sum << shift) >> 40) as u32;
    let inside = ((189 - shift - binade.unit()) << 23).wrapping_add(bits);
    let result = if magnitude < FIRST << 23 { magnitude } else { inside };
    let result = if magnitude >= 0x4100_0000 { 0x3f80_0000 } else { result };
    if magnitude > INFINITY { NAN } else { x & SIGN | result }
}
