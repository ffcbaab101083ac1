//! The approximate functions of single precision: the special function unit's arithmetic as vector code over its tables.
//!
//! What is computed, and why, says `ptxvm_num::mufu` and, of the scaling around it, `ptxvm_num::approx`; each function
//! here has the same steps as the one of its name there.

use ptxvm_ir::operation::compute::{Approximate, ApproximateFunction as F};
use ptxvm_isa::Type;
use ptxvm_machine::registers::Slot;
use ptxvm_num::mufu;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::nan::{NAN, one_nan};
use super::super::writer::{LANES, Name, Writer};

const SIGN: u64 = 0x8000_0000;
const INFINITY: u64 = 0x7f80_0000;
const MANTISSA: u64 = 0x007f_ffff;
const NORMAL: u64 = 0x0080_0000;
/// 2^24 lifts every subnormal number to a normal one.
const LIFT: u64 = 0x4b80_0000;

impl Emitter<'_> {
    pub(super) fn approximate(
        &mut self,
        approximate: &Approximate,
        slots: &[Slot],
        guard: &Guard,
    ) -> Option<()> {
        let Approximate { function, ty: Type::F32, ftz } = *approximate else { return None };
        if !matches!(function, F::Rcp | F::Sqrt | F::Rsqrt | F::Ex2) {
            return None;
        }
        let [to, from] = *slots else { return None };
        // A NaN gives the one of single precision, whichever it is.
        let source = self.read_loose(from, 32);
        let value = self.map(&[source], 32, |writer, names| {
            let (mut arithmetic, a) = (Arithmetic(writer), &names[0]);
            match function {
                F::Rcp => arithmetic.rcp_approx(a, ftz),
                F::Sqrt => arithmetic.sqrt_approx(a, ftz),
                F::Rsqrt => arithmetic.rsqrt_approx(a, ftz),
                _ => arithmetic.ex2_approx(a, ftz),
            }
        });
        self.write(to, value, guard);
        Some(())
    }
}

/// Writes arithmetic of 32 bits, unless a width is said.
struct Arithmetic<'a>(&'a mut Writer);

