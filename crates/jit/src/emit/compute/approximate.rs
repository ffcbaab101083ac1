//! The approximate functions: what ptxas puts around the special function unit (`mufu.rs`).
//!
//! What is computed, and why, says `ptxvm_num::approx`; each function here has the same steps as the one of its name
//! there.

use ptxvm_ir::operation::compute::{Approximate, ApproximateFunction as F, FloatFunction};
use ptxvm_isa::Type;
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::nan::one_nan;
use super::super::value::Value;
use super::super::writer::{Name, Writer};
use super::arithmetic::arithmetic;
use super::mufu::{INFINITY, SIGN, Unit};
use super::widths::f16_to_f32;

const NORMAL: u64 = 0x0080_0000;
const ONE: u64 = 0x3f80_0000;
const QUARTER: u64 = 0x3e80_0000;
/// 2^126, above which a reciprocal is subnormal.
const LARGE: u64 = 0x7e80_0000;
/// 2^24 lifts every subnormal number to a normal one.
const LIFT: u64 = 0x4b80_0000;

/// A function of the unit.
type Function = fn(&mut Unit<'_>, &Name) -> Name;

impl Emitter<'_> {
    pub(super) fn approximate(
        &mut self,
        approximate: &Approximate,
        slots: &[Slot],
        guard: &Guard,
    ) -> Option<()> {
        let Approximate { function, ty, ftz } = *approximate;
        let (to, from) = slots.split_first()?;
        let value = match ty {
            Type::F32 => self.of_single(function, ftz, from)?,
            Type::F64 => self.of_double(function, ftz, from)?,
            _ => self.of_half(function, ty, from)?,
        };
        self.write(*to, value, guard);
        Some(())
    }

    fn of_single(&mut self, function: F, ftz: bool, from: &[Slot]) -> Option<Value> {
        let arity = if matches!(function, F::Div | F::DivFull) { 2 } else { 1 };
        // A NaN gives the one of single precision, whichever it is.
        let sources: Vec<Value> = from.get(..arity)?.iter().map(|slot| self.read_loose(*slot, 32)).collect();
        Some(self.map(&sources, 32, |writer, names| {
            let (mut unit, a) = (Unit(writer), &names[0]);
            match function {
                F::Rcp => rcp_approx(&mut unit, a, ftz),
                F::Sqrt => lifted(
                    &mut unit,
                    a,
                    ftz,
                    |unit, a| unit.sqrt(a),
                    |unit, root| times(unit, root, 0x3980_0000),
                ),
                F::Rsqrt => lifted(
                    &mut unit,
                    a,
                    ftz,
                    |unit, a| unit.rsqrt(a),
                    |unit, root| times(unit, root, 0x4580_0000),
                ),
                F::Lg2 => lifted(&mut unit, a, ftz, |unit, a| unit.lg2(a), less_24),
                F::Ex2 => ex2_approx(&mut unit, a, ftz),
                F::Sin => unit.sin(a),
                F::Cos => unit.cos(a),
                F::Tanh => unit.tanh(a),
                F::Div => div_approx(&mut unit, a, &names[1], ftz),
                F::DivFull => div_full(&mut unit, a, &names[1], ftz),
            }
        }))
    }

    /// Of doubles the unit sees the upper words, and gives those of results.
    fn of_double(&mut self, function: F, ftz: bool, from: &[Slot]) -> Option<Value> {
        let make: Function = match function {
            F::Rcp => |unit, a| unit.rcp64h(a),
            F::Rsqrt if ftz => |unit, a| unit.rsqrt64h(a),
            _ => return None,
        };
        let source = self.read(*from.first()?, 64);
        Some(self.map(&[source], 64, |writer, names| {
            let upper = writer.with("lshr", 64, &names[0], 32);
            let upper = writer.cast("trunc", 64, &upper, 32);
            let result = make(&mut Unit(writer), &upper);
            let result = writer.cast("zext", 32, &result, 64);
            writer.with("shl", 64, &result, 32)
        }))
    }

    fn of_half(&mut self, function: F, ty: Type, from: &[Slot]) -> Option<Value> {
        let make: Function = match function {
            F::Ex2 => |unit, a| unit.ex2(a),
            F::Tanh => |unit, a| unit.tanh(a),
            _ => return None,
        };
        let brain = match ty {
            Type::F16 | Type::F16x2 => false,
            Type::Bf16 | Type::Bf16x2 => true,
            _ => return None,
        };
        let one = |writer: &mut Writer, a: &Name| match brain {
            true => {
                let wide = writer.with("shl", 32, a, 16);
                let result = make(&mut Unit(writer), &wide);
                writer.with("lshr", 32, &result, 16)
            }
            false => {
                let half = writer.cast("trunc", 32, a, 16);
                let wide = f16_to_f32(writer, &half);
                let result = make(&mut Unit(writer), &wide);
                cut_to_half(writer, &result)
            }
        };
        let bits = ty.bits();
        let source = self.read(*from.first()?, bits);
        Some(self.map(&[source], bits, |writer, names| {
            if bits == 16 {
                let word = writer.cast("zext", 16, &names[0], 32);
                let result = one(writer, &word);
                return writer.cast("trunc", 32, &result, 16);
            }
            let low = one(writer, &names[0]);
            let high = writer.with("lshr", 32, &names[0], 16);
            let high = one(writer, &high);
            let high = writer.with("shl", 32, &high, 16);
            writer.two("or", 32, &high, &low)
        }))
    }
}

