//! Conversions between integers, and between integers and floats of single and double precision.

use ptxvm_ir::operation::compute::Convert;
use ptxvm_isa::{Kind, Type};
use ptxvm_machine::registers::Slot;
use ptxvm_num::Rounding;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::{Kept, Value};

impl Emitter<'_> {
    pub(super) fn convert(&mut self, convert: &Convert, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Convert { to, from, rounding, stochastic: false, modifiers, scaled: false } = *convert else {
            return None;
        };
        let is_float = |ty: Type| {
            matches!(ty, Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 | Type::F32 | Type::F64)
        };
        if is_float(to) && is_float(from) {
            return self.widths(convert, slots, guard);
        }
        let [destination, source] = *slots else { return None };
        if modifiers.sat || modifiers.ftz || modifiers.relu || modifiers.satfinite {
            return None;
        }
        let whole = |ty: Type| matches!(ty.kind(), Kind::Signed | Kind::Unsigned);
        let float = |ty: Type| matches!(ty, Type::F32 | Type::F64);
        let value = if whole(to) && whole(from) {
            let a = self.read(source, from.bits());
            self.integer_width(&a, to, from)
        } else if float(to) && whole(from) && rounding == Some(Rounding::Rn) {
            let a = self.read(source, from.bits());
            let op = if from.kind() == Kind::Signed { "sitofp" } else { "uitofp" };
            self.map(&[a], to.bits(), |writer, names| {
                let (from, to_ty) = (writer.ty(from.bits()), writer.float_ty(to.bits()));
                let number = writer.value(format!("{op} {from} {} to {to_ty}", names[0]));
                writer.as_bits(to.bits(), &number)
            })
        } else if from == Type::F32 && matches!(to, Type::S32 | Type::U32) && rounding == Some(Rounding::Rz) {
            let a = self.read_loose(source, 32);
            let op = if to == Type::S32 { "fptosi.sat" } else { "fptoui.sat" };
            self.map(&[a], 32, |writer, names| {
                let number = writer.as_float(32, &names[0]);
                let (ty, float) = (writer.ty(32), writer.float_ty(32));
                let name = format!("llvm.{op}.{}.{}", writer.suffix('i', 32), writer.suffix('f', 32));
                writer.call(&name, &ty, &float, &[&number])
            })
        } else {
            return None;
        };
        self.write(destination, value, guard);
        Some(())
    }

    /// An integer in another width: extended by its own sign, or cut.
    fn integer_width(&mut self, a: &Value, to: Type, from: Type) -> Value {
        let signed = from.kind() == Kind::Signed;
        if let (Kept::Affine(..) | Kept::Rows(..), 32, 64) = (&a.kept, from.bits(), to.bits()) {
            self.leave_if_wraps(a, signed);
            let extend = if signed { "sext" } else { "zext" };
            let wide = a.renamed(|base| self.writer.cast(extend, 32, base, 64));
            return Value { bits: 64, ..wide };
        }
        self.resized(a, to.bits(), if signed { "sext" } else { "zext" })
    }
}
