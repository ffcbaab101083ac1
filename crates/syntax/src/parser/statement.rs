//! Statements: what a function's body is made of.
//!
//! Nested blocks are marks in one flat run of statements, so the loop here needs no recursion.

use super::{Failed, Parse, Parser, push, push_list};
use crate::ast::{
    Body, Guard, Instruction, InstructionId, List, Modifier, Name, Prototype, PrototypeId, Span, Statement,
    StatementId, StatementKind, Target, TargetList, TargetListId, TargetListKind,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `{ … }`, the brace being at hand. An unclosed body ends at the end of the file.
    pub(super) fn body(&mut self) -> Body {
        let open = self.advance().span;
        let first = self.file.statements.len() as u32;
        // The statements that open the blocks around the one being read.
        let mut blocks: Vec<u32> = Vec::new();
        loop {
            let start = self.token.span;
            match self.token.kind {
                TokenKind::RightBrace => {
                    self.advance();
                    let Some(block) = blocks.pop() else { break };
                    self.close(block, start);
                }
                TokenKind::LeftBrace => {
                    self.advance();
                    blocks.push(self.file.statements.len() as u32);
                    let kind = StatementKind::Open { close: StatementId(0) };
                    self.file.statements.push(Statement { span: start, kind });
                }
                TokenKind::EndOfFile => {
                    let mut diagnostic =
                        Diagnostic::error(codes::UNCLOSED, open, "this body has no closing brace")
                            .label("opened here");
                    for &block in blocks.iter().rev().take(8) {
                        let span = self.file.statements[block as usize].span;
                        diagnostic = diagnostic.also(span, "this block is not closed either");
                    }
                    // A comment that swallowed the brace has been reported.
                    let last = self.lexer.diagnostics.last().map(|last| last.code);
                    if last != Some(codes::UNTERMINATED_COMMENT) && !self.stopped() {
                        self.report(diagnostic);
                    }
                    while let Some(block) = blocks.pop() {
                        self.close(block, start);
                    }
                    break;
                }
                _ => {
                    if self.statement().is_err() {
                        self.operands.clear();
                        self.recover_statement(start);
                    }
                }
            }
        }
        let len = self.file.statements.len() as u32 - first;
        Body { span: open.to(self.previous.span), statements: List::new(first, len) }
    }

    /// The block opened by the statement at `open` ends at `span`.
    fn close(&mut self, open: u32, span: Span) {
        let close = StatementId(self.file.statements.len() as u32);
        self.file.statements[open as usize].kind = StatementKind::Open { close };
        self.file.statements.push(Statement { span, kind: StatementKind::Close });
    }

    /// Skips the statement that began at `start` and could not be read: past its `;`, or up to a brace
    /// that closes more than the statement opened, or to a line that begins another statement.
    fn recover_statement(&mut self, start: Span) {
        self.rewind(start);
        // The braces of an instruction are vectors and contain no `;`; those of a directive may.
        let directive = self.at(TokenKind::Dotted);
        let mut depth = 0_u32;
        let mut first = true;
        loop {
            match self.token.kind {
                TokenKind::EndOfFile => return,
                TokenKind::Semicolon if depth == 0 || !directive => {
                    self.advance();
                    return;
                }
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace if depth == 1 && directive => {
                    self.advance();
                    self.eat(TokenKind::Semicolon);
                    return;
                }
                TokenKind::RightBrace => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return,
                },
                TokenKind::Dotted | TokenKind::Name | TokenKind::At
                    if !first
                        && depth == 0
                        && self.begins_line()
                        && (directive || self.begins_statement()) =>
                {
                    return;
                }
                _ => {}
            }
            self.advance();
            first = false;
        }
    }

    /// Whether the dotted word at hand begins a line and cannot be a modifier or member: the `;` before
    /// it is missing.
    #[inline]
    pub(super) fn begins_new_statement(&self) -> bool {
        self.token.span.start != self.previous.span.end
            && self.begins_line()
            && matches!(self.token_text(), ".reg" | ".loc" | ".pragma")
    }

    /// Whether the token at hand is a directive that a new statement can begin with.
    fn begins_statement(&self) -> bool {
        matches!(
            self.token_text(),
            ".reg" | ".local" | ".shared" | ".global" | ".const" | ".param" | ".loc" | ".pragma"
        )
    }

    #[inline]
    fn statement(&mut self) -> Parse<()> {
        match self.token.kind {
            TokenKind::Name => {
                let span = self.advance().span;
                let name = Name { symbol: self.intern(span), span };
                if self.eat(TokenKind::Colon) {
                    return self.labelled(name);
                }
                self.instruction(None, name, span)
            }
            TokenKind::At => self.guarded(),
            TokenKind::Dotted => self.body_directive(),
            TokenKind::Semicolon => Err(self.lone_semicolon()),
            _ => Err(self.unexpected("an instruction, a label or a declaration")),
        }
    }

    /// After `name:`. A list of targets and a prototype belong to their label; other labels are
    /// statements.
    fn labelled(&mut self, name: Name) -> Parse<()> {
        let text = if self.at(TokenKind::Dotted) { self.token_text() } else { "" };
        match text {
            ".branchtargets" => self.target_list(name, TargetListKind::Branch),
            ".calltargets" => self.target_list(name, TargetListKind::Call),
            ".callprototype" => self.prototype(name),
            _ => {
                let span = name.span.to(self.previous.span);
                self.push_statement(span, StatementKind::Label(name.symbol));
                Ok(())
            }
        }
    }

    #[inline]
    pub(super) fn push_statement(&mut self, span: Span, kind: StatementKind) {
        self.file.statements.push(Statement { span, kind });
    }

    /// `@p instruction` or `@!p instruction`.
    fn guarded(&mut self) -> Parse<()> {
        let start = self.advance().span;
        let negated = self.eat(TokenKind::Bang);
        let guard = Guard { negated, name: self.name("a predicate register")? };
        let opcode = self.name("an instruction")?;
        if self.at(TokenKind::Colon) {
            let message = "a label cannot have a guard";
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, opcode.span.to(self.token.span), message)
                .help("the label comes first: `label: @%p instruction;`");
            return Err(self.fail(diagnostic));
        }
        self.instruction(Some(guard), opcode, start)
    }

    #[inline]
    fn instruction(&mut self, guard: Option<Guard>, opcode: Name, start: Span) -> Parse<()> {
        let first = self.file.modifiers.len() as u32;
        while self.at(TokenKind::Dotted) && !self.begins_new_statement() {
            let span = self.advance().span;
            let symbol = self.intern(Span::new(span.start + 1, span.end));
            self.file.modifiers.push(Modifier { symbol, span });
        }
        let modifiers = List::new(first, self.file.modifiers.len() as u32 - first);
        if opcode.symbol == self.call {
            self.call_operands()?;
        } else if !matches!(self.token.kind, TokenKind::Semicolon | TokenKind::RightBrace) {
            self.operands()?;
        }
        if !self.eat(TokenKind::Semicolon) {
            let complete = self.operands.is_empty() || opcode.symbol == self.call;
            let expected = if complete { "`;`" } else { "`,` or `;`" };
            self.no_semicolon(expected)?;
        }
        let operands = self.take_operands(0);
        let span = start.to(self.previous.span);
        let instruction = Instruction { span, guard, opcode, modifiers, operands };
        let id = InstructionId(push(&mut self.file.instructions, instruction));
        self.push_statement(span, StatementKind::Instruction(id));
        Ok(())
    }

    /// A directive inside a body.
    fn body_directive(&mut self) -> Parse<()> {
        let start = self.token.span;
        match self.token_text() {
            ".loc" => {
                let loc = self.loc()?;
                self.push_statement(start.to(self.previous.span), StatementKind::Loc(loc));
            }
            ".pragma" => {
                let pragma = self.pragma()?;
                self.push_statement(start.to(self.previous.span), StatementKind::Directive(pragma));
            }
            ".loc_intermediate" => {
                let location = self.intermediate_location()?;
                self.push_statement(start.to(self.previous.span), StatementKind::Directive(location));
            }
            ".func" | ".extern" | ".visible" | ".weak" => {
                let function = self.local_function()?;
                self.push_statement(start.to(self.previous.span), StatementKind::Function(function));
            }
            ".branchtargets" | ".calltargets" | ".callprototype" => {
                let word = self.token_text();
                let message = format!("`{word}` needs a label before it");
                let diagnostic = Diagnostic::error(codes::MISPLACED_DIRECTIVE, start, message)
                    .help(format!("give it a name: `L: {word} …;`"));
                return Err(self.fail(diagnostic));
            }
            word if super::module::is_module_directive(word) => {
                return Err(self.misplaced("belongs at module level, not inside a function"));
            }
            word if super::function::takes_arguments(word).is_some() => {
                return Err(self.misplaced("belongs before the body of a function, not in it"));
            }
            word if self.begins_declaration(word) => {
                let declaration = self.variable(None, false)?;
                let span = start.to(self.previous.span);
                self.push_statement(span, StatementKind::Variable(declaration));
            }
            _ => return Err(self.unknown_directive()),
        }
        Ok(())
    }

    pub(super) fn misplaced(&mut self, where_it_belongs: &str) -> Failed {
        let message = format!("`{}` {where_it_belongs}", self.token_text());
        let diagnostic = Diagnostic::error(codes::MISPLACED_DIRECTIVE, self.token.span, message);
        self.fail(diagnostic)
    }

    pub(super) fn unknown_directive(&mut self) -> Failed {
        let message = format!("there is no directive `{}`", super::shorten(self.token_text()));
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_DIRECTIVE, self.token.span, message).section("4.3.1");
        self.fail(diagnostic)
    }

    /// `.branchtargets a, b<4>;` or `.calltargets f;`, the word being at hand.
    fn target_list(&mut self, label: Name, kind: TargetListKind) -> Parse<()> {
        self.advance();
        let mut targets = Vec::new();
        loop {
            let name = self.name("a label or function")?;
            let count = self.count()?;
            targets.push(Target { name, count });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.semicolon()?;
        let span = label.span.to(self.previous.span);
        let targets = push_list(&mut self.file.targets, targets);
        let list = TargetList { span, kind, label, targets };
        let id = TargetListId(push(&mut self.file.target_lists, list));
        self.push_statement(span, StatementKind::Targets(id));
        Ok(())
    }

    /// `.callprototype (returns) _ (parameters) .noreturn;`, the word being at hand.
    fn prototype(&mut self, label: Name) -> Parse<()> {
        self.advance();
        let returns = self.optional_parameters()?;
        self.expect(TokenKind::Sink, "`_`")?;
        let parameters = self.optional_parameters()?;
        let directives = self.function_directives(None)?;
        self.semicolon()?;
        let span = label.span.to(self.previous.span);
        let prototype = Prototype { span, label, returns, parameters, directives };
        let id = PrototypeId(push(&mut self.file.prototypes, prototype));
        self.push_statement(span, StatementKind::Prototype(id));
        Ok(())
    }
}
