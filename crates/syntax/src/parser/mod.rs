//! The parser: recursive descent over the lexer's tokens, one token ahead, into the flat tree.
//!
//! The grammar is the one ptxas 13.1 accepts, found by asking it. No rule recurses over what a file
//! can nest: blocks, initialisers and expressions have stacks of their own. A rule that cannot go on
//! reports one diagnostic and returns [`Failed`]; the loop over items or statements then looks for
//! the next one, so one run reports all errors.

mod debug;
mod declaration;
mod expression;
mod function;
mod initializer;
mod module;
mod operand;
mod statement;

pub(crate) use function::is_header_directive;
pub(crate) use module::begins_item;

use crate::ast::{Expression, ExpressionId, File, List, Name, Operand, Span, Symbol};
use crate::codes;
use crate::diagnostic::{Code, Diagnostic, Label, Severity};
use crate::eval::Evaluator;
use crate::intern::Interner;
use crate::lexer::Lexer;
use crate::source::without_terminator;
use crate::token::{Token, TokenKind};

/// After so many errors the parser stops and says so: nobody reads on, and memory stays bounded.
pub const ERROR_LIMIT: usize = 10_000;

/// What [`parse`] gives: a tree, however broken the text, and what was wrong with the text.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    pub file: File,
    /// In source order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the text is PTX as far as syntax goes.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
    }
}

/// Parses a file. `words` is an interner seeded with the words of the ISA table; the tree's interner
/// is a copy of it that has grown, so seeds keep their numbers.
#[must_use]
pub fn parse(source: &str, words: &Interner) -> Parsed {
    if u32::try_from(source.len()).is_err() {
        let message = "the source is larger than 4 GiB, the most that is supported";
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, Span::new(0, 0), message);
        return Parsed { file: File::default(), diagnostics: vec![diagnostic] };
    }
    let mut parser = Parser::new(without_terminator(source), words.clone());
    parser.nul();
    parser.module();
    parser.finish()
}

/// A rule could not go on; the reason has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

