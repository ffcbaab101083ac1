//! What is known of a thread's registers before it runs: those that are written once, from constants, the thread's place
//! and addresses of variables. So addresses become names.

use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::compute::{Compute, IntegerFunction, LogicFunction, Movement};
use ptxvm_ir::{Function, OperandKind, Program, VariableId};

use super::header::ThreadPlace;
use super::operands;

/// What a register is known to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Number(i64),
    /// So many bytes behind the beginning of a variable.
    Address(VariableId, i64),
}

/// What is known of each register.
pub fn registers(program: &Program, function: &Function, place: &ThreadPlace) -> Vec<Option<Known>> {
    let mut known = vec![None; function.registers.len()];
    let mut writes = vec![0; function.registers.len()];
    for instruction in &function.instructions {
        for register in operands::written(function, instruction) {
            // What is written under a guard may also stay as it was.
            writes[register] += if instruction.guard.is_some() { 2 } else { 1 };
        }
    }
    // Each round knows what the registers of the round before lead to.
    loop {
        let mut changed = false;
        for instruction in &function.instructions {
            let written = operands::written(function, instruction);
            let [register] = written.as_slice() else { continue };
            if writes[*register] != 1 || known[*register].is_some() {
                continue;
            }
            let Some(operation) = program.operation(instruction) else { continue };
            let sources: Option<Vec<Known>> = operands::of(function, instruction)
                .iter()
                .filter(|operand| !operand.written)
                .map(|operand| value(&operand.kind, place, &known))
                .collect();
            if let Some(result) = sources.and_then(|sources| compute(operation, &sources)) {
                known[*register] = Some(result);
                changed = true;
            }
        }
        if !changed {
            return known;
        }
    }
}

fn value(kind: &OperandKind, place: &ThreadPlace, known: &[Option<Known>]) -> Option<Known> {
    match kind {
        OperandKind::Register { register, negated: false, selector: 0 } => known[register.0 as usize],
        OperandKind::Immediate(bits) => Some(Known::Number(*bits as i64)),
        OperandKind::Special { sreg, member } => operands::special(place, *sreg, *member).map(Known::Number),
        OperandKind::Variable { variable, offset } => Some(Known::Address(*variable, *offset)),
        _ => None,
    }
}

/// What an operation makes of what is known; only what addresses are made with.
fn compute(operation: &Operation, sources: &[Known]) -> Option<Known> {
    use Known::{Address, Number};
    let function = match operation {
        Operation::Compute(Compute::Movement(Movement::Copy { .. }))
        | Operation::Compute(Compute::Convert(_))
        | Operation::Generic(_) => return sources.first().copied().filter(|_| sources.len() == 1),
        Operation::Compute(Compute::Integer(integer)) => Some(integer.function),
        Operation::Compute(Compute::Logic(logic)) if logic.function == LogicFunction::Shl => None,
        _ => return None,
    };
    Some(match (function, sources) {
        (None, [Number(a), Number(b)]) => Number(a.checked_shl(u32::try_from(*b).ok()?)?),
        (Some(IntegerFunction::Add), [Number(a), Number(b)]) => Number(a.wrapping_add(*b)),
        (Some(IntegerFunction::Add), [Address(v, a), Number(b)] | [Number(b), Address(v, a)]) => {
            Address(*v, a.wrapping_add(*b))
        }
        (Some(IntegerFunction::Sub), [Number(a), Number(b)]) => Number(a.wrapping_sub(*b)),
        (Some(IntegerFunction::Sub), [Address(v, a), Number(b)]) => Address(*v, a.wrapping_sub(*b)),
        (Some(IntegerFunction::MulLo | IntegerFunction::MulWide), [Number(a), Number(b)]) => {
            Number(a.wrapping_mul(*b))
        }
        (Some(IntegerFunction::MadLo | IntegerFunction::MadWide), [Number(a), Number(b), Number(c)]) => {
            Number(a.wrapping_mul(*b).wrapping_add(*c))
        }
        (Some(IntegerFunction::MadLo | IntegerFunction::MadWide), [Number(a), Number(b), Address(v, c)]) => {
            Address(*v, a.wrapping_mul(*b).wrapping_add(*c))
        }
        _ => return None,
    })
}
