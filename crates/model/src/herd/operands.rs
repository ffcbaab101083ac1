//! An instruction's opcode with its modifiers, and its operands.

use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use super::builder::Builder;
use super::cursor::{Cursor, Named, Parsed};
use super::lexer::Token;
use crate::codes;
use crate::event::{Proxy, Scope, Semantics};
use crate::test::{Manner, Operand};

/// An opcode and those of its modifiers that nobody has asked for yet.
pub struct Opcode {
    pub name: String,
    modifiers: Vec<Named>,
    pub span: Span,
}

/// Types and state spaces: a location says itself where it lies and how wide it is.
const SILENT: [&str; 21] = [
    "b8",
    "b16",
    "b32",
    "b64",
    "u8",
    "u16",
    "u32",
    "u64",
    "s8",
    "s16",
    "s32",
    "s64",
    "f32",
    "f64",
    "global",
    "shared",
    "shared::cta",
    "shared::cluster",
    "local",
    "aligned",
    "b128",
];

impl Opcode {
    /// `ld.relaxed.gpu`, `tcgen05.fence::before_thread_sync`
    pub fn parse(cursor: &mut Cursor<'_>) -> Parsed<Opcode> {
        let word = cursor.word("an instruction")?;
        let mut span = word.span;
        let mut modifiers = Vec::new();
        while cursor.take(".") {
            let part = cursor.token();
            if !part.is_word() && !part.is_number() {
                return cursor.fail("a modifier after `.`");
            }
            cursor.skip();
            let mut modifier = Named::from(part);
            while cursor.take("::") {
                let part = cursor.token();
                modifier.text = format!("{}::{}", modifier.text, part.text);
                modifier.span = modifier.span.to(part.span);
                cursor.skip();
            }
            span = span.to(modifier.span);
            if !SILENT.contains(&modifier.text.as_str()) {
                modifiers.push(modifier);
            }
        }
        Ok(Opcode { name: word.text.to_owned(), modifiers, span })
    }

    /// Whether a modifier is there; it is asked for only once.
    pub fn take(&mut self, modifier: &str) -> bool {
        match self.modifiers.iter().position(|known| known.text == modifier) {
            Some(at) => {
                self.modifiers.remove(at);
                true
            }
            None => false,
        }
    }

    /// The first of these modifiers that is there.
    pub fn one_of<T: Copy>(&mut self, choices: &[(&str, T)]) -> Option<T> {
        choices.iter().find(|(name, _)| self.take(name)).map(|(_, value)| *value)
    }

    pub fn scope(&mut self) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| self.take(scope.name()))
    }

    /// Nothing may be left.
    pub fn finish(&self) -> Parsed<()> {
        match self.modifiers.first() {
            None => Ok(()),
            Some(left) => {
                let message = format!("`.{}` is not a modifier of this form of `{}`", left.text, self.name);
                Err(Box::new(Diagnostic::error(codes::MODIFIER, left.span, message)))
            }
        }
    }

    pub fn lacks<T>(&self, what: &str) -> Parsed<T> {
        let message = format!("`{}` lacks {what}", self.name);
        Err(Box::new(Diagnostic::error(codes::MODIFIER, self.span, message)))
    }

    /// The semantics and scope of an access, by the given proxy; `strong` are the semantics that it may have, and the
    /// others what counts where the text does not say.
    pub fn manner(
        &mut self,
        proxy: Proxy,
        strong: &[Semantics],
        default: Semantics,
        default_scope: Option<Scope>,
    ) -> Parsed<Manner> {
        if self.take("volatile") {
            // 8.4.2: as relaxed, at system scope.
            return Ok(Manner { semantics: Semantics::Relaxed, scope: Scope::Sys, proxy });
        }
        // 8.4.1: as a strong operation; only `.relaxed` and `.sys` are legal with it.
        let mmio = self.take("mmio");
        let all =
            [Semantics::Weak, Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcqRel];
        let said = all.into_iter().find(|semantics| self.take(semantics.name()));
        let semantics = said.unwrap_or(if mmio { Semantics::Relaxed } else { default });
        let scope = self.scope().or(default_scope.filter(|_| semantics != Semantics::Weak));
        if semantics != Semantics::Weak && !strong.contains(&semantics) {
            let message = format!("`{}` cannot be `.{}`", self.name, semantics.name());
            return Err(Box::new(Diagnostic::error(codes::MODIFIER, self.span, message)));
        }
        match (semantics, scope) {
            (Semantics::Weak, Some(_)) => {
                let message = format!("a weak `{}` has no scope", self.name);
                let error = Diagnostic::error(codes::MODIFIER, self.span, message);
                Err(Box::new(error.help("leave the scope out, or make it `.relaxed`")))
            }
            (Semantics::Weak, None) => Ok(Manner { semantics, scope: Scope::Cta, proxy }),
            (_, Some(scope)) => Ok(Manner { semantics, scope, proxy }),
            (_, None) if mmio => Ok(Manner { semantics, scope: Scope::Sys, proxy }),
            (_, None) => self.lacks("a scope: `.cta`, `.cluster`, `.gpu` or `.sys`"),
        }
    }
}

/// Whether a word is a register: `r1`, `%r1`.
pub fn is_register(text: &str) -> bool {
    let number = text.strip_prefix('r').filter(|rest| !rest.is_empty());
    text.starts_with('%') || number.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

pub fn register(cursor: &mut Cursor<'_>, thread: usize, builder: &mut Builder) -> Parsed<usize> {
    let token: Token<'_> = cursor.token();
    if !is_register(token.text) {
        return cursor.fail("a register, such as `r1`");
    }
    cursor.skip();
    Ok(builder.register(thread, token.text))
}

/// A register or a number.
pub fn value(cursor: &mut Cursor<'_>, thread: usize, builder: &mut Builder) -> Parsed<Operand> {
    if cursor.is_number() {
        return Ok(Operand::Constant(cursor.number()?));
    }
    if !is_register(cursor.token().text) {
        return cursor.fail("a register or a number");
    }
    Ok(Operand::Register(register(cursor, thread, builder)?))
}

/// `x`, `[x]`
pub fn location(cursor: &mut Cursor<'_>) -> Parsed<Named> {
    let brackets = cursor.take("[");
    let name = cursor.location()?;
    if brackets {
        cursor.expect("]", "`]`")?;
    }
    Ok(name)
}

pub fn comma(cursor: &mut Cursor<'_>) -> Parsed<()> {
    cursor.expect(",", "`,` and another operand")
}

/// One operand, or several in braces.
pub fn listed<T>(
    cursor: &mut Cursor<'_>,
    count: usize,
    mut one: impl FnMut(&mut Cursor<'_>) -> Parsed<T>,
) -> Parsed<Vec<T>> {
    if count == 1 {
        return Ok(vec![one(cursor)?]);
    }
    cursor.expect("{", "a vector in braces")?;
    let mut list = vec![one(cursor)?];
    while cursor.take(",") {
        list.push(one(cursor)?);
    }
    if list.len() != count {
        return cursor.fail(&format!("a vector of {count} elements"));
    }
    cursor.expect("}", "`}`")?;
    Ok(list)
}
