//! Integer arithmetic. What grows by a constant from lane to lane stays so, as [`steps`](crate::analysis::steps) says.

use ptxvm_ir::operation::compute::{Integer, IntegerFunction as F, IntegerType as T};
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
        let make = |writer: &mut Writer, a: &Name, b: &Name| writer.two(op, bits, a, b);
        a.stepwise(b, &mut self.writer, bits, |a, b| Some(steps(a, b)), make).unwrap_or_else(|| {
            self.map(&[a.clone(), b.clone()], bits, |writer, names| {
                writer.two(op, bits, &names[0], &names[1])
            })
        })
    }

    fn product(&mut self, a: &Value, b: &Value) -> Value {
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

/// The step of a product, given the factors as far as they are constants.
fn product_of_steps(a: Option<i64>, b: Option<i64>) -> impl FnOnce(i64, i64) -> Option<i64> {
    move |step_a, step_b| match (step_a, step_b, a, b) {
        (0, 0, ..) => Some(0),
        (step, 0, _, Some(factor)) | (0, step, Some(factor), _) => step.checked_mul(factor),
        _ => None,
    }
}

/// The number that a constant is.
fn constant(value: &Value) -> Option<u64> {
    value.as_scalar()?.parse().ok()
}
