//! Constant expressions (manual 4.5.4): precedence climbing with a stack of its own, so that depth
//! costs memory in proportion to the text and no call stack.

use super::{Failed, Parse, Parser};
use crate::ast::{BinaryOp, CastType, Expression, ExpressionId, ExpressionKind, Span, UnaryOp};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::number::{self, Integer};
use crate::token::TokenKind;

/// The operators and operands of the expression being read.
#[derive(Default)]
pub(super) struct Stack {
    pending: Vec<Pending>,
    operands: Vec<ExpressionId>,
}

/// An operator that waits for its right operand, with the start of its text.
#[derive(Clone, Copy)]
enum Pending {
    Parenthesis(u32),
    Unary(UnaryOp, u32),
    Cast(Option<CastType>, u32),
    Binary(BinaryOp),
    /// `c ?`, waiting for `:`.
    Question,
    /// `c ? a :`, waiting for the last operand.
    Colon,
}

/// How tightly a binary operator binds; more is tighter. All of them group to the left.
fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 10,
        BinaryOp::Add | BinaryOp::Subtract => 9,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 8,
        BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual => 7,
        BinaryOp::Equal | BinaryOp::NotEqual => 6,
        BinaryOp::And => 5,
        BinaryOp::Xor => 4,
        BinaryOp::Or => 3,
        BinaryOp::LogicalAnd => 2,
        BinaryOp::LogicalOr => 1,
    }
}

fn binary_op(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::Star => BinaryOp::Multiply,
        TokenKind::Slash => BinaryOp::Divide,
        TokenKind::Percent => BinaryOp::Remainder,
        TokenKind::Plus => BinaryOp::Add,
        TokenKind::Minus => BinaryOp::Subtract,
        TokenKind::ShiftLeft => BinaryOp::ShiftLeft,
        TokenKind::ShiftRight => BinaryOp::ShiftRight,
        TokenKind::Less => BinaryOp::Less,
        TokenKind::Greater => BinaryOp::Greater,
        TokenKind::LessEqual => BinaryOp::LessEqual,
        TokenKind::GreaterEqual => BinaryOp::GreaterEqual,
        TokenKind::EqualEqual => BinaryOp::Equal,
        TokenKind::BangEqual => BinaryOp::NotEqual,
        TokenKind::Ampersand => BinaryOp::And,
        TokenKind::Caret => BinaryOp::Xor,
        TokenKind::Pipe => BinaryOp::Or,
        TokenKind::AmpersandAmpersand => BinaryOp::LogicalAnd,
        TokenKind::PipePipe => BinaryOp::LogicalOr,
        _ => return None,
    })
}

fn unary_op(kind: TokenKind) -> Option<UnaryOp> {
    Some(match kind {
        TokenKind::Plus => UnaryOp::Plus,
        TokenKind::Minus => UnaryOp::Minus,
        TokenKind::Bang => UnaryOp::Not,
        TokenKind::Tilde => UnaryOp::Complement,
        _ => return None,
    })
}

