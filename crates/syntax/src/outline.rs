//! The outline of a text: where each item of a module stands and what it names, found without reading the bodies of
//! functions. A large module can so be loaded by its declarations, and a body be read when somebody needs it.
//!
//! Only regular texts have an outline. Where anything looks odd there is none, and the text has to be parsed as a whole,
//! which says what is wrong. So an outline never has to guess where an item ends.

use memchr::{memchr, memmem};

use crate::ast::Span;
use crate::lexer::Lexer;
use crate::parser::{begins_item, is_header_directive};
use crate::source::without_terminator;
use crate::token::{Token, TokenKind};

/// The items of a module, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    pub items: Vec<Outlined>,
}

/// An item of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlined {
    /// From its first word to its `;` or brace.
    pub span: Span,
    pub kind: OutlinedKind,
    /// The one name that it gives a meaning to; empty if it gives none or several.
    pub name: Span,
    /// The body of a function, with its braces; empty if it has none.
    pub body: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlinedKind {
    /// What holds for the whole module: `.version`, `.target`, `.address_size`, `.pragma`.
    Head,
    /// `.file`
    File,
    /// `.section`
    Section,
    /// `.entry` or `.func`, declared or defined.
    Function,
    /// `.alias`, by the name that it makes.
    Alias,
    /// A variable of `.global`, `.const` or `.shared` memory with a name of its own.
    Variable,
    /// Several variables, a range of names, or one in another space.
    Variables,
}

/// The outline of a text.
///
/// `None` if the text is not regular: a token is wrong, an item does not end as items do, a body has no end, or has in it
/// what belongs to the whole module: a function, or a variable that lives as long as the module does.
#[must_use]
pub fn outline(source: &str) -> Option<Outline> {
    u32::try_from(source.len()).ok()?;
    let source = without_terminator(source);
    if memchr(0, source.as_bytes()).is_some() {
        return None;
    }
    let mut lexer = Lexer::new(source, 0);
    let token = lexer.next_token();
    let mut scan = Scan { source, lexer, token, end: 0 };
    let mut items = Vec::new();
    while scan.token.kind != TokenKind::EndOfFile {
        items.push(scan.item()?);
    }
    let bodies = Bodies::new();
    let text = source.as_bytes();
    let own = |item: &Outlined| !bodies.declare_for_the_module(text, item.body);
    (scan.lexer.diagnostics.is_empty() && items.iter().all(own)).then_some(Outline { items })
}

/// The names that stand in a part of a text, and whether one of them is that of an inlined function in a `.loc`.
pub fn names_in<'s>(source: &'s str, span: Span, mut each: impl FnMut(&'s str)) -> bool {
    let text = span.text(source);
    let mut lexer = Lexer::new(text, 0);
    let mut inlined = false;
    loop {
        let token = lexer.next_token();
        match token.kind {
            TokenKind::EndOfFile => return inlined,
            TokenKind::Name => each(token.span.text(text)),
            TokenKind::FunctionName => inlined = true,
            _ => {}
        }
    }
}

/// A walk over the items.
struct Scan<'s> {
    source: &'s str,
    lexer: Lexer<'s>,
    /// The token at hand.
    token: Token,
    /// Where the one before it ends.
    end: u32,
}

impl<'s> Scan<'s> {
    fn advance(&mut self) {
        self.end = self.token.span.end;
        self.token = self.lexer.next_token();
    }

    fn text(&self) -> &'s str {
        self.token.span.text(self.source)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// Goes past the braces at hand and what is in them.
    fn skip_braces(&mut self) -> Option<Span> {
        let start = self.token.span.start;
        let end = past_braces(self.source.as_bytes(), start as usize)?;
        self.lexer.skip_to(end);
        self.token.span.end = end as u32;
        self.advance();
        Some(Span::new(start, end as u32))
    }

    fn item(&mut self) -> Option<Outlined> {
        let start = self.token.span.start;
        let none = Span::default();
        let (kind, name, body) = match self.token.kind {
            TokenKind::Version => {
                self.advance();
                (OutlinedKind::Head, none, none)
            }
            TokenKind::Dotted => self.directive()?,
            _ => return None,
        };
        Some(Outlined { span: Span::new(start, self.end), kind, name, body })
    }

