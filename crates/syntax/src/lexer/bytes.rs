//! What each byte means to the lexer, as tables.

use crate::token::TokenKind;

/// What a byte can begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Other,
    Space,
    Word,
    Digit,
    /// `_`, `$` and `%` begin a name only if a word byte follows.
    Prefix,
    Dot,
    /// A byte that is a token whatever follows.
    Single,
}

/// What each byte can begin.
pub(super) const CLASS: [Class; 256] = {
    let mut class = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            // ptxas takes the old end-of-file mark, control Z, as a blank.
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c | 0x1a => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' => Class::Word,
            b'0'..=b'9' => Class::Digit,
            b'_' | b'$' | b'%' => Class::Prefix,
            b'.' => Class::Dot,
            b if !matches!(single(b), TokenKind::Unknown) => Class::Single,
            // A NUL is reported once for the file; skipping it here keeps the rest readable.
            0 => Class::Space,
            _ => Class::Other,
        };
        byte += 1;
    }
    class
};

/// The token that a byte is by itself, whatever follows.
const fn single(byte: u8) -> TokenKind {
    match byte {
        b',' => TokenKind::Comma,
        b';' => TokenKind::Semicolon,
        b'[' => TokenKind::LeftBracket,
        b']' => TokenKind::RightBracket,
        b'{' => TokenKind::LeftBrace,
        b'}' => TokenKind::RightBrace,
        b'(' => TokenKind::LeftParen,
        b')' => TokenKind::RightParen,
        b':' => TokenKind::Colon,
        b'?' => TokenKind::Question,
        b'+' => TokenKind::Plus,
        b'-' => TokenKind::Minus,
        b'*' => TokenKind::Star,
        b'~' => TokenKind::Tilde,
        b'^' => TokenKind::Caret,
        _ => TokenKind::Unknown,
    }
}

/// The kinds of [`single`] as a table.
pub(super) const SINGLE: [TokenKind; 256] = {
    let mut kinds = [TokenKind::Unknown; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = single(byte as u8);
        byte += 1;
    }
    kinds
};

/// Bytes that continue a word.
pub(super) const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        word[byte] = matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$');
        byte += 1;
    }
    word
};
