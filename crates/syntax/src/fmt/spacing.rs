//! Blanks between the tokens of one line.

use crate::token::{Token, TokenKind};

/// Whether a blank stands between two neighbours. `instruction` says that they are part of an
/// instruction, where modifiers and members stick to what is before them.
pub(super) fn between(source: &str, previous: Token, token: Token, instruction: bool) -> bool {
    use TokenKind::*;
    let open = matches!(previous.kind, LeftParen | LeftBracket | LeftBrace);
    match token.kind {
        EndOfFile | Comma | Semicolon | RightParen | RightBracket | RightBrace | Colon | Question => false,
        Equal | Percent => true,
        _ if matches!(previous.kind, Comma | Equal | Percent | Semicolon) => true,
        _ if open => false,
        Dotted => !instruction,
        LeftBracket => false,
        LeftParen => match previous.kind {
            Dotted => !matches!(previous.span.text(source), ".attribute" | ".unified"),
            Sink => true,
            _ => false,
        },
        LeftBrace => true,
        Name | FunctionName | InlinedAt | Sink => match previous.kind {
            RightParen => !instruction,
            _ => is_word(previous.kind),
        },
        Integer | Float | Single | Double | WarpSize | Text | Version | Dwarf | Unknown | At => {
            is_word(previous.kind)
        }
        // The sign of a number after a directive's word.
        Minus => previous.kind == Dotted && !instruction,
        _ => false,
    }
}

/// Whether a token would run into a word after it.
fn is_word(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Name | Dotted
            | Version
            | Integer
            | Float
            | Single
            | Double
            | Text
            | Sink
            | WarpSize
            | FunctionName
            | InlinedAt
            | Dwarf
            | RightBrace
            | RightBracket
    )
}
