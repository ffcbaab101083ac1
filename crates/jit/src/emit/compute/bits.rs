//! Questions about the bits of a number, fields of bits, and dot products of bytes.
//!
//! Each function has the same steps as the one of its name in `ptxvm_num::int`.

use ptxvm_ir::operation::compute::{Bits, Overflow};
use ptxvm_isa::{Kind, Type};
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;
use super::super::writer::{Name, Writer};
use super::logic::shifted;

impl Emitter<'_> {
    pub(super) fn bits(&mut self, asked: &Bits, slots: &[Slot], guard: &Guard) -> Option<()> {
        let (to, from) = slots.split_first()?;
        // The bits of the sources, and of the result.
        let (widths, result): (&[u32], u32) = match asked {
            Bits::Popc(ty) | Bits::Clz(ty) | Bits::Bfind { ty, .. } => (&[ty.bits()], 32),
            Bits::Brev(ty) => (&[ty.bits()], ty.bits()),
            Bits::Bfe(ty) => (&[ty.bits(), 32, 32], ty.bits()),
            Bits::Bfi(ty) => (&[ty.bits(), ty.bits(), 32, 32], ty.bits()),
            Bits::Szext { .. } | Bits::Bmsk(_) => (&[32, 32], 32),
            Bits::Dp4a { .. } | Bits::Dp2a { .. } => (&[32, 32, 32], 32),
            Bits::Fns => return None,
        };
        let mut sources: Vec<Value> = Vec::new();
        for (slot, bits) in from.get(..widths.len())?.iter().zip(widths) {
            sources.push(self.read(*slot, *bits));
        }
        let value = self.map_in_shape(*to, &sources, result, |writer, names| write(writer, asked, names));
        self.write(*to, value, guard);
        Some(())
    }
}

fn write(writer: &mut Writer, asked: &Bits, names: &[Name]) -> Name {
    let a = &names[0];
    match *asked {
        Bits::Popc(ty) => {
            let count = writer.intrinsic("ctpop", ty.bits(), &[a]);
            writer.cast("trunc", ty.bits(), &count, 32)
        }
        Bits::Clz(ty) => clz(writer, ty.bits(), a),
        Bits::Brev(ty) => writer.intrinsic("bitreverse", ty.bits(), &[a]),
        Bits::Bfind { ty, shiftamt } => {
            let bits = ty.bits();
            let mut rest = a.clone();
            if ty.kind() == Kind::Signed {
                let sign = writer.with("ashr", bits, a, u64::from(bits) - 1);
                rest = writer.two("xor", bits, a, &sign);
            }
            let signs = clz(writer, bits, &rest);
            if shiftamt {
                let none = writer.constant(32, u32::MAX.into());
                return writer.choose(("eq", &signs, bits.into()), &none, &signs);
            }
            let top = writer.constant(32, u64::from(bits) - 1);
            writer.two("sub", 32, &top, &signs)
        }
        Bits::Bfe(ty) => {
            let bits = ty.bits();
            let (position, length) = (counted(writer, bits, &names[1]), counted(writer, bits, &names[2]));
            let op = if ty.kind() == Kind::Signed { "ashr" } else { "lshr" };
            let moved = shifted(writer, op, bits, a, &position);
            extended(writer, ty, &moved, &length)
        }
        Bits::Bfi(ty) => {
            let bits = ty.bits();
            let (position, length) = (counted(writer, bits, &names[2]), counted(writer, bits, &names[3]));
            let field = ones(writer, bits, &length);
            let field = shifted(writer, "shl", bits, &field, &position);
            let moved = shifted(writer, "shl", bits, a, &position);
            let inside = writer.two("and", bits, &moved, &field);
            let others = writer.with("xor", bits, &field, u64::MAX);
            let outside = writer.two("and", bits, &names[1], &others);
            writer.two("or", bits, &inside, &outside)
        }
        Bits::Szext { ty, overflow } => {
            let length = wrapped(writer, &names[1], overflow);
            extended(writer, ty, a, &length)
        }
        Bits::Bmsk(overflow) => {
            let (position, width) = (wrapped(writer, a, overflow), wrapped(writer, &names[1], overflow));
            let field = ones(writer, 32, &width);
            shifted(writer, "shl", 32, &field, &position)
        }
        Bits::Dp4a { a_signed, b_signed } => {
            let places = [(0, 0), (8, 8), (16, 16), (24, 24)];
            dot(writer, names, (8, a_signed), (8, b_signed), &places)
        }
        Bits::Dp2a { high, a_signed, b_signed } => {
            let places = if high { [(0, 16), (16, 24)] } else { [(0, 0), (16, 8)] };
            dot(writer, names, (16, a_signed), (8, b_signed), &places)
        }
        Bits::Fns => "poison".into(),
    }
}

/// The zeros above the highest bit that is set, as a word.
pub(super) fn clz(writer: &mut Writer, bits: u32, a: &str) -> Name {
    let (ty, suffix) = (writer.ty(bits), writer.suffix('i', bits));
    writer.declare(format!("declare {ty} @llvm.ctlz.{suffix}({ty}, i1)"));
    let count = writer.value(format!("call {ty} @llvm.ctlz.{suffix}({ty} {a}, i1 false)"));
    writer.cast("trunc", bits, &count, 32)
}

/// A position or length: of those of words eight bits count.
fn counted(writer: &mut Writer, bits: u32, count: &str) -> Name {
    if bits == 32 { writer.with("and", 32, count, 0xff) } else { count.into() }
}

/// A position or length, of which with `.wrap` five bits count.
fn wrapped(writer: &mut Writer, count: &str, overflow: Overflow) -> Name {
    match overflow {
        Overflow::Clamp => count.into(),
        Overflow::Wrap => writer.with("and", 32, count, 31),
    }
}

/// So many low bits.
fn ones(writer: &mut Writer, bits: u32, length: &str) -> Name {
    let all = writer.constant(bits, u64::MAX);
    let above = shifted(writer, "shl", bits, &all, length);
    writer.two("xor", bits, &above, &all)
}

/// So many low bits of a number, extended by zeros or by the highest of them.
fn extended(writer: &mut Writer, ty: Type, a: &str, length: &str) -> Name {
    let bits = ty.bits();
    if ty.kind() != Kind::Signed {
        let field = ones(writer, bits, length);
        return writer.two("and", bits, a, &field);
    }
    let width = writer.constant(32, bits.into());
    let length = writer.intrinsic("umin", 32, &[length, &width]);
    let distance = writer.two("sub", 32, &width, &length);
    let up = shifted(writer, "shl", bits, a, &distance);
    shifted(writer, "ashr", bits, &up, &distance)
}

/// The third word and the products of parts of the first two, whose lowest bits stand at `places`.
fn dot(writer: &mut Writer, names: &[Name], a: (u32, bool), b: (u32, bool), places: &[(u32, u32)]) -> Name {
    let mut sum = names[2].clone();
    for (at_a, at_b) in places {
        let [a, b] = [(&names[0], a, at_a), (&names[1], b, at_b)].map(|(word, (bits, signed), at)| {
            let up = writer.with("shl", 32, word, (32 - bits - at).into());
            writer.with(if signed { "ashr" } else { "lshr" }, 32, &up, (32 - bits).into())
        });
        let product = writer.two("mul", 32, &a, &b);
        sum = writer.two("add", 32, &sum, &product);
    }
    sum
}
