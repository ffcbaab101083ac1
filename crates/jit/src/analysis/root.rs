//! Which pointer an address is made of, and how far from it: the load of a kernel's parameter that sums lead back to, and
//! of which power of two what is added to it is a multiple.
//!
//! Accesses by one pointer mostly meet one region of memory, so that what one of them has found serves all of them. That is
//! a guess, which costs nothing if it is wrong but another look: each access is compared with the region all the same. What
//! is a multiple is certain: if the pointer is aligned, so is the address.

use std::collections::HashMap;

use ptxvm_ir::flow::read_by;
use ptxvm_ir::operation::compute::{Comparing, Compute, Integer, IntegerFunction, IntegerType};
use ptxvm_ir::operation::compute::{Logic, LogicFunction, Movement};
use ptxvm_ir::operation::{Access, Generic, Operation, generic};
use ptxvm_ir::{Function, Instruction, Operand, OperandKind, Program};
use ptxvm_isa::Kind;

/// What a register is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Root {
    /// No pointer.
    #[default]
    None,
    /// One, by the number of the instruction that loads it.
    Of(u32),
    /// Several.
    Many,
}

/// What is known of the values of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    pub root: Root,
    /// What is added to the root is a multiple of two to the power of this.
    pub zeros: u32,
}

impl Made {
    /// Of nothing that has been found so far.
    const NOTHING: Self = Self { root: Root::None, zeros: 64 };
    const UNKNOWN: Self = Self { root: Root::None, zeros: 0 };

    /// Of a register with values of both; or of a sum.
    fn and(self, other: Self) -> Self {
        let root = match (self.root, other.root) {
            (Root::None, root) | (root, Root::None) => root,
            (one, another) if one == another => one,
            _ => Root::Many,
        };
        Self { root, zeros: self.zeros.min(other.zeros) }
    }

    /// A product with something of which nothing else is known.
    fn times(self, other: Self) -> Self {
        let plain = self.root == Root::None && other.root == Root::None;
        if plain {
            Self { root: Root::None, zeros: (self.zeros + other.zeros).min(64) }
        } else {
            Self::UNKNOWN
        }
    }
}

/// By register: what it is made of.
pub fn roots(program: &Program, function: &Function) -> Vec<Made> {
    let mut made = vec![Made::NOTHING; function.registers.len()];
    // By register: the instructions that read it.
    let mut readers: HashMap<u32, Vec<u32>> = HashMap::new();
    for (number, instruction) in (0..).zip(&function.instructions) {
        for read in function.operands_of(instruction).iter().filter_map(read_by) {
            readers.entry(read.0).or_default().push(number);
        }
    }
    // What a register is made of only gets less, some 64 times at most.
    let mut open: Vec<u32> = (0..function.instructions.len() as u32).rev().collect();
    while let Some(number) = open.pop() {
        let instruction = &function.instructions[number as usize];
        let result = result(program, function, (number, instruction), &made);
        for written in function.writes(instruction).map(|written| written.register.0) {
            let Some(known) = made.get_mut(written as usize) else { continue };
            let both = known.and(result);
            if both != *known {
                *known = both;
                open.extend(readers.get(&written).into_iter().flatten());
            }
        }
    }
    made
}

/// What an instruction makes of its operands.
fn result(
    program: &Program,
    function: &Function,
    (number, instruction): (u32, &Instruction),
    made: &[Made],
) -> Made {
    let operands: Vec<&Operand> =
        function.operands_of(instruction).iter().filter(|operand| !operand.written).collect();
    let source = |at: usize| operands.get(at).map_or(Made::UNKNOWN, |operand| of_operand(operand, made));
    let constant = |at: usize| match operands.get(at).map(|operand| operand.kind) {
        Some(OperandKind::Immediate(number)) => Some(number),
        _ => None,
    };
    match program.operation(instruction) {
        Some(Operation::Access(Access::LoadParameter(load))) if load.bits == 64 && load.count == 1 => {
            Made { root: Root::Of(number), zeros: 64 }
        }
        Some(Operation::Generic(Generic::From(window) | Generic::To(window)))
            if *window == generic::Window::Global || *window == generic::Window::Const =>
        {
            source(0)
        }
        Some(Operation::Compute(Compute::Integer(Integer { function, limit: None, ty })))
            if is_one_number(*ty) =>
        {
            use IntegerFunction as F;
            match function {
                F::Add => source(0).and(source(1)),
                F::Sub if source(1).root == Root::None => source(0).and(source(1)),
                F::MulLo | F::MulWide => source(0).times(source(1)),
                F::MadLo | F::MadWide => source(0).times(source(1)).and(source(2)),
                F::Min | F::Max => source(0).and(source(1)),
                _ => Made::UNKNOWN,
            }
        }
        Some(Operation::Compute(Compute::Logic(Logic { function: LogicFunction::Shl, .. }))) => {
            match (source(0), constant(1)) {
                (Made { root: Root::None, zeros }, Some(by)) => {
                    Made { root: Root::None, zeros: zeros.saturating_add(by.min(64) as u32).min(64) }
                }
                _ => Made::UNKNOWN,
            }
        }
        Some(Operation::Compute(Compute::Movement(Movement::Copy { bits: 32 | 64 }))) => source(0),
        Some(Operation::Compute(Compute::Comparing(Comparing::Selp(_)))) => source(0).and(source(1)),
        Some(Operation::Compute(Compute::Convert(convert))) => {
            let whole = |kind: Kind| matches!(kind, Kind::Signed | Kind::Unsigned);
            let plain = whole(convert.to.kind()) && whole(convert.from.kind()) && !convert.modifiers.sat;
            let widens = convert.to.bits() >= convert.from.bits() && convert.from.bits() >= 32;
            if plain && widens { source(0) } else { Made::UNKNOWN }
        }
        _ => Made::UNKNOWN,
    }
}

fn is_one_number(ty: IntegerType) -> bool {
    matches!(ty, IntegerType::U32 | IntegerType::S32 | IntegerType::U64 | IntegerType::S64)
}

/// What is known of an operand that is read.
fn of_operand(operand: &Operand, made: &[Made]) -> Made {
    match operand.kind {
        OperandKind::Register { register, negated: false, selector: 0 } => {
            made.get(register.0 as usize).copied().unwrap_or(Made::UNKNOWN)
        }
        OperandKind::Immediate(number) => Made { root: Root::None, zeros: number.trailing_zeros() },
        _ => Made::UNKNOWN,
    }
}
