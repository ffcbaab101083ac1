//! Matching an instruction's modifiers against a row: which slot each one fills, and what is wrong if none does.
//!
//! ptxas takes modifiers in nearly any order. What it does keep is the name's own parts, the order among
//! modifiers that could stand for each other (the two types of `cvt`), and what a row's `order` line asks.

use crate::table::{Ask, CountSource, Isa, NO_WORD, Row, Rule, Slot, Tolerance, TypeOf, Word};
use crate::target::Language;
use crate::types::Type;
use crate::{Operand, table::Count};

/// More slots than any row has.
pub const MAX_SLOTS: usize = 24;

/// The word in each slot of a row, [`NO_WORD`] where it is empty.
pub type Filling = [Word; MAX_SLOTS];

/// Why a row does not take an instruction's modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The name's own parts differ.
    Name,
    /// The modifier at this place (after the opcode) fits no slot.
    Unexpected(usize),
    /// The modifier at this place stands twice.
    Doubled(usize),
    /// The modifier at this place stands in the wrong order.
    Order(usize),
    /// This slot must be filled.
    Missing(usize),
    /// This rule is broken.
    Rule(usize),
    /// The row asks for another version or target.
    Need,
    /// The form has been removed for this version and target.
    Gone,
}

/// The first modifier that no slot of the row takes, which ptxas passes over.
pub fn ignored(row: &Row, modifiers: &[Word]) -> Option<usize> {
    let parts = row.name.len() - 1;
    let has_slot = |w: &Word| row.slots.iter().any(|s| s.values.contains(w));
    modifiers.iter().enumerate().skip(parts).find(|(_, w)| !has_slot(w)).map(|(i, _)| i)
}

/// What a rule may ask about the operands; the checker answers.
pub trait Operands {
    /// Whether the condition (one of the kinds that speak of operands) holds.
    fn holds(&self, ask: &Ask) -> bool;
}

/// No operands are known yet: rules that ask about them are passed over.
pub struct Unknown;

impl Operands for Unknown {
    fn holds(&self, _: &Ask) -> bool {
        false
    }
}

/// Fills the row's slots with the modifiers of an instruction.
pub fn fill(row: &Row, isa: &Isa, modifiers: &[Word]) -> Result<Filling, Miss> {
    let parts = &row.name[1..];
    if modifiers.len() < parts.len() || &modifiers[..parts.len()] != parts {
        return Err(Miss::Name);
    }
    let rest = &modifiers[parts.len()..];
    if rest.len() > MAX_SLOTS {
        return Err(Miss::Unexpected(modifiers.len() - 1));
    }
    let mut search = Search { row, isa, words: rest, at: [None; MAX_SLOTS], deepest: 0, why: None };
    if search.place(0) {
        let mut filling = [NO_WORD; MAX_SLOTS];
        for (slot, at) in search.at.iter().enumerate() {
            if let Some(at) = at {
                filling[slot] = rest[usize::from(*at)];
            }
        }
        return Ok(filling);
    }
    Err(match search.why {
        Some(Miss::Unexpected(i)) => Miss::Unexpected(i + parts.len()),
        Some(Miss::Doubled(i)) => Miss::Doubled(i + parts.len()),
        Some(Miss::Order(i)) => Miss::Order(i + parts.len()),
        Some(other) => other,
        None => Miss::Name,
    })
}

/// The search for a slot for each modifier, by trying; rows are short, so trying is cheap.
struct Search<'a> {
    row: &'a Row,
    isa: &'a Isa,
    words: &'a [Word],
    at: [Option<u8>; MAX_SLOTS],
    deepest: usize,
    why: Option<Miss>,
}

