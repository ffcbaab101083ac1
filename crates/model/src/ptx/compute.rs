//! Functions of registers: integers, logic, comparisons.

use ptxvm_ir::operation::compute::{Comparing, Compute, IntegerFunction, LogicFunction, Movement, Setp};
use ptxvm_ir::{Instruction, Operand as IrOperand};
use ptxvm_isa::Type;
use ptxvm_num::float::compare::Comparison as Relation;
use ptxvm_syntax::ast::Span;

use super::code::{Code, Lowered};
use super::constant::Known;
use super::manner::mask;
use super::unsupported::unsupported;
use crate::test::{Action, Comparison, Function, Operand};

impl Code<'_> {
    pub fn compute(
        &mut self,
        compute: &Compute,
        instruction: &Instruction,
        operands: &[IrOperand],
    ) -> Lowered<()> {
        let span = instruction.span;
        let to = self.destination(&operands[0], span)?;
        if let Some(known) = self.known[to] {
            if let Known::Number(number) = known {
                let right = Operand::Constant(number & mask(self.entry.registers[to].bits()));
                let left = Operand::Constant(0);
                self.push(Action::Compute { to, function: Function::Second, left, right }, span);
            }
            return Ok(());
        }
        let bits = self.entry.registers[to].bits();
        let function = match compute {
            Compute::Movement(Movement::Copy { .. }) | Compute::Convert(_) => {
                let right = self.value(&operands[1], span)?;
                let left = Operand::Constant(0);
                self.push(Action::Compute { to, function: Function::Second, left, right }, span);
                return self.cut(to, bits, span);
            }
            Compute::Integer(integer) => match integer.function {
                IntegerFunction::Add => Function::Add,
                IntegerFunction::Sub => Function::Sub,
                IntegerFunction::MulLo => Function::Mul,
                _ => return Err(unsupported(span, "a litmus test cannot compute this")),
            },
            Compute::Logic(logic) => match logic.function {
                LogicFunction::And => Function::And,
                LogicFunction::Or => Function::Or,
                LogicFunction::Xor => Function::Xor,
                LogicFunction::Shl => Function::Shl,
                _ => return Err(unsupported(span, "a litmus test cannot compute this")),
            },
            Compute::Comparing(Comparing::Setp(setp)) => return self.setp(setp, operands, span),
            _ => return Err(unsupported(span, "a litmus test cannot compute this")),
        };
        let (left, right) = (self.value(&operands[1], span)?, self.value(&operands[2], span)?);
        self.push(Action::Compute { to, function, left, right }, span);
        self.cut(to, bits, span)
    }

    /// Registers are kept as the unsigned numbers that their bits are.
    fn cut(&mut self, to: usize, bits: u32, span: Span) -> Lowered<()> {
        if bits > 1 && bits < 64 {
            let (left, right) = (Operand::Register(to), Operand::Constant(mask(bits)));
            self.push(Action::Compute { to, function: Function::And, left, right }, span);
        }
        Ok(())
    }

    fn setp(&mut self, setp: &Setp, operands: &[IrOperand], span: Span) -> Lowered<()> {
        let comparison = match setp.relation {
            Relation::Eq => Comparison::Equal,
            Relation::Ne => Comparison::NotEqual,
            Relation::Lt => Comparison::Less,
            Relation::Le => Comparison::LessOrEqual,
            Relation::Gt => Comparison::Greater,
            Relation::Ge => Comparison::GreaterOrEqual,
            _ => return Err(unsupported(span, "a litmus test compares integers only")),
        };
        let float = matches!(setp.ty, Type::F16 | Type::F32 | Type::F64 | Type::Bf16);
        if setp.junction.is_some() || setp.two || float {
            return Err(unsupported(span, "a litmus test compares two integers"));
        }
        let to = self.destination(&operands[0], span)?;
        let (mut left, mut right) = (self.value(&operands[1], span)?, self.value(&operands[2], span)?);
        let signed = matches!(setp.ty, Type::S16 | Type::S32);
        if signed {
            let bits = Operand::Constant(i64::from(setp.ty.bits()));
            for (number, side) in [&mut left, &mut right].into_iter().enumerate() {
                let wide = self.builder.register(self.thread, &format!("signed {number}"));
                let function = Function::SignExtend;
                self.builder.push(
                    self.thread,
                    Action::Compute { to: wide, function, left: *side, right: bits },
                    span,
                );
                *side = Operand::Register(wide);
            }
        }
        self.push(Action::Compute { to, function: Function::Compare(comparison), left, right }, span);
        Ok(())
    }
}
