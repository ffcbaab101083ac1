//! From which object each address of a function is made.
//!
//! An address has a root if all that comes to its register is the address of one object, moved by numbers. Where two objects
//! meet (a choice, a difference of addresses), nothing is known, and nothing is told: a compiler may reach one array from
//! another's address.

use ptxvm_ir::operation::{Access, AddressSpace, Named, Operation, Touch};
use ptxvm_ir::{Base, Function, FunctionId, Instruction, OperandKind, Program};
use ptxvm_machine::code::Source;
use rustc_hash::FxHashMap;

use crate::bounds::made::{Made, Object};
use crate::bounds::registers::{Registers, in_order, is_object};

/// The object that an operand of an instruction must stay in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rooted {
    pub object: Object,
    /// The instruction that takes the object's address, if it is not the one that uses it.
    pub from: Option<Source>,
    /// What is touched through it.
    pub what: What,
}

/// What is touched through an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// What the instruction touches itself.
    Now,
    /// The data of an asynchronous operation.
    Later,
    /// One of the matrices of a product, of which it is not told which is touched.
    Matrix,
}

/// By instruction that touches memory: the objects that its addresses are made from.
pub type Roots = FxHashMap<Source, Vec<Rooted>>;

/// Those of all functions of a program.
pub fn roots(program: &Program) -> Roots {
    let mut all = Roots::default();
    for (number, function) in (0..).map(FunctionId).zip(&program.functions) {
        let registers = Registers::of(program, number, function);
        for (at, instruction) in (0..).zip(&function.instructions) {
            let source = Source { function: number, instruction: at };
            let found = rooted(program, function, instruction, &registers, source);
            if !found.is_empty() {
                all.insert(source, found);
            }
        }
    }
    all
}

fn rooted(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
    registers: &Registers,
    source: Source,
) -> Vec<Rooted> {
    let Some(operation) = program.operation(instruction) else { return Vec::new() };
    // An access by a parameter's name is a read through no register.
    if let Operation::Access(Access::LoadParameter(_)) = operation {
        return Vec::new();
    }
    let operands = in_order(function, instruction);
    let mut found = Vec::new();
    let touches = operation.touches();
    // What an operation touches later is told by its memory alone: of a copy within shared memory both sides are.
    let is_shared = |touch: &Touch| match touch.named {
        Named::Address(at) => touch.later && !matches!(at.space, AddressSpace::Global | AddressSpace::Const),
        _ => false,
    };
    let is_clear = touches.iter().filter(|touch| is_shared(touch)).count() <= 1;
    for touch in &touches {
        let (at, what) = match touch.named {
            Named::Address(address) if !touch.later => (address.operand, What::Now),
            Named::Address(address) if is_clear => (address.operand, What::Later),
            Named::Mbarrier(address) if !touch.later => (address.operand, What::Now),
            Named::Descriptor(at) => (at, What::Matrix),
            _ => continue,
        };
        let Some(operand) = operands.get(at) else { continue };
        let made = match operand.kind {
            OperandKind::Address { base: Base::Variable(variable), .. } if is_object(program, variable) => {
                found.push(Rooted { object: Object::Variable(variable), from: None, what });
                continue;
            }
            _ => registers.read(function, source.instruction, operand),
        };
        match (made, what) {
            (Made::Address(object, from), _) | (Made::Part(object, from), What::Matrix) => {
                let from = Some(Source { instruction: from, ..source });
                found.push(Rooted { object, from, what });
            }
            // What one descriptor says may be anywhere, so that nothing is known of the other either.
            (_, What::Matrix) => return Vec::new(),
            _ => {}
        }
    }
    found
}
