//! Initialisers: numbers, addresses, bytes of addresses, named fields, and braces around them.
//!
//! The marks go straight into one flat run, so nesting needs neither recursion nor a stack.

use super::{Parse, Parser};
use crate::ast::{Initializer, InitializerKind, List, Span};
use crate::number::{self, Integer};
use crate::token::TokenKind;

impl Parser<'_> {
    /// What follows `=`.
    pub(super) fn initializer(&mut self) -> Parse<List<Initializer>> {
        let first = self.file.initializers.len();
        let mut open = Vec::new();
        loop {
            let span = self.token.span;
            if self.eat(TokenKind::LeftBrace) {
                self.mark(span, InitializerKind::Open);
                open.push(span);
                if !self.at(TokenKind::RightBrace) {
                    continue;
                }
            } else if self.at(TokenKind::Name) && !open.is_empty() {
                self.field_or_address()?;
            } else {
                self.initial_value()?;
            }
            while let Some(&brace) = open.last() {
                let span = self.token.span;
                if self.eat(TokenKind::RightBrace) {
                    self.mark(span, InitializerKind::Close);
                    open.pop();
                } else if self.eat(TokenKind::Comma) {
                    break;
                } else {
                    return Err(self.unclosed(brace, "`,` or `}`"));
                }
            }
            if open.is_empty() {
                let len = self.file.initializers.len() - first;
                return Ok(List::new(first as u32, len as u32));
            }
        }
    }

    #[inline]
    fn mark(&mut self, span: Span, kind: InitializerKind) {
        self.file.initializers.push(Initializer { span, kind });
    }

    /// Inside braces a name is an address or, before `=`, a field of an opaque type.
    fn field_or_address(&mut self) -> Parse<()> {
        let name = self.name("a name")?;
        if !self.eat(TokenKind::Equal) {
            return self.address_value(name.symbol, name.span);
        }
        self.mark(name.span, InitializerKind::Field(name.symbol));
        if self.at(TokenKind::Name) {
            let value = self.name("a value")?;
            self.mark(value.span, InitializerKind::Name(value.symbol));
            return Ok(());
        }
        self.constant_value()
    }

    /// A value: an address, a constant, or `mask(value)`.
    #[inline]
    fn initial_value(&mut self) -> Parse<()> {
        if self.at(TokenKind::Name) {
            let name = self.name("a name")?;
            return self.address_value(name.symbol, name.span);
        }
        if !self.at(TokenKind::Integer) {
            return self.constant_value();
        }
        let span = self.advance().span;
        match self.token.kind {
            TokenKind::Comma | TokenKind::RightBrace | TokenKind::Semicolon => {
                let kind = self.small_integer(span);
                self.mark(span, kind);
                Ok(())
            }
            TokenKind::LeftParen => {
                let mask = self.push_integer(span);
                self.mark(span, InitializerKind::Mask(mask));
                self.masked_value()
            }
            _ => {
                let id = self.expression_after_integer(span)?;
                self.mark(self.file[id].span, InitializerKind::Expression(id));
                Ok(())
            }
        }
    }

    /// A literal by itself: kept in the mark if it is a plain one, for tables are full of them.
    #[inline]
    pub(super) fn small_literal(&self, span: Span) -> Option<u32> {
        let text = self.text(span);
        let plain = !text.starts_with('0') || text.len() == 1;
        match number::integer(text) {
            Integer::Value { value, unsigned: false } if plain => u32::try_from(value).ok(),
            _ => None,
        }
    }

    #[inline]
    fn small_integer(&mut self, span: Span) -> InitializerKind {
        match self.small_literal(span) {
            Some(value) => InitializerKind::Integer(value),
            None => InitializerKind::Expression(self.push_integer(span)),
        }
    }

    fn constant_value(&mut self) -> Parse<()> {
        if !self.begins_expression() {
            return Err(self.unexpected("a value"));
        }
        let id = self.expression()?;
        self.mark(self.file[id].span, InitializerKind::Expression(id));
        Ok(())
    }

    /// `(value)` after a mask.
    fn masked_value(&mut self) -> Parse<()> {
        let open = self.advance().span;
        if self.at(TokenKind::Name) {
            let name = self.name("a name")?;
            self.address_value(name.symbol, name.span)?;
        } else {
            let id = self.integer_expression()?;
            self.mark(self.file[id].span, InitializerKind::Expression(id));
        }
        if self.eat(TokenKind::RightParen) { Ok(()) } else { Err(self.unclosed(open, "`)`")) }
    }

    /// `name`, `name + 8`, `generic(name)` or `generic(name) + 8`; the first name is consumed.
    fn address_value(&mut self, symbol: crate::ast::Symbol, span: Span) -> Parse<()> {
        if self.at(TokenKind::LeftParen) && self.text(span) == "generic" {
            self.advance();
            let name = self.name("a variable")?;
            let end = self.expect(TokenKind::RightParen, "`)`")?.span;
            self.mark(span.to(end), InitializerKind::Generic(name.symbol));
        } else {
            self.mark(span, InitializerKind::Name(symbol));
        }
        if self.at(TokenKind::Minus) {
            return Err(self.subtracted_offset());
        }
        if self.eat(TokenKind::Plus) {
            let id = self.integer_expression()?;
            self.mark(self.file[id].span, InitializerKind::Offset(id));
        }
        Ok(())
    }
}
