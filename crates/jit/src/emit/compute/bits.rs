//! Questions about the bits of a number.

use ptxvm_ir::operation::compute::Bits;
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;

impl Emitter<'_> {
    pub(super) fn bits(&mut self, asked: &Bits, slots: &[Slot], guard: &Guard) -> Option<()> {
        let (to, from) = (*slots.first()?, *slots.get(1)?);
        let (name, bits, more): (_, _, &[&str]) = match asked {
            Bits::Popc(ty) => ("ctpop", ty.bits(), &[]),
            Bits::Clz(ty) => ("ctlz", ty.bits(), &["false"]),
            Bits::Brev(ty) => ("bitreverse", ty.bits(), &[]),
            _ => return None,
        };
        let result = if matches!(asked, Bits::Brev(_)) { bits } else { 32 };
        let a = self.read(from, bits);
        let value = self.map(&[a], result, |writer, names| {
            let (ty, suffix) = (writer.ty(bits), writer.suffix('i', bits));
            let flags: String = more.iter().map(|flag| format!(", i1 {flag}")).collect();
            let flag_types: String = more.iter().map(|_| ", i1").collect();
            writer.declare(format!("declare {ty} @llvm.{name}.{suffix}({ty}{flag_types})"));
            let counted = writer.value(format!("call {ty} @llvm.{name}.{suffix}({ty} {}{flags})", names[0]));
            writer.cast("trunc", bits, &counted, result)
        });
        self.write(to, value, guard);
        Some(())
    }
}
