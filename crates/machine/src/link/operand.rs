//! Operands become slots: registers, constants, and values that an instruction of the linker's own prepares.

use ptxvm_ir::operation::SpecialRegister;
use ptxvm_ir::{Base, Operand, OperandKind, Space, VariableId};
use ptxvm_isa::{Kind, Type};

use super::frame::{FunctionSlots, width};
use super::linker::Linker;
use crate::code::{Prepared, Source};
use crate::registers::Slot;

impl Linker<'_> {
    /// The slot of an operand. What must be computed first is put before the instruction.
    pub fn slot(&mut self, operand: &Operand, frame: &mut FunctionSlots, source: Source) -> Slot {
        let wide = operand.ty.map_or(8, width);
        match operand.kind {
            OperandKind::Register { register, negated, .. } => {
                let mut slot = frame.register(register);
                if negated && slot.width == 0 {
                    slot.flags |= Slot::NEGATED;
                }
                if operand.written && operand.ty.is_some_and(|ty| ty.kind() == Kind::Signed) {
                    slot.flags |= Slot::SIGNED;
                }
                slot
            }
            OperandKind::Immediate(bits) => self.constants.slot(bits, wide),
            OperandKind::Special { sreg, member } => {
                let slot = frame.take(SpecialRegister::width(sreg));
                self.prepare(Prepared::Special(SpecialRegister::of(sreg), member), &[slot], source);
                slot
            }
            OperandKind::Address { base, .. } => match base {
                Base::Absolute => self.constants.slot(0, 8),
                Base::Register(register) => frame.register(register),
                Base::Variable(variable) => self.base(variable, frame),
            },
            OperandKind::Variable { variable, offset } => {
                self.variable(variable, offset, wide, frame, source)
            }
            OperandKind::Function(function) => {
                self.constants.slot(crate::addresses::function_address(function), wide.max(4))
            }
            OperandKind::Sink => {
                let mut slot = Slot::SINKHOLE;
                slot.width = wide;
                slot
            }
            // What is called is in the terminator.
            OperandKind::Call(_) => Slot::SINKHOLE,
        }
    }

    /// What the offset of an address in a variable is added to.
    fn base(&mut self, variable: VariableId, frame: &FunctionSlots) -> Slot {
        let described = &self.program.variables[variable.0 as usize];
        match described.space {
            Space::Local | Space::FuncParam => frame.base(),
            Space::EntryParam => self.constants.slot(described.offset, 8),
            _ => self.constants.slot(self.layout.variables[variable.0 as usize], 8),
        }
    }

    /// The address of a variable as a value.
    fn variable(
        &mut self,
        variable: VariableId,
        offset: i64,
        wide: u8,
        frame: &mut FunctionSlots,
        source: Source,
    ) -> Slot {
        let described = &self.program.variables[variable.0 as usize];
        let own = described.offset.wrapping_add_signed(offset);
        match described.space {
            // Those among a kernel's parameters have handles too, and take no room there.
            _ if described.opaque.is_some() => {
                let handle = self.layout.variables[variable.0 as usize].wrapping_add_signed(offset);
                self.constants.slot(handle, wide.max(4))
            }
            Space::Local | Space::FuncParam => {
                // The address of a function's parameter is one of local memory, as on an H200: `ld.param` takes it
                // there, and so does `ld.local`.
                let to = frame.take(8);
                let add = self.constants.slot(own, 8);
                self.prepare(Prepared::Sum, &[to, frame.base(), add], source);
                to
            }
            Space::EntryParam => {
                let to = frame.take(8);
                self.prepare(Prepared::ParameterAddress(own), &[to], source);
                to
            }
            Space::Shared => {
                // The address says which CTA of the cluster it belongs to.
                let address = self.layout.variables[variable.0 as usize].wrapping_add_signed(offset);
                let to = frame.take(wide.max(4));
                self.prepare(Prepared::SharedAddress(address), &[to], source);
                to
            }
            _ => {
                let address = self.layout.variables[variable.0 as usize].wrapping_add_signed(offset);
                self.constants.slot(address, wide.max(4))
            }
        }
    }

    /// A constant argument of a call.
    pub fn immediate(&mut self, bits: u64, ty: Type) -> Slot {
        self.constants.slot(bits, width(ty))
    }
}
