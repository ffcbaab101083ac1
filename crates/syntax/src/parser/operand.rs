//! Operands: registers, constants, addresses, vectors, and the pairs that some results are.
//!
//! The first operand of an instruction is the result and has forms of its own: `_` and `a|b`.

use super::{Failed, Parse, Parser, push, push_list};
use crate::ast::{ExpressionId, List, Operand, OperandId, OperandKind, Span, UnaryOp};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

impl Parser<'_> {
    /// The operands of an instruction other than `call`, onto the stack of operands.
    #[inline]
    pub(super) fn operands(&mut self) -> Parse<()> {
        let first = self.result()?;
        self.operands.push(first);
        while self.eat(TokenKind::Comma) {
            let operand = self.operand()?;
            self.operands.push(operand);
        }
        if self.at(TokenKind::Pipe) {
            let message = "only the first operand can be a pair";
            let diagnostic = Diagnostic::error(codes::MISPLACED_PAIR, self.token.span, message);
            return Err(self.fail(diagnostic));
        }
        Ok(())
    }

    /// The first operand: `_`, a pair such as `%r1|%p1`, or what any operand can be.
    #[inline]
    fn result(&mut self) -> Parse<Operand> {
        let span = self.token.span;
        if self.eat(TokenKind::Sink) {
            let sink = Operand { span, kind: OperandKind::Sink };
            return if self.at(TokenKind::Pipe) { self.pair(sink, false) } else { Ok(sink) };
        }
        let first = self.operand()?;
        match first.kind {
            OperandKind::Name(_) if self.at(TokenKind::Pipe) => self.pair(first, true),
            OperandKind::Vector(_) if self.at(TokenKind::Pipe) => self.pair(first, false),
            _ => Ok(first),
        }
    }

    /// `first | name`, or `first | _` after a register.
    fn pair(&mut self, first: Operand, sink: bool) -> Parse<Operand> {
        self.advance();
        let second = if sink && self.at(TokenKind::Sink) {
            Operand { span: self.advance().span, kind: OperandKind::Sink }
        } else {
            let name = self.name("a predicate")?;
            Operand { span: name.span, kind: OperandKind::Name(name.symbol) }
        };
        let span = first.span.to(second.span);
        let list = push_list(&mut self.file.operands, [first, second]);
        Ok(Operand { span, kind: OperandKind::Pair(list) })
    }

    /// Any operand but the special forms of the first one.
    #[inline]
    fn operand(&mut self) -> Parse<Operand> {
        let start = self.token.span;
        match self.token.kind {
            TokenKind::Name => self.named(),
            TokenKind::LeftBracket => {
                let address = self.address()?;
                self.unified(address)
            }
            TokenKind::LeftBrace => self.vector(),
            TokenKind::Bang => self.signed(UnaryOp::Not),
            TokenKind::Minus => self.signed(UnaryOp::Minus),
            TokenKind::Sink => {
                let message = "`_` can only stand for a result";
                let diagnostic = Diagnostic::error(codes::SINK, start, message)
                    .help("it must be the first operand, or part of a vector");
                Err(self.fail(diagnostic))
            }
            _ => self.constant("an operand"),
        }
    }

    /// A constant where `what` is expected.
    fn constant(&mut self, what: &str) -> Parse<Operand> {
        if !self.begins_expression() {
            return Err(self.unexpected(what));
        }
        let id = self.expression()?;
        Ok(self.constant_operand(id))
    }

    fn constant_operand(&self, id: ExpressionId) -> Operand {
        Operand { span: self.file[id].span, kind: OperandKind::Constant(id) }
    }

    /// An operand that begins with a name.
    #[inline]
    fn named(&mut self) -> Parse<Operand> {
        let span = self.advance().span;
        let name = self.intern(span);
        match self.token.kind {
            TokenKind::Dotted if !self.begins_new_statement() => Ok(self.member(span)),
            TokenKind::Plus => {
                self.advance();
                let offset = self.integer_expression()?;
                let span = span.to(self.file[offset].span);
                Ok(Operand { span, kind: OperandKind::Offset { name, offset } })
            }
            TokenKind::LeftBracket => {
                let open = self.advance().span;
                let index = self.base("an index")?;
                self.close_bracket(open)?;
                let index = OperandId(push(&mut self.file.operands, index));
                let span = span.to(self.previous.span);
                self.unified(Operand { span, kind: OperandKind::Index { name, index } })
            }
            TokenKind::Minus => Err(self.subtracted_offset()),
            _ => Ok(Operand { span, kind: OperandKind::Name(name) }),
        }
    }

    /// `name.selector`, the name being consumed and the selector at hand.
    fn member(&mut self, span: Span) -> Operand {
        let name = self.intern(span);
        let word = self.advance().span;
        let selector = self.intern(Span::new(word.start + 1, word.end));
        Operand { span: span.to(word), kind: OperandKind::Member { name, selector } }
    }

    /// `!p` and `-a` negate a register; before anything else the sign is part of a constant.
    fn signed(&mut self, op: UnaryOp) -> Parse<Operand> {
        let sign = self.advance().span;
        if !self.at(TokenKind::Name) {
            let id = self.expression_after_sign(op, sign.start)?;
            return Ok(self.constant_operand(id));
        }
        let span = self.advance().span;
        let inner = if self.at(TokenKind::Dotted) {
            self.member(span)
        } else {
            Operand { span, kind: OperandKind::Name(self.intern(span)) }
        };
        let span = sign.to(inner.span);
        let inner = OperandId(push(&mut self.file.operands, inner));
        let kind = if op == UnaryOp::Not { OperandKind::Not(inner) } else { OperandKind::Negate(inner) };
        Ok(Operand { span, kind })
    }

    pub(super) fn subtracted_offset(&mut self) -> Failed {
        let span = self.previous.span.to(self.token.span);
        let name = self.text(self.previous.span);
        let message = "an offset can be added, not subtracted";
        let diagnostic = Diagnostic::error(codes::SUBTRACTED_OFFSET, span, message)
            .help(format!("add a negative offset: `{name}+-4`"))
            .section("6.4.1");
        self.fail(diagnostic)
    }

    /// What an address or an index is made of: a name, a name plus an offset, or a constant.
    #[inline]
    fn base(&mut self, what: &str) -> Parse<Operand> {
        let span = self.token.span;
        match self.token.kind {
            TokenKind::Name => {
                self.advance();
                let name = self.intern(span);
                match self.token.kind {
                    TokenKind::Plus => {
                        self.advance();
                        let offset = self.integer_expression()?;
                        let span = span.to(self.file[offset].span);
                        Ok(Operand { span, kind: OperandKind::Offset { name, offset } })
                    }
                    TokenKind::Minus => Err(self.subtracted_offset()),
                    _ => Ok(Operand { span, kind: OperandKind::Name(name) }),
                }
            }
            _ if !self.begins_expression() => Err(self.unexpected(what)),
            _ => {
                let id = self.integer_expression()?;
                Ok(self.constant_operand(id))
            }
        }
    }

    /// `[base]`, `[name, {…}]`, or `[name, name]` and names and vectors after it.
    #[inline]
    fn address(&mut self) -> Parse<Operand> {
        let mark = self.operands.len();
        let open = self.advance().span;
        let base = self.base("an address")?;
        self.operands.push(base);
        if matches!(base.kind, OperandKind::Name(_)) && self.eat(TokenKind::Comma) {
            let second = self.address_part("a name or `{`")?;
            self.operands.push(second);
            // PTX 9.3 has a third name, 9.4 the sizes and strides of a tensor before its coordinates.
            let mut more = matches!(second.kind, OperandKind::Name(_)) && self.eat(TokenKind::Comma);
            while more {
                let part = self.address_part("a name or `{`")?;
                self.operands.push(part);
                more = self.eat(TokenKind::Comma);
            }
        }
        self.close_bracket(open)?;
        let list = self.take_operands(mark);
        Ok(Operand { span: open.to(self.previous.span), kind: OperandKind::Address(list) })
    }

    fn address_part(&mut self, what: &str) -> Parse<Operand> {
        if self.at(TokenKind::LeftBrace) {
            return self.vector();
        }
        let name = self.name(what)?;
        Ok(Operand { span: name.span, kind: OperandKind::Name(name.symbol) })
    }

    #[inline]
    fn close_bracket(&mut self, open: Span) -> Parse<()> {
        if self.eat(TokenKind::RightBracket) { Ok(()) } else { Err(self.unclosed(open, "`]`")) }
    }

    /// `.unified` after an address.
    #[inline]
    fn unified(&mut self, address: Operand) -> Parse<Operand> {
        if !self.at(TokenKind::Dotted) || self.token_text() != ".unified" {
            return Ok(address);
        }
        if let OperandKind::Address(list) = address.kind
            && list.len() > 1
        {
            return Err(self.unexpected("`,` or `;`"));
        }
        let span = address.span.to(self.advance().span);
        let inner = OperandId(push(&mut self.file.operands, address));
        Ok(Operand { span, kind: OperandKind::Unified(inner) })
    }

    /// `{a, b, …}`: registers, members, constants and sinks.
    #[inline]
    fn vector(&mut self) -> Parse<Operand> {
        let mark = self.operands.len();
        let open = self.advance().span;
        loop {
            let span = self.token.span;
            let element = match self.token.kind {
                TokenKind::Name => {
                    self.advance();
                    if self.at(TokenKind::Dotted) {
                        self.member(span)
                    } else {
                        Operand { span, kind: OperandKind::Name(self.intern(span)) }
                    }
                }
                TokenKind::Sink => Operand { span: self.advance().span, kind: OperandKind::Sink },
                _ => self.constant("an element of the vector")?,
            };
            self.operands.push(element);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.eat(TokenKind::RightBrace) {
            return Err(self.unclosed(open, "`,` or `}`"));
        }
        let list = self.take_operands(mark);
        Ok(Operand { span: open.to(self.previous.span), kind: OperandKind::Vector(list) })
    }

    /// Moves the operands above `mark` from the stack to the arena.
    #[inline]
    pub(super) fn take_operands(&mut self, mark: usize) -> List<Operand> {
        let list = List::new(self.file.operands.len() as u32, (self.operands.len() - mark) as u32);
        self.file.operands.extend_from_slice(&self.operands[mark..]);
        self.operands.truncate(mark);
        list
    }

    /// The operands of a `call`: `(returns), function, (arguments), prototype`, all but the function
    /// optional.
    pub(super) fn call_operands(&mut self) -> Parse<()> {
        if self.at(TokenKind::LeftParen) {
            let returns = self.group()?;
            self.operands.push(returns);
            self.expect(TokenKind::Comma, "`,`")?;
        }
        self.call_name("the function to call")?;
        if self.eat(TokenKind::Comma) {
            if self.at(TokenKind::LeftParen) {
                let arguments = self.group()?;
                self.operands.push(arguments);
                if !self.eat(TokenKind::Comma) {
                    return Ok(());
                }
            }
            self.call_name("a prototype or list of targets")?;
        }
        Ok(())
    }

    fn call_name(&mut self, what: &str) -> Parse<()> {
        let name = self.name(what)?;
        self.operands.push(Operand { span: name.span, kind: OperandKind::Name(name.symbol) });
        Ok(())
    }

    /// `(a, b)` of a `call`: names, constants and sinks, perhaps none.
    fn group(&mut self) -> Parse<Operand> {
        let mark = self.operands.len();
        let open = self.advance().span;
        if !self.at(TokenKind::RightParen) {
            loop {
                let span = self.token.span;
                let element = match self.token.kind {
                    TokenKind::Name => {
                        self.advance();
                        Operand { span, kind: OperandKind::Name(self.intern(span)) }
                    }
                    TokenKind::Sink => Operand { span: self.advance().span, kind: OperandKind::Sink },
                    _ => self.constant("an argument")?,
                };
                self.operands.push(element);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if !self.eat(TokenKind::RightParen) {
            return Err(self.unclosed(open, "`,` or `)`"));
        }
        let list = self.take_operands(mark);
        Ok(Operand { span: open.to(self.previous.span), kind: OperandKind::Group(list) })
    }
}
