//! Integer arithmetic. What grows by a constant from lane to lane stays so, as [`steps`](crate::analysis::steps) says.

use ptxvm_ir::operation::compute::{Integer, IntegerFunction as F, IntegerType as T, Limit};
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::{Kept, Value};
use super::super::writer::{LANES, Name, Writer};

impl Emitter<'_> {
    pub(super) fn integer(&mut self, integer: &Integer, slots: &[Slot], guard: &Guard) -> Option<()> {
        let (bits, signed) = match integer.ty {
            T::U16 => (16, false),
            T::S16 => (16, true),
            T::U32 => (32, false),
            T::S32 => (32, true),
            T::U64 => (64, false),
            T::S64 => (64, true),
            T::U16x2 => return self.packed(integer, (16, false), slots, guard),
            T::S16x2 => return self.packed(integer, (16, true), slots, guard),
            T::U8x4 => return self.packed(integer, (8, false), slots, guard),
            T::S8x4 => return self.packed(integer, (8, true), slots, guard),
        };
        let to = *slots.first()?;
        let mut source = |at: usize, bits: u32| slots.get(at).map(|slot| self.read(*slot, bits));
        let value = match integer.function {
            F::Add | F::Sub if integer.limit == Some(Limit::Sat) => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.saturated(integer.function, &a, &b, signed)
            }
            F::Add => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.sum(&a, &b)
            }
            F::Sub => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.difference(&a, &b)
            }
            F::MulLo => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.product(&a, &b)
            }
            F::MadLo => {
                let (a, b, c) = (source(1, bits)?, source(2, bits)?, source(3, bits)?);
                let product = self.product(&a, &b);
                self.sum(&product, &c)
            }
            F::MulWide => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.wide_product(&a, &b, signed)
            }
            F::MadWide => {
                let (a, b, c) = (source(1, bits)?, source(2, bits)?, source(3, 2 * bits)?);
                let product = self.wide_product(&a, &b, signed);
                self.sum(&product, &c)
            }
            F::MulHi => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.high_product(&a, &b, signed)
            }
            F::MadHi => {
                let (a, b, c) = (source(1, bits)?, source(2, bits)?, source(3, bits)?);
                let product = self.high_product(&a, &b, signed);
                self.perhaps_saturated(&product, &c, integer.limit, signed)
            }
            F::Mul24Lo | F::Mul24Hi => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.product24(&a, &b, signed, integer.function == F::Mul24Hi)
            }
            F::ClmadLo | F::ClmadHi => return None,
            F::Mad24Lo | F::Mad24Hi => {
                let (a, b, c) = (source(1, bits)?, source(2, bits)?, source(3, bits)?);
                let product = self.product24(&a, &b, signed, integer.function == F::Mad24Hi);
                self.perhaps_saturated(&product, &c, integer.limit, signed)
            }
            F::Sad => {
                let (a, b, c) = (source(1, bits)?, source(2, bits)?, source(3, bits)?);
                let distance = self.map(&[a, b], bits, |writer, names| {
                    let [more, less] = [F::Max, F::Min]
                        .map(|which| writer.intrinsic(extreme(which, signed), bits, &[&names[0], &names[1]]));
                    writer.two("sub", bits, &more, &less)
                });
                self.sum(&distance, &c)
            }
            F::Min | F::Max => {
                let sources = [source(1, bits)?, source(2, bits)?];
                let name = extreme(integer.function, signed);
                self.map(&sources, bits, |writer, names| {
                    let chosen = writer.intrinsic(name, bits, &[&names[0], &names[1]]);
                    if integer.limit.is_none() {
                        return chosen;
                    }
                    let zero = writer.constant(bits, 0);
                    writer.intrinsic("smax", bits, &[&chosen, &zero])
                })
            }
            F::Neg => {
                let a = source(1, bits)?;
                self.difference(&Value::scalar(bits, "0"), &a)
            }
            F::Abs => {
                let a = source(1, bits)?;
                self.map(&[a], bits, |writer, names| {
                    let zero = writer.constant(bits, 0);
                    let negated = writer.two("sub", bits, &zero, &names[0]);
                    writer.intrinsic("smax", bits, &[&names[0], &negated])
                })
            }
            F::Div | F::Rem => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.quotient(&a, &b, signed, integer.function == F::Rem)
            }
        };
        self.write(to, value, guard);
        Some(())
    }

    /// The sum of two values of one width.
    pub(in super::super) fn sum(&mut self, a: &Value, b: &Value) -> Value {
        self.linear("add", a, b, i64::wrapping_add)
    }

    fn difference(&mut self, a: &Value, b: &Value) -> Value {
        self.linear("sub", a, b, i64::wrapping_sub)
    }

    fn linear(&mut self, op: &str, a: &Value, b: &Value, steps: fn(i64, i64) -> i64) -> Value {
        let bits = a.bits;
        let make = |writer: &mut Writer, a: &Name, b: &Name| writer.two(op, bits, a, b);
        a.stepwise(b, &mut self.writer, bits, |a, b| Some(steps(a, b)), make).unwrap_or_else(|| {
            self.map(&[a.clone(), b.clone()], bits, |writer, names| {
                writer.two(op, bits, &names[0], &names[1])
            })
        })
    }

    pub(super) fn product(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        let number = |value: u64| if bits == 64 { value as i64 } else { i64::from(value as i32) };
        let step = product_of_steps(constant(a).map(number), constant(b).map(number));
        let make = |writer: &mut Writer, a: &Name, b: &Name| writer.two("mul", bits, a, b);
        a.stepwise(b, &mut self.writer, bits, step, make).unwrap_or_else(|| {
            self.map(&[a.clone(), b.clone()], bits, |writer, names| {
                writer.two("mul", bits, &names[0], &names[1])
            })
        })
    }

    /// The product of two values in twice their width.
    fn wide_product(&mut self, a: &Value, b: &Value, signed: bool) -> Value {
        let (bits, extend) = (a.bits, if signed { "sext" } else { "zext" });
        let number = |value: u64| if signed { i64::from(value as i32) } else { i64::from(value as u32) };
        let make = |writer: &mut Writer, a: &Name, b: &Name| {
            let (a, b) = (writer.cast(extend, bits, a, 2 * bits), writer.cast(extend, bits, b, 2 * bits));
            writer.two("mul", 2 * bits, &a, &b)
        };
        if bits == 32 {
            let step = product_of_steps(constant(a).map(number), constant(b).map(number));
            if let Some(product) = a.stepwise(b, &mut self.writer, 64, step, make) {
                [a, b].into_iter().for_each(|factor| self.leave_if_wraps(factor, signed));
                return product;
            }
        }
        self.map(&[a.clone(), b.clone()], 2 * bits, |writer, names| make(writer, &names[0], &names[1]))
    }

    /// Leaves unless numbers of 32 bits that grow from lane to lane stay below the largest in all of them: then they
    /// grow in more bits by as much.
    pub(in super::super) fn leave_if_wraps(&mut self, value: &Value, signed: bool) {
        let (lanes, step) = match &value.kept {
            Kept::Affine(_, step) => (LANES as i64, *step),
            Kept::Rows(_, rows) => (i64::from(rows.width), rows.step),
            Kept::Pattern(base, pattern) => {
                let (least, most) = pattern.ends();
                for end in [least, most].into_iter().filter(|end| *end != 0) {
                    self.leave_if_base_wraps(base, end, signed);
                }
                return;
            }
            Kept::Scalar(_) | Kept::Vector(_) => return,
        };
        if step == 0 {
            return;
        }
        for base in value.names() {
            self.leave_if_base_wraps(base, (lanes - 1) * step, signed);
        }
    }

    fn leave_if_base_wraps(&mut self, base: &str, last: i64, signed: bool) {
        let (name, last) = match (signed, last < 0) {
            (true, _) => ("sadd", last),
            (false, false) => ("uadd", last),
            (false, true) => ("usub", -last),
        };
        let function = format!("llvm.{name}.with.overflow.i32");
        self.writer.declare(format!("declare {{ i32, i1 }} @{function}(i32, i32)"));
        let both = self.writer.value(format!("call {{ i32, i1 }} @{function}(i32 {base}, i32 {last})"));
        let wraps = self.writer.value(format!("extractvalue {{ i32, i1 }} {both}, 1"));
        self.leave_if(&wraps);
    }

    /// `.sat`: what lies beyond the type's range becomes the end of the range that is nearer.
    fn saturated(&mut self, function: F, a: &Value, b: &Value, signed: bool) -> Value {
        let (bits, name) = (a.bits, saturating(function, signed));
        self.map(&[a.clone(), b.clone()], bits, |writer, names| {
            writer.intrinsic(name, bits, &[&names[0], &names[1]])
        })
    }

    fn perhaps_saturated(&mut self, a: &Value, b: &Value, limit: Option<Limit>, signed: bool) -> Value {
        if limit == Some(Limit::Sat) { self.saturated(F::Add, a, b, signed) } else { self.sum(a, b) }
    }

    /// The upper half of a product.
    pub(super) fn high_product(&mut self, a: &Value, b: &Value, signed: bool) -> Value {
        let bits = a.bits;
        self.map(&[a.clone(), b.clone()], bits, |writer, names| {
            high_product(writer, bits, &names[0], &names[1], signed)
        })
    }

    /// Bits 31 to 0 of the product of the low 24 bits, or bits 47 to 16: shifted up by eight bits, the factors lose what
    /// lies above them, and have their sign where it counts.
    fn product24(&mut self, a: &Value, b: &Value, signed: bool, high: bool) -> Value {
        let extend = if signed { "sext" } else { "zext" };
        self.map(&[a.clone(), b.clone()], 32, |writer, names| {
            let [a, b] = [&names[0], &names[1]].map(|name| {
                let moved = writer.with("shl", 32, name, 8);
                writer.cast(extend, 32, &moved, 64)
            });
            let product = writer.two("mul", 64, &a, &b);
            let part = writer.with("lshr", 64, &product, if high { 32 } else { 16 });
            writer.cast("trunc", 64, &part, 32)
        })
    }
}