pub(crate) struct Parser<'s> {
    source: &'s str,
    lexer: Lexer<'s>,
    /// The token at hand, not yet consumed.
    token: Token,
    /// The token consumed last.
    previous: Token,
    file: File,
    diagnostics: Vec<Diagnostic>,
    evaluator: Evaluator,
    /// Operands whose list is not complete, innermost list last.
    operands: Vec<Operand>,
    expression_stack: expression::Stack,
    /// The word `call`: the one instruction with a grammar of its own.
    call: Symbol,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, mut interner: Interner) -> Self {
        let call = interner.intern("call");
        let start = Token { kind: TokenKind::EndOfFile, span: Span::new(0, 0) };
        let mut parser = Self {
            source,
            lexer: Lexer::new(source, ERROR_LIMIT),
            token: start,
            previous: start,
            file: File { interner, ..File::default() },
            diagnostics: Vec::new(),
            evaluator: Evaluator::default(),
            operands: Vec::new(),
            expression_stack: expression::Stack::default(),
            call,
        };
        // What compilers write has about so many nodes for its length; growing costs time.
        let length = source.len();
        parser.file.statements.reserve(length / 40);
        parser.file.instructions.reserve(length / 44);
        parser.file.modifiers.reserve(length / 24);
        parser.file.operands.reserve(length / 16);
        parser.token = parser.lexer.next_token();
        parser
    }

    /// A NUL ends the file for ptxas, wherever it is; one report is enough.
    fn nul(&mut self) {
        if let Some(at) = memchr::memchr(0, self.source.as_bytes()) {
            let span = Span::new(at as u32, at as u32 + 1);
            self.report(
                Diagnostic::error(codes::NUL, span, "the source contains a NUL byte")
                    .help("PTX is text; is this a binary, or text in UTF-16?"),
            );
        }
    }

    fn finish(mut self) -> Parsed {
        self.diagnostics.append(&mut self.lexer.diagnostics);
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        if self.diagnostics.len() > ERROR_LIMIT {
            self.diagnostics.truncate(ERROR_LIMIT);
            let span = self.diagnostics.last().map_or(Span::new(0, 0), |last| last.primary.span);
            let message = format!("there are more than {ERROR_LIMIT} errors; the rest is not shown");
            self.diagnostics.push(Diagnostic::error(codes::TOO_MANY_ERRORS, span, message));
        }
        self.file.trivia = self.lexer.trivia;
        Parsed { file: self.file, diagnostics: self.diagnostics }
    }

    // Tokens

    #[inline]
    fn advance(&mut self) -> Token {
        self.previous = self.token;
        self.token = self.lexer.next_token();
        self.previous
    }

    #[inline]
    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    #[inline]
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    #[inline]
    fn expect(&mut self, kind: TokenKind, what: &str) -> Parse<Token> {
        if self.at(kind) { Ok(self.advance()) } else { Err(self.unexpected(what)) }
    }

    /// The `;` that ends most things.
    #[inline]
    fn semicolon(&mut self) -> Parse<()> {
        if self.eat(TokenKind::Semicolon) { Ok(()) } else { self.no_semicolon("`;`") }
    }

    /// No `;` is at hand. If it is missing at the end of a line, the place to show is there and not the
    /// next line, and all goes on as if it were there.
    #[cold]
    fn no_semicolon(&mut self, expected: &str) -> Parse<()> {
        let end = self.previous.span.end;
        let between = Span::new(end, self.token.span.start).text(self.source);
        if self.at(TokenKind::Unknown) || !between.contains('\n') {
            return Err(self.unexpected(expected));
        }
        let diagnostic = Diagnostic::error(codes::MISSING_SEMICOLON, Span::new(end, end), "a `;` is missing")
            .label("here")
            .also(self.token.span, "before this");
        self.report(diagnostic);
        Ok(())
    }

    fn text(&self, span: Span) -> &'s str {
        span.text(self.source)
    }

    fn token_text(&self) -> &'s str {
        self.text(self.token.span)
    }

    #[inline]
    fn intern(&mut self, span: Span) -> Symbol {
        self.file.interner.intern_part(self.source, span.start as usize, span.end as usize)
    }

    /// A name in the source; `what` says what it names.
    fn name(&mut self, what: &str) -> Parse<Name> {
        match self.token.kind {
            TokenKind::Name => {
                let span = self.advance().span;
                Ok(Name { symbol: self.intern(span), span })
            }
            TokenKind::WarpSize | TokenKind::FunctionName | TokenKind::InlinedAt => {
                let message = format!("`{}` is a reserved word and cannot be {what}", self.token_text());
                let diagnostic = Diagnostic::error(codes::RESERVED_NAME, self.token.span, message);
                Err(self.fail(diagnostic))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    // Diagnostics

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() + self.lexer.diagnostics.len() > ERROR_LIMIT {
            self.lexer.stop();
            self.token = self.lexer.next_token();
        }
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> Failed {
        self.report(diagnostic);
        Failed
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    /// The token at hand is not what the grammar asks for.
    #[cold]
    fn unexpected(&mut self, expected: &str) -> Failed {
        let token = self.token;
        match token.kind {
            // The lexer has spoken.
            TokenKind::Unknown => return Failed,
            TokenKind::Name | TokenKind::Integer if token.span.start == self.previous.span.end => {
                if let Some(diagnostic) = self.malformed_number() {
                    return self.fail(diagnostic);
                }
            }
            _ => {}
        }
        let found = match token.kind.words() {
            Some(words) => words.to_owned(),
            None => format!("`{}`", shorten(self.token_text())),
        };
        let message = format!("expected {expected}, found {found}");
        let diagnostic =
            Diagnostic::error(codes::UNEXPECTED, token.span, message).label(format!("expected {expected}"));
        self.fail(diagnostic)
    }

    /// As `unexpected`, where the bracket at `open` waits for its partner.
    #[cold]
    fn unclosed(&mut self, open: Span, expected: &str) -> Failed {
        let before = self.diagnostics.len();
        let failed = self.unexpected(expected);
        if let Some(diagnostic) = self.diagnostics.get_mut(before) {
            diagnostic.secondary.push(Label { span: open, text: "opened here".into() });
        }
        failed
    }

    /// A number that runs into what follows was meant to be something else.
    fn malformed_number(&self) -> Option<Diagnostic> {
        let head = self.text(self.previous.span);
        let tail = self.token_text();
        let number = matches!(
            self.previous.kind,
            TokenKind::Integer | TokenKind::Float | TokenKind::Single | TokenKind::Double
        );
        if !number {
            return None;
        }
        let help = match (head, tail.as_bytes()) {
            (_, [b'u' | b'U' | b'l' | b'L', ..]) => {
                "the only suffix is a capital `U`, on integers".to_owned()
            }
            ("0", [b'x' | b'X', ..]) => "hexadecimal digits must follow `0x`".to_owned(),
            ("0", [b'b' | b'B', ..]) => "binary digits must follow `0b`".to_owned(),
            ("0", [b'f' | b'F', ..]) => "exactly eight hexadecimal digits must follow `0f`".to_owned(),
            ("0", [b'd' | b'D', ..]) => "exactly sixteen hexadecimal digits must follow `0d`".to_owned(),
            (_, [b'%', ..]) => format!("`{tail}` is a name; put a space after the operator `%`"),
            (_, [b'f' | b'F']) => "floating-point literals have no suffix".to_owned(),
            (_, [b'0'..=b'9', ..]) if head.starts_with(['0']) && self.previous.kind == TokenKind::Integer => {
                "a leading 0 makes a number octal; its digits are 0 to 7".to_owned()
            }
            (_, [b'0'..=b'9', ..]) => "this literal has too many digits".to_owned(),
            _ => "put a space or a comma between a number and what follows it".to_owned(),
        };
        let span = self.previous.span.to(self.token.span);
        let message = format!("`{}{}` is not a number", shorten(head), shorten(tail));
        Some(Diagnostic::error(codes::MALFORMED_NUMBER, span, message).help(help).section("4.5"))
    }

    // Arenas

    fn push_expression(&mut self, expression: Expression) -> ExpressionId {
        let id = ExpressionId(self.file.expressions.len() as u32);
        self.file.expressions.push(expression);
        id
    }
}

/// Appends a node and gives its position.
fn push<T>(arena: &mut Vec<T>, node: T) -> u32 {
    let id = arena.len() as u32;
    arena.push(node);
    id
}

/// Moves nodes to the end of their arena as one list.
fn push_list<T>(arena: &mut Vec<T>, nodes: impl IntoIterator<Item = T>) -> List<T> {
    let start = arena.len();
    arena.extend(nodes);
    List::new(start as u32, (arena.len() - start) as u32)
}

/// Enough of a token to recognise it in a message.
fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let mut short: String = line.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
