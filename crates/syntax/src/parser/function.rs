//! Functions: `.entry` and `.func`, their signatures and the directives between signature and body.

use super::{Parse, Parser, push, push_list};
use crate::ast::{
    Argument, Directive, DirectiveId, Function, FunctionId, FunctionKind, Linkage, LinkageKind, List,
    Modifier, Text,
};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

/// The directives between signature and body: where they stand and how many integers they take.
pub(super) fn takes_arguments(word: &str) -> Option<(FunctionKind, std::ops::RangeInclusive<usize>)> {
    Some(match word {
        ".maxntid" | ".reqntid" | ".reqnctapercluster" => (FunctionKind::Entry, 1..=3),
        ".maxnreg" | ".minnctapersm" | ".maxnctapersm" | ".maxclusterrank" | ".local_maxnreg"
        | ".minperctamemory" => (FunctionKind::Entry, 1..=1),
        ".explicitcluster" | ".blocksareclusters" => (FunctionKind::Entry, 0..=0),
        ".noreturn" => (FunctionKind::Func, 0..=0),
        ".abi_preserve" | ".abi_preserve_control" => (FunctionKind::Func, 1..=1),
        _ => return None,
    })
}

/// Whether a word is a directive between signature and body.
pub(crate) fn is_header_directive(word: &str) -> bool {
    takes_arguments(word).is_some() || word == LANGUAGE
}

/// The directive that says what a function was written in: the last one before a body, with strings and integers.
const LANGUAGE: &str = ".language";