impl Search<'_> {
    fn place(&mut self, i: usize) -> bool {
        let Some(&word) = self.words.get(i) else {
            return self.complete();
        };
        if self.words[..i].contains(&word) && self.tolerates(word, Tolerance::Repeat) {
            return self.place(i + 1);
        }
        if !self.row.slots.iter().any(|s| s.values.contains(&word)) && self.ignores(i) {
            return self.place(i + 1);
        }
        let mut miss = Miss::Unexpected(i);
        for slot in 0..self.row.slots.len() {
            if !self.row.slots[slot].values.contains(&word) {
                continue;
            }
            if self.at[slot].is_some() {
                if miss == Miss::Unexpected(i) {
                    miss = Miss::Doubled(i);
                }
                continue;
            }
            if !self.in_order(slot) {
                miss = Miss::Order(i);
                continue;
            }
            self.at[slot] = Some(i as u8);
            if self.place(i + 1) {
                return true;
            }
            self.at[slot] = None;
            miss = Miss::Name;
        }
        if self.has_types() && self.tolerates(word, Tolerance::Last) && self.place(i + 1) {
            return true;
        }
        if miss != Miss::Name {
            self.fail(i, miss);
        }
        false
    }

    /// Whether every slot that needs a type has one.
    fn has_types(&self) -> bool {
        let typed = |slot: &Slot| self.isa.word_types[usize::from(slot.values[0])].is_some();
        let mut slots = self.row.slots.iter().zip(&self.at);
        slots.all(|(slot, at)| slot.optional || at.is_some() || !typed(slot))
    }

    fn tolerates(&self, word: Word, how: Tolerance) -> bool {
        self.isa.tolerated.iter().any(|t| t.how == how && t.covers(self.row, word))
    }

    /// Whether ptxas passes over the modifier at this place, which no slot of the row takes.
    fn ignores(&self, i: usize) -> bool {
        let word = self.words[i];
        let once = |words: &[Word]| self.words.iter().filter(|w| words.contains(w)).count() == 1;
        self.isa.tolerated.iter().any(|t| match t.how {
            Tolerance::Repeat | Tolerance::Last => false,
            Tolerance::Once => t.covers(self.row, word) && once(t.words),
            Tolerance::Any => t.covers(self.row, word),
        })
    }

    /// Whether `slot` may be filled now, given which slots are filled already.
    fn in_order(&self, slot: usize) -> bool {
        let shares = |a: &Slot, b: &Slot| a.values.iter().any(|v| b.values.contains(v));
        let later_filled = |j: usize| j > slot && self.at[j].is_some();
        if (0..self.row.slots.len())
            .any(|j| later_filled(j) && shares(&self.row.slots[slot], &self.row.slots[j]))
        {
            return false;
        }
        self.row.order.iter().all(|group| match group.iter().position(|&s| usize::from(s) == slot) {
            Some(place) => group[place + 1..].iter().all(|&s| self.at[usize::from(s)].is_none()),
            None => true,
        })
    }

    fn complete(&mut self) -> bool {
        let empty = |s: usize| !self.row.slots[s].optional && self.at[s].is_none();
        match (0..self.row.slots.len()).find(|&s| empty(s)) {
            None => true,
            Some(s) => {
                self.fail(self.words.len(), Miss::Missing(s));
                false
            }
        }
    }

    /// Keeps the complaint of the attempt that got furthest.
    fn fail(&mut self, depth: usize, why: Miss) {
        if self.why.is_none() || depth > self.deepest {
            self.deepest = depth;
            self.why = Some(why);
        }
    }
}

/// Checks a filled row against the module's language and the row's rules.
pub fn judge(
    row: &Row,
    filling: &Filling,
    language: Language,
    operands: &dyn Operands,
    operands_known: bool,
) -> Result<(), Miss> {
    for (i, rule) in row.rules.iter().enumerate() {
        if !operands_known && speaks_of_operands(rule) {
            continue;
        }
        let holds = |conditions: &[crate::table::Condition]| {
            conditions.iter().all(|c| answer(&c.ask, filling, language, operands) != c.not)
        };
        if holds(rule.when) && (rule.never || !holds(rule.then) || !language.meets(rule.need)) {
            return Err(Miss::Rule(i));
        }
    }
    if !language.meets(row.need) {
        return Err(Miss::Need);
    }
    if row.gone.is_some_and(|g| language.ptx >= g.ptx && language.targets(g.targets)) {
        return Err(Miss::Gone);
    }
    Ok(())
}

fn speaks_of_operands(rule: &Rule) -> bool {
    rule.when.iter().chain(rule.then).any(|c| {
        matches!(
            c.ask,
            Ask::Given(_) | Ask::Is(..) | Ask::Within(..) | Ask::AtMost(..) | Ask::IndependentTextures
        )
    })
}

fn answer(ask: &Ask, filling: &Filling, language: Language, operands: &dyn Operands) -> bool {
    match ask {
        Ask::Filled(slot) => filling[usize::from(*slot)] != NO_WORD,
        Ask::Holds(slot, words) => words.contains(&filling[usize::from(*slot)]),
        Ask::Word(word) => filling.contains(word),
        Ask::Target(targets) => language.targets(targets),
        Ask::Ptx(version) => language.ptx >= *version,
        Ask::Given(_) | Ask::Is(..) | Ask::Within(..) | Ask::AtMost(..) | Ask::IndependentTextures => {
            operands.holds(ask)
        }
    }
}

/// The type of an operand once the slots are filled.
pub fn type_of(operand: &Operand, filling: &Filling, isa: &Isa) -> Option<Type> {
    let in_slot = |slot: u8| isa.word_types.get(usize::from(filling[usize::from(slot)])).copied().flatten();
    match operand.ty {
        TypeOf::Slot(slot) => in_slot(slot),
        TypeOf::Doubled(slot) => in_slot(slot)?.doubled(),
        TypeOf::Fixed(ty) => Some(ty),
        TypeOf::None | TypeOf::Texture | TypeOf::Sampler | TypeOf::Surface => None,
    }
}

/// The length of a vector operand once the slots are filled; `None` means a scalar stands there.
pub fn count_of(count: Count, filling: &Filling, isa: &Isa) -> Option<u32> {
    let number = match count.source {
        CountSource::Number(n) => Some(u32::from(n)),
        CountSource::Slot(slot) => {
            let text = isa.words.get(usize::from(filling[usize::from(slot)]))?;
            number_in(text.trim_start_matches(|c: char| !c.is_ascii_digit()))
        }
        CountSource::Field(slot, letter) => {
            let text = isa.words.get(usize::from(filling[usize::from(slot)]))?;
            text.split_once(letter).and_then(|(_, rest)| number_in(rest))
        }
    }?;
    Some(number * u32::from(count.times) / u32::from(count.over.max(1)))
}

fn number_in(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}