/// The upper half of a product.
fn high_product(writer: &mut Writer, bits: u32, a: &str, b: &str, signed: bool) -> Name {
    let extend = if signed { "sext" } else { "zext" };
    if bits < 64 {
        let (a, b) = (writer.cast(extend, bits, a, 2 * bits), writer.cast(extend, bits, b, 2 * bits));
        let product = writer.two("mul", 2 * bits, &a, &b);
        let high = writer.with("lshr", 2 * bits, &product, bits.into());
        return writer.cast("trunc", 2 * bits, &high, bits);
    }
    // Processors have no vectors of such products, but of those of halves.
    const LOW: u64 = 0xffff_ffff;
    let (a0, a1) = (writer.with("and", 64, a, LOW), writer.with("lshr", 64, a, 32));
    let (b0, b1) = (writer.with("and", 64, b, LOW), writer.with("lshr", 64, b, 32));
    let [low, cross, other, high] =
        [(&a0, &b0), (&a0, &b1), (&a1, &b0), (&a1, &b1)].map(|(a, b)| writer.two("mul", 64, a, b));
    let mut carried = writer.with("lshr", 64, &low, 32);
    let mut sum = high;
    for middle in [cross, other] {
        let (lower, upper) = (writer.with("and", 64, &middle, LOW), writer.with("lshr", 64, &middle, 32));
        carried = writer.two("add", 64, &carried, &lower);
        sum = writer.two("add", 64, &sum, &upper);
    }
    let carry = writer.with("lshr", 64, &carried, 32);
    sum = writer.two("add", 64, &sum, &carry);
    if signed {
        // A negative factor counts 2^64 too much.
        for (factor, other) in [(a, b), (b, a)] {
            let negative = writer.with("ashr", 64, factor, 63);
            let more = writer.two("and", 64, &negative, other);
            sum = writer.two("sub", 64, &sum, &more);
        }
    }
    sum
}

/// The intrinsic of `min` or `max`.
pub(super) fn extreme(function: F, signed: bool) -> &'static str {
    match (function == F::Max, signed) {
        (false, false) => "umin",
        (false, true) => "smin",
        (true, false) => "umax",
        (true, true) => "smax",
    }
}

/// The intrinsic of `add.sat` or `sub.sat`.
pub(super) fn saturating(function: F, signed: bool) -> &'static str {
    match (function == F::Sub, signed) {
        (false, false) => "uadd.sat",
        (false, true) => "sadd.sat",
        (true, false) => "usub.sat",
        (true, true) => "ssub.sat",
    }
}

/// The step of a product, given the factors as far as they are constants.
fn product_of_steps(a: Option<i64>, b: Option<i64>) -> impl Fn(i64, i64) -> Option<i64> {
    move |step_a, step_b| match (step_a, step_b, a, b) {
        (0, 0, ..) => Some(0),
        (step, 0, _, Some(factor)) | (0, step, Some(factor), _) => step.checked_mul(factor),
        _ => None,
    }
}

/// The number that a constant is.
pub(super) fn constant(value: &Value) -> Option<u64> {
    value.as_scalar()?.parse().ok()
}