impl Arithmetic<'_> {
    fn rcp_approx(&mut self, a: &Name, ftz: bool) -> Name {
        const ONE: u64 = 0x3f80_0000;
        const QUARTER: u64 = 0x3e80_0000;
        const LARGE: u64 = 0x7e80_0000;
        if ftz {
            return self.rcp(a);
        }
        let magnitude = self.with("and", a, !SIGN);
        let small = self.is("ult", &magnitude, NORMAL);
        let (lift, one, quarter) = (self.number(LIFT), self.number(ONE), self.number(QUARTER));
        let scale = self.0.select(&small, 32, &lift, &one);
        let above = self.with("sub", &magnitude, LARGE + 1);
        let large = self.is("ule", &above, INFINITY - LARGE - 1);
        let scale = self.0.select(&large, 32, &quarter, &scale);
        let scaled = self.times(a, &scale);
        let result = self.rcp(&scaled);
        self.times(&scale, &result)
    }

    fn rsqrt_approx(&mut self, a: &Name, ftz: bool) -> Name {
        self.lifted(a, ftz, 0x4580_0000, Self::rsqrt)
    }

    fn sqrt_approx(&mut self, a: &Name, ftz: bool) -> Name {
        self.lifted(a, ftz, 0x3980_0000, Self::sqrt)
    }

    /// A root; that of a subnormal number is the root of a multiple of it, scaled back.
    fn lifted(&mut self, a: &Name, ftz: bool, back: u64, root: fn(&mut Self, &Name) -> Name) -> Name {
        if ftz {
            return root(self, a);
        }
        let magnitude = self.with("and", a, !SIGN);
        let small = self.is("ult", &magnitude, NORMAL);
        let lift = self.number(LIFT);
        let more = self.times(a, &lift);
        let argument = self.0.select(&small, 32, &more, a);
        let result = root(self, &argument);
        let back = self.number(back);
        let less = self.times(&result, &back);
        self.0.select(&small, 32, &less, &result)
    }

    fn ex2_approx(&mut self, a: &Name, ftz: bool) -> Name {
        const HALF: u64 = 0x3f00_0000;
        const MINUS_126: u64 = 0xc2fc_0000;
        if ftz {
            return self.ex2(a);
        }
        let above = self.with("sub", a, MINUS_126 + 1);
        let low = self.is("ule", &above, (SIGN | INFINITY) - MINUS_126 - 1);
        let half = self.number(HALF);
        let halved = self.times(a, &half);
        let argument = self.0.select(&low, 32, &halved, a);
        let power = self.ex2(&argument);
        let squared = self.times(&power, &power);
        self.0.select(&low, 32, &squared, &power)
    }

    fn rcp(&mut self, x: &Name) -> Name {
        let (sign, magnitude) = (self.with("and", x, SIGN), self.with("and", x, !SIGN));
        let exponent = self.with("lshr", &magnitude, 23);
        let mantissa = self.with("and", x, MANTISSA);
        let whole = self.is("eq", &mantissa, 0);
        let rest = self.with("and", &mantissa, 0xffff);
        let index = self.with("lshr", &mantissa, 16);
        let twice = self.with("shl", &rest, 1);
        let square = self.square(&twice);
        let bits = self.polynomial(&mufu::RCP, mufu::RCP_TABLE.as_ptr(), &index, (&rest, &square), 15);
        let bits = self.with("and", &bits, MANTISSA);
        let zero = self.number(0);
        let bits = self.0.select(&whole, 32, &zero, &bits);
        let scales = [self.number(254), self.number(253)];
        let most = self.0.select(&whole, 32, &scales[0], &scales[1]);
        let scale = self.0.two("sub", 32, &most, &exponent);
        let moved = self.with("shl", &scale, 23);
        let finite = self.0.two("or", 32, &moved, &bits);
        let tiny = self.is("sle", &scale, 0);
        let result = self.0.select(&tiny, 32, &zero, &finite);
        let result = self.unless("eq", &exponent, 0, INFINITY, &result);
        let result = self.unless("eq", &exponent, 255, 0, &result);
        let result = self.0.two("or", 32, &sign, &result);
        self.unless("ugt", &magnitude, INFINITY, NAN, &result)
    }

    /// The parity of the exponent, the mantissa and half of the exponent, of which roots are made.
    fn for_root(&mut self, x: &Name) -> (Name, Name, Name) {
        let exponent = self.with("lshr", x, 23);
        let even = self.with("and", &exponent, 1);
        let odd = self.with("xor", &even, 1);
        let mantissa = self.with("and", x, MANTISSA);
        let exponent = self.with("and", &exponent, 0xff);
        let more = self.with("add", &exponent, 1);
        (odd, mantissa, self.with("lshr", &more, 1))
    }

    /// The entry of a root's table, and what is left of the mantissa.
    fn entry_of_root(&mut self, odd: &Name, mantissa: &Name) -> (Name, Name) {
        let (high, low) = (self.with("shl", odd, 6), self.with("lshr", mantissa, 17));
        (self.0.two("or", 32, &high, &low), self.with("and", mantissa, 0x1_ffff))
    }

    fn rsqrt(&mut self, x: &Name) -> Name {
        let (odd, mantissa, half) = self.for_root(x);
        let (index, rest) = self.entry_of_root(&odd, &mantissa);
        let square = self.square(&rest);
        let bits = self.polynomial(&mufu::RSQRT, mufu::RSQRT_TABLE.as_ptr(), &index, (&rest, &square), 16);
        let bits = self.with("and", &bits, MANTISSA);
        let scales = [self.number(191), self.number(190)];
        let [exact, other] = scales.map(|most| {
            let scale = self.0.two("sub", 32, &most, &half);
            self.with("shl", &scale, 23)
        });
        let other = self.0.two("or", 32, &other, &bits);
        let either = self.0.two("or", 32, &odd, &mantissa);
        let is_exact = self.is("eq", &either, 0);
        let finite = self.0.select(&is_exact, 32, &exact, &other);
        let result = self.unless("uge", x, INFINITY, NAN, &finite);
        let result = self.unless("eq", x, INFINITY, 0, &result);
        let sign = self.with("and", x, SIGN);
        let infinite = self.with("or", &sign, INFINITY);
        self.unless_small(x, &infinite, &result)
    }

    fn sqrt(&mut self, x: &Name) -> Name {
        let (odd, mantissa, half) = self.for_root(x);
        let (index, rest) = self.entry_of_root(&odd, &mantissa);
        let square = self.square(&rest);
        let doubled = self.0.two("shl", 32, &rest, &odd);
        let bits = self.polynomial(&mufu::SQRT, mufu::SQRT_TABLE.as_ptr(), &index, (&doubled, &square), 17);
        let bits = self.with("and", &bits, MANTISSA);
        let scale = self.with("add", &half, 63);
        let scale = self.with("shl", &scale, 23);
        let finite = self.0.two("or", 32, &scale, &bits);
        let result = self.unless("uge", x, INFINITY, NAN, &finite);
        let result = self.unless("eq", x, INFINITY, INFINITY, &result);
        let sign = self.with("and", x, SIGN);
        self.unless_small(x, &sign, &result)
    }

    fn ex2(&mut self, x: &Name) -> Name {
        let magnitude = self.with("and", x, !SIGN);
        let negative = self.is("slt", x, 0);
        let exponent = self.with("lshr", &magnitude, 23);
        let mantissa = self.with("and", x, MANTISSA);
        let mantissa = self.with("or", &mantissa, 0x80_0000);
        let bias = self.number(127);
        let (six, most) = (self.number(6), self.number(31));
        let up = self.0.intrinsic("usub.sat", 32, &[&exponent, &bias]);
        let up = self.0.intrinsic("umin", 32, &[&up, &six]);
        let down = self.0.intrinsic("usub.sat", 32, &[&bias, &exponent]);
        let down = self.0.intrinsic("umin", 32, &[&down, &most]);
        let fixed = self.0.two("shl", 32, &mantissa, &up);
        let fixed = self.0.two("lshr", 32, &fixed, &down);
        let (whole, fraction) = (self.with("lshr", &fixed, 23), self.with("and", &fixed, MANTISSA));
        let some = self.is("ne", &fraction, 0);
        let borrows = self.0.two("and", 1, &negative, &some);
        let borrow = self.0.cast("zext", 1, &borrows, 32);
        let zero = self.number(0);
        let complement = self.0.two("sub", 32, &zero, &fraction);
        let complement = self.0.two("sub", 32, &complement, &borrow);
        let complement = self.with("and", &complement, MANTISSA);
        let fraction = self.0.select(&negative, 32, &complement, &fraction);
        let down = self.0.two("add", 32, &whole, &borrow);
        let down = self.0.two("sub", 32, &bias, &down);
        let up = self.0.two("add", 32, &bias, &whole);
        let power = self.0.select(&negative, 32, &down, &up);
        let rest = self.with("and", &fraction, 0x1_ffff);
        let index = self.with("lshr", &fraction, 17);
        let square = self.square(&rest);
        let bits = self.polynomial(&mufu::EX2, mufu::EX2_TABLE.as_ptr(), &index, (&rest, &square), 15);
        let bits = self.with("and", &bits, MANTISSA);
        let moved = self.with("shl", &power, 23);
        let finite = self.0.two("or", 32, &moved, &bits);
        let tiny = self.is("sle", &power, 0);
        let finite = self.0.select(&tiny, 32, &zero, &finite);
        let infinity = self.number(INFINITY);
        let far = self.0.select(&negative, 32, &zero, &infinity);
        let is_far = self.is("uge", &exponent, 134);
        let result = self.0.select(&is_far, 32, &far, &finite);
        self.unless("ugt", &magnitude, INFINITY, NAN, &result)
    }

    /// A polynomial of a table's entry, and its bits from one on.
    fn polynomial(
        &mut self,
        polynomial: &mufu::Polynomial,
        table: *const u64,
        index: &Name,
        (x, square): (&Name, &Name),
        from: u64,
    ) -> Name {
        let entry = self.entry(table, index);
        let wide = |writer: &mut Writer, op: &str, a: &Name, by: u64| {
            let by = writer.constant(64, by);
            writer.two(op, 64, a, &by)
        };
        let c0 = wide(self.0, "and", &entry, 0xffff_ffff);
        let c0 = wide(self.0, "shl", &c0, polynomial.c0_shift.into());
        let c1 = wide(self.0, "lshr", &entry, 32);
        let c1 = wide(self.0, "and", &c1, 0xffff);
        let x = self.0.cast("zext", 32, x, 64);
        let c1 = self.0.two("mul", 64, &c1, &x);
        let c2 = wide(self.0, "lshr", &entry, 48);
        let square = self.0.cast("zext", 32, square, 64);
        let c2 = self.0.two("mul", 64, &c2, &square);
        let c2 = wide(self.0, "shl", &c2, polynomial.c2_shift.into());
        let op = |negative: bool| if negative { "sub" } else { "add" };
        let sum = self.0.two(op(polynomial.c1_negative), 64, &c0, &c1);
        let sum = self.0.two(op(polynomial.c2_negative), 64, &sum, &c2);
        let sum = wide(self.0, "add", &sum, polynomial.k as u64);
        let sum = wide(self.0, "lshr", &sum, from);
        self.0.cast("trunc", 64, &sum, 32)
    }

    /// An entry of a table, which lies where it is as long as the process.
    fn entry(&mut self, table: *const u64, index: &Name) -> Name {
        let (base, index) = (table as u64, self.0.cast("zext", 32, index, 64));
        if !self.0.wide {
            let at =
                self.0.value(format!("getelementptr i64, ptr inttoptr (i64 {base} to ptr), i64 {index}"));
            return self.0.value(format!("load i64, ptr {at}"));
        }
        let ty = format!("<{LANES} x i64>");
        let at = self.0.value(format!("getelementptr i64, ptr inttoptr (i64 {base} to ptr), {ty} {index}"));
        let name = format!("llvm.masked.gather.v{LANES}i64.v{LANES}p0");
        self.0.declare(format!("declare {ty} @{name}(<{LANES} x ptr>, i32, <{LANES} x i1>, {ty})"));
        let all = self.0.all_true();
        self.0.value(format!(
            "call {ty} @{name}(<{LANES} x ptr> {at}, i32 8, <{LANES} x i1> {all}, {ty} poison)"
        ))
    }

    /// The unit's squarer.
    fn square(&mut self, x: &Name) -> Name {
        let (upper, lower) = (self.with("lshr", x, 9), self.with("and", x, 0x1ff));
        let (a, b) = (self.with("lshr", &upper, 4), self.with("and", &upper, 0xf));
        let (c, d) = (self.with("lshr", &lower, 5), self.with("and", &lower, 0x1f));
        let mut cross = self.0.two("mul", 32, &a, &c);
        for (of, bit, value, by) in
            [(&a, 1, &d, 4), (&a, 2, &d, 3), (&a, 3, &d, 2), (&b, 1, &c, 3), (&b, 2, &c, 2), (&b, 3, &c, 1)]
        {
            let set = self.with("and", of, 1 << bit);
            let set = self.is("ne", &set, 0);
            let value = self.with("lshr", value, by);
            let zero = self.number(0);
            let value = self.0.select(&set, 32, &value, &zero);
            cross = self.0.two("add", 32, &cross, &value);
        }
        let square = self.0.two("mul", 32, &upper, &upper);
        let square = self.with("lshr", &square, 1);
        self.0.two("add", 32, &square, &cross)
    }

    /// A product of single precision.
    fn times(&mut self, a: &Name, b: &Name) -> Name {
        let (a, b) = (self.0.as_float(32, a), self.0.as_float(32, b));
        let ty = self.0.float_ty(32);
        let product = self.0.value(format!("fmul {ty} {a}, {b}"));
        let bits = self.0.as_bits(32, &product);
        one_nan(self.0, &bits)
    }

    /// A number, unless another is zero or subnormal.
    fn unless_small(&mut self, x: &Name, otherwise: &Name, result: &Name) -> Name {
        let magnitude = self.with("and", x, !SIGN);
        let small = self.is("ule", &magnitude, MANTISSA);
        self.0.select(&small, 32, otherwise, result)
    }

    /// A number, unless another compares so with a constant: then a constant.
    fn unless(&mut self, relation: &str, x: &Name, with: u64, otherwise: u64, result: &Name) -> Name {
        let yes = self.is(relation, x, with);
        let otherwise = self.number(otherwise);
        self.0.select(&yes, 32, &otherwise, result)
    }

    fn number(&mut self, number: u64) -> Name {
        self.0.constant(32, number)
    }

    /// An operation of a number and a constant.
    fn with(&mut self, op: &str, a: &Name, number: u64) -> Name {
        let number = self.number(number);
        self.0.two(op, 32, a, &number)
    }

    fn is(&mut self, relation: &str, a: &Name, number: u64) -> Name {
        let number = self.number(number);
        self.0.compare(relation, 32, a, &number)
    }
}
