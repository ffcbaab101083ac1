//! Which registers an instruction reads and which it writes.

use crate::id::RegisterId;
use crate::instruction::{Argument, Base, Callee, Instruction, Operand, OperandKind};
use crate::program::{Function, Home};

/// A register that an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Which one.
    pub register: RegisterId,
    /// Whether nothing of what was in it is left, in any lane: a guard leaves some lanes as they were, a selector some
    /// bits.
    pub whole: bool,
}

/// The register that a source operand reads.
#[must_use]
pub fn read_by(operand: &Operand) -> Option<RegisterId> {
    match operand.kind {
        OperandKind::Register { register, .. }
        | OperandKind::Address { base: Base::Register(register), .. }
            if !operand.written =>
        {
            Some(register)
        }
        _ => None,
    }
}

impl Function {
    /// The registers that hold its results when it returns.
    pub fn returned(&self) -> impl Iterator<Item = RegisterId> + '_ {
        self.returns.iter().filter_map(|result| match result.home {
            Some(Home::Register(register)) => Some(register),
            _ => None,
        })
    }

    /// The registers that an instruction reads: its guard, then its operands in order, then those of its call.
    pub fn reads<'a>(&'a self, instruction: &'a Instruction) -> impl Iterator<Item = RegisterId> + 'a {
        let guard = instruction.guard.map(|guard| guard.register);
        let operands = self.operands_of(instruction);
        let passed = self.calls_of(instruction).flat_map(|call| {
            let callee = match call.callee {
                Callee::Indirect(register) => Some(register),
                Callee::Direct(_) => None,
            };
            callee.into_iter().chain(call.arguments.iter().filter_map(register_of))
        });
        guard.into_iter().chain(operands.iter().filter_map(read_by)).chain(passed)
    }

    /// The registers that an instruction writes: its operands in order, then the results of its call.
    pub fn writes<'a>(&'a self, instruction: &'a Instruction) -> impl Iterator<Item = Written> + 'a {
        let guarded = instruction.guard.is_some();
        let operands = self.operands_of(instruction).iter().filter(|operand| operand.written);
        let direct = operands.filter_map(move |operand| match operand.kind {
            OperandKind::Register { register, selector, .. } => {
                Some(Written { register, whole: selector == 0 && !guarded })
            }
            _ => None,
        });
        let results = self.calls_of(instruction).flat_map(|call| call.returns.iter().filter_map(register_of));
        direct.chain(results.map(move |register| Written { register, whole: !guarded }))
    }

    fn calls_of<'a>(
        &'a self,
        instruction: &'a Instruction,
    ) -> impl Iterator<Item = &'a crate::instruction::Call> + 'a {
        self.operands_of(instruction).iter().filter_map(|operand| match operand.kind {
            OperandKind::Call(call) => self.calls.get(call as usize),
            _ => None,
        })
    }
}

fn register_of(argument: &Argument) -> Option<RegisterId> {
    match argument {
        Argument::Register(register) => Some(*register),
        _ => None,
    }
}
