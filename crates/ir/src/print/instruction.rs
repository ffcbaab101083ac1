//! The text of instructions, their operands and the ends of blocks.

use std::fmt::{self, Display, Formatter, Write};

use ptxvm_isa::ISA;

use crate::block::Terminator;
use crate::id::RegisterId;
use crate::instruction::{
    Argument, Base, Call, Callee, Instruction, Operand, OperandKind, SELECTORS, SIMD_SELECTOR,
};
use crate::program::{Function, Program};

/// Where a block leads.
pub(super) struct Ending<'a>(pub Terminator, pub &'a Function);

impl Display for Ending<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(terminator, function) = *self;
        match terminator {
            Terminator::Next(_) => {}
            Terminator::Branch { target, .. } => write!(f, "block {}", target.0)?,
            Terminator::Index { list, .. } => {
                f.write_str("one of the blocks")?;
                for block in function.branch_lists.get(list as usize).into_iter().flatten() {
                    write!(f, " {}", block.0)?;
                }
            }
            Terminator::Call { .. } => f.write_str("the call, ")?,
            Terminator::Return { .. } => f.write_str("the caller")?,
            Terminator::Exit { .. } => f.write_str("the end")?,
            Terminator::Barrier { .. } => f.write_str("the barrier, ")?,
        }
        match (terminator, terminator.next()) {
            (_, None) => Ok(()),
            (
                Terminator::Next(next) | Terminator::Call { next, .. } | Terminator::Barrier { next, .. },
                _,
            ) => write!(f, "block {}", next.0),
            (_, Some(next)) => write!(f, ", or block {}", next.0),
        }
    }
}

/// ` + 4`, or nothing.
pub(super) struct Offset(pub i64);

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            n if n < 0 => write!(f, " - {}", n.unsigned_abs()),
            n => write!(f, " + {n}"),
        }
    }
}

impl Program {
    pub(super) fn instruction(
        &self,
        f: &mut Formatter<'_>,
        function: &Function,
        instruction: &Instruction,
    ) -> fmt::Result {
        f.write_str("  ")?;
        if let Some(guard) = instruction.guard {
            let sign = if guard.negated { "!" } else { "" };
            write!(f, "@{sign}{} ", register_name(function, guard.register))?;
        }
        match self.forms.get(instruction.form.0 as usize) {
            Some(form) => write!(f, "{form}")?,
            None => f.write_char('?')?,
        }
        let (start, end) = instruction.operands;
        let operands = &function.operands[start as usize..end as usize];
        let mut before: Option<&Operand> = None;
        for operand in operands {
            // Elements and parts of one place go together.
            let joint = match before {
                None => " ",
                Some(b) if b.place != operand.place => ", ",
                Some(b) if b.part != operand.part => " | ",
                Some(_) => " ",
            };
            f.write_str(joint)?;
            self.operand(f, function, operand)?;
            before = Some(operand);
        }
        Ok(())
    }

    fn operand(&self, f: &mut Formatter<'_>, function: &Function, operand: &Operand) -> fmt::Result {
        match operand.kind {
            OperandKind::Register { register, negated, selector } => {
                let sign = match (negated, function.registers.get(register.0 as usize)) {
                    (false, _) => "",
                    (true, Some(ptxvm_isa::Type::Pred)) => "!",
                    (true, _) => "-",
                };
                write!(f, "{sign}{}", register_name(function, register))?;
                match selector {
                    0 => {}
                    SIMD_SELECTOR.. => write!(f, ".<{:o}>", selector - SIMD_SELECTOR)?,
                    _ => write!(f, ".{}", SELECTORS.get(usize::from(selector) - 1).unwrap_or(&"?"))?,
                }
            }
            OperandKind::Immediate(bits) => {
                write!(f, "{bits:#x}")?;
                if let Some(ty) = operand.ty {
                    write!(f, ":{}", ty.name())?;
                }
            }
            OperandKind::Special { sreg, member } => {
                let sreg = ISA.sregs.get(usize::from(sreg));
                write!(f, "{}", sreg.map_or("?", |sreg| sreg.name))?;
                if sreg.is_some_and(|sreg| sreg.vector) {
                    write!(f, ".{}", ["x", "y", "z", "w"][usize::from(member & 3)])?;
                }
            }
            OperandKind::Address { base, offset } => {
                f.write_char('[')?;
                match base {
                    Base::Absolute => write!(f, "{offset:#x}")?,
                    Base::Register(register) => {
                        write!(f, "{}{}", register_name(function, register), Offset(offset))?;
                    }
                    Base::Variable(id) => write!(f, "{}{}", self.variable_name(id), Offset(offset))?,
                }
                f.write_char(']')?;
            }
            OperandKind::Variable { variable, offset } => {
                write!(f, "&{}{}", self.variable_name(variable), Offset(offset))?;
            }
            OperandKind::Function(id) => write!(f, "&{}", self.function_name(id.0))?,
            OperandKind::Call(call) => {
                if let Some(call) = function.calls.get(call as usize) {
                    self.call(f, function, call)?;
                }
            }
            OperandKind::Sink => f.write_char('_')?,
        }
        if operand.written { f.write_char('\'') } else { Ok(()) }
    }

    fn call(&self, f: &mut Formatter<'_>, function: &Function, call: &Call) -> fmt::Result {
        self.arguments(f, function, &call.returns)?;
        match call.callee {
            Callee::Direct(id) => write!(f, " = {}", self.function_name(id.0))?,
            Callee::Indirect(register) => write!(f, " = *{}", register_name(function, register))?,
        }
        self.arguments(f, function, &call.arguments)?;
        if let Some(prototype) = &call.prototype {
            write!(f, " sizes {:?} {:?}", prototype.returns, prototype.parameters)?;
        }
        Ok(())
    }

    fn arguments(&self, f: &mut Formatter<'_>, function: &Function, list: &[Argument]) -> fmt::Result {
        f.write_char('(')?;
        for (i, argument) in list.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match *argument {
                Argument::Register(register) => f.write_str(register_name(function, register))?,
                Argument::Immediate(bits) => write!(f, "{bits:#x}")?,
                Argument::Param(id) => write!(f, "{} {}", self.variable_name(id), id.0)?,
                Argument::Sink => f.write_char('_')?,
            }
        }
        f.write_char(')')
    }
}

/// The name of a register.
pub(super) fn register_name(function: &Function, register: RegisterId) -> &str {
    function.register_names.get(register.0 as usize).map_or("?", String::as_str)
}
