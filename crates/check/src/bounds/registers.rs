//! What the registers of a function are made from where its instructions read them.
//!
//! A register that holds one thing everywhere is looked at as a whole. Where that leaves something open, as in code that uses a
//! register again, each write of a register is a value of its own (`flow::Values`), and an instruction reads those that come to
//! it.

use ptxvm_ir::flow::{Dominators, Graph, Origin, Values, read_by};
use ptxvm_ir::operation::SpecialRegister;
use ptxvm_ir::operation::compute::{Bits, Comparing, Compute, IntegerFunction, LogicFunction, Movement};
use ptxvm_ir::operation::warp::WarpFunction;
use ptxvm_ir::operation::{Generic, Operation, Special};
use ptxvm_ir::{
    Argument, Base, Function, FunctionId, Home, Instruction, Operand, OperandKind, Program, Space, VariableId,
};
use ptxvm_machine::code::Source;

use crate::bounds::made::{Made, Object};

/// What is known of a function's registers.
pub enum Registers {
    /// By register.
    Whole(Vec<Made>),
    /// By value.
    Values(Box<Values>, Vec<Made>),
}

/// The operands of an instruction as its slots have them: destinations first.
pub fn in_order<'a>(function: &'a Function, instruction: &Instruction) -> Vec<&'a Operand> {
    let operands = function.operands_of(instruction);
    let written = operands.iter().filter(|operand| operand.written);
    written.chain(operands.iter().filter(|operand| !operand.written)).collect()
}

/// Whether a variable is an object that addresses are followed from.
pub fn is_object(program: &Program, variable: VariableId) -> bool {
    let described = &program.variables[variable.0 as usize];
    let is_memory = matches!(described.space, Space::Shared | Space::Local | Space::Global | Space::Const);
    is_memory && described.opaque.is_none()
}

impl Registers {
    /// Those of a function.
    pub fn of(program: &Program, id: FunctionId, function: &Function) -> Self {
        let whole = whole(program, (id, function));
        let is_open = |made: &Made| *made == Made::Mixed;
        if !whole.iter().any(is_open) {
            return Self::Whole(whole);
        }
        let graph = Graph::of(function);
        let dominators = Dominators::of(&graph);
        match Values::of(program, function, &graph, &dominators) {
            Some(values) => {
                let made = by_value(program, (id, function), &values);
                Self::Values(Box::new(values), made)
            }
            None => Self::Whole(whole),
        }
    }

    /// What the register of an operand is made from that this instruction reads.
    pub fn read(&self, function: &Function, at: u32, operand: &Operand) -> Made {
        match self {
            Self::Whole(made) => {
                let register = read_by(operand).map(|register| register.0 as usize);
                register.and_then(|register| made.get(register)).copied().unwrap_or(Made::Mixed)
            }
            Self::Values(values, made) => {
                let found = value_of(function, values, at, operand);
                found.and_then(|value| made.get(value)).copied().unwrap_or(Made::Mixed)
            }
        }
    }
}

/// The value that an operand of an instruction reads.
fn value_of(function: &Function, values: &Values, at: u32, operand: &Operand) -> Option<usize> {
    let register = read_by(operand)?;
    let instruction = function.instructions.get(at as usize)?;
    let place = function.reads(instruction).position(|read| read == register)?;
    values.reads(at).get(place).map(|value| value.0 as usize)
}

/// What a register holds that a function is called with.
fn given(function: &Function, register: u32) -> Made {
    let is_given = function.parameters.iter().any(|parameter| match parameter.home {
        Some(Home::Register(given)) => given.0 == register,
        _ => false,
    });
    if is_given { Made::Number } else { Made::Nothing }
}

/// By register, wherever it is read.
fn whole(program: &Program, (id, function): (FunctionId, &Function)) -> Vec<Made> {
    let mut made: Vec<Made> =
        (0..function.registers.len() as u32).map(|register| given(function, register)).collect();
    let returned = function.calls.iter().flat_map(|call| &call.returns);
    for register in returned.filter_map(|result| match result {
        Argument::Register(register) => Some(register.0 as usize),
        _ => None,
    }) {
        made[register] = Made::Mixed;
    }
    // What is known only grows, in a few steps for each register.
    loop {
        let mut changed = false;
        for (at, instruction) in (0u32..).zip(&function.instructions) {
            let of = |operand: &Operand| read_by(operand).map_or(Made::Mixed, |one| made[one.0 as usize]);
            let result = result(program, (id, at), instruction, function, &of);
            for written in function.operands_of(instruction).iter().filter(|operand| operand.written) {
                if let OperandKind::Register { register, .. } = written.kind {
                    let known = &mut made[register.0 as usize];
                    let new = known.or(result);
                    changed |= new != *known;
                    *known = new;
                }
            }
        }
        if !changed {
            return made;
        }
    }
}