    fn directive(&mut self) -> Option<(OutlinedKind, Span, Span)> {
        let none = Span::default();
        let linked = matches!(self.text(), ".extern" | ".visible" | ".weak" | ".common");
        if linked {
            self.advance();
        }
        Some(match self.text() {
            ".entry" | ".func" => {
                let (name, body) = self.function()?;
                (OutlinedKind::Function, name, body)
            }
            ".target" | ".address_size" if !linked => {
                self.list()?;
                (OutlinedKind::Head, none, none)
            }
            ".file" if !linked => {
                self.list()?;
                (OutlinedKind::File, none, none)
            }
            ".pragma" if !linked => {
                self.up_to_semicolon()?;
                (OutlinedKind::Head, none, none)
            }
            ".alias" if !linked => {
                self.advance();
                let name = self.at(TokenKind::Name).then_some(self.token.span)?;
                self.up_to_semicolon()?;
                (OutlinedKind::Alias, name, none)
            }
            ".section" if !linked => {
                self.advance();
                if !self.at(TokenKind::Dotted) {
                    return None;
                }
                self.advance();
                if !self.at(TokenKind::LeftBrace) {
                    return None;
                }
                self.skip_braces()?;
                (OutlinedKind::Section, none, none)
            }
            _ if self.at(TokenKind::Dotted) => {
                let (kind, name) = self.variable()?;
                (kind, name, none)
            }
            _ => return None,
        })
    }

    /// A directive without a `;`, which ends where the next item begins.
    fn list(&mut self) -> Option<()> {
        loop {
            self.advance();
            match self.token.kind {
                TokenKind::Dotted | TokenKind::Version | TokenKind::EndOfFile => return Some(()),
                TokenKind::Name | TokenKind::Integer | TokenKind::Text | TokenKind::Comma => {}
                _ => return None,
            }
        }
    }

    fn up_to_semicolon(&mut self) -> Option<()> {
        while !self.at(TokenKind::Semicolon) {
            let odd = matches!(
                self.token.kind,
                TokenKind::EndOfFile | TokenKind::LeftBrace | TokenKind::RightBrace
            );
            if odd {
                return None;
            }
            self.advance();
        }
        self.advance();
        Some(())
    }

    /// A function from its word on: its name and its body.
    fn function(&mut self) -> Option<(Span, Span)> {
        self.advance();
        let (mut name, mut depth) = (None, 0u32);
        loop {
            match self.token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth = depth.checked_sub(1)?,
                TokenKind::Name if depth == 0 && name.is_none() => name = Some(self.token.span),
                TokenKind::LeftBrace if depth == 0 => return Some((name?, self.skip_braces()?)),
                TokenKind::Semicolon if depth == 0 => {
                    self.advance();
                    return Some((name?, Span::default()));
                }
                TokenKind::Dotted if depth == 0 && self.text() == ".pragma" => {
                    self.up_to_semicolon()?;
                    continue;
                }
                TokenKind::Dotted if depth == 0 => {
                    let word = self.text();
                    if !is_header_directive(word) && word != ".attribute" {
                        return None;
                    }
                }
                TokenKind::EndOfFile
                | TokenKind::Version
                | TokenKind::LeftBrace
                | TokenKind::RightBrace
                | TokenKind::Semicolon => return None,
                _ => {}
            }
            self.advance();
        }
    }

    /// A declaration of variables from its space on.
    fn variable(&mut self) -> Option<(OutlinedKind, Span)> {
        let (mut name, mut several, mut initial, mut depth) = (None, false, false, 0u32);
        let mut space = false;
        let mut first = true;
        loop {
            match self.token.kind {
                TokenKind::Semicolon if depth == 0 => {
                    self.advance();
                    let single = name.filter(|_| space && !several);
                    return Some(match single {
                        Some(name) => (OutlinedKind::Variable, name),
                        None => (OutlinedKind::Variables, Span::default()),
                    });
                }
                TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket => depth = depth.checked_sub(1)?,
                TokenKind::LeftBrace => {
                    self.skip_braces()?;
                    continue;
                }
                TokenKind::Equal => initial = true,
                // Another declarator, or a range of names.
                TokenKind::Comma if depth == 0 => several = true,
                TokenKind::Less if !initial => several = true,
                TokenKind::Name if depth == 0 && !initial && name.is_none() => {
                    name = Some(self.token.span);
                }
                TokenKind::Dotted if depth == 0 => {
                    let word = self.text();
                    match word {
                        ".global" | ".const" | ".shared" => space = true,
                        ".align" => {}
                        _ if !first && begins_item(word) => return None,
                        _ => {}
                    }
                }
                TokenKind::EndOfFile
                | TokenKind::Version
                | TokenKind::RightBrace
                | TokenKind::Semicolon
                | TokenKind::Unknown => return None,
                _ => {}
            }
            first = false;
            self.advance();
        }
    }
}

