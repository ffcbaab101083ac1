//! `fmt`: tidies a file that people edit.
//!
//! The text is not printed from the tree: the tokens and comments of the source are written again, in
//! their order, and the tree only says where lines begin. So nothing can be lost, and formatting twice
//! gives the same text. A file with syntax errors is left alone.

mod layout;
mod spacing;

use crate::ast::{Span, Trivia, TriviaKind};
use crate::diagnostic::{Diagnostic, Severity};
use crate::intern::Interner;
use crate::lexer::Lexer;
use crate::parser::parse;
use crate::printer::MAX_INDENT;
use crate::source::without_terminator;
use crate::token::{Token, TokenKind};
use layout::{Event, EventKind};

/// The formatted text of `source`.
///
/// # Errors
/// The syntax errors of `source`, if it has any.
pub fn fmt(source: &str, words: &Interner) -> Result<String, Vec<Diagnostic>> {
    let source = without_terminator(source);
    let parsed = parse(source, words);
    if !parsed.is_ok() {
        let errors = parsed.diagnostics.into_iter();
        return Err(errors.filter(|diagnostic| diagnostic.severity == Severity::Error).collect());
    }
    let events = layout::events(&parsed.file);
    let mut lexer = Lexer::new(source, 0);
    let mut writer = Writer {
        source,
        out: String::with_capacity(source.len()),
        previous: None,
        end: 0,
        indent: 0,
        must_break: false,
        instruction: false,
        keep_breaks: false,
    };
    let mut next_event = 0;
    loop {
        let seen = lexer.trivia.len();
        let token = lexer.next_token();
        let mut line = None;
        let mut space = false;
        while let Some(event) = events.get(next_event).filter(|event| event.at <= token.span.start) {
            next_event += 1;
            match event.kind {
                EventKind::Line { indent } => line = Some(indent),
                EventKind::Space => space = true,
                EventKind::Instruction(inside) => writer.instruction = inside,
                EventKind::KeepBreaks(keep) => writer.keep_breaks = keep,
            }
        }
        if token.kind == TokenKind::EndOfFile {
            line = Some(0);
        }
        writer.step(&lexer.trivia[seen..], token, line, space);
        if token.kind == TokenKind::EndOfFile {
            break;
        }
    }
    while writer.out.ends_with('\n') {
        writer.out.pop();
    }
    if !writer.out.is_empty() {
        writer.out.push('\n');
    }
    Ok(writer.out)
}

struct Writer<'s> {
    source: &'s str,
    out: String,
    /// The token written last.
    previous: Option<Token>,
    /// Where the last token or comment ends in the source.
    end: u32,
    /// The indentation of the line's first token.
    indent: usize,
    /// A comment that ends its line was written last.
    must_break: bool,
    /// Modifiers and members stick to what is before them.
    instruction: bool,
    /// Line ends of the source are kept, as in a long initialiser.
    keep_breaks: bool,
}

impl Writer<'_> {
    /// The number of line ends in the source between what was written last and `start`.
    fn line_ends(&self, start: u32) -> usize {
        let between = Span::new(self.end, start).text(self.source);
        between.bytes().filter(|&byte| byte == b'\n').count()
    }

    /// Begins a line, after an empty one if the source had one here.
    fn begin_line(&mut self, indent: usize, line_ends: usize) {
        if !self.out.is_empty() {
            if !self.out.ends_with('\n') {
                self.out.push('\n');
            }
            if line_ends > 1 {
                self.out.push('\n');
            }
        }
        self.out.extend(std::iter::repeat_n('\t', indent.min(MAX_INDENT)));
        self.must_break = false;
    }

    /// Writes the comments before a token and the token. `line` is the indentation if a line begins
    /// here, `space` says that a blank must come before the token.
    fn step(&mut self, trivia: &[Trivia], token: Token, line: Option<usize>, space: bool) {
        let mut line = line;
        let mut on_comment_line = false;
        for comment in trivia {
            on_comment_line = self.comment(*comment, token, line);
        }
        let line_ends = self.line_ends(token.span.start);
        let joins = line_ends == 0 && !self.must_break && token.kind != TokenKind::EndOfFile;
        if on_comment_line && joins && line.is_some() {
            // A comment at the start of a line stays with the statement after it.
            self.indent = line.take().unwrap_or(self.indent);
            self.out.push(' ');
        } else if let Some(indent) = line {
            self.indent = indent;
            if token.kind != TokenKind::EndOfFile {
                self.begin_line(indent, line_ends);
            }
        } else if self.must_break || (self.keep_breaks && line_ends > 0) {
            self.begin_line(self.indent + usize::from(!closes(token)), 0);
        } else if !trivia.is_empty()
            || space
            || self
                .previous
                .is_some_and(|previous| spacing::between(self.source, previous, token, self.instruction))
        {
            self.out.push(' ');
        }
        self.token(token);
    }

    fn token(&mut self, token: Token) {
        let text = token.span.text(self.source);
        if token.kind == TokenKind::Version {
            let mut parts = text.split_whitespace();
            self.out.push_str(parts.next().unwrap_or(""));
            self.out.push(' ');
            self.out.push_str(parts.next().unwrap_or(""));
        } else {
            self.out.push_str(text);
        }
        self.previous = Some(token);
        self.end = token.span.end;
    }

    /// Writes a comment that stands before `token`. True if the comment began its line and the line is
    /// still open.
    fn comment(&mut self, comment: Trivia, token: Token, line: Option<usize>) -> bool {
        let line_ends = self.line_ends(comment.span.start);
        let begins_line =
            self.must_break || line_ends > 0 || self.out.is_empty() || comment.kind == TriviaKind::Hash;
        if begins_line {
            let indent = match (comment.kind, line) {
                (TriviaKind::Hash, _) => 0,
                // Inside braces that close here, the comment belongs to what is inside.
                (_, Some(indent)) => indent + usize::from(closes(token)),
                (_, None) => self.indent + 1,
            };
            self.begin_line(indent, line_ends);
        } else {
            self.out.push(' ');
        }
        let text = comment.span.text(self.source);
        self.out.push_str(text.trim_end());
        self.end = comment.span.end;
        self.must_break = comment.kind != TriviaKind::Block;
        begins_line && !self.must_break
    }
}

fn closes(token: Token) -> bool {
    matches!(token.kind, TokenKind::RightBrace | TokenKind::RightParen)
}

impl Event {
    fn new(at: u32, kind: EventKind) -> Self {
        Self { at, kind }
    }
}
