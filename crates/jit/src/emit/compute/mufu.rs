//! The special function unit's arithmetic as vector code over its tables.
//!
//! What is computed, and why, says `ptxvm_num::mufu`; each function here has the same steps as the one of its name there.

use ptxvm_num::mufu;

use super::super::nan::{NAN, one_nan_of};
use super::super::writer::{Name, Writer};
use super::bits::clz;
use crate::outside;

pub const SIGN: u64 = 0x8000_0000;
pub const INFINITY: u64 = 0x7f80_0000;
const MANTISSA: u64 = 0x007f_ffff;
/// The bits of a mantissa in single precision, and in the upper word of a double.
const SINGLE: u64 = 23;
const UPPER: u64 = 20;

/// Writes the unit's functions, of words.
pub struct Unit<'a>(pub &'a mut Writer);

impl Unit<'_> {
    pub fn rcp(&mut self, x: &Name) -> Name {
        self.reciprocal(x, SINGLE)
    }

    pub fn rcp64h(&mut self, x: &Name) -> Name {
        self.reciprocal(x, UPPER)
    }

    fn reciprocal(&mut self, x: &Name, width: u64) -> Name {
        let (lower, infinity) = (low(width), low(31) - low(width));
        let one = 1 << width;
        let (sign, magnitude) = (self.0.with("and", 32, x, SIGN), self.0.with("and", 32, x, low(31)));
        let exponent = self.0.with("and", 32, x, infinity);
        let fraction = self.0.with("and", 32, x, lower);
        let mantissa = self.0.with("shl", 32, &fraction, SINGLE - width);
        let rest = self.0.with("and", 32, &mantissa, 0xffff);
        let index = self.0.with("lshr", 32, &mantissa, 16);
        let twice = self.0.with("shl", 32, &rest, 1);
        let square = self.square(&twice);
        let sum = self.bits_of(&mufu::RCP, &outside::RCP, &index, (&rest, &square), 15 + SINGLE - width);
        let bits = self.0.with("and", 32, &sum, lower);
        // The reciprocal of a power of two is one.
        let most = self.number(infinity - 2 * one);
        let other = self.0.two("sub", 32, &most, &exponent);
        let power = self.0.with("add", 32, &other, one);
        let other = self.0.two("or", 32, &other, &bits);
        let finite = self.0.choose(("eq", &fraction, 0), &power, &other);
        let result = self.unless("slt", &finite, one, 0, &finite);
        let result = self.unless("eq", &exponent, 0, infinity, &result);
        let result = self.0.two("or", 32, &sign, &result);
        self.unless("ugt", &magnitude, infinity, NAN, &result)
    }

    pub fn rsqrt(&mut self, x: &Name) -> Name {
        self.reciprocal_root(x, SINGLE)
    }

    pub fn rsqrt64h(&mut self, x: &Name) -> Name {
        self.reciprocal_root(x, UPPER)
    }

    fn reciprocal_root(&mut self, x: &Name, width: u64) -> Name {
        let (infinity, one) = (low(31) - low(width), 1 << width);
        let (index, rest) = self.entry_of_root(x, width);
        let square = self.square(&rest);
        let sum = self.bits_of(&mufu::RSQRT, &outside::RSQRT, &index, (&rest, &square), 16 + SINGLE - width);
        let bits = self.0.with("and", 32, &sum, low(width));
        let half = self.half(x, width);
        let most = self.number((3 * low(30 - width) / 2) << width);
        let other = self.0.two("sub", 32, &most, &half);
        let exact = self.0.with("add", 32, &other, one);
        let other = self.0.two("or", 32, &other, &bits);
        // Powers of 4 have odd exponents and no mantissa.
        let low_bits = self.0.with("and", 32, x, low(width + 1));
        let finite = self.0.choose(("eq", &low_bits, one), &exact, &other);
        let result = self.unless("uge", x, infinity, NAN, &finite);
        let result = self.unless("eq", x, infinity, 0, &result);
        let sign = self.0.with("and", 32, x, SIGN);
        let infinite = self.0.with("or", 32, &sign, infinity);
        self.unless_small(x, width, &infinite, &result)
    }

    pub fn sqrt(&mut self, x: &Name) -> Name {
        let (index, rest) = self.entry_of_root(x, SINGLE);
        let square = self.square(&rest);
        let sum = self.bits_of(&mufu::SQRT, &outside::SQRT, &index, (&rest, &square), 17);
        let bits = self.0.with("and", 32, &sum, MANTISSA);
        let half = self.half(x, SINGLE);
        let scale = self.0.with("add", 32, &half, 63 << SINGLE);
        let finite = self.0.two("or", 32, &scale, &bits);
        let result = self.unless("uge", x, INFINITY, NAN, &finite);
        let result = self.unless("eq", x, INFINITY, INFINITY, &result);
        let sign = self.0.with("and", 32, x, SIGN);
        self.unless_small(x, SINGLE, &sign, &result)
    }

    /// The entry of a root's table, which lies where the lowest bit of the exponent and the upper ones of the mantissa say, and
    /// what is left of the mantissa.
    fn entry_of_root(&mut self, x: &Name, width: u64) -> (Name, Name) {
        let mantissa = self.0.with("shl", 32, x, SINGLE - width);
        let index = self.0.with("lshr", 32, &mantissa, 17);
        (index, self.0.with("and", 32, &mantissa, 0x1_ffff))
    }

    /// Half of the exponent, rounded up, where exponents lie.
    fn half(&mut self, x: &Name, width: u64) -> Name {
        let more = self.0.with("add", 32, x, 1 << width);
        let half = self.0.with("lshr", 32, &more, 1);
        self.0.with("and", 32, &half, low(31) - low(width))
    }

    pub fn ex2(&mut self, x: &Name) -> Name {
        const POSITIVE_128: u64 = 0x4300_0000;
        let fixed = self.fixed(x);
        // 2^-(w.f) is 2^(-w-1) times 2^(1-f), and 1-f is taken as the complement of f.
        let fraction = self.0.with("and", 32, &fixed, MANTISSA);
        let some = self.0.is("ne", 32, &fraction, 0);
        let negative = self.0.is("slt", 32, x, 0);
        let borrows = self.0.two("and", 1, &negative, &some);
        let less = self.0.with("add", 32, &fixed, u64::from(u32::MAX));
        let fixed = self.0.select(&borrows, 32, &less, &fixed);
        let rest = self.0.with("and", 32, &fixed, 0x1_ffff);
        let index = self.0.with("lshr", 32, &fixed, 17);
        let square = self.square(&rest);
        let bits = self.bits_of(&mufu::EX2, &outside::EX2, &index, (&rest, &square), 15);
        let finite = self.0.mixed_bits(MANTISSA, &bits, &fixed);
        let finite = self.0.with("add", 32, &finite, 127 << SINGLE);
        let result = self.unless("slt", &fixed, (126u64 << SINGLE).wrapping_neg(), 0, &finite);
        let result = self.unless("sge", x, POSITIVE_128, INFINITY, &result);
        one_nan_of(self.0, x, &result)
    }

    /// A float as a fixed-point number with 23 bits of fraction, cut off; anything of its sign, if it is beyond 160, or below
    /// the least power.
    fn fixed(&mut self, x: &Name) -> Name {
        if self.0.wide && self.0.avx512 {
            // What does not fit becomes the least number.
            let scaled = self.0.scaled(x, SINGLE);
            let scaled = self.0.as_float(32, &scaled);
            return self.0.cut_off(&scaled, true);
        }
        const MOST: u64 = 0x4320_0000;
        let (float, word) = (self.0.float_ty(32), self.0.ty(32));
        let truth = self.0.ty(1);
        let mut number = self.0.as_float(32, x);
        for (relation, bound) in [("ogt", SIGN | MOST), ("olt", MOST)] {
            let bound = self.number(bound);
            let bound = self.0.as_float(32, &bound);
            let within = self.0.value(format!("fcmp {relation} {float} {number}, {bound}"));
            number = self.0.value(format!("select {truth} {within}, {float} {number}, {float} {bound}"));
        }
        let bits = self.0.as_bits(32, &number);
        let scaled = self.0.scaled(&bits, SINGLE);
        let scaled = self.0.as_float(32, &scaled);
        self.0.value(format!("fptosi {float} {scaled} to {word}"))
    }

    pub fn lg2(&mut self, x: &Name) -> Name {
        const ONE: u64 = 0x3f80_0000;
        let rest = self.0.with("and", 32, x, 0x1_ffff);
        let index = self.0.with("lshr", 32, x, 17);
        let square = self.square(&rest);
        let sum = self.polynomial(&mufu::LG2, &outside::LG2, &index, (&rest, &square));
        let fraction = self.0.with("ashr", 64, &sum, 2);
        let exponent = self.0.with("lshr", 32, x, 23);
        let exponent = self.0.with("and", 32, &exponent, 0xff);
        let exponent = self.0.cast("zext", 32, &exponent, 64);
        let exponent = self.0.with("sub", 64, &exponent, 127);
        let whole = self.0.with("shl", 64, &exponent, 36);
        let sum = self.0.two("add", 64, &fraction, &whole);
        // The magnitude of a negative sum is its complement.
        let negative = self.0.with("ashr", 64, &sum, 63);
        let magnitude = self.0.two("xor", 64, &sum, &negative);
        let sign = self.0.cast("trunc", 64, &negative, 32);
        let sign = self.0.with("and", 32, &sign, SIGN);
        let first = self.number(153);
        let finite = self.float_of(&magnitude, &first);
        let finite = self.0.two("or", 32, &sign, &finite);
        let result = self.unless("eq", x, ONE, 0, &finite);
        let result = self.unless("uge", x, INFINITY, NAN, &result);
        let result = self.unless("eq", x, INFINITY, INFINITY, &result);
        let least = self.number(SIGN | INFINITY);
        self.unless_small(x, SINGLE, &least, &result)
    }

    pub fn sin(&mut self, x: &Name) -> Name {
        let (place, sign) = (self.turns(x), self.0.with("and", 32, x, SIGN));
        let result = self.wave(&place, &sign);
        let magnitude = self.0.with("and", 32, x, low(31));
        self.unless("uge", &magnitude, INFINITY, NAN, &result)
    }

    pub fn cos(&mut self, x: &Name) -> Name {
        let place = self.turns(x);
        let place = self.0.with("add", 32, &place, 0x80_0000);
        let zero = self.number(0);
        let result = self.wave(&place, &zero);
        let magnitude = self.0.with("and", 32, x, low(31));
        self.unless("uge", &magnitude, INFINITY, NAN, &result)
    }

    /// An angle in turns: two bits of quadrant over 23 bits of fraction.
    fn turns(&mut self, x: &Name) -> Name {
        let exponent = self.0.with("lshr", 32, x, 23);
        let exponent = self.0.with("and", 32, &exponent, 0xff);
        let mantissa = self.0.with("and", 32, x, MANTISSA);
        let mantissa = self.0.with("or", 32, &mantissa, 0x80_0000);
        let mantissa = self.0.cast("zext", 32, &mantissa, 64);
        let product = self.0.with("mul", 64, &mantissa, mufu::PER_TURN);
        let carry = self.0.with("lshr", 64, &product, 47);
        let by = self.0.with("add", 64, &carry, 23);
        let mantissa = self.0.two("lshr", 64, &product, &by);
        let mantissa = self.0.cast("trunc", 64, &mantissa, 32);
        let carry = self.0.cast("trunc", 64, &carry, 32);
        let shift = self.0.two("add", 32, &exponent, &carry);
        let bias = self.number(128);
        let up = self.0.intrinsic("usub.sat", 32, &[&shift, &bias]);
        let down = self.0.intrinsic("usub.sat", 32, &[&bias, &shift]);
        let (most_up, most_down) = (self.number(25), self.number(31));
        let up = self.0.intrinsic("umin", 32, &[&up, &most_up]);
        let down = self.0.intrinsic("umin", 32, &[&down, &most_down]);
        let moved = self.0.two("shl", 32, &mantissa, &up);
        let moved = self.0.two("lshr", 32, &moved, &down);
        self.0.with("and", 32, &moved, 0x1ff_ffff)
    }

    /// The sine of a place in the turn, which counts by its low 25 bits.
    fn wave(&mut self, place: &Name, sign: &Name) -> Name {
        // In every other quadrant it runs backwards.
        let back = self.0.with("shl", 32, place, 8);
        let back = self.0.with("ashr", 32, &back, 31);
        let fraction = self.0.two("xor", 32, place, &back);
        let fraction = self.0.with("and", 32, &fraction, MANTISSA);
        let rest = self.0.with("and", 32, &fraction, 0x1_ffff);
        let index = self.0.with("lshr", 32, &fraction, 17);
        let square = self.square(&rest);
        let sine = self.polynomial(&mufu::SIN, &outside::SIN, &index, (&rest, &square));
        let first = self.number(152);
        let magnitude = self.float_of(&sine, &first);
        let (none, zero) = (self.0.is("eq", 64, &sine, 0), self.number(0));
        let magnitude = self.0.select(&none, 32, &zero, &magnitude);
        let half = self.0.with("shl", 32, place, 7);
        let half = self.0.with("and", 32, &half, SIGN);
        let sign = self.0.two("xor", 32, sign, &half);
        self.0.two("or", 32, &sign, &magnitude)
    }

    pub fn tanh(&mut self, x: &Name) -> Name {
        const EIGHT: u64 = 0x4100_0000;
        const ONE: u64 = 0x3f80_0000;
        let magnitude = self.0.with("and", 32, x, low(31));
        let exponent = self.0.with("lshr", 32, &magnitude, 23);
        let first = self.number(mufu::FIRST.into());
        let number = self.0.intrinsic("usub.sat", 32, &[&exponent, &first]);
        let binade = self.0.looked_up(&outside::BINADES, 0, &number);
        let first = self.0.with("and", 32, &binade, 0xff);
        let dropped = self.0.with("lshr", 32, &binade, 8);
        let dropped = self.0.with("and", 32, &dropped, 0xff);
        let unit = self.0.with("lshr", 32, &binade, 16);
        let place = self.0.with("and", 32, x, MANTISSA);
        let place = self.0.two("lshr", 32, &place, &dropped);
        let rest = self.0.with("and", 32, &place, 0x1_ffff);
        let further = self.0.with("lshr", 32, &place, 17);
        let index = self.0.two("add", 32, &first, &further);
        let square = self.square(&rest);
        let sum = self.polynomial(&mufu::TANH, &outside::TANH, &index, (&rest, &square));
        let first = self.number(189);
        let first = self.0.two("sub", 32, &first, &unit);
        let inside = self.float_of(&sum, &first);
        let result = self.0.choose(("ult", &magnitude, u64::from(mufu::FIRST) << 23), &magnitude, &inside);
        let result = self.unless("uge", &magnitude, EIGHT, ONE, &result);
        let sign = self.0.with("and", 32, x, SIGN);
        let result = self.0.two("or", 32, &sign, &result);
        self.unless("ugt", &magnitude, INFINITY, NAN, &result)
    }

    /// The float of a sum in fixed point, cut off: `first` is its exponent if its highest bit is set. The leading one of
    /// the 24 bits adds one to the exponent.
    fn float_of(&mut self, sum: &Name, first: &Name) -> Name {
        let zeros = clz(self.0, 64, sum);
        let zeros = self.0.with("and", 32, &zeros, 63);
        let by = self.0.cast("zext", 32, &zeros, 64);
        let moved = self.0.two("shl", 64, sum, &by);
        let bits = self.cut(&moved, 40);
        let exponent = self.0.two("sub", 32, first, &zeros);
        let exponent = self.0.with("shl", 32, &exponent, 23);
        self.0.two("add", 32, &exponent, &bits)
    }

    /// The word that begins with a bit of a double word.
    fn cut(&mut self, a: &Name, from: u64) -> Name {
        let moved = self.0.with("lshr", 64, a, from);
        self.0.cast("trunc", 64, &moved, 32)
    }

    /// A number, unless another is zero or subnormal.
    fn unless_small(&mut self, x: &Name, width: u64, otherwise: &Name, result: &Name) -> Name {
        let magnitude = self.0.with("and", 32, x, low(31));
        self.0.choose(("ule", &magnitude, low(width)), otherwise, result)
    }

    /// A number, unless another compares so with a constant: then a constant.
    pub fn unless(&mut self, relation: &str, x: &Name, with: u64, otherwise: u64, result: &Name) -> Name {
        let otherwise = self.number(otherwise);
        self.0.choose((relation, x, with), &otherwise, result)
    }

    pub fn number(&mut self, number: u64) -> Name {
        self.0.constant(32, number)
    }
}

/// So many low bits.
pub(super) fn low(bits: u64) -> u64 {
    (1 << bits) - 1
}
