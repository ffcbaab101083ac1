//! The words and signs of a litmus test in herd's format, each with its place.

use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use crate::codes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// Its text; the end of the file has none.
    pub text: &'t str,
    pub span: Span,
}

impl Token<'_> {
    /// Whether it is a name: a location, a register, a label, a keyword.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '%')
    }

    pub fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Signs of more than one character; the longest of those that fit is taken.
const LONG: [&str; 7] = ["==", "!=", "<=", ">=", "/\\", "\\/", "::"];

/// The tokens of a text from `start` on. The last is the empty end.
pub fn tokens<'t>(text: &'t str, start: usize, errors: &mut Vec<Diagnostic>) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut at = start;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if let Some(skipped) = comment(rest) {
            at += skipped;
            continue;
        } else if first.is_ascii_alphanumeric() || first == '_' || first == '%' {
            let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            1 + rest[1..].find(|c| !part(c)).unwrap_or(rest.len() - 1)
        } else if let Some(long) = LONG.iter().find(|long| rest.starts_with(**long)) {
            long.len()
        } else if ".,;:|@&={}()[]~<>-+".contains(first) {
            1
        } else {
            let span = place(at, at + first.len_utf8());
            if errors.len() < 20 {
                let message = format!("`{}` starts nothing in a litmus test", first.escape_default());
                errors.push(Diagnostic::error(codes::UNEXPECTED, span, message));
            }
            at += first.len_utf8();
            continue;
        };
        tokens.push(Token { text: &rest[..length], span: place(at, at + length) });
        at += length;
    }
    tokens.push(Token { text: "", span: place(text.len(), text.len()) });
    tokens
}

/// How long a comment or a string is that the text begins with.
fn comment(text: &str) -> Option<usize> {
    let ends = [("(*", "*)"), ("//", "\n"), ("\"", "\"")];
    let (open, close) = ends.iter().find(|(open, _)| text.starts_with(open))?;
    let inner = &text[open.len()..];
    Some(inner.find(close).map_or(text.len(), |end| open.len() + end + close.len()))
}

pub fn place(start: usize, end: usize) -> Span {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Span::new(number(start), number(end))
}