impl Parser<'_> {
    /// A constant expression, or a lone `0f…`. Its operators are checked by evaluating it.
    pub(super) fn expression(&mut self) -> Parse<ExpressionId> {
        // Nearly every expression is one literal.
        if let Some(literal) = self.literal() {
            if binary_op(self.token.kind).is_none() && !self.at(TokenKind::Question) {
                return Ok(literal);
            }
            self.check_single(literal, true)?;
            return self.rest_of_expression(Some(literal), None);
        }
        self.rest_of_expression(None, None)
    }

    /// Whether the token at hand can begin a constant expression.
    #[inline]
    pub(super) fn begins_expression(&self) -> bool {
        matches!(
            self.token.kind,
            TokenKind::Integer
                | TokenKind::Float
                | TokenKind::Single
                | TokenKind::Double
                | TokenKind::WarpSize
                | TokenKind::LeftParen
        ) || unary_op(self.token.kind).is_some()
    }

    /// An integer literal that has been consumed.
    pub(super) fn push_integer(&mut self, span: Span) -> ExpressionId {
        let kind = self.integer_value(span);
        self.push_expression(Expression { span, kind })
    }

    /// An expression whose first integer literal has been consumed.
    pub(super) fn expression_after_integer(&mut self, span: Span) -> Parse<ExpressionId> {
        let literal = self.push_integer(span);
        self.rest_of_expression(Some(literal), None)
    }

    /// An expression whose first sign has been consumed: `-` or `!`, which may also negate a register.
    pub(super) fn expression_after_sign(&mut self, op: UnaryOp, start: u32) -> Parse<ExpressionId> {
        self.rest_of_expression(None, Some(Pending::Unary(op, start)))
    }

    /// An expression that must be an integer: an offset, an index, a mask's value.
    pub(super) fn integer_expression(&mut self) -> Parse<ExpressionId> {
        let id = self.expression()?;
        self.check_integer(id);
        Ok(id)
    }

    /// Reports an expression whose value is not an integer.
    pub(super) fn check_integer(&mut self, id: ExpressionId) {
        if let Ok(value) = self.evaluator.eval(&self.file, id)
            && !value.is_integer()
        {
            let span = self.file[id].span;
            let message = "this needs an integer constant, not a floating-point one";
            self.error(codes::INTEGER_EXPECTED, span, message);
        }
    }

    /// One integer literal or `WARP_SZ`, where the grammar takes no more.
    pub(super) fn integer_literal(&mut self, what: &str) -> Parse<ExpressionId> {
        if matches!(self.token.kind, TokenKind::Integer | TokenKind::WarpSize)
            && let Some(literal) = self.literal()
        {
            return Ok(literal);
        }
        Err(self.unexpected(what))
    }

    /// The literal at hand, consumed.
    #[inline]
    fn literal(&mut self) -> Option<ExpressionId> {
        let span = self.token.span;
        let kind = match self.token.kind {
            TokenKind::Integer => self.integer_value(span),
            TokenKind::Float => match number::decimal_float(self.text(span)) {
                Some(value) => ExpressionKind::Double { bits: value.to_bits() },
                None => {
                    let message = "this number does not fit in a double";
                    self.error(codes::FLOAT_RANGE, span, message);
                    ExpressionKind::Missing
                }
            },
            TokenKind::Single => {
                ExpressionKind::Single { bits: number::hexadecimal_float(self.text(span)) as u32 }
            }
            TokenKind::Double => ExpressionKind::Double { bits: number::hexadecimal_float(self.text(span)) },
            TokenKind::WarpSize => ExpressionKind::WarpSize,
            _ => return None,
        };
        self.advance();
        Some(self.push_expression(Expression { span, kind }))
    }

    fn integer_value(&mut self, span: Span) -> ExpressionKind {
        match number::integer(self.text(span)) {
            Integer::Value { value, unsigned } => ExpressionKind::Integer { value, unsigned },
            Integer::Wrapped { value } => {
                let message = "this number does not fit in 64 bits; only its low 64 bits are used";
                self.report(Diagnostic::warning(codes::WRAPPED_INTEGER, span, message));
                ExpressionKind::Integer { value, unsigned: value >> 63 != 0 }
            }
            Integer::Overflow => {
                let message = "this number does not fit in 64 bits";
                self.report(Diagnostic::error(codes::INTEGER_OVERFLOW, span, message).section("4.5.1"));
                ExpressionKind::Missing
            }
        }
    }

    /// `0f…` may stand alone or alone in parentheses; `followed` says that an operator comes next.
    fn check_single(&mut self, literal: ExpressionId, followed: bool) -> Parse<()> {
        let Expression { span, kind: ExpressionKind::Single { .. } } = self.file[literal] else {
            return Ok(());
        };
        let preceded = !matches!(self.expression_stack.pending.last(), None | Some(Pending::Parenthesis(_)));
        if !followed && !preceded {
            return Ok(());
        }
        let text = self.text(span);
        let message = format!("`{text}` cannot be part of an expression");
        let diagnostic = Diagnostic::error(codes::SINGLE_IN_EXPRESSION, span, message)
            .help(format!("put it in parentheses: `({text})`"))
            .section("4.5.2");
        Err(self.fail(diagnostic))
    }

    fn rest_of_expression(
        &mut self,
        first: Option<ExpressionId>,
        sign: Option<Pending>,
    ) -> Parse<ExpressionId> {
        self.expression_stack.pending.clear();
        self.expression_stack.operands.clear();
        self.expression_stack.pending.extend(sign);
        self.expression_stack.operands.extend(first);
        if first.is_none() {
            self.operand_of_expression()?;
        }
        while self.operator()? {
            self.operand_of_expression()?;
        }
        self.reduce(0);
        match self.expression_stack.pending.last() {
            None => {}
            Some(&Pending::Parenthesis(start)) => {
                return Err(self.unclosed(Span::new(start, start + 1), "an operator or `)`"));
            }
            Some(_) => return Err(self.unexpected("`:`")),
        }
        let Some(root) = self.expression_stack.operands.pop() else {
            return Err(self.unexpected("a constant"));
        };
        if let Err(error) = self.evaluator.eval(&self.file, root)
            && let Some(diagnostic) = error.diagnostic()
        {
            self.report(diagnostic);
        }
        Ok(root)
    }

    /// Signs, casts and parentheses up to and including a literal.
    fn operand_of_expression(&mut self) -> Parse<()> {
        loop {
            let start = self.token.span.start;
            if let Some(op) = unary_op(self.token.kind) {
                self.advance();
                self.expression_stack.pending.push(Pending::Unary(op, start));
            } else if self.eat(TokenKind::LeftParen) {
                if self.at(TokenKind::Dotted) {
                    let to = self.cast_type()?;
                    self.expression_stack.pending.push(Pending::Cast(to, start));
                } else {
                    self.expression_stack.pending.push(Pending::Parenthesis(start));
                }
            } else if let Some(literal) = self.literal() {
                let followed = binary_op(self.token.kind).is_some() || self.at(TokenKind::Question);
                self.check_single(literal, followed)?;
                self.expression_stack.operands.push(literal);
                return Ok(());
            } else {
                return Err(self.not_constant());
            }
        }
    }

    fn not_constant(&mut self) -> Failed {
        if !self.at(TokenKind::Name) {
            return self.unexpected("a constant");
        }
        let message = format!("the name `{}` cannot be part of a constant expression", self.token_text());
        let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, self.token.span, message).section("4.5.4");
        self.fail(diagnostic)
    }

    /// The rest of `(.s64)` after the parenthesis. Other types are reported and ignored.
    fn cast_type(&mut self) -> Parse<Option<CastType>> {
        let word = self.advance().span;
        self.expect(TokenKind::RightParen, "`)`")?;
        Ok(match self.text(word) {
            ".s64" => Some(CastType::S64),
            ".u64" => Some(CastType::U64),
            other => {
                let message = format!("a constant cannot be cast to `{other}`");
                self.report(
                    Diagnostic::error(codes::UNSUPPORTED_CAST, word, message)
                        .help("the casts are `(.s64)` and `(.u64)`")
                        .section("4.5.4"),
                );
                None
            }
        })
    }

    /// What may follow an operand. True if another operand must come.
    fn operator(&mut self) -> Parse<bool> {
        loop {
            if let Some(op) = binary_op(self.token.kind) {
                self.reduce(precedence(op));
                self.advance();
                self.expression_stack.pending.push(Pending::Binary(op));
                return Ok(true);
            }
            match self.token.kind {
                TokenKind::Question => {
                    self.reduce(1);
                    self.advance();
                    self.expression_stack.pending.push(Pending::Question);
                    return Ok(true);
                }
                TokenKind::Colon => {
                    self.reduce(0);
                    let Some(pending @ Pending::Question) = self.expression_stack.pending.last_mut() else {
                        return Ok(false);
                    };
                    *pending = Pending::Colon;
                    self.advance();
                    return Ok(true);
                }
                TokenKind::RightParen => {
                    self.reduce(0);
                    let Some(&Pending::Parenthesis(start)) = self.expression_stack.pending.last() else {
                        return Ok(false);
                    };
                    let end = self.advance().span.end;
                    self.expression_stack.pending.pop();
                    if let Some(inner) = self.expression_stack.operands.pop() {
                        let kind = ExpressionKind::Parenthesis(inner);
                        self.push_operand(Span::new(start, end), kind);
                    }
                }
                _ => return Ok(false),
            }
        }
    }

    fn push_operand(&mut self, span: Span, kind: ExpressionKind) {
        let id = self.push_expression(Expression { span, kind });
        self.expression_stack.operands.push(id);
    }

    /// Builds nodes for all pending operators that bind at least as tightly as `level`; level 0 takes
    /// conditionals, too. Stops at a parenthesis or an unfinished conditional.
    fn reduce(&mut self, level: u8) {
        while let Some(&pending) = self.expression_stack.pending.last() {
            let takes = match pending {
                Pending::Parenthesis(_) | Pending::Question => false,
                Pending::Unary(..) | Pending::Cast(..) => true,
                Pending::Binary(op) => precedence(op) >= level,
                Pending::Colon => level == 0,
            };
            if !takes {
                return;
            }
            self.expression_stack.pending.pop();
            self.build(pending);
        }
    }

    fn build(&mut self, pending: Pending) {
        let Some(last) = self.expression_stack.operands.pop() else { return };
        let end = self.file[last].span;
        match pending {
            Pending::Unary(op, start) => {
                let span = Span::new(start, end.end);
                self.push_operand(span, ExpressionKind::Unary { op, operand: last });
            }
            Pending::Cast(Some(to), start) => {
                let span = Span::new(start, end.end);
                self.push_operand(span, ExpressionKind::Cast { to, operand: last });
            }
            Pending::Cast(None, _) => self.expression_stack.operands.push(last),
            Pending::Binary(op) => {
                let Some(left) = self.expression_stack.operands.pop() else { return };
                let span = self.file[left].span.to(end);
                self.push_operand(span, ExpressionKind::Binary { op, left, right: last });
            }
            Pending::Colon => {
                let Some(then) = self.expression_stack.operands.pop() else { return };
                let Some(condition) = self.expression_stack.operands.pop() else { return };
                let span = self.file[condition].span.to(end);
                self.push_operand(span, ExpressionKind::Conditional { condition, then });
            }
            Pending::Parenthesis(_) | Pending::Question => {}
        }
    }
}
