//! From which variable each address register of a function is made.
//!
//! A register has a root if everything that is written to it is the address of one variable, moved by numbers. Where two
//! variables meet (a choice, a difference of addresses), nothing is known, and nothing is told: a compiler may
//! reach one array from another's address.

use ptxvm_ir::operation::compute::{Comparing, Compute, IntegerFunction, LogicFunction, Movement};
use ptxvm_ir::operation::warp::WarpFunction;
use ptxvm_ir::operation::{Access, AddressSpace, Generic, Named, Operation, Touch};
use ptxvm_ir::{
    Argument, Base, Function, FunctionId, Home, Instruction, Operand, OperandKind, Program, Space, VariableId,
};
use ptxvm_machine::code::Source;
use rustc_hash::FxHashMap;

/// What a value is made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Root {
    /// Nothing is written there.
    #[default]
    Nothing,
    /// Numbers.
    Number,
    /// The address of a variable, and the instruction that takes it.
    Variable(VariableId, u32),
    /// More than can be followed.
    Mixed,
}

impl Root {
    /// Either of two values.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, root) | (root, Self::Nothing) => root,
            (Self::Variable(a, first), Self::Variable(b, second)) if a == b => {
                Self::Variable(a, first.min(second))
            }
            (Self::Number, Self::Number) => Self::Number,
            _ => Self::Mixed,
        }
    }

    /// An address and a number, whichever is which.
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => Self::Nothing,
            (Self::Number, root) | (root, Self::Number) => root,
            _ => Self::Mixed,
        }
    }

    /// What is computed from a value so that an address is none any more.
    fn used_up(self) -> Self {
        if matches!(self, Self::Variable(..)) { Self::Mixed } else { self }
    }
}

/// The variable that an operand of an instruction must stay in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rooted {
    pub variable: VariableId,
    /// The instruction that takes the variable's address, if it is not the one that uses it.
    pub from: Option<Source>,
    /// Whether it is the data of an asynchronous operation, which is not touched by the instruction itself.
    pub later: bool,
}

/// By instruction that touches memory: the variables that its addresses are made from.
pub type Roots = FxHashMap<Source, Vec<Rooted>>;

/// Those of all functions of a program.
pub fn roots(program: &Program) -> Roots {
    let mut all = Roots::default();
    for (number, function) in (0..).zip(&program.functions) {
        let registers = registers(program, function);
        for (at, instruction) in (0..).zip(&function.instructions) {
            let source = Source { function: FunctionId(number), instruction: at };
            let found = rooted(program, function, instruction, &registers, source);
            if !found.is_empty() {
                all.insert(source, found);
            }
        }
    }
    all
}

/// The operands of an instruction as its slots have them: destinations first.
fn in_order<'a>(function: &'a Function, instruction: &Instruction) -> Vec<&'a Operand> {
    let operands = function.operands_of(instruction);
    let written = operands.iter().filter(|operand| operand.written);
    written.chain(operands.iter().filter(|operand| !operand.written)).collect()
}

/// Whether a variable is an object that addresses are followed from.
fn is_object(program: &Program, variable: VariableId) -> bool {
    let described = &program.variables[variable.0 as usize];
    let is_memory = matches!(described.space, Space::Shared | Space::Local | Space::Global | Space::Const);
    is_memory && described.opaque.is_none()
}

fn rooted(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
    registers: &[Root],
    source: Source,
) -> Vec<Rooted> {
    let Some(operation) = program.operation(instruction) else { return Vec::new() };
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
        let address = match touch.named {
            Named::Address(address) if !touch.later || is_clear => address,
            Named::Mbarrier(address) if !touch.later => address,
            _ => continue,
        };
        let later = touch.later;
        let Some(OperandKind::Address { base, .. }) = operands.get(address.operand).map(|o| o.kind) else {
            continue;
        };
        found.extend(match base {
            Base::Variable(variable) if is_object(program, variable) => {
                Some(Rooted { variable, from: None, later })
            }
            Base::Register(register) => match registers.get(register.0 as usize) {
                Some(Root::Variable(variable, from)) => {
                    let from = Source { instruction: *from, ..source };
                    Some(Rooted { variable: *variable, from: Some(from), later })
                }
                _ => None,
            },
            _ => None,
        });
    }
    // An access by a variable's name is a read or a write through no register; `ld` of a parameter is none of these.
    if let Operation::Access(Access::LoadParameter(_)) = operation {
        found.clear();
    }
    found
}

