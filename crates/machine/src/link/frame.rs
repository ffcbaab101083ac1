//! The registers of a function laid out: where each slot lies in an activation's block.

use ptxvm_ir::{Guard, Home, Parameter, Program, RegisterId};
use ptxvm_isa::Type;

use crate::code::{Actual, Function};
use crate::registers::{LANES, Slot};

/// The slots of one function.
pub struct FunctionSlots {
    registers: Vec<Slot>,
    size: u32,
    frame: Slot,
    caller_stack: Slot,
    carry: Option<Slot>,
    /// There was no room for a slot.
    full: bool,
}

/// The most bytes that the registers of an activation, or the constants of a code, may take; offsets in it and sums of them fit 32 bits.
pub const MOST: u32 = 1 << 31;

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

impl FunctionSlots {
    pub fn new(function: &ptxvm_ir::Function) -> Self {
        let nowhere = Slot::register(0, 8);
        let mut new = Self {
            registers: Vec::new(),
            size: 0,
            frame: nowhere,
            caller_stack: nowhere,
            carry: None,
            full: false,
        };
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

    /// A new slot. Where there is no room it is one that exists, and the code must not run.
    pub fn take(&mut self, width: u8) -> Slot {
        let size = Slot::register(0, width).size();
        let offset = self.size.next_multiple_of(size.min(64));
        if offset > MOST - size {
            self.full = true;
            return Slot::register(0, width);
        }
        self.size = offset + size;
        Slot::register(offset, width)
    }

    /// Whether there was no room for a slot.
    pub fn is_full(&self) -> bool {
        self.full
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
        program: &Program,
        unset: &[RegisterId],
    ) -> Function {
        // Those of an entry are zero from the beginning and stay so.
        let hidden = [self.frame, self.caller_stack].into_iter().filter(|_| !function.entry);
        let unset = unset.iter().map(|r| self.register(*r)).chain(hidden).chain(self.carry).collect();
        let actual = |p: &Parameter| match p.home {
            Some(Home::Register(register)) => Actual::Slot(self.register(register)),
            Some(Home::Variable(variable)) => {
                let offset = program.variables[variable.0 as usize].offset;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_registers_than_there_is_room_for_are_noticed() {
        let (registers, slot) = (Vec::new(), Slot::register(0, 8));
        // Miri takes the last few of four million registers: it looks for undefined behaviour and is slow.
        let size = if cfg!(miri) { MOST - (1 << 16) } else { 0 };
        let mut frame =
            FunctionSlots { registers, size, frame: slot, caller_stack: slot, carry: None, full: false };
        while !frame.is_full() {
            let slot = frame.take(16);
            assert!(slot.offset.checked_add(slot.size()).is_some_and(|end| end <= MOST));
        }
        assert_eq!(frame.size, MOST);
    }
}