/// The bytes that matter inside of braces.
const MARK: [bool; 256] = {
    let mut mark = [false; 256];
    let marks = b"{}\"/#";
    let mut at = 0;
    while at < marks.len() {
        mark[marks[at] as usize] = true;
        at += 1;
    }
    mark
};

/// Where the braces that open at a place have been closed. Braces in comments and strings do not count.
fn past_braces(text: &[u8], open: usize) -> Option<usize> {
    let (mut at, mut depth) = (open, 0usize);
    loop {
        at += text.get(at..)?.iter().position(|byte| MARK[usize::from(*byte)])?;
        match text[at] {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' => at += 1 + memchr(b'"', &text[at + 1..])?,
            b'/' => match text.get(at + 1) {
                Some(b'/') => at += memchr(b'\n', &text[at..])?,
                Some(b'*') => at += 3 + memmem::find(&text[at + 2..], b"*/")?,
                _ => {}
            },
            // The line of a preprocessor may have anything in its string.
            _ => return None,
        }
        at += 1;
    }
}

/// Looks for declarations in bodies that are not the body's own business.
struct Bodies {
    /// Functions.
    functions: [memmem::Finder<'static>; 2],
    /// Variables that live as long as the module.
    variables: [memmem::Finder<'static>; 2],
}

impl Bodies {
    fn new() -> Self {
        Self {
            functions: [memmem::Finder::new(".func"), memmem::Finder::new(".entry")],
            variables: [memmem::Finder::new(".global"), memmem::Finder::new(".const")],
        }
    }

    fn declare_for_the_module(&self, text: &[u8], body: Span) -> bool {
        let body = &text[body.start as usize..body.end as usize];
        // A space is a modifier of instructions too, but never their first word.
        let begins = |at: usize| !at.checked_sub(1).is_some_and(|before| is_word(body[before]));
        self.functions.iter().any(|word| word.find(body).is_some())
            || self.variables.iter().any(|word| word.find_iter(body).any(begins))
    }
}

/// Whether a byte may stand before a modifier in an instruction's word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> Option<Vec<(OutlinedKind, &str, &str)>> {
        let outline = outline(source)?;
        Some(outline.items.iter().map(|i| (i.kind, i.name.text(source), i.body.text(source))).collect())
    }

    #[test]
    fn items_end_where_they_end_for_the_parser() {
        use OutlinedKind::*;
        let source = ".version 8.0\n.target sm_80, debug\n.address_size 64\n.file 1 \"a{.cu\", 1, 2\n\
            .extern .func (.param .b32 r) f (.param .b64 a);\n.global .align 4 .b8 t[4] = {1, 2, 3}; \
            .global .u32 a, b; .shared .u32 s<3>; .local .u32 l;\n\
            .func g .noreturn { /* } */ { mov.b32 {%a, %b}, %c; // }\n } .pragma \"}\"; }\n\
            .alias h, g; .section .debug_str { L: .b8 1 }\n\
            .visible .entry k (.param .u64 p) .maxntid 1, 2 .pragma \"x;\"; { ret; }";
        let bodies = shown(source).expect("it is regular");
        let kinds: Vec<(OutlinedKind, &str)> = bodies.iter().map(|(kind, name, _)| (*kind, *name)).collect();
        let expected = [
            (Head, ""),
            (Head, ""),
            (Head, ""),
            (File, ""),
            (Function, "f"),
            (Variable, "t"),
            (Variables, ""),
            (Variables, ""),
            (Variables, ""),
            (Function, "g"),
            (Alias, "h"),
            (Section, ""),
            (Function, "k"),
        ];
        assert_eq!(kinds, expected);
        assert!(bodies[9].2.starts_with("{ /*") && bodies[9].2.ends_with("\"}\"; }"));
        assert_eq!(bodies[12].2, "{ ret; }");
    }

    #[test]
    fn odd_texts_have_none() {
        for source in [
            ".entry k { ret; ",
            ".entry k { ret; } }",
            ".entry k { /* } ",
            ".entry k { \" }",
            ".entry k {\n# 1 \"}\"\n}",
            ".entry k { .extern .func f; ret; }",
            ".entry k { .global .u32 x; ret; }",
            ".entry k { ret; /*;*/.const .u32 x; }",
            ".entry k { ret; .entry j { ret; } }",
            ".func f .visible .entry k { ret; }",
            ".global .u32 x .entry k { ret; }",
            "@@DWARF .byte 1",
            "# no",
            ".entry k { }\0 .entry",
        ] {
            assert!(outline(source).is_none(), "{source}");
        }
        assert!(outline(".entry k { ld.global.u32 %r, [%p]; cvta.const.u64 %p, c; }").is_some());
    }
}
