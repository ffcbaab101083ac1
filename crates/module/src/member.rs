//! Splits names that are members of ranges: `%r17` is number 17 of the prefix `%r`.

use ptxvm_syntax::ast::Symbol;
use ptxvm_syntax::intern::Interner;

use crate::entity::{Entity, Register, Variable, VariableId};

/// A name that ends in digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// What stands before all of its trailing digits.
    pub prefix: Symbol,
    /// The number they make, modulo 2^32.
    pub number: u32,
}

/// Each symbol's prefix and number, found when first asked for.
#[derive(Debug)]
pub struct Members {
    /// By symbol.
    table: Vec<Member>,
}

/// The prefix of a symbol that has not been looked at.
const UNKNOWN: Symbol = Symbol(u32::MAX);
/// The prefix of a symbol that is no member: it ends in no digit, or no name of the file is its prefix.
const NONE: Symbol = Symbol(u32::MAX - 1);

impl Members {
    /// A table for so many symbols.
    #[must_use]
    pub fn new(symbols: usize) -> Self {
        Self { table: vec![Member { prefix: UNKNOWN, number: 0 }; symbols] }
    }

    /// The symbol's prefix and number.
    pub fn of(&mut self, symbol: Symbol, interner: &Interner) -> Option<Member> {
        let member = &mut self.table[symbol.0 as usize];
        if member.prefix == UNKNOWN {
            *member = look(symbol, interner);
        }
        if member.prefix == NONE { None } else { Some(*member) }
    }
}

fn look(symbol: Symbol, interner: &Interner) -> Member {
    let text = interner.text(symbol);
    let prefix = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text[prefix.len()..].bytes();
    let number = digits.fold(0u32, |n, digit| n.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')));
    match interner.get(prefix) {
        Some(prefix_symbol) if prefix.len() < text.len() => Member { prefix: prefix_symbol, number },
        _ => Member { prefix: NONE, number },
    }
}

/// Whether the digits at the end of a name begin with a zero that counts for nothing.
#[must_use]
pub fn has_leading_zero(text: &str) -> bool {
    let prefix = text.trim_end_matches(|c: char| c.is_ascii_digit());
    text.len() - prefix.len() > 1 && text.as_bytes()[prefix.len()] == b'0'
}

/// The entity `number` places after the first of a range.
#[must_use]
pub fn nth(first: Entity, number: u32) -> Entity {
    match first {
        Entity::Register(r) => {
            let index = r.index.saturating_add(number.saturating_mul(u32::from(r.vector)));
            Entity::Register(Register { index, ..r })
        }
        Entity::Variable(v) => {
            Entity::Variable(Variable { id: VariableId(v.id.0.saturating_add(number)), ..v })
        }
        other => other,
    }
}
