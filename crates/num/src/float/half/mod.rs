//! Half precision and bfloat16: the manual's 9.7.4, one value or two packed in a word.
//!
//! Both compute in wider host formats. Sums and products of these formats, rounded to single precision and then again,
//! give the same as one rounding (24 bits are at least twice 11 plus two). `fma` uses a sum rounded to odd.

pub mod bf16;
pub mod f16;
mod odd;
mod packed;

pub use packed::{bf16x2, f16x2};

/// The only NaN that arithmetic of either format gives.
pub const NAN: u16 = 0x7fff;

/// The NaN that a tensor copy writes where it reads beyond the tensor. `fma.oob` takes it for zero.
pub const OUT_OF_BOUNDS_NAN: u16 = 0x7ff7;

/// What may be done to the result of an arithmetic instruction beside rounding it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub ftz: bool,
    /// `.sat`: into the range from plus zero to one; NaN becomes plus zero.
    pub sat: bool,
    /// `.relu`: what is negative becomes plus zero.
    pub relu: bool,
    /// `.oob`: plus zero where a factor is [`OUT_OF_BOUNDS_NAN`], whatever its sign; the addend does not count.
    pub oob: bool,
}

impl Finish {
    /// The result of `fma` after `.oob`.
    #[inline(always)]
    fn within_bounds(self, a: u16, b: u16, result: u16) -> u16 {
        let is_it = |factor: u16| factor & 0x7fff == OUT_OF_BOUNDS_NAN;
        let outside = is_it(a) | is_it(b);
        if self.oob && outside { 0 } else { result }
    }
}
