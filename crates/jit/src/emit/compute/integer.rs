//! Integer arithmetic. What grows by a constant from lane to lane stays so, as [`steps`](crate::analysis::steps) says.

use ptxvm_ir::operation::compute::{Integer, IntegerFunction as F, IntegerType as T};
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;

impl Emitter<'_> {
    pub(super) fn integer(&mut self, integer: &Integer, slots: &[Slot], guard: &Guard) -> Option<()> {
        let (bits, signed) = match integer.ty {
            T::U16 => (16, false),
            T::S16 => (16, true),
            T::U32 => (32, false),
            T::S32 => (32, true),
            T::U64 => (64, false),
            T::S64 => (64, true),
            T::U16x2 | T::S16x2 | T::U8x4 | T::S8x4 => return None,
        };
        if integer.limit.is_some() {
            return None;
        }
        let to = *slots.first()?;
        let mut source = |at: usize, bits: u32| slots.get(at).map(|slot| self.read(*slot, bits));
        let value = match integer.function {
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
            F::MulHi if bits < 64 => {
                let (a, b) = (source(1, bits)?, source(2, bits)?);
                self.high_product(&a, &b, signed)
            }
            F::MadHi if bits < 64 => {
                let (a, b, c) = (source(1, bits)?, source(2, bits)?, source(3, bits)?);
                let product = self.high_product(&a, &b, signed);
                self.sum(&product, &c)
            }
            F::Min | F::Max => {
                let sources = [source(1, bits)?, source(2, bits)?];
                let name = match (integer.function == F::Max, signed) {
                    (false, false) => "umin",
                    (false, true) => "smin",
                    (true, false) => "umax",
                    (true, true) => "smax",
                };
                self.map(&sources, bits, |writer, names| {
                    writer.intrinsic(name, bits, &[&names[0], &names[1]])
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
                self.quotient(&a, &b, signed, integer.function == F::Rem)?
            }
            _ => return None,
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
        if let (Some((base_a, step_a)), Some((base_b, step_b))) = (a.as_affine(), b.as_affine()) {
            let base = self.writer.two(op, bits, base_a, base_b);
            return affine(bits, base, steps(step_a, step_b));
        }
        self.map(&[a.clone(), b.clone()], bits, |writer, names| writer.two(op, bits, &names[0], &names[1]))
    }

    fn product(&mut self, a: &Value, b: &Value) -> Value {
        let bits = a.bits;
        for (steps, factor) in [(a, b), (b, a)] {
            if let (Some((base, step)), Some(by)) = (steps.as_affine(), constant(factor)) {
                let by = if bits == 64 { by as i64 } else { i64::from(by as i32) };
                if let Some(step) = step.checked_mul(by) {
                    let factor = factor.name().clone();
                    let base = self.writer.two("mul", bits, base, &factor);
                    return affine(bits, base, step);
                }
            }
        }
        self.map(&[a.clone(), b.clone()], bits, |writer, names| writer.two("mul", bits, &names[0], &names[1]))
    }

    /// The product of two values in twice their width.
    fn wide_product(&mut self, a: &Value, b: &Value, signed: bool) -> Value {
        let (bits, extend) = (a.bits, if signed { "sext" } else { "zext" });
        for (steps, factor) in [(a, b), (b, a)] {
            let by = constant(factor).filter(|_| bits == 32);
            if let (Some((base, step)), Some(by)) = (steps.as_affine(), by) {
                let by = if signed { i64::from(by as i32) } else { i64::from(by as u32) };
                if let Some(wide) = step.checked_mul(by) {
                    let base = base.clone();
                    if step != 0 {
                        self.leave_if_wraps(&base, step, signed);
                    }
                    let base = self.writer.cast(extend, 32, &base, 64);
                    let base = self.writer.two("mul", 64, &base, &by.to_string());
                    return affine(64, base, wide);
                }
            }
        }
        self.map(&[a.clone(), b.clone()], 2 * bits, |writer, names| {
            let a = writer.cast(extend, bits, &names[0], 2 * bits);
            let b = writer.cast(extend, bits, &names[1], 2 * bits);
            writer.two("mul", 2 * bits, &a, &b)
        })
    }

    /// Leaves unless a number of 32 bits that grows from lane to lane stays below the largest in all of them: then it
    /// grows in more bits by as much.
    pub(in super::super) fn leave_if_wraps(&mut self, base: &str, step: i64, signed: bool) {
        let (name, last) = match (signed, step < 0) {
            (true, _) => ("sadd", 31 * step),
            (false, false) => ("uadd", 31 * step),
            (false, true) => ("usub", -31 * step),
        };
        let function = format!("llvm.{name}.with.overflow.i32");
        self.writer.declare(format!("declare {{ i32, i1 }} @{function}(i32, i32)"));
        let both = self.writer.value(format!("call {{ i32, i1 }} @{function}(i32 {base}, i32 {last})"));
        let wraps = self.writer.value(format!("extractvalue {{ i32, i1 }} {both}, 1"));
        self.leave_if(&wraps);
    }

    fn high_product(&mut self, a: &Value, b: &Value, signed: bool) -> Value {
        let (bits, extend) = (a.bits, if signed { "sext" } else { "zext" });
        self.map(&[a.clone(), b.clone()], bits, |writer, names| {
            let a = writer.cast(extend, bits, &names[0], 2 * bits);
            let b = writer.cast(extend, bits, &names[1], 2 * bits);
            let product = writer.two("mul", 2 * bits, &a, &b);
            let by = writer.constant(2 * bits, bits.into());
            let high = writer.two("lshr", 2 * bits, &product, &by);
            writer.cast("trunc", 2 * bits, &high, bits)
        })
    }

    /// A quotient or remainder of what is the same in all lanes; processors have no vectors of them. By zero it is all
    /// ones, and the smallest number divided by minus one is itself.
    fn quotient(&mut self, a: &Value, b: &Value, signed: bool, rest: bool) -> Option<Value> {
        let bits = a.bits;
        let (a, b) = (a.as_scalar()?.clone(), b.as_scalar()?.clone());
        let writer = &mut self.writer;
        let none = writer.compare("eq", bits, &b, "0");
        let mut by = writer.select(&none, bits, "1", &b);
        let mut overflows = "false".to_owned();
        if signed {
            let minus = writer.compare("eq", bits, &b, "-1");
            by = writer.select(&minus, bits, "1", &by);
            overflows = minus;
        }
        let op = match (signed, rest) {
            (false, false) => "udiv",
            (false, true) => "urem",
            (true, false) => "sdiv",
            (true, true) => "srem",
        };
        let value = writer.two(op, bits, &a, &by);
        // Divided by minus one it is negated, and nothing is left.
        let negated = if rest { "0".to_owned() } else { writer.two("sub", bits, "0", &a) };
        let value = writer.select(&overflows, bits, &negated, &value);
        Some(Value::scalar(bits, writer.select(&none, bits, "-1", &value)))
    }
}

/// A value that grows by a step; one that does not is the same in all lanes.
fn affine(bits: u32, base: String, step: i64) -> Value {
    if step == 0 { Value::scalar(bits, base) } else { Value::affine(bits, base, step) }
}

/// The number that a constant is.
fn constant(value: &Value) -> Option<u64> {
    value.as_scalar()?.parse().ok()
}