/// By value.
fn by_value(program: &Program, (id, function): (FunctionId, &Function), values: &Values) -> Vec<Made> {
    let unset = |value: &ptxvm_ir::flow::Value| match value.origin {
        Origin::Unset => given(function, value.register),
        _ => Made::Nothing,
    };
    let mut made: Vec<Made> = values.values.iter().map(unset).collect();
    loop {
        let mut changed = false;
        let mut set = |made: &mut Vec<Made>, value: usize, new: Made| {
            let new = made[value].or(new);
            changed |= new != made[value];
            made[value] = new;
        };
        for (number, value) in values.values.iter().enumerate() {
            for source in values.sources(value.origin) {
                let new = made[source.0 as usize];
                set(&mut made, number, new);
            }
        }
        for (at, instruction) in (0u32..).zip(&function.instructions) {
            let of = |operand: &Operand| {
                value_of(function, values, at, operand).map_or(Made::Mixed, |value| made[value])
            };
            let result = result(program, (id, at), instruction, function, &of);
            let direct = function
                .operands_of(instruction)
                .iter()
                .filter(|operand| operand.written && matches!(operand.kind, OperandKind::Register { .. }));
            let direct = direct.count();
            // What is left of registers that are not written as a whole is read last.
            let (reads, writes) = (values.reads(at), values.writes(at));
            let left = function.writes(instruction).filter(|written| !written.whole).count();
            let mut left = reads[reads.len().saturating_sub(left)..].iter();
            let whole =
                function.writes(instruction).map(|written| written.whole).chain(std::iter::repeat(true));
            for ((place, value), whole) in writes.iter().enumerate().zip(whole) {
                // Results of a call may be anything.
                set(&mut made, value.0 as usize, if place < direct { result } else { Made::Mixed });
                if !whole && let Some(before) = left.next() {
                    let before = made[before.0 as usize];
                    set(&mut made, value.0 as usize, before);
                }
            }
        }
        if !changed {
            return made;
        }
    }
}

/// What the results of an instruction are made from.
fn result(
    program: &Program,
    (id, at): (FunctionId, u32),
    instruction: &Instruction,
    function: &Function,
    of: &dyn Fn(&Operand) -> Made,
) -> Made {
    let operation = program.operation(instruction);
    let operands = in_order(function, instruction);
    let value = |operand: &&Operand| match operand.kind {
        OperandKind::Register { .. } => of(operand),
        OperandKind::Variable { variable, .. } if is_object(program, variable) => {
            Made::Address(Object::Variable(variable), at)
        }
        OperandKind::Special { sreg, .. } => match SpecialRegister::of(sreg) {
            SpecialRegister::ReservedSmemBegin if is_begin(sreg) => Made::Address(Object::Reserved, at),
            _ => Made::Number,
        },
        OperandKind::Address { base: Base::Register(_), .. } => of(operand).used_up(),
        _ => Made::Number,
    };
    let sources: Vec<Made> = operands.iter().filter(|one| !one.written).map(value).collect();
    let all = || sources.iter().fold(Made::Number, |all, made| all.plus(made.used_up()));
    let source = |index: usize| sources.get(index).copied().unwrap_or(Made::Number);
    let parts = || sources.iter().fold(Made::Number, |all, made| all.plus(made.part()));
    match operation {
        Some(Operation::Generic(Generic::From(_) | Generic::To(_) | Generic::Mapa)) => source(0),
        Some(Operation::Warp(warp)) if matches!(warp.function, WarpFunction::Shfl { .. }) => source(0),
        Some(Operation::Special(Special::Alloca { .. })) => {
            Made::Address(Object::Block(Source { function: id, instruction: at }), at)
        }
        // What lies in memory may be an index or a pointer: nobody is told of what it is used for alone.
        Some(Operation::Access(_)) => Made::Number,
        Some(Operation::Compute(compute)) => match compute {
            Compute::Movement(Movement::Copy { .. }) => source(0),
            Compute::Movement(Movement::Pack { .. } | Movement::Unpack { .. }) => parts(),
            Compute::Bits(Bits::Bfe(_)) => {
                source(0).part().plus(source(1).used_up()).plus(source(2).used_up())
            }
            Compute::Bits(Bits::Bfi(_)) => {
                let both = source(0).part().plus(source(1).part());
                both.plus(source(2).used_up()).plus(source(3).used_up())
            }
            Compute::Integer(integer) => match integer.function {
                IntegerFunction::Add => source(0).plus(source(1)),
                IntegerFunction::Sub => match source(1) {
                    Made::Address(..) | Made::Part(..) => Made::Mixed,
                    number => source(0).plus(number),
                },
                IntegerFunction::Min | IntegerFunction::Max => either(source(0), source(1)),
                IntegerFunction::MadLo | IntegerFunction::MadWide => {
                    source(0).used_up().plus(source(1).used_up()).plus(source(2))
                }
                _ => all(),
            },
            Compute::Logic(logic) => match logic.function {
                LogicFunction::And | LogicFunction::Or | LogicFunction::Xor => source(0).plus(source(1)),
                LogicFunction::Shl | LogicFunction::Shr => source(0).part().plus(source(1).used_up()),
                _ => all(),
            },
            Compute::Convert(convert) if convert.from.is_integer() && convert.to.is_integer() => source(0),
            Compute::Comparing(Comparing::Selp(_)) => either(source(0), source(1)),
            _ => all(),
        },
        _ => all(),
    }
}

/// One of two values, of which both are known.
fn either(a: Made, b: Made) -> Made {
    match (a, b) {
        (Made::Nothing, _) | (_, Made::Nothing) => Made::Nothing,
        (a, b) => a.or(b),
    }
}

/// Whether a special register is `%reserved_smem_offset_begin` itself. What cooperative groups keep for a CTA lies at the
/// others.
fn is_begin(sreg: u16) -> bool {
    ptxvm_isa::ISA.sregs.get(usize::from(sreg)).is_some_and(|sreg| sreg.name == "%reserved_smem_offset_begin")
}
