//! A place in the tokens, and what is wrong if something else stands there.

use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use super::lexer::Token;
use crate::codes;

pub type Parsed<T> = Result<T, Box<Diagnostic>>;

pub struct Cursor<'t> {
    /// Ends with the empty token.
    tokens: Vec<Token<'t>>,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub fn new(tokens: Vec<Token<'t>>) -> Cursor<'t> {
        Cursor { tokens, at: 0 }
    }

    pub fn token(&self) -> Token<'t> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub fn span(&self) -> Span {
        self.token().span
    }

    pub fn at_end(&self) -> bool {
        self.token().text.is_empty()
    }

    pub fn is(&self, text: &str) -> bool {
        self.token().text == text
    }

    pub fn second_is(&self, text: &str) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.text == text)
    }

    pub fn is_number(&self) -> bool {
        self.is("-") || self.token().is_number()
    }

    pub fn skip(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.skip();
        }
        found
    }

    /// What stands here, for messages.
    pub fn found(&self) -> String {
        match self.token().text {
            "" => "the end".to_owned(),
            text => format!("`{text}`"),
        }
    }

    pub fn fail<T>(&self, expected: &str) -> Parsed<T> {
        let message = format!("expected {expected}, found {}", self.found());
        Err(Box::new(Diagnostic::error(codes::UNEXPECTED, self.span(), message)))
    }

    pub fn expect(&mut self, text: &str, expected: &str) -> Parsed<()> {
        if self.take(text) { Ok(()) } else { self.fail(expected) }
    }

    pub fn word(&mut self, expected: &str) -> Parsed<Token<'t>> {
        let token = self.token();
        if !token.is_word() {
            return self.fail(expected);
        }
        self.skip();
        Ok(token)
    }

    /// `12`, `-1`, `0x1f`
    pub fn number(&mut self) -> Parsed<i64> {
        let negative = self.take("-");
        let token = self.token();
        let value = match token.text.strip_prefix("0x") {
            Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok().map(|bits| bits as i64),
            None => token.text.parse::<i64>().ok(),
        };
        let Some(value) = value else { return self.fail("a number of at most 64 bits") };
        self.skip();
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    /// The number of a CTA, a cluster, a device.
    pub fn small_number(&mut self) -> Parsed<u32> {
        let before = self.at;
        let number = self.number()?;
        match u32::try_from(number) {
            Ok(small) if small < 1024 => Ok(small),
            _ => {
                self.at = before;
                self.fail("a number below 1024")
            }
        }
    }

    /// `P0`, or `0` for short.
    pub fn thread_name(&mut self) -> Parsed<Token<'t>> {
        let token = self.token();
        if !token.is_word() && !token.is_number() {
            return self.fail("a thread, such as `P0`");
        }
        self.skip();
        Ok(token)
    }

    /// `x`, or an element of a vector: `x[1]`.
    pub fn location(&mut self) -> Parsed<Named> {
        let token = self.word("a location, such as `x`")?;
        let mut named = Named { text: token.text.to_owned(), span: token.span };
        if self.is("[") && self.tokens.get(self.at + 1).is_some_and(Token::is_number) {
            self.skip();
            let number = self.number()?;
            named.text = format!("{}[{number}]", token.text);
            named.span = named.span.to(self.span());
            self.expect("]", "`]`")?;
        }
        Ok(named)
    }

    /// The tokens up to the next `|` or `;`.
    pub fn cell(&mut self) -> &[Token<'t>] {
        let start = self.at;
        while !self.at_end() && !self.is("|") && !self.is(";") && !self.starts_question() {
            self.skip();
        }
        &self.tokens[start..self.at]
    }

    /// Whether the question begins here.
    pub fn starts_question(&self) -> bool {
        let negated = (self.is("~") || self.is("not")) && self.second_is("exists");
        negated || ["exists", "forall", "filter", "locations"].iter().any(|word| self.is(word))
    }
}

/// A name and its place.
#[derive(Clone, Debug)]
pub struct Named {
    pub text: String,
    pub span: Span,
}