/// Whether the unit would read a number as zero.
fn is_small(unit: &mut Unit<'_>, a: &Name) -> Name {
    let magnitude = unit.0.with("and", 32, a, !SIGN);
    unit.0.is("ult", 32, &magnitude, NORMAL)
}

/// Whether a number lies above 2^126 and is no NaN.
fn is_large(unit: &mut Unit<'_>, a: &Name) -> Name {
    let magnitude = unit.0.with("and", 32, a, !SIGN);
    let above = unit.0.with("sub", 32, &magnitude, LARGE + 1);
    unit.0.is("ule", 32, &above, INFINITY - LARGE - 1)
}

fn rcp_approx(unit: &mut Unit<'_>, a: &Name, ftz: bool) -> Name {
    if ftz {
        return unit.rcp(a);
    }
    let (small, large) = (is_small(unit, a), is_large(unit, a));
    let (lift, one, quarter) = (unit.number(LIFT), unit.number(ONE), unit.number(QUARTER));
    let scale = unit.0.select(&small, 32, &lift, &one);
    let scale = unit.0.select(&large, 32, &quarter, &scale);
    let scaled = product(unit, a, &scale, false);
    let result = unit.rcp(&scaled);
    product(unit, &scale, &result, false)
}

/// A function of a number; that of a subnormal one is made of the function of a multiple of it.
fn lifted(
    unit: &mut Unit<'_>,
    a: &Name,
    ftz: bool,
    function: Function,
    back: impl FnOnce(&mut Unit<'_>, &Name) -> Name,
) -> Name {
    if ftz {
        return function(unit, a);
    }
    let small = is_small(unit, a);
    let more = times(unit, a, LIFT);
    let argument = unit.0.select(&small, 32, &more, a);
    let result = function(unit, &argument);
    let scaled = back(unit, &result);
    unit.0.select(&small, 32, &scaled, &result)
}

/// The logarithm of a number that was lifted.
fn less_24(unit: &mut Unit<'_>, logarithm: &Name) -> Name {
    let less = unit.number(0xc1c0_0000);
    let sum = arithmetic(unit.0, FloatFunction::Add, 32, &[logarithm.clone(), less], false);
    one_nan(unit.0, &sum)
}

/// Where the power would be subnormal, half of it is squared.
fn ex2_approx(unit: &mut Unit<'_>, a: &Name, ftz: bool) -> Name {
    const HALF: u64 = 0x3f00_0000;
    const MINUS_126: u64 = 0xc2fc_0000;
    if ftz {
        return unit.ex2(a);
    }
    let above = unit.0.with("sub", 32, a, MINUS_126 + 1);
    let low = unit.0.is("ule", 32, &above, (SIGN | INFINITY) - MINUS_126 - 1);
    let halved = times(unit, a, HALF);
    let argument = unit.0.select(&low, 32, &halved, a);
    let power = unit.ex2(&argument);
    let squared = product(unit, &power, &power, false);
    unit.0.select(&low, 32, &squared, &power)
}

fn div_approx(unit: &mut Unit<'_>, a: &Name, b: &Name, ftz: bool) -> Name {
    let (mut a, mut b) = (a.clone(), b.clone());
    if !ftz {
        let small = is_small(unit, &b);
        [a, b] = [a, b].map(|name| {
            let more = times(unit, &name, LIFT);
            unit.0.select(&small, 32, &more, &name)
        });
    }
    let reciprocal = unit.rcp(&b);
    product(unit, &reciprocal, &a, ftz)
}

/// The same over the full range: a large divisor is scaled down with its dividend.
fn div_full(unit: &mut Unit<'_>, a: &Name, b: &Name, ftz: bool) -> Name {
    let large = is_large(unit, b);
    let quarter = unit.number(QUARTER);
    let [a, b] = [a, b].map(|name| {
        let less = product(unit, name, &quarter, ftz);
        unit.0.select(&large, 32, &less, name)
    });
    div_approx(unit, &a, &b, ftz)
}

/// A product of single precision.
fn product(unit: &mut Unit<'_>, a: &Name, b: &Name, ftz: bool) -> Name {
    let product = arithmetic(unit.0, FloatFunction::Mul, 32, &[a.clone(), b.clone()], ftz);
    if ftz { product } else { one_nan(unit.0, &product) }
}

/// A product with a constant.
fn times(unit: &mut Unit<'_>, a: &Name, number: u64) -> Name {
    let number = unit.number(number);
    product(unit, a, &number, false)
}

/// A number of single precision as one of half precision, cut off; what is too large becomes infinite.
fn cut_to_half(writer: &mut Writer, a: &Name) -> Name {
    /// 2^-14, the least normal number of half precision, and 2^16, the first power of two above all of them.
    const LEAST: u64 = 0x3880_0000;
    const OVERFLOW: u64 = 0x4780_0000;
    let magnitude = writer.with("and", 32, a, !SIGN);
    let normal = writer.with("sub", 32, &magnitude, 112 << 23);
    let normal = writer.with("lshr", 32, &normal, 13);
    let exponent = writer.with("lshr", 32, &magnitude, 23);
    let (first, most) = (writer.constant(32, 113), writer.constant(32, 18));
    let lack = writer.intrinsic("usub.sat", 32, &[&first, &exponent]);
    let lack = writer.intrinsic("umin", 32, &[&lack, &most]);
    let by = writer.with("add", 32, &lack, 13);
    let mantissa = writer.with("and", 32, &magnitude, 0x7f_ffff);
    let mantissa = writer.with("or", 32, &mantissa, 0x80_0000);
    let subnormal = writer.two("lshr", 32, &mantissa, &by);
    let result = writer.choose(("ult", &magnitude, LEAST), &subnormal, &normal);
    let infinity = writer.constant(32, 0x7c00);
    let result = writer.choose(("uge", &magnitude, OVERFLOW), &infinity, &result);
    let sign = writer.with("lshr", 32, a, 16);
    let sign = writer.with("and", 32, &sign, 0x8000);
    let result = writer.two("or", 32, &sign, &result);
    let nan = writer.constant(32, 0x7fff);
    writer.choose(("ugt", &magnitude, INFINITY), &nan, &result)
}
