//! Debugging directives (manual 11.5): `.loc`, `.section` and the old `@@DWARF`.

use super::{Parse, Parser, push};
use crate::ast::{
    DebugItem, DebugItemKind, FunctionName, ItemKind, List, Loc, LocId, Name, Position, Section, SectionId,
    Span, UnaryOp,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `.loc 1 2 3, function_name L + 4, inlined_at 1 2 3`, the word being at hand. No `;` ends it.
    pub(super) fn loc(&mut self) -> Parse<LocId> {
        let start = self.advance().span;
        let position = self.position()?;
        let mut function_name = None;
        let mut inlined_at = None;
        if self.eat(TokenKind::Comma) {
            self.expect(TokenKind::FunctionName, "`function_name`")?;
            let label = self.debug_name("a label of `.debug_str`")?;
            let offset =
                if self.eat(TokenKind::Plus) { Some(self.integer_literal("an integer")?) } else { None };
            function_name = Some(FunctionName { label, offset });
            self.expect(TokenKind::Comma, "`,`")?;
            self.expect(TokenKind::InlinedAt, "`inlined_at`")?;
            inlined_at = Some(self.position()?);
        }
        let span = start.to(self.previous.span);
        Ok(LocId(push(&mut self.file.locs, Loc { span, position, function_name, inlined_at })))
    }

    fn position(&mut self) -> Parse<Position> {
        Ok(Position {
            file: self.integer_literal("the number of a `.file`")?,
            line: self.integer_literal("a line")?,
            column: self.integer_literal("a column")?,
        })
    }

    /// A label, or a section's name with its dot.
    fn debug_name(&mut self, what: &str) -> Parse<Name> {
        if self.at(TokenKind::Dotted) && !self.is_keyword(self.token_text()) {
            let span = self.advance().span;
            return Ok(Name { symbol: self.intern(span), span });
        }
        self.name(what)
    }

    /// `.section .debug_info { … }`, the word being at hand. An error inside skips to the next line of
    /// data.
    pub(super) fn debug_section(&mut self) -> Parse<SectionId> {
        let start = self.advance().span;
        if !self.at(TokenKind::Dotted) {
            return Err(self.unexpected("the section's name, with its dot"));
        }
        let name = self.debug_name("a section")?;
        let open = self.expect(TokenKind::LeftBrace, "`{`")?.span;
        let first = self.file.debug_items.len();
        while !self.eat(TokenKind::RightBrace) {
            if self.at(TokenKind::EndOfFile) {
                let message = "this section has no closing brace";
                let diagnostic = Diagnostic::error(codes::UNCLOSED, open, message).label("opened here");
                return Err(self.fail(diagnostic));
            }
            let start = self.token.span.start;
            if self.debug_line().is_err() {
                if self.token.span.start == start {
                    self.advance();
                }
                while !matches!(
                    self.token.kind,
                    TokenKind::Dotted | TokenKind::RightBrace | TokenKind::EndOfFile
                ) {
                    self.advance();
                }
            }
        }
        let items = List::new(first as u32, (self.file.debug_items.len() - first) as u32);
        let span = start.to(self.previous.span);
        Ok(SectionId(push(&mut self.file.sections, Section { span, name, items })))
    }

    /// `label:`, or a line of data.
    fn debug_line(&mut self) -> Parse<()> {
        let span = self.token.span;
        if self.at(TokenKind::Name) {
            let name = self.name("a label")?;
            let colon = self.expect(TokenKind::Colon, "`:`")?.span;
            self.debug_mark(span.to(colon), DebugItemKind::Label(name.symbol));
            return Ok(());
        }
        if !self.at(TokenKind::Dotted) {
            return Err(self.unexpected("a label or data such as `.b8 0`"));
        }
        if !matches!(self.token_text(), ".b8" | ".b16" | ".b32" | ".b64") {
            let message = format!("`{}` is not a type for debug data", self.token_text());
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, span, message)
                .help("the types are `.b8`, `.b16`, `.b32` and `.b64`")
                .section("11.5.3");
            return Err(self.fail(diagnostic));
        }
        let word = self.dotted();
        self.debug_mark(word.span, DebugItemKind::Data(word.symbol));
        self.debug_values()
    }

    /// One address, or integers with commas between them.
    fn debug_values(&mut self) -> Parse<()> {
        if matches!(self.token.kind, TokenKind::Name | TokenKind::Dotted) {
            return self.debug_address();
        }
        loop {
            self.debug_integer()?;
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    fn debug_integer(&mut self) -> Parse<()> {
        let span = self.token.span;
        if self.eat(TokenKind::Minus) {
            if !self.at(TokenKind::Integer) {
                return Err(self.unexpected("an integer"));
            }
            let literal = self.integer_literal("an integer")?;
            let id = self.negated(literal, span);
            self.debug_mark(self.file[id].span, DebugItemKind::Expression(id));
            return Ok(());
        }
        if !self.at(TokenKind::Integer) {
            return Err(self.unexpected("an integer or a label"));
        }
        self.advance();
        let kind = match self.small_literal(span) {
            Some(value) => DebugItemKind::Integer(value),
            None => DebugItemKind::Expression(self.push_integer(span)),
        };
        self.debug_mark(span, kind);
        Ok(())
    }

    fn negated(&mut self, operand: crate::ast::ExpressionId, sign: Span) -> crate::ast::ExpressionId {
        let span = sign.to(self.file[operand].span);
        let kind = crate::ast::ExpressionKind::Unary { op: UnaryOp::Minus, operand };
        self.push_expression(crate::ast::Expression { span, kind })
    }

    /// `label`, `label+4` or `label-label`.
    fn debug_address(&mut self) -> Parse<()> {
        let name = self.debug_name("a label")?;
        self.debug_mark(name.span, DebugItemKind::Name(name.symbol));
        if self.eat(TokenKind::Plus) {
            let id = self.integer_literal("an integer")?;
            self.debug_mark(self.file[id].span, DebugItemKind::Offset(id));
        } else if self.eat(TokenKind::Minus) {
            let other = self.name("a label")?;
            self.debug_mark(other.span, DebugItemKind::Minus(other.symbol));
        }
        Ok(())
    }

    fn debug_mark(&mut self, span: Span, kind: DebugItemKind) {
        self.file.debug_items.push(DebugItem { span, kind });
    }

    /// `@@DWARF .section .debug_info, "", @progbits` or `@@DWARF .byte 1, 2`, the first token being at
    /// hand.
    pub(super) fn dwarf(&mut self) -> Parse<ItemKind> {
        let first = self.file.debug_items.len();
        self.advance();
        if !self.at(TokenKind::Dotted) {
            return Err(self.unexpected("`.section`, `.byte`, `.4byte` or `.quad`"));
        }
        let word = self.token_text();
        match word {
            ".section" => {
                let word = self.dotted();
                self.debug_mark(word.span, DebugItemKind::Data(word.symbol));
                let name = self.debug_name("a section")?;
                self.debug_mark(name.span, DebugItemKind::Name(name.symbol));
                self.expect(TokenKind::Comma, "`,`")?;
                self.expect(TokenKind::Text, "a string")?;
                self.expect(TokenKind::Comma, "`,`")?;
                self.expect(TokenKind::At, "`@progbits`")?;
                if self.token_text() != "progbits" {
                    return Err(self.unexpected("`progbits`"));
                }
                self.advance();
            }
            ".byte" | ".4byte" | ".quad" => {
                let word = self.dotted();
                self.debug_mark(word.span, DebugItemKind::Data(word.symbol));
                self.debug_values()?;
            }
            _ => return Err(self.unknown_directive()),
        }
        let len = self.file.debug_items.len() - first;
        Ok(ItemKind::Dwarf(List::new(first as u32, len as u32)))
    }
}