/// The root of every register of a function.
fn registers(program: &Program, function: &Function) -> Vec<Root> {
    let mut roots = vec![Root::Nothing; function.registers.len()];
    // What is passed and what calls give back is not written by an instruction's operand.
    let given = function.parameters.iter().filter_map(|parameter| match parameter.home {
        Some(Home::Register(register)) => Some((register, Root::Number)),
        _ => None,
    });
    let returned = function.calls.iter().flat_map(|call| &call.returns).filter_map(|given| match given {
        Argument::Register(register) => Some((*register, Root::Mixed)),
        _ => None,
    });
    for (register, root) in given.chain(returned) {
        if let Some(known) = roots.get_mut(register.0 as usize) {
            *known = known.or(root);
        }
    }
    // Roots only grow, in three steps at most for each register.
    loop {
        let mut changed = false;
        for (at, instruction) in (0..).zip(&function.instructions) {
            let operands = in_order(function, instruction);
            let of = |operand: &Operand| match operand.kind {
                OperandKind::Register { register, .. } => {
                    roots.get(register.0 as usize).copied().unwrap_or(Root::Mixed)
                }
                OperandKind::Variable { variable, .. } if is_object(program, variable) => {
                    Root::Variable(variable, at)
                }
                _ => Root::Number,
            };
            let sources: Vec<Root> = operands.iter().filter(|o| !o.written).map(|o| of(o)).collect();
            let result = result(program.operation(instruction), &sources);
            for operand in operands.iter().filter(|operand| operand.written) {
                if let OperandKind::Register { register, .. } = operand.kind
                    && let Some(known) = roots.get_mut(register.0 as usize)
                {
                    let new = known.or(result);
                    changed |= new != *known;
                    *known = new;
                }
            }
        }
        if !changed {
            break;
        }
    }
    roots
}

/// What a result is made from.
fn result(operation: Option<&Operation>, sources: &[Root]) -> Root {
    let all = || sources.iter().fold(Root::Number, |all, root| all.plus(root.used_up()));
    let source = |index: usize| sources.get(index).copied().unwrap_or(Root::Number);
    match operation {
        Some(Operation::Generic(Generic::From(_) | Generic::To(_))) => source(0),
        Some(Operation::Generic(Generic::Mapa)) => source(0),
        Some(Operation::Warp(warp)) if matches!(warp.function, WarpFunction::Shfl { .. }) => source(0),
        // What lies in memory may be an index or a pointer: nobody is told of what it is used for alone.
        Some(Operation::Access(_)) => Root::Number,
        Some(Operation::Compute(compute)) => match compute {
            Compute::Movement(Movement::Copy { .. }) => source(0),
            Compute::Integer(integer) => match integer.function {
                IntegerFunction::Add => source(0).plus(source(1)),
                IntegerFunction::Sub => match source(1) {
                    Root::Variable(..) => Root::Mixed,
                    number => source(0).plus(number),
                },
                IntegerFunction::MadLo | IntegerFunction::MadWide => {
                    source(0).used_up().plus(source(1).used_up()).plus(source(2))
                }
                _ => all(),
            },
            Compute::Logic(logic) => match logic.function {
                LogicFunction::And | LogicFunction::Or | LogicFunction::Xor => source(0).plus(source(1)),
                _ => all(),
            },
            Compute::Convert(convert) if convert.from.is_integer() && convert.to.is_integer() => source(0),
            Compute::Comparing(Comparing::Selp(_)) => match (source(0), source(1)) {
                (Root::Nothing, _) | (_, Root::Nothing) => Root::Nothing,
                (a, b) => a.or(b),
            },
            _ => all(),
        },
        _ => all(),
    }
}
