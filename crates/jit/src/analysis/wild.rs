//! Registers whose values have no pattern over lanes: they come of memory, or of more than sums and products.
//!
//! Where lanes count on by the same step, they stay side by side, also if they leave the loop at different times. What is
//! computed otherwise, as an index that is kept within its bounds, may have a pattern still, which only the run knows. What
//! the register holds where does not matter here: it is looked at as a whole, in time that grows no faster than the function.

use std::collections::HashMap;

use ptxvm_ir::operation::compute::{Compute, IntegerFunction, LogicFunction, Movement};
use ptxvm_ir::operation::{Access, Operation};
use ptxvm_ir::{Function, Program};

/// By register: whether it has none, as far as sums and products can tell.
pub fn without_pattern(program: &Program, function: &Function) -> Vec<bool> {
    made_beside(program, function, is_linear)
}

/// By register: whether it comes of more than arithmetic.
pub fn of_memory(program: &Program, function: &Function) -> Vec<bool> {
    let computes = |operation: &Operation| {
        let parameter = matches!(operation, Operation::Access(Access::LoadParameter(_)));
        parameter || matches!(operation, Operation::Compute(_) | Operation::Generic(_))
    };
    made_beside(program, function, computes)
}

/// By register: whether something else than certain operations has part in it.
fn made_beside(program: &Program, function: &Function, certain: fn(&Operation) -> bool) -> Vec<bool> {
    let mut wild = vec![false; function.registers.len()];
    let mut open: Vec<u32> = Vec::new();
    // By register: those that are made of it.
    let mut made_of: HashMap<u32, Vec<u32>> = HashMap::new();
    for instruction in &function.instructions {
        let written = || function.writes(instruction).map(|written| written.register.0);
        if !program.operation(instruction).is_some_and(certain) {
            open.extend(written());
            continue;
        }
        let guard = instruction.guard.map(|guard| guard.register.0);
        for read in function.reads(instruction).map(|read| read.0).filter(|read| Some(*read) != guard) {
            made_of.entry(read).or_default().extend(written());
        }
    }
    while let Some(register) = open.pop() {
        let Some(is) = wild.get_mut(register as usize).filter(|is| !**is) else { continue };
        *is = true;
        open.extend(made_of.get(&register).into_iter().flatten());
    }
    wild
}

/// Whether lanes that are apart by a step stay so.
fn is_linear(operation: &Operation) -> bool {
    use IntegerFunction as F;
    match operation {
        Operation::Compute(Compute::Integer(integer)) => {
            matches!(integer.function, F::Add | F::Sub | F::MulLo | F::MulWide | F::MadLo | F::MadWide)
        }
        Operation::Compute(Compute::Logic(logic)) => logic.function == LogicFunction::Shl,
        Operation::Compute(Compute::Movement(Movement::Copy { .. }) | Compute::Convert(_))
        | Operation::Generic(_)
        | Operation::Access(Access::LoadParameter(_)) => true,
        _ => false,
    }
}
