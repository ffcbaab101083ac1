//! `div` and `rem` of integers.
//!
//! Processors have no vectors of integer division, but of floats: double precision holds words, and the quotient of two
//! words is further from the next whole number above it than it is rounded by. So is that of halves in single precision.

use super::super::Emitter;
use super::super::value::Value;
use super::super::writer::{Name, Writer};
use super::integer::constant;

impl Emitter<'_> {
    /// A quotient or remainder. By zero it is all ones, and the smallest number divided by minus one is itself.
    pub(super) fn quotient(&mut self, a: &Value, b: &Value, signed: bool, rest: bool) -> Value {
        let bits = a.bits;
        // Of a constant LLVM makes a product.
        let by_float = bits < 64 && constant(b).is_none();
        self.map(&[a.clone(), b.clone()], bits, |writer, names| {
            let (a, b) = (&names[0], &names[1]);
            let none = writer.is("eq", bits, b, 0);
            let one = writer.constant(bits, 1);
            let mut by = writer.select(&none, bits, &one, b);
            let mut overflows = writer.constant(1, 0);
            if signed {
                overflows = writer.is("eq", bits, b, u64::MAX);
                by = writer.select(&overflows, bits, &one, &by);
            }
            let value = match by_float && writer.wide {
                true => {
                    let quotient = by_floats(writer, bits, a, &by, signed);
                    if rest {
                        let product = writer.two("mul", bits, &quotient, &by);
                        writer.two("sub", bits, a, &product)
                    } else {
                        quotient
                    }
                }
                false => {
                    let op = match (signed, rest) {
                        (false, false) => "udiv",
                        (false, true) => "urem",
                        (true, false) => "sdiv",
                        (true, true) => "srem",
                    };
                    writer.two(op, bits, a, &by)
                }
            };
            // Divided by minus one it is negated, and nothing is left.
            let zero = writer.constant(bits, 0);
            let negated = if rest { zero } else { writer.two("sub", bits, &zero, a) };
            let value = writer.select(&overflows, bits, &negated, &value);
            let ones = writer.constant(bits, u64::MAX);
            writer.select(&none, bits, &ones, &value)
        })
    }
}

/// A quotient by way of floats. The divisor is not zero.
fn by_floats(writer: &mut Writer, bits: u32, a: &str, b: &str, signed: bool) -> Name {
    let (ty, float) = (writer.ty(bits), writer.float_ty(2 * bits));
    let (widen, narrow) = if signed { ("sitofp", "fptosi") } else { ("uitofp", "fptoui") };
    let a = writer.value(format!("{widen} {ty} {a} to {float}"));
    let b = writer.value(format!("{widen} {ty} {b} to {float}"));
    let quotient = writer.value(format!("fdiv {float} {a}, {b}"));
    writer.value(format!("{narrow} {float} {quotient} to {ty}"))
}
