//! An instruction that is being read: what its readers share.

use ptxvm_syntax::ast::Span;

use super::builder::Builder;
use super::cursor::{Cursor, Parsed};
use super::operands::{self as operand, Opcode};
use crate::test::{Action, Operand};

/// An instruction that is being read.
pub struct Line<'t, 'b> {
    pub cursor: Cursor<'t>,
    pub opcode: Opcode,
    pub thread: usize,
    pub builder: &'b mut Builder,
    pub span: Span,
}

impl Line<'_, '_> {
    pub fn push(&mut self, action: Action) {
        self.builder.push(self.thread, action, self.span);
    }

    pub fn register(&mut self) -> Parsed<usize> {
        operand::register(&mut self.cursor, self.thread, self.builder)
    }

    pub fn value(&mut self) -> Parsed<Operand> {
        operand::value(&mut self.cursor, self.thread, self.builder)
    }

    pub fn address(&mut self) -> Parsed<usize> {
        let name = operand::location(&mut self.cursor)?;
        self.builder.used(&name)
    }
}
