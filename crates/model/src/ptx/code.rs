//! A thread's code under construction: what the readers of instructions share.

use ptxvm_ir::{Base, BlockId, Function as Entry, Operand as IrOperand, OperandKind, Program};
use ptxvm_isa::Type;
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use super::constant::Known;
use super::header::ThreadPlace;
use super::manner::mask;
use super::memory::Memory;
use super::operands;
use super::unsupported::unsupported;
use crate::herd::Builder;
use crate::test::{Action, Comparison, Operand};

pub type Lowered<T> = Result<T, Box<Diagnostic>>;

pub struct Code<'a> {
    pub program: &'a Program,
    pub entry: &'a Entry,
    pub place: ThreadPlace,
    pub known: Vec<Option<Known>>,
    pub memory: &'a mut Memory,
    pub builder: &'a mut Builder,
    pub thread: usize,
    /// Branches by their number, with the block that they lead to; to the end of the thread if there is none.
    pub branches: Vec<(usize, Option<BlockId>)>,
}

impl Code<'_> {
    pub fn position(&self) -> usize {
        self.builder.threads[self.thread].code.len()
    }

    pub fn push(&mut self, action: Action, span: Span) {
        self.builder.push(self.thread, action, span);
    }

    /// A branch that is taken if the comparison with zero holds.
    pub fn branch(&mut self, comparison: Comparison, left: Operand, target: Option<BlockId>, span: Span) {
        self.branches.push((self.position(), target));
        let right = Operand::Constant(0);
        self.push(Action::Branch { comparison, left, right, target: 0 }, span);
    }

    pub fn is_known(&self, operands: &[IrOperand]) -> bool {
        matches!(operands.first().map(|o| o.kind), Some(OperandKind::Register { register, .. })
            if self.known[register.0 as usize].is_some())
    }

    pub fn destination(&self, operand: &IrOperand, span: Span) -> Lowered<usize> {
        match operand.kind {
            OperandKind::Register { register, .. } => Ok(register.0 as usize),
            _ => Err(unsupported(span, "a litmus test cannot drop this result")),
        }
    }

    pub fn value(&self, operand: &IrOperand, span: Span) -> Lowered<Operand> {
        match operand.kind {
            OperandKind::Register { register, negated: false, .. } => {
                Ok(Operand::Register(register.0 as usize))
            }
            OperandKind::Immediate(bits) => {
                let width = operand.ty.map_or(64, Type::bits);
                Ok(Operand::Constant(bits as i64 & mask(width)))
            }
            OperandKind::Special { sreg, member } => operands::special(&self.place, sreg, member)
                .map(Operand::Constant)
                .ok_or_else(|| unsupported(span, "a litmus test does not know this special register")),
            _ => Err(unsupported(span, "a litmus test cannot use this operand")),
        }
    }

    /// The address that an operand names, `index` words of so many bytes further on.
    pub fn address(&mut self, operand: &IrOperand, index: i64, bytes: i64, span: Span) -> Lowered<usize> {
        let place = match operand.kind {
            OperandKind::Address { base: Base::Variable(variable), offset } => Some((variable, offset)),
            OperandKind::Address { base: Base::Register(register), offset } => {
                match self.known[register.0 as usize] {
                    Some(Known::Address(variable, start)) => Some((variable, start.wrapping_add(offset))),
                    _ => None,
                }
            }
            _ => None,
        };
        let Some((variable, offset)) = place else {
            return Err(unsupported(
                span,
                "this address does not follow from constants and the thread's place",
            ));
        };
        let at = (variable, offset.wrapping_add(index * bytes));
        self.memory.address(self.program, &self.place, at, bytes, span, self.builder)
    }
}
