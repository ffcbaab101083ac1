//! The registers of a function laid out: where each slot lies in an activation's block.

use ptxvm_ir::{Guard, Home, Parameter, RegisterId};
use ptxvm_isa::Type;

use super::Linker;
use crate::code::{Actual, Function};
use crate::registers::{LANES, Slot};

/// The slots of one function.
pub struct Frame {
    registers: Vec<Slot>,
    size: u32,
    frame: Slot,
    caller_stack: Slot,
    carry: Option<Slot>,
}

/// The bytes that a lane of a register of this type takes; 0 for a predicate.
pub fn width(ty: Type) -> u8 {
    match ty.bits() {
        _ if ty == Type::Pred => 0,
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => 16,
    }
}

impl Frame {
    pub fn new(function: &ptxvm_ir::Function) -> Self {
        let nowhere = Slot::register(0, 8);
        let mut new =
            Self { registers: Vec::new(), size: 0, frame: nowhere, caller_stack: nowhere, carry: None };
        new.frame = new.take(8);
        new.caller_stack = new.take(8);
        new.registers = vec![nowhere; function.registers.len()];
        // Wide registers first, predicates last: everything stays aligned without gaps.
        for wanted in [16, 8, 4, 2, 1, 0] {
            for (index, ty) in function.registers.iter().enumerate() {
                if width(*ty) == wanted {
                    new.registers[index] = new.take(wanted);
                }
            }
        }
        new
    }

    /// A new slot.
    pub fn take(&mut self, width: u8) -> Slot {
        let size = Slot::register(0, width).size();
        let offset = self.size.next_multiple_of(size.min(64));
        self.size = offset + size;
        Slot::register(offset, width)
    }

    pub fn register(&self, register: RegisterId) -> Slot {
        self.registers.get(register.0 as usize).copied().unwrap_or(Slot::SINKHOLE)
    }

    pub fn guard(&self, guard: Guard) -> Slot {
        let mut slot = self.register(guard.register);
        if guard.negated {
            slot.flags |= Slot::NEGATED;
        }
        slot
    }

    /// The address of the frame, lane by lane.
    pub fn base(&self) -> Slot {
        self.frame
    }

    /// The carry flag of the extended-precision instructions.
    pub fn carry(&mut self) -> Slot {
        match self.carry {
            Some(slot) => slot,
            None => {
                let slot = self.take(0);
                *self.carry.insert(slot)
            }
        }
    }

    /// The function, given the registers that it may read before it writes them.
    pub fn finish(
        self,
        function: &ptxvm_ir::Function,
        block: u32,
        linker: &Linker<'_>,
        unset: &[RegisterId],
    ) -> Function {
        let hidden = [self.frame, self.caller_stack];
        let unset = unset.iter().map(|r| self.register(*r)).chain(hidden).chain(self.carry).collect();
        let actual = |p: &Parameter| match p.home {
            Some(Home::Register(register)) => Actual::Slot(self.register(register)),
            Some(Home::Variable(variable)) => {
                let offset = linker.program.variables[variable.0 as usize].offset;
                Actual::Frame { offset, size: p.size }
            }
            None => Actual::Slot(Slot::SINKHOLE),
        };
        Function {
            block,
            register_bytes: self.size.next_multiple_of(64).max(LANES as u32),
            unset,
            frame: self.frame,
            caller_stack: self.caller_stack,
            frame_bytes: function.frame_bytes,
            frame_align: u64::from(function.frame_align.max(1)),
            parameters: function.parameters.iter().map(actual).collect(),
            returns: function.returns.iter().map(actual).collect(),
            registers: self.registers,
        }
    }
}
