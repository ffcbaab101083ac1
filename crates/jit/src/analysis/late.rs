//! Registers that `wgmma` writes after it has been issued, or reads then: D, and A where it is in registers.
//!
//! A product reads and writes them in the activation, when it completes. So compiled code keeps their values there and nowhere
//! else, and what is about to use one of them while a product may be under way has the machine wait for it first, as the
//! interpreter does. Where none can be under way, nobody has to ask.

use std::collections::BTreeSet;

use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::matrix::{Matrix, Wgmma, WgmmaA, WgmmaProduct};
use ptxvm_ir::{BlockId, Function, Instruction, OperandKind, Program};

/// The registers of A, where it is in some.
const REGISTERS_OF_A: usize = 4;

/// What is known of the products of a function.
#[derive(Debug, Default)]
pub struct Late {
    registers: BTreeSet<u32>,
    /// By block: which products there may be at its beginning.
    before: Vec<Products>,
}

/// The products that a warp may have somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Products {
    /// Whether some may be under way.
    pub under_way: bool,
    /// Whether some of them may belong to no group yet: nobody can wait for these.
    open: bool,
}

impl Late {
    /// That of a function.
    pub fn of(program: &Program, function: &Function) -> Self {
        let before = vec![Products::default(); function.blocks.len()];
        let mut late = Self { registers: BTreeSet::new(), before };
        for instruction in &function.instructions {
            if let Some(Wgmma::Product(product)) = wgmma(program, instruction) {
                late.registers.extend(registers(function, instruction, product));
            }
        }
        if late.registers.is_empty() {
            return late;
        }
        let mut open: Vec<usize> = (0..function.blocks.len()).collect();
        while let Some(at) = open.pop() {
            let block = &function.blocks[at];
            let all = function.instructions[block.start as usize..block.end as usize].iter();
            let after = all.fold(late.before[at], |before, instruction| before.after(program, instruction));
            for next in block.terminator.successors(&function.branch_lists).map(|next| next.0 as usize) {
                let either = late.before[next].or(after);
                if either != late.before[next] {
                    late.before[next] = either;
                    open.push(next);
                }
            }
        }
        late
    }

    /// Whether there are no products.
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty()
    }

    /// Whether a product writes or reads a register after it has been issued.
    pub fn has(&self, register: u32) -> bool {
        self.registers.contains(&register)
    }

    /// The products that there may be at the beginning of a block.
    pub fn before(&self, block: BlockId) -> Products {
        self.before.get(block.0 as usize).copied().unwrap_or(Products { under_way: true, open: true })
    }
}

impl Products {
    fn or(self, other: Self) -> Self {
        Self { under_way: self.under_way || other.under_way, open: self.open || other.open }
    }

    /// Those that there may be after an instruction. Who waits for all but the latest groups may have waited for nothing.
    pub fn after(self, program: &Program, instruction: &Instruction) -> Self {
        let after = match wgmma(program, instruction) {
            Some(Wgmma::Product(_)) => Self { under_way: true, open: true },
            Some(Wgmma::Commit) => Self { open: false, ..self },
            Some(Wgmma::Wait { latest: 0 }) => Self { under_way: self.open, ..self },
            Some(Wgmma::Wait { .. } | Wgmma::Fence) | None => self,
        };
        if instruction.guard.is_some() { after.or(self) } else { after }
    }
}

/// What an instruction has to do with products under way.
pub fn wgmma(program: &Program, instruction: &Instruction) -> Option<Wgmma> {
    match program.operation(instruction)? {
        Operation::Matrix(Matrix::Wgmma(wgmma)) => Some(*wgmma),
        _ => None,
    }
}

/// The registers of a product.
fn registers(function: &Function, instruction: &Instruction, product: WgmmaProduct) -> Vec<u32> {
    let operands = function.operands_of(instruction);
    let a = match product.a {
        WgmmaA::Registers { first } => first..first + REGISTERS_OF_A,
        WgmmaA::Shared { .. } => 0..0,
    };
    let late = (0..product.registers).chain(a).filter_map(|at| operands.get(at));
    late.filter_map(|operand| match operand.kind {
        OperandKind::Register { register, .. } => Some(register.0),
        _ => None,
    })
    .collect()
}
