//! The lexer: bytes to tokens, on demand, one pass, no allocation but for the list of comments.
//!
//! The rules are those ptxas applies: the longest token wins, strings have no escapes and may span
//! lines, `# 1 "file"` lines are skipped wherever they stand, characters outside ASCII are for
//! comments only.

mod bytes;

use crate::ast::{Span, Trivia, TriviaKind};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::token::{Token, TokenKind};
use bytes::{CLASS, Class, SINGLE, WORD};

pub struct Lexer<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    pub trivia: Vec<Trivia>,
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics beyond so many are dropped.
    limit: usize,
}

impl<'s> Lexer<'s> {
    #[must_use]
    pub fn new(source: &'s str, limit: usize) -> Self {
        let bytes = source.as_bytes();
        Self { source, bytes, at: 0, trivia: Vec::new(), diagnostics: Vec::new(), limit }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() <= self.limit {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Goes back to `offset`, the start of a token, and forgets what was found after it.
    pub fn rewind(&mut self, offset: u32) {
        self.at = offset as usize;
        let kept = self.trivia.partition_point(|trivia| trivia.span.start < offset);
        self.trivia.truncate(kept);
        while self.diagnostics.last().is_some_and(|last| last.primary.span.start >= offset) {
            self.diagnostics.pop();
        }
    }

    /// Goes on at `offset`, the end of a token further down.
    pub fn skip_to(&mut self, offset: usize) {
        self.at = offset;
    }

    /// Skips all that is left.
    pub fn stop(&mut self) {
        self.at = self.bytes.len();
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The first position at or after `at` whose byte does not satisfy `test`.
    fn skip(&self, at: usize, test: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len())
    }

    #[inline]
    fn words(&self, at: usize) -> usize {
        let mut at = at;
        while let Some(&byte) = self.bytes.get(at)
            && WORD[byte as usize]
        {
            at += 1;
        }
        at
    }

    fn digits(&self, at: usize) -> usize {
        self.skip(at, |byte| byte.is_ascii_digit())
    }

    /// The next token, past blanks and comments. This is where parsing spends most of its time: the
    /// common tokens are found here, the others out of line.
    pub fn next_token(&mut self) -> Token {
        loop {
            let mut start = self.at;
            let (byte, class) = loop {
                let Some(&byte) = self.bytes.get(start) else {
                    return self.token(TokenKind::EndOfFile, start, start);
                };
                let class = CLASS[byte as usize];
                if class != Class::Space {
                    break (byte, class);
                }
                start += 1;
            };
            if class == Class::Single {
                return self.token(SINGLE[byte as usize], start, start + 1);
            }
            let end = self.words(start + 1);
            match class {
                Class::Word if !matches!(end - start, 7 | 10 | 13) => {
                    return self.token(TokenKind::Name, start, end);
                }
                Class::Word => return self.reserved(start, end),
                Class::Prefix if end > start + 1 => return self.token(TokenKind::Name, start, end),
                Class::Dot if self.is_plain_word(start, end) => {
                    return self.token(TokenKind::Dotted, start, end);
                }
                Class::Dot => return self.dotted(start, end),
                Class::Digit => return self.number(start),
                _ => {
                    if let Some(token) = self.other(start, byte) {
                        return token;
                    }
                }
            }
        }
    }

    #[inline]
    fn token(&mut self, kind: TokenKind, start: usize, end: usize) -> Token {
        self.at = end;
        Token { kind, span: Span::new(start as u32, end as u32) }
    }

    /// Whether the word after the dot at `start` has nothing special about it.
    #[inline]
    fn is_plain_word(&self, start: usize, end: usize) -> bool {
        let first = self.bytes.get(start + 1).copied().unwrap_or(0);
        let after = self.bytes.get(end).copied().unwrap_or(0);
        end > start + 1 && !first.is_ascii_digit() && first != b'v' && after != b':' && after != b'['
    }

    /// A comment (then there is no token), or a token of another kind than names and words.
    #[inline(never)]
    fn other(&mut self, start: usize, byte: u8) -> Option<Token> {
        Some(match byte {
            b'/' if self.comment(start) => return None,
            b'#' if self.hash_line(start) => return None,
            b'_' => self.token(TokenKind::Sink, start, start + 1),
            b'%' => self.token(TokenKind::Percent, start, start + 1),
            b'$' => self.unknown(start),
            _ => self.punctuation(start, byte),
        })
    }

    /// A name that has the length of a reserved word.
    #[inline(never)]
    fn reserved(&mut self, start: usize, end: usize) -> Token {
        let kind = match &self.bytes[start..end] {
            b"WARP_SZ" => TokenKind::WarpSize,
            b"inlined_at" => TokenKind::InlinedAt,
            b"function_name" => TokenKind::FunctionName,
            _ => TokenKind::Name,
        };
        self.token(kind, start, end)
    }

    /// `.word` with digits, `::` parts or a bank, `.version 9.1`, or a float such as `.5`. The first
    /// word ends at `end`.
    #[inline(never)]
    fn dotted(&mut self, start: usize, end: usize) -> Token {
        let mut end = end;
        if self.byte(start + 1).is_ascii_digit() {
            let float = self.exponent(self.digits(start + 1));
            if float >= end {
                return self.token(TokenKind::Float, start, float);
            }
        }
        if end == start + 1 {
            return self.unknown(start);
        }
        while self.byte(end) == b':' && self.byte(end + 1) == b':' && WORD[self.byte(end + 2) as usize] {
            let part = end + 2;
            end = self.words(part);
            // `.sp::2:4`
            let counts = |lexer: &Self, at: usize| lexer.byte(at).is_ascii_digit();
            if counts(self, part) && self.byte(end) == b':' && counts(self, end + 1) {
                end = self.words(end + 1);
            }
        }
        if &self.bytes[start..end] == b".version" {
            return self.version(start, end);
        }
        if self.byte(end) == b'[' && &self.bytes[start..end] == b".const" {
            let bank = self.digits(end + 1);
            if bank > end + 1 && bank <= end + 3 && self.byte(bank) == b']' {
                end = bank + 1;
            }
        }
        self.token(TokenKind::Dotted, start, end)
    }

    /// The number after `.version` must be two runs of digits on the same line.
    fn version(&mut self, start: usize, word: usize) -> Token {
        let number = self.skip(word, |byte| byte == b' ' || byte == b'\t');
        let point = self.digits(number);
        let end = self.digits(point + 1);
        if number > word && point > number && self.byte(point) == b'.' && end > point + 1 {
            return self.token(TokenKind::Version, start, end);
        }
        self.token(TokenKind::Dotted, start, word)
    }

    /// The end of an exponent that begins at `at`, or `at` if none does.
    fn exponent(&self, at: usize) -> usize {
        if !matches!(self.byte(at), b'e' | b'E') {
            return at;
        }
        let sign = usize::from(matches!(self.byte(at + 1), b'+' | b'-'));
        let end = self.digits(at + 1 + sign);
        if end > at + 1 + sign { end } else { at }
    }

    #[inline(never)]
    fn number(&mut self, start: usize) -> Token {
        let suffix = |end: usize| if self.byte(end) == b'U' { end + 1 } else { end };
        if self.byte(start) == b'0' {
            let hex = |from: usize| self.skip(from, |byte| byte.is_ascii_hexdigit());
            match self.byte(start + 1) {
                b'x' | b'X' if hex(start + 2) > start + 2 => {
                    let end = suffix(hex(start + 2));
                    return self.token(TokenKind::Integer, start, end);
                }
                b'b' | b'B' if matches!(self.byte(start + 2), b'0' | b'1') => {
                    let end = suffix(self.skip(start + 2, |byte| matches!(byte, b'0' | b'1')));
                    return self.token(TokenKind::Integer, start, end);
                }
                b'f' | b'F' if hex(start + 2) >= start + 10 => {
                    return self.token(TokenKind::Single, start, start + 10);
                }
                b'd' | b'D' if hex(start + 2) >= start + 18 => {
                    return self.token(TokenKind::Double, start, start + 18);
                }
                _ => {}
            }
        }
        let digits = self.digits(start);
        let whole = if self.byte(digits) == b'.' { self.digits(digits + 1) } else { digits };
        let end = self.exponent(whole);
        if end > digits {
            return self.token(TokenKind::Float, start, end);
        }
        let end = if self.byte(start) == b'0' {
            self.skip(start, |byte| matches!(byte, b'0'..=b'7'))
        } else {
            digits
        };
        let end = suffix(end);
        self.token(TokenKind::Integer, start, end)
    }

    /// The tokens that need a look at the next byte.
    fn punctuation(&mut self, start: usize, byte: u8) -> Token {
        use TokenKind::*;
        let next = self.byte(start + 1);
        let (kind, len) = match byte {
            b'/' => (Slash, 1),
            b'@' if self.bytes[start..].starts_with(b"@@DWARF") => (Dwarf, 7),
            b'@' => (At, 1),
            b'&' if next == b'&' => (AmpersandAmpersand, 2),
            b'&' => (Ampersand, 1),
            b'|' if next == b'|' => (PipePipe, 2),
            b'|' => (Pipe, 1),
            b'!' if next == b'=' => (BangEqual, 2),
            b'!' => (Bang, 1),
            b'=' if next == b'=' => (EqualEqual, 2),
            b'=' => (Equal, 1),
            b'<' if next == b'<' => (ShiftLeft, 2),
            b'<' if next == b'=' => (LessEqual, 2),
            b'<' => (Less, 1),
            b'>' if next == b'>' => (ShiftRight, 2),
            b'>' if next == b'=' => (GreaterEqual, 2),
            b'>' => (Greater, 1),
            b'"' => return self.string(start),
            _ => return self.unknown(start),
        };
        self.token(kind, start, start + len)
    }

    /// A string runs to the next quote, over line ends if need be.
    fn string(&mut self, start: usize) -> Token {
        let Some(len) = self.bytes[start + 1..].iter().position(|&byte| byte == b'"') else {
            let span = Span::new(start as u32, start as u32 + 1);
            self.report(
                Diagnostic::error(codes::UNTERMINATED_STRING, span, "this string has no closing quote")
                    .help("end the string with `\"`; a quote cannot be escaped"),
            );
            return self.token(TokenKind::Unknown, start, start + 1);
        };
        let end = start + len + 2;
        if let Some(bad) = self.bytes[start..end].iter().position(|byte| !byte.is_ascii()) {
            self.not_ascii(start + bad);
        }
        self.token(TokenKind::Text, start, end)
    }

    /// A byte that can begin nothing, or a whole run outside ASCII, so that a page of it is one error.
    fn unknown(&mut self, start: usize) -> Token {
        let end = self.skip(start, |byte| !byte.is_ascii()).max(start + 1);
        if self.bytes[start].is_ascii() {
            let byte = self.bytes[start];
            let span = Span::new(start as u32, end as u32);
            let message = match byte {
                b'.' => "a `.` must be followed by a word".to_owned(),
                b'!'..=b'~' => format!("the character `{}` starts no token", char::from(byte)),
                _ => format!("the control character 0x{byte:02x} is not allowed here"),
            };
            let mut diagnostic = Diagnostic::error(codes::UNKNOWN_CHARACTER, span, message);
            if byte == b'#' {
                diagnostic = diagnostic
                    .help("only lines such as `# 1 \"file\"` are skipped; there is no preprocessor");
            }
            self.report(diagnostic.section("4.1"));
        } else {
            self.not_ascii(start);
        }
        self.token(TokenKind::Unknown, start, end)
    }

    fn not_ascii(&mut self, at: usize) {
        let character = self.source.get(at..).and_then(|rest| rest.chars().next());
        let shown = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        let span = Span::new(at as u32, (at + shown.len_utf8()) as u32);
        self.report(
            Diagnostic::error(
                codes::UNKNOWN_CHARACTER,
                span,
                format!("the character `{}` is not ASCII", shown.escape_debug()),
            )
            .help("other characters are allowed only in comments")
            .section("4.1"),
        );
    }

    /// Skips a comment that begins here; says whether one did.
    fn comment(&mut self, start: usize) -> bool {
        let rest = &self.bytes[start..];
        let (kind, len) = match self.byte(start + 1) {
            b'/' => {
                let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                (TriviaKind::Line, end)
            }
            b'*' => {
                let mut at = 2;
                let end = loop {
                    match rest.get(at..).and_then(|tail| tail.iter().position(|&byte| byte == b'*')) {
                        Some(star) if rest.get(at + star + 1) == Some(&b'/') => break at + star + 2,
                        Some(star) => at += star + 1,
                        None => {
                            let span = Span::new(start as u32, start as u32 + 2);
                            let message = "this comment has no end";
                            self.report(
                                Diagnostic::error(codes::UNTERMINATED_COMMENT, span, message)
                                    .label("it begins here")
                                    .help("close it with `*/`; comments do not nest"),
                            );
                            break rest.len();
                        }
                    }
                };
                (TriviaKind::Block, end)
            }
            _ => return false,
        };
        self.push_trivia(kind, start, start + len);
        true
    }

    fn push_trivia(&mut self, kind: TriviaKind, start: usize, end: usize) {
        self.trivia.push(Trivia { span: Span::new(start as u32, end as u32), kind });
        self.at = end;
    }

    /// Skips `# 1 "file" 2 3` or `#line 1 "file"`, which must fill the rest of its line.
    fn hash_line(&mut self, start: usize) -> bool {
        let blanks = |at: usize| self.skip(at, |byte| byte == b' ' || byte == b'\t');
        let mut at = blanks(start + 1);
        if self.bytes[at..].starts_with(b"line") {
            at = blanks(at + 4);
        }
        let digits = self.digits(at);
        let quote = blanks(digits);
        if digits == at || quote == digits || self.byte(quote) != b'"' {
            return false;
        }
        let Some(len) = self.bytes[quote + 1..].iter().position(|&byte| byte == b'"') else {
            return false;
        };
        let end =
            self.skip(quote + len + 2, |byte| matches!(byte, b' ' | b'\t' | b'\r') || byte.is_ascii_digit());
        if end < self.bytes.len() && self.bytes[end] != b'\n' {
            return false;
        }
        self.push_trivia(TriviaKind::Hash, start, end);
        true
    }
}
