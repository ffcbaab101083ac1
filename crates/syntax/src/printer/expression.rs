//! Constant expressions and operands as text. Expressions are printed from a stack of steps, for they
//! may be as deep as the file is long.

use super::Printer;
use crate::ast::{BinaryOp, CastType, ExpressionId, ExpressionKind, List, Operand, OperandKind, UnaryOp};

/// What is left to print.
#[derive(Clone, Copy)]
pub(super) enum PrintStep {
    Expression(ExpressionId),
    Text(&'static str),
}

fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::Not => "!",
        UnaryOp::Complement => "~",
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        // Without the blanks it would begin a name such as `%2`.
        BinaryOp::Remainder => " % ",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::And => "&",
        BinaryOp::Xor => "^",
        BinaryOp::Or => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    }
}

impl Printer<'_> {
    pub(super) fn expression(&mut self, root: ExpressionId) {
        self.steps.push(PrintStep::Expression(root));
        while let Some(step) = self.steps.pop() {
            match step {
                PrintStep::Text(text) => self.put(text),
                PrintStep::Expression(id) => self.expression_node(id),
            }
        }
    }

    /// Prints the head of a node and leaves the rest as steps, last first.
    fn expression_node(&mut self, id: ExpressionId) {
        let node = self.file[id];
        match node.kind {
            ExpressionKind::Integer { .. }
            | ExpressionKind::Single { .. }
            | ExpressionKind::Double { .. }
            | ExpressionKind::WarpSize
            | ExpressionKind::Missing => self.verbatim(node.span),
            ExpressionKind::Unary { op, operand } => {
                self.put(unary_text(op));
                self.steps.push(PrintStep::Expression(operand));
            }
            ExpressionKind::Cast { to, operand } => {
                self.put(if to == CastType::S64 { "(.s64)" } else { "(.u64)" });
                self.steps.push(PrintStep::Expression(operand));
            }
            ExpressionKind::Binary { op, left, right } => {
                self.steps.push(PrintStep::Expression(right));
                self.steps.push(PrintStep::Text(binary_text(op)));
                self.steps.push(PrintStep::Expression(left));
            }
            ExpressionKind::Conditional { condition, then } => {
                self.steps.push(PrintStep::Expression(self.file.otherwise(id)));
                self.steps.push(PrintStep::Text(":"));
                self.steps.push(PrintStep::Expression(then));
                self.steps.push(PrintStep::Text("?"));
                self.steps.push(PrintStep::Expression(condition));
            }
            ExpressionKind::Parenthesis(inner) => {
                self.put("(");
                self.steps.push(PrintStep::Text(")"));
                self.steps.push(PrintStep::Expression(inner));
            }
        }
    }

    pub(super) fn operands(&mut self, list: List<Operand>) {
        let file = self.file;
        self.separated(&file[list], |printer, operand| printer.operand(&operand));
    }

    /// Operands nest three deep at most: the grammar says so.
    fn operand(&mut self, operand: &Operand) {
        let file = self.file;
        match operand.kind {
            OperandKind::Name(name) => self.word(name),
            OperandKind::Member { name, selector } => {
                self.word(name);
                self.dotted(selector);
            }
            OperandKind::Sink => self.put("_"),
            OperandKind::Constant(id) => self.expression(id),
            OperandKind::Not(id) => {
                self.put("!");
                self.operand(&file[id]);
            }
            OperandKind::Negate(id) => {
                self.put("-");
                self.operand(&file[id]);
            }
            OperandKind::Pair(list) => {
                for (i, operand) in file[list].iter().enumerate() {
                    self.put(if i > 0 { "|" } else { "" });
                    self.operand(operand);
                }
            }
            OperandKind::Vector(list) => self.enclosed("{", list, "}"),
            OperandKind::Address(list) => self.enclosed("[", list, "]"),
            OperandKind::Group(list) => self.enclosed("(", list, ")"),
            OperandKind::Unified(id) => {
                self.operand(&file[id]);
                self.put(".unified");
            }
            OperandKind::Offset { name, offset } => {
                self.word(name);
                self.put("+");
                self.expression(offset);
            }
            OperandKind::Index { name, index } => {
                self.word(name);
                self.put("[");
                self.operand(&file[index]);
                self.put("]");
            }
        }
    }

    fn enclosed(&mut self, open: &str, list: List<Operand>, close: &str) {
        self.put(open);
        self.operands(list);
        self.put(close);
    }
}
