//! Declarations of variables and parameters.
//!
//! Before the type may come a state space, alignments and attributes, in any order; after it the names.

use super::{Parse, Parser, push, push_list};
use crate::ast::{
    Align, Argument, Attribute, Declaration, DeclarationId, Declarator, Dimension, ExpressionId, Linkage,
    List, Modifier, Parameters, Pointer, Space, SpaceKind, Span,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

/// What stands before the names of a declaration.
struct Specifiers {
    space: Space,
    attributes: List<Attribute>,
    align: Option<Align>,
    overridden_aligns: List<Align>,
    vector: Option<Modifier>,
    ty: Modifier,
}

/// The state space that a directive names, and the bank of `.const[3]`.
fn space(word: &str) -> Option<(SpaceKind, Option<u32>)> {
    Some(match word {
        ".reg" => (SpaceKind::Reg, None),
        ".const" => (SpaceKind::Const, None),
        ".global" => (SpaceKind::Global, None),
        ".local" => (SpaceKind::Local, None),
        ".param" => (SpaceKind::Param, None),
        ".shared" => (SpaceKind::Shared, None),
        ".tex" => (SpaceKind::Tex, None),
        _ => {
            let bank = word.strip_prefix(".const[")?.strip_suffix(']')?;
            (SpaceKind::Const, Some(bank.parse().ok()?))
        }
    })
}

/// Whether a word is one of the types, so that a declaration which forgot its state space is known
/// for one.
fn is_type(word: &str) -> bool {
    match word.as_bytes() {
        [b'.', b'b' | b'u' | b's' | b'f', b'0'..=b'9', ..] => true,
        _ => matches!(word, ".pred" | ".v2" | ".v4" | ".texref" | ".samplerref" | ".surfref"),
    }
}

impl Parser<'_> {
    /// Whether a variable's declaration can begin with `word`.
    pub(super) fn begins_declaration(&self, word: &str) -> bool {
        space(word).is_some() || word == ".align" || word == ".attribute" || is_type(word)
    }

    /// A variable declaration up to its `;`. The linkage, if any, has been consumed.
    pub(super) fn variable(&mut self, linkage: Option<Linkage>, module: bool) -> Parse<DeclarationId> {
        let start = linkage.map_or(self.token.span, |linkage| linkage.span);
        let stand_in = if module { SpaceKind::Global } else { SpaceKind::Reg };
        let specifiers = self.specifiers(stand_in)?;
        let mut declarators = Vec::new();
        if !self.at(TokenKind::Semicolon) {
            loop {
                declarators.push(self.declarator()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.semicolon()?;
        let declarators = push_list(&mut self.file.declarators, declarators);
        let declaration = Declaration {
            span: start.to(self.previous.span),
            linkage,
            space: specifiers.space,
            attributes: specifiers.attributes,
            align: specifiers.align,
            overridden_aligns: specifiers.overridden_aligns,
            align_after_type: None,
            vector: specifiers.vector,
            ty: specifiers.ty,
            pointer: None,
            declarators,
        };
        Ok(DeclarationId(push(&mut self.file.declarations, declaration)))
    }

    /// Space, alignment and attributes in any order, then the type.
    fn specifiers(&mut self, stand_in: SpaceKind) -> Parse<Specifiers> {
        let start = self.token.span;
        let mut found: Option<Space> = None;
        let mut align: Option<Align> = None;
        let mut overridden_aligns = Vec::new();
        let mut attributes = Vec::new();
        loop {
            if !self.at(TokenKind::Dotted) {
                return Err(self.unexpected("a type"));
            }
            let span = self.token.span;
            let word = self.token_text();
            if let Some((kind, bank)) = space(word) {
                if let Some(first) = found {
                    self.report(
                        Diagnostic::error(codes::TWO_SPACES, span, "a declaration has one state space")
                            .also(first.span, "the first is here")
                            .section("5.1"),
                    );
                }
                self.advance();
                found = found.or(Some(Space { kind, bank, span }));
            } else if word == ".align" {
                overridden_aligns.extend(align);
                align = Some(self.align()?);
            } else if word == ".attribute" {
                self.attributes(&mut attributes, false)?;
            } else {
                break;
            }
        }
        let vector = if matches!(self.token_text(), ".v2" | ".v4") { Some(self.dotted()) } else { None };
        if !self.at(TokenKind::Dotted) || self.begins_other(self.token_text()) {
            return Err(self.unexpected("a type"));
        }
        let ty = self.dotted();
        let space = match found {
            Some(space) => space,
            None => {
                let span = start.to(self.previous.span);
                self.report(
                    Diagnostic::error(codes::NO_SPACE, span, "this declaration has no state space")
                        .help("begin it with `.reg`, `.global`, `.shared` or another one")
                        .section("5.1"),
                );
                Space { kind: stand_in, bank: None, span }
            }
        };
        let attributes = push_list(&mut self.file.attributes, attributes);
        let overridden_aligns = push_list(&mut self.file.aligns, overridden_aligns);
        Ok(Specifiers { space, attributes, align, overridden_aligns, vector, ty })
    }

    /// Whether a word is a directive's or type's, and so cannot be the name of a section.
    pub(super) fn is_keyword(&self, word: &str) -> bool {
        is_type(word) || self.begins_other(word) || super::function::takes_arguments(word).is_some()
    }

    /// Words that stand where a type should and are none, so that a new declaration is not swallowed.
    fn begins_other(&self, word: &str) -> bool {
        space(word).is_some()
            || matches!(word, ".v2" | ".v4" | ".align" | ".attribute" | ".ptr" | ".func")
            || matches!(word, ".extern" | ".visible" | ".weak")
            || super::module::is_module_directive(word)
    }

    /// The dotted word at hand, consumed.
    pub(super) fn dotted(&mut self) -> Modifier {
        let span = self.advance().span;
        Modifier { symbol: self.intern(Span::new(span.start + 1, span.end)), span }
    }

    /// `.align N`, the word being at hand.
    fn align(&mut self) -> Parse<Align> {
        let word = self.advance().span;
        let value = self.integer_literal("an integer")?;
        Ok(Align { span: word.to(self.previous.span), value })
    }

    /// `.attribute(.managed, .unified(1, 2))`, the word being at hand. A function can only have one, and
    /// it is `.unified`.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>, function: bool) -> Parse<()> {
        self.advance();
        let open = self.expect(TokenKind::LeftParen, "`(`")?.span;
        loop {
            match self.token_text() {
                ".managed" if !function => {
                    let name = self.dotted();
                    attributes.push(Attribute { span: name.span, name, arguments: List::EMPTY });
                }
                ".unified" => {
                    let name = self.dotted();
                    self.expect(TokenKind::LeftParen, "`(`")?;
                    let first = Argument::Expression(self.integer_literal("an integer")?);
                    self.expect(TokenKind::Comma, "`,`")?;
                    let second = Argument::Expression(self.integer_literal("an integer")?);
                    let end = self.expect(TokenKind::RightParen, "`)`")?.span;
                    let arguments = push_list(&mut self.file.arguments, [first, second]);
                    attributes.push(Attribute { span: name.span.to(end), name, arguments });
                }
                _ if function => return Err(self.unexpected("`.unified`")),
                _ => return Err(self.unexpected("`.managed` or `.unified`")),
            }
            if function || !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if self.eat(TokenKind::RightParen) { Ok(()) } else { Err(self.unclosed(open, "`,` or `)`")) }
    }

    /// `<N>` after a name.
    pub(super) fn count(&mut self) -> Parse<Option<ExpressionId>> {
        if !self.eat(TokenKind::Less) {
            return Ok(None);
        }
        let count = self.integer_literal("an integer")?;
        self.expect(TokenKind::Greater, "`>`")?;
        Ok(Some(count))
    }

    fn declarator(&mut self) -> Parse<Declarator> {
        let name = self.name("a name")?;
        let count = self.count()?;
        let mut dimensions = List::EMPTY;
        let mut initializer = List::EMPTY;
        if count.is_none() {
            dimensions = self.dimensions(usize::MAX)?;
            if self.eat(TokenKind::Equal) {
                initializer = self.initializer()?;
            }
        }
        let span = name.span.to(self.previous.span);
        Ok(Declarator { span, name, count, dimensions, initializer })
    }

    /// `[2][3]`, at most `limit` of them; the first may be empty.
    fn dimensions(&mut self, limit: usize) -> Parse<List<Dimension>> {
        let first = self.file.dimensions.len();
        while self.at(TokenKind::LeftBracket) && self.file.dimensions.len() - first < limit {
            let open = self.advance().span;
            let size = if self.at(TokenKind::RightBracket) && self.file.dimensions.len() == first {
                None
            } else {
                Some(self.integer_literal("an integer")?)
            };
            if !self.eat(TokenKind::RightBracket) {
                return Err(self.unclosed(open, "`]`"));
            }
            let span = open.to(self.previous.span);
            self.file.dimensions.push(Dimension { span, size });
        }
        Ok(List::new(first as u32, (self.file.dimensions.len() - first) as u32))
    }

    /// `(…)` if it is there.
    pub(super) fn optional_parameters(&mut self) -> Parse<Option<Parameters>> {
        if !self.at(TokenKind::LeftParen) {
            return Ok(None);
        }
        let open = self.advance().span;
        let mut parameters = Vec::new();
        if !self.at(TokenKind::RightParen) {
            loop {
                parameters.push(self.parameter()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if !self.eat(TokenKind::RightParen) {
            return Err(self.unclosed(open, "`,` or `)`"));
        }
        let list = push_list(&mut self.file.declarations, parameters);
        Ok(Some(Parameters { span: open.to(self.previous.span), list }))
    }

    /// One parameter: `.param .align 8 .b8 name[16]`, `.param .u64 .ptr .global .align 8 name`.
    fn parameter(&mut self) -> Parse<Declaration> {
        let start = self.token.span;
        let specifiers = self.specifiers(SpaceKind::Param)?;
        let mut pointer = None;
        let mut align_after_type = None;
        if self.at(TokenKind::Dotted) {
            match self.token_text() {
                ".ptr" => pointer = Some(self.pointer()?),
                ".align" => align_after_type = Some(self.align()?),
                _ => {}
            }
        }
        let name = if self.at(TokenKind::Sink) {
            let span = self.advance().span;
            crate::ast::Name { symbol: self.intern(span), span }
        } else {
            self.name("the parameter's name")?
        };
        let dimensions = self.dimensions(1)?;
        let span = name.span.to(self.previous.span);
        let declarator = Declarator { span, name, count: None, dimensions, initializer: List::EMPTY };
        let declarators = push_list(&mut self.file.declarators, [declarator]);
        Ok(Declaration {
            span: start.to(self.previous.span),
            linkage: None,
            space: specifiers.space,
            attributes: specifiers.attributes,
            align: specifiers.align,
            overridden_aligns: specifiers.overridden_aligns,
            align_after_type,
            vector: specifiers.vector,
            ty: specifiers.ty,
            pointer,
            declarators,
        })
    }

    /// `.ptr .global .align 8`, the first word being at hand.
    fn pointer(&mut self) -> Parse<Pointer> {
        let word = self.advance().span;
        let mut pointer = Pointer { span: word, space: None, align: None };
        if self.at(TokenKind::Dotted)
            && matches!(self.token_text(), ".global" | ".shared" | ".local" | ".const")
        {
            pointer.space = Some(self.dotted());
        }
        if self.at(TokenKind::Dotted) && self.token_text() == ".align" {
            pointer.align = Some(self.align()?);
        }
        pointer.span = word.to(self.previous.span);
        Ok(pointer)
    }
}
