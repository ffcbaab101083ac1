//! Registers that count few turns.
//!
//! Compilers unroll loops, and what is left over goes round a loop of its own first, a few times at most: as often as the
//! low bits of the count of all say (`count & 3`). That decides nothing but how lanes go through such a loop, so it is no
//! harm where it is wrong.

use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::compute::{Compute, Integer, IntegerFunction, Logic, LogicFunction, Movement};
use ptxvm_ir::{Function, Instruction, Operand, OperandKind, Program, RegisterId};

/// No more turns than this are few.
const MOST: u64 = 7;

/// So often all instructions are looked at. Through longer chains of copies a register may seem to count few turns.
const LOOKS: usize = 4;

/// By register: whether it is given the low bits of something and otherwise goes up or down by one.
pub fn few(program: &Program, function: &Function) -> Vec<bool> {
    let mut few = vec![true; function.registers.len()];
    for _ in 0..LOOKS {
        let mut changed = false;
        for instruction in &function.instructions {
            for register in function.writes(instruction).map(|written| written.register) {
                let still = counts(program, function, instruction, register, &few);
                if let Some(is) = few.get_mut(register.0 as usize).filter(|is| **is && !still) {
                    (*is, changed) = (false, true);
                }
            }
        }
        if !changed {
            break;
        }
    }
    few
}

/// Whether a register counts few turns still after an instruction that writes it.
fn counts(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
    register: RegisterId,
    few: &[bool],
) -> bool {
    let sources: Vec<&Operand> =
        function.operands_of(instruction).iter().filter(|operand| !operand.written).collect();
    let constant = |at: usize| match sources.get(at).map(|source| source.kind) {
        Some(OperandKind::Immediate(number)) => Some(number as i64),
        _ => None,
    };
    let of = |at: usize| match sources.get(at).map(|source| source.kind) {
        Some(OperandKind::Register { register, negated: false, selector: 0 }) => Some(register),
        _ => None,
    };
    let is_few = |register: RegisterId| few.get(register.0 as usize).copied().unwrap_or(false);
    match program.operation(instruction) {
        Some(Operation::Compute(Compute::Logic(Logic { function: LogicFunction::And, .. }))) => {
            constant(1).is_some_and(|bits| bits.unsigned_abs() <= MOST)
        }
        Some(Operation::Compute(Compute::Integer(Integer { function, limit: None, .. }))) => match function {
            IntegerFunction::Add | IntegerFunction::Sub => {
                let by = constant(1).map(|by| by as i32);
                of(0) == Some(register) && matches!(by, Some(1 | -1))
            }
            IntegerFunction::Neg => of(0).is_some_and(is_few),
            _ => false,
        },
        Some(Operation::Compute(Compute::Movement(Movement::Copy { .. }))) => of(0).is_some_and(is_few),
        _ => false,
    }
}
