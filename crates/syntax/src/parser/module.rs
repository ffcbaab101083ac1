//! Module level: the loop over items, and where to go on after an error.

use super::{Failed, Parse, Parser, push, push_list};
use crate::ast::{Item, ItemKind, Linkage, LinkageKind, Span};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

/// Directives that stand at module level only, so a body that meets one has lost its brace.
pub(super) fn is_module_directive(word: &str) -> bool {
    matches!(
        word,
        ".version" | ".target" | ".address_size" | ".entry" | ".file" | ".section" | ".alias" | ".common"
    )
}

/// Whether an item can begin with `word`.
pub(crate) fn begins_item(word: &str) -> bool {
    is_module_directive(word)
        || matches!(
            word,
            ".func"
                | ".extern"
                | ".visible"
                | ".weak"
                | ".global"
                | ".const"
                | ".shared"
                | ".tex"
                | ".pragma"
                | ".align"
        )
}

impl Parser<'_> {
    pub(super) fn module(&mut self) {
        while !self.at(TokenKind::EndOfFile) {
            let start = self.token.span;
            match self.item() {
                Ok(kind) => {
                    let span = start.to(self.previous.span);
                    self.file.items.push(Item { span, kind });
                }
                Err(_) => self.recover_item(start),
            }
        }
    }

    fn item(&mut self) -> Parse<ItemKind> {
        match self.token.kind {
            TokenKind::Version => {
                let span = self.advance().span;
                let number = self.text(span).rfind([' ', '\t']).map_or(0, |at| at as u32 + 1);
                Ok(ItemKind::Version { number: Span::new(span.start + number, span.end) })
            }
            TokenKind::Dotted => self.directive(),
            TokenKind::Dwarf => self.dwarf(),
            TokenKind::RightBrace => {
                let message = "this brace closes nothing";
                let diagnostic = Diagnostic::error(codes::UNMATCHED_BRACE, self.token.span, message);
                Err(self.fail(diagnostic))
            }
            TokenKind::Semicolon => Err(self.lone_semicolon()),
            _ => Err(self.unexpected("a directive or declaration")),
        }
    }

    /// A `;` with nothing before it that it could end.
    pub(super) fn lone_semicolon(&mut self) -> Failed {
        let span = self.token.span;
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED, span, "this `;` ends nothing");
        diagnostic = match self.previous.kind {
            TokenKind::Semicolon => diagnostic.help("one `;` is enough: there are no empty statements"),
            TokenKind::RightBrace => diagnostic.help("no `;` follows a `}`"),
            _ => diagnostic
                .help("no `;` ends `.version`, `.target`, `.address_size`, `.file`, `.loc` or a label"),
        };
        self.fail(diagnostic)
    }

    fn directive(&mut self) -> Parse<ItemKind> {
        match self.token_text() {
            ".version" => {
                let message = "`.version` needs a number such as `9.1` on the same line";
                let diagnostic =
                    Diagnostic::error(codes::MALFORMED_VERSION, self.token.span, message).section("11.1.1");
                Err(self.fail(diagnostic))
            }
            ".target" => {
                self.advance();
                let mut names = Vec::new();
                loop {
                    names.push(self.name("a target such as `sm_90`")?);
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                Ok(ItemKind::Target(push_list(&mut self.file.names, names)))
            }
            ".address_size" => {
                self.advance();
                Ok(ItemKind::AddressSize(self.integer_literal("`32` or `64`")?))
            }
            ".entry" | ".func" => Ok(ItemKind::Function(self.function(None)?)),
            ".extern" => self.linked(LinkageKind::Extern),
            ".visible" => self.linked(LinkageKind::Visible),
            ".weak" => self.linked(LinkageKind::Weak),
            ".common" => self.linked(LinkageKind::Common),
            ".pragma" => Ok(ItemKind::Directive(self.pragma()?)),
            ".file" => Ok(ItemKind::Directive(self.source_file()?)),
            ".section" => Ok(ItemKind::Section(self.debug_section()?)),
            ".alias" => {
                self.advance();
                let name = self.name("the alias")?;
                self.expect(TokenKind::Comma, "`,`")?;
                let aliasee = self.name("the function it stands for")?;
                self.semicolon()?;
                Ok(ItemKind::Alias { name, aliasee })
            }
            ".loc" => Err(self.misplaced("belongs inside a function")),
            word if super::function::takes_arguments(word).is_some() => {
                Err(self.misplaced("belongs between a function's parameters and its body"))
            }
            word if self.begins_declaration(word) => Ok(ItemKind::Variable(self.variable(None, true)?)),
            _ => Err(self.unknown_directive()),
        }
    }

    /// `.extern`, `.visible`, `.weak` or `.common` and what it applies to.
    fn linked(&mut self, kind: LinkageKind) -> Parse<ItemKind> {
        let linkage = Linkage { kind, span: self.advance().span };
        let word = if self.at(TokenKind::Dotted) { self.token_text() } else { "" };
        match word {
            ".entry" | ".func" if kind != LinkageKind::Common => {
                Ok(ItemKind::Function(self.function(Some(linkage))?))
            }
            ".entry" | ".func" => {
                let message = "`.common` is for variables in `.global`";
                let diagnostic = Diagnostic::error(codes::LINKAGE, linkage.span, message).section("11.6.4");
                Err(self.fail(diagnostic))
            }
            ".extern" | ".visible" | ".weak" | ".common" => {
                let message = "a declaration has one linking directive";
                let diagnostic = Diagnostic::error(codes::LINKAGE, self.token.span, message)
                    .also(linkage.span, "the first is here")
                    .section("11.6");
                Err(self.fail(diagnostic))
            }
            word if self.begins_declaration(word) => {
                Ok(ItemKind::Variable(self.variable(Some(linkage), true)?))
            }
            _ => Err(self.unexpected("a function or variable")),
        }
    }

    /// Skips the item that began at `start` and could not be read: past a `;` or closing brace of its
    /// own, or up to a directive that begins both a line and an item.
    fn recover_item(&mut self, start: Span) {
        self.rewind(start);
        let mut depth = 0_u32;
        let mut first = true;
        let mut function = false;
        loop {
            match self.token.kind {
                TokenKind::EndOfFile => return,
                TokenKind::Semicolon if depth == 0 => {
                    self.advance();
                    return;
                }
                // The signature was wrong; the body may have errors of its own.
                TokenKind::LeftBrace if function => {
                    self.body();
                    return;
                }
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.advance();
                        self.eat(TokenKind::Semicolon);
                        return;
                    }
                }
                TokenKind::Version if !first => return,
                TokenKind::Dotted if !first && self.begins_line() && begins_item(self.token_text()) => {
                    return;
                }
                TokenKind::Dotted => function |= matches!(self.token_text(), ".entry" | ".func"),
                _ => {}
            }
            self.advance();
            first = false;
        }
    }

    /// Whether only blanks and comments stand between the token before and the one at hand, and a line
    /// end among them.
    pub(super) fn begins_line(&self) -> bool {
        Span::new(self.previous.span.end, self.token.span.start).text(self.source).contains('\n')
    }

    /// Makes the token that begins at `start` the one at hand again.
    pub(super) fn rewind(&mut self, start: Span) {
        if self.stopped() {
            return;
        }
        self.lexer.rewind(start.start);
        self.token = self.lexer.next_token();
    }

    /// Whether there were too many errors to go on.
    pub(super) fn stopped(&self) -> bool {
        self.diagnostics.len() + self.lexer.diagnostics.len() > super::ERROR_LIMIT
    }

    /// Keeps the position of a pushed node as its id.
    pub(super) fn push_directive(&mut self, directive: crate::ast::Directive) -> crate::ast::DirectiveId {
        crate::ast::DirectiveId(push(&mut self.file.directives, directive))
    }
}
