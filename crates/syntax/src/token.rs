//! The tokens of PTX: what the lexer hands to the parser, one at a time.

use crate::ast::Span;

/// A token: its kind and where it is. Its text is the source under its span.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    EndOfFile,
    /// An identifier. Opcodes are not keywords: a label may be called `ret`.
    Name,
    /// `.word`, with `::` parts and the bank of `.const[3]`: directives, modifiers, types, members.
    Dotted,
    /// `.version 9.1`, which is one token for ptxas, too.
    Version,
    Integer,
    /// A decimal float.
    Float,
    /// `0f3F800000`
    Single,
    /// `0d3FF0000000000000`
    Double,
    Text,
    /// `_`
    Sink,
    /// `WARP_SZ`
    WarpSize,
    /// `function_name`
    FunctionName,
    /// `inlined_at`
    InlinedAt,
    /// `@@DWARF`
    Dwarf,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Colon,
    Question,
    At,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Tilde,
    Bang,
    Ampersand,
    Pipe,
    Caret,
    Less,
    Greater,
    Equal,
    ShiftLeft,
    ShiftRight,
    LessEqual,
    GreaterEqual,
    EqualEqual,
    BangEqual,
    AmpersandAmpersand,
    PipePipe,
    /// A character that begins no token; the lexer has said so, the parser only recovers.
    Unknown,
}

impl TokenKind {
    /// The kind in words, for messages; `None` if the token's own text says it best.
    #[must_use]
    pub fn words(self) -> Option<&'static str> {
        Some(match self {
            Self::EndOfFile => "the end of the file",
            Self::Text => "a string",
            _ => return None,
        })
    }
}
