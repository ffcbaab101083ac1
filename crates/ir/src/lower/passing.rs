//! `.param` variables of calls that are never anything but one value become registers.
//!
//! Compilers pass every argument through such a variable: `st.param` before the call, `ld.param` after it and in the
//! function. One that is only stored, loaded and passed as a whole is a register in all but name, and its stores and
//! loads are moves. One whose address is taken, or that is accessed in parts, lies in the frame.

use ptxvm_isa::Type;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::id::{RegisterId, VariableId};
use crate::instruction::{Argument, Base, Operand, OperandKind};
use crate::lower::body::BodyLowering;
use crate::operation::access::Words;
use crate::operation::{Access, Operation, Order};
use crate::program::{Function, Home, Parameter};
use crate::variable::{Space, Variable};

/// The registers that variables have become.
type Registers = FxHashMap<VariableId, RegisterId>;

impl BodyLowering<'_, '_> {
    /// Puts those parameters into registers that may be there, the function's own and those of its calls.
    pub fn pass_in_registers(&mut self, function: &mut Function) {
        let registers = self.registers_of_parameters(function);
        if registers.is_empty() {
            return;
        }
        for parameter in function.parameters.iter_mut().chain(&mut function.returns) {
            if let Some(register) = variable_of(parameter).and_then(|variable| registers.get(&variable)) {
                parameter.home = Some(Home::Register(*register));
            }
        }
        for call in &mut self.calls {
            for argument in call.arguments.iter_mut().chain(&mut call.returns) {
                if let Argument::Param(variable) = *argument
                    && let Some(register) = registers.get(&variable)
                {
                    *argument = Argument::Register(*register);
                }
            }
        }
        for at in 0..self.instructions.len() {
            self.move_instead(at, &registers);
        }
        // Nobody needs a frame that has nothing in it.
        if let Some(frame) = self.lowering.frames.get_mut(self.id.0 as usize)
            && frame.variables == registers.len() as u32
        {
            (frame.bytes, frame.align) = (0, 1);
        }
    }

    /// A register for each parameter that may be in one.
    fn registers_of_parameters(&mut self, function: &Function) -> Registers {
        let mut kept = std::mem::take(&mut self.kept_in_frame);
        let mut named: Vec<VariableId> = Vec::new();
        named.extend(function.parameters.iter().chain(&function.returns).filter_map(variable_of));
        for call in &self.calls {
            named.extend(call.arguments.iter().chain(&call.returns).filter_map(|argument| match argument {
                Argument::Param(variable) => Some(*variable),
                _ => None,
            }));
        }
        if named.is_empty() {
            return Registers::default();
        }
        self.find_partly_accessed(&mut kept);
        // Variables of several calls may have one name.
        let mut names: FxHashSet<String> = self.registers.names.iter().cloned().collect();
        let mut registers = Registers::default();
        for variable in named.into_iter().filter(|variable| !kept.contains(variable)) {
            let Some(described) = self.lowering.program.variables.get(variable.0 as usize) else { continue };
            let Some(ty) = value_type(described).filter(|_| !registers.contains_key(&variable)) else {
                continue;
            };
            let mut name = described.name.clone();
            if !names.insert(name.clone()) {
                name = format!("{name}@{}", self.registers.names.len());
            }
            registers.insert(variable, self.registers.add(ty, name));
        }
        registers
    }

    /// The variables of which something else is used than their whole value.
    fn find_partly_accessed(&self, kept: &mut FxHashSet<VariableId>) {
        for instruction in &self.instructions {
            let (start, end) = instruction.operands;
            let operands = &self.operands[start as usize..end as usize];
            let operation = instruction.operation.and_then(|id| self.lowering.forms.operation(id));
            for operand in operands {
                match operand.kind {
                    OperandKind::Address { base: Base::Variable(variable), offset: 0 }
                        if self.is_whole(variable, operation, operands) => {}
                    OperandKind::Address { base: Base::Variable(variable), .. }
                    | OperandKind::Variable { variable, .. } => {
                        kept.insert(variable);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Whether an operation that accesses a variable accesses all of it, as one word, and the register that it is loaded into
    /// or stored from is as wide, as a move wants it. A narrow word has no register of its own.
    fn is_whole(&self, variable: VariableId, operation: Option<Operation>, operands: &[Operand]) -> bool {
        let Some(Operation::Access(Access::Load(words) | Access::Store(words))) = operation else {
            return false;
        };
        let Words { bits, count, order, .. } = words;
        let size = self.lowering.program.variables.get(variable.0 as usize).map_or(0, |v| v.size);
        let as_wide = |operand: &Operand| match operand.kind {
            OperandKind::Register { register, .. } => self.registers.ty(register).bits() == bits,
            _ => true,
        };
        count == 1
            && order == Order::Weak
            && u64::from(bits) == 8 * size
            && (bits < 32 || operands.iter().all(as_wide))
    }

    /// Makes a load or a store of a parameter that is in a register a move.
    fn move_instead(&mut self, at: usize, registers: &Registers) {
        let (start, end) = self.instructions[at].operands;
        let operands = &mut self.operands[start as usize..end as usize];
        let accessed = |kind: OperandKind| match kind {
            OperandKind::Address { base: Base::Variable(variable), .. } => registers.get(&variable).copied(),
            _ => None,
        };
        let Some((place, register)) =
            operands.iter().enumerate().find_map(|(place, operand)| Some((place, accessed(operand.kind)?)))
        else {
            return;
        };
        let operand = &mut operands[place];
        operand.kind = OperandKind::Register { register, negated: false, selector: 0 };
        operand.ty = Some(self.registers.ty(register));
        // The address stands first in a store.
        operand.written = place == 0;
        let meant = self.lowering.forms.meaning(
            self.instructions[at].form,
            operands,
            &self.lowering.program.variables,
            self.entry,
        );
        self.instructions[at].operation = meant.map(|(id, _)| id);
    }
}

/// The variable that a parameter lies in.
fn variable_of(parameter: &Parameter) -> Option<VariableId> {
    match parameter.home {
        Some(Home::Variable(variable)) => Some(variable),
        _ => None,
    }
}

/// The type of a register for all of a variable of a call; `None` if it is none, or no register has its size.
fn value_type(variable: &Variable) -> Option<Type> {
    if variable.space != Space::FuncParam || variable.opaque.is_some() {
        return None;
    }
    match variable.size {
        1 => Some(Type::B8),
        2 => Some(Type::B16),
        4 => Some(Type::B32),
        8 => Some(Type::B64),
        _ => None,
    }
}