impl Parser<'_> {
    /// `.entry` or `.func`, the word being at hand.
    pub(super) fn function(&mut self, linkage: Option<Linkage>) -> Parse<FunctionId> {
        let mut function = self.signature(linkage)?;
        match function.kind {
            FunctionKind::Entry => {
                function.directives = self.entry_directives()?;
                if self.at(TokenKind::LeftBrace) {
                    function.body = Some(self.body());
                } else if function.directives.is_empty() && self.eat(TokenKind::Semicolon) {
                } else {
                    return Err(self.unexpected("a directive or `{`"));
                }
            }
            FunctionKind::Func => {
                function.directives = self.function_directives(Some(".local_maxnreg"))?;
                let last = self.file[function.directives].last().map(|d| d.name.symbol);
                let bounded =
                    last.is_some_and(|name| matches!(self.file.text(name), "local_maxnreg" | "language"));
                if bounded && !self.at(TokenKind::LeftBrace) {
                    return Err(self.unexpected("`{`"));
                }
                if self.at(TokenKind::LeftBrace) {
                    function.body = Some(self.body());
                } else if !self.eat(TokenKind::Semicolon)
                    && !matches!(
                        self.token.kind,
                        TokenKind::Dotted | TokenKind::Version | TokenKind::Dwarf | TokenKind::EndOfFile
                    )
                {
                    // A declaration at module level needs no `;`.
                    return Err(self.unexpected("`{` or `;`"));
                }
            }
        }
        function.span = function.span.to(self.previous.span);
        Ok(FunctionId(push(&mut self.file.functions, function)))
    }

    /// A declaration of a function inside a body.
    pub(super) fn local_function(&mut self) -> Parse<FunctionId> {
        let kind = match self.token_text() {
            ".extern" => Some(LinkageKind::Extern),
            ".visible" => Some(LinkageKind::Visible),
            ".weak" => Some(LinkageKind::Weak),
            _ => None,
        };
        let linkage = kind.map(|kind| Linkage { kind, span: self.advance().span });
        if !self.at(TokenKind::Dotted) || self.token_text() != ".func" {
            let Some(linkage) = linkage else { return Err(self.unexpected("`.func`")) };
            let message = "a linking directive inside a body applies to `.func` only";
            let diagnostic = Diagnostic::error(codes::LINKAGE, linkage.span, message).section("11.6");
            return Err(self.fail(diagnostic));
        }
        let mut function = self.signature(linkage)?;
        function.directives = self.function_directives(None)?;
        if self.at(TokenKind::LeftBrace) {
            return Err(self.misplaced("cannot begin here: a function cannot be defined inside another"));
        }
        self.semicolon()?;
        function.span = function.span.to(self.previous.span);
        Ok(FunctionId(push(&mut self.file.functions, function)))
    }

    fn signature(&mut self, linkage: Option<Linkage>) -> Parse<Function> {
        let keyword = self.token.span;
        let entry = self.token_text() == ".entry";
        self.advance();
        let mut attributes = Vec::new();
        let mut returns = None;
        if !entry {
            if self.at(TokenKind::Dotted) && self.token_text() == ".attribute" {
                self.attributes(&mut attributes, true)?;
            }
            returns = self.optional_parameters()?;
        }
        let name = self.name("the function's name")?;
        let parameters = self.optional_parameters()?;
        Ok(Function {
            span: linkage.map_or(keyword, |linkage| linkage.span),
            linkage,
            kind: if entry { FunctionKind::Entry } else { FunctionKind::Func },
            keyword,
            attributes: push_list(&mut self.file.attributes, attributes),
            returns,
            name,
            parameters,
            directives: List::EMPTY,
            body: None,
        })
    }

    /// The directives of an `.entry`: any number in any order.
    fn entry_directives(&mut self) -> Parse<List<Directive>> {
        let mut directives = Vec::new();
        while self.at(TokenKind::Dotted) {
            let word = self.token_text();
            match takes_arguments(word) {
                Some((FunctionKind::Entry, counts)) => directives.push(self.counted(counts)?),
                Some((FunctionKind::Func, _)) => {
                    let _ = self.misplaced("is for a `.func`, not for an `.entry`");
                    self.skip_header();
                }
                None if word == LANGUAGE => directives.push(self.languages()?),
                None if word == ".pragma" => {
                    let pragma = self.pragma()?;
                    // The list must be in one piece, so the pragma moves after its companions.
                    directives.push(self.file[pragma]);
                    self.file.directives.pop();
                }
                None => {
                    let _ = self.unknown_directive();
                    self.skip_header();
                }
            }
        }
        Ok(push_list(&mut self.file.directives, directives))
    }

    /// The directives of a `.func` or a prototype: `.noreturn` first, then how registers are preserved. A definition
    /// may have one more, `last`, right before its body, and its language.
    pub(super) fn function_directives(&mut self, last: Option<&str>) -> Parse<List<Directive>> {
        let mut directives = Vec::new();
        while self.at(TokenKind::Dotted) {
            match takes_arguments(self.token_text()) {
                Some((_, counts)) if last == Some(self.token_text()) => {
                    directives.push(self.counted(counts)?);
                    if self.at(TokenKind::Dotted) && self.token_text() == LANGUAGE {
                        directives.push(self.languages()?);
                    }
                    break;
                }
                Some((FunctionKind::Func, counts)) => {
                    if *counts.end() == 0 && !directives.is_empty() {
                        let _ = self.misplaced("must be the first directive after the parameters");
                    }
                    directives.push(self.counted(counts)?);
                }
                Some((FunctionKind::Entry, _)) => {
                    let _ = self.misplaced("is for an `.entry`, not for a `.func`");
                    self.skip_header();
                }
                None if last.is_some() && self.token_text() == LANGUAGE => {
                    directives.push(self.languages()?);
                    break;
                }
                None => break,
            }
        }
        Ok(push_list(&mut self.file.directives, directives))
    }

    /// `.language "nvvm", 3`, the word being at hand.
    fn languages(&mut self) -> Parse<Directive> {
        let name = self.dotted();
        let mut arguments = Vec::new();
        loop {
            arguments.push(if self.at(TokenKind::Text) {
                Argument::Text(Text { span: self.advance().span })
            } else {
                Argument::Expression(self.integer_literal("a string or an integer")?)
            });
            if !self.eat(TokenKind::Comma) {
                return Ok(self.complete(name, arguments));
            }
        }
    }

    /// Skips a directive of a header that was refused, so that the body is read all the same.
    fn skip_header(&mut self) {
        self.advance();
        while !matches!(
            self.token.kind,
            TokenKind::Dotted
                | TokenKind::LeftBrace
                | TokenKind::RightBrace
                | TokenKind::Semicolon
                | TokenKind::EndOfFile
        ) {
            self.advance();
        }
    }

    /// A directive with a number of integers: `.maxntid 32, 2`.
    fn counted(&mut self, counts: std::ops::RangeInclusive<usize>) -> Parse<Directive> {
        let name = self.dotted();
        let mut arguments = Vec::new();
        while arguments.len() < *counts.end() {
            if !arguments.is_empty() && !self.eat(TokenKind::Comma) {
                break;
            }
            arguments.push(Argument::Expression(self.integer_literal("an integer")?));
        }
        Ok(self.complete(name, arguments))
    }

    fn complete(&mut self, name: Modifier, arguments: Vec<Argument>) -> Directive {
        let arguments = push_list(&mut self.file.arguments, arguments);
        Directive { span: name.span.to(self.previous.span), name, arguments }
    }

    /// `.pragma "a", "b";`, the word being at hand.
    pub(super) fn pragma(&mut self) -> Parse<DirectiveId> {
        let name = self.dotted();
        let mut arguments = Vec::new();
        loop {
            let span = self.expect(TokenKind::Text, "a string")?.span;
            arguments.push(Argument::Text(Text { span }));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.semicolon()?;
        let directive = self.complete(name, arguments);
        Ok(self.push_directive(directive))
    }

    /// `.loc_intermediate 1 2 3`, the word being at hand. No `;` ends it.
    pub(super) fn intermediate_location(&mut self) -> Parse<DirectiveId> {
        let name = self.dotted();
        let mut arguments = Vec::new();
        for what in ["the number of a `.file`", "a line", "a column"] {
            arguments.push(Argument::Expression(self.integer_literal(what)?));
        }
        let directive = self.complete(name, arguments);
        Ok(self.push_directive(directive))
    }

    /// `.file 1 "a.cu", 7, 9`, the word being at hand. No `;` ends it.
    pub(super) fn source_file(&mut self) -> Parse<DirectiveId> {
        let name = self.dotted();
        let mut arguments = vec![Argument::Expression(self.integer_literal("the file's number")?)];
        let span = self.expect(TokenKind::Text, "the file's name")?.span;
        arguments.push(Argument::Text(Text { span }));
        while arguments.len() < 4 && self.eat(TokenKind::Comma) {
            arguments.push(Argument::Expression(self.integer_literal("an integer")?));
        }
        let directive = self.complete(name, arguments);
        Ok(self.push_directive(directive))
    }
}
