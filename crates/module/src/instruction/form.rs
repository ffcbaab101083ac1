//! Finds the rows of the table that an instruction's opcode and modifiers fit, and remembers them for each spelling.
//!
//! Real files repeat a few hundred spellings a hundred thousand times, so the rows are searched once for each spelling.

use ptxvm_isa::form::{self, Filling, Miss, Unknown};
use ptxvm_isa::{Isa, Language, NO_WORD, Row, Word};
use ptxvm_syntax::ast;
use rustc_hash::FxHashMap;

/// A row that takes the modifiers, with its slots filled.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Index into the table's rows.
    pub index: u16,
    /// The row itself.
    pub row: &'static Row,
    /// The word in each slot.
    pub filling: Filling,
    /// The place of a modifier that ptxas passes over.
    pub ignored: Option<usize>,
}

/// The spellings seen so far in a module, and the rows that take each.
#[derive(Default)]
pub struct Forms {
    known: FxHashMap<Box<[Word]>, u32>,
    lists: Vec<Vec<Candidate>>,
    spelling: Vec<Word>,
}

impl Forms {
    /// The rows that take this instruction's opcode and modifiers; none when the form itself is wrong.
    ///
    /// Rules that speak of operands are not asked here.
    pub fn candidates(
        &mut self,
        isa: &Isa,
        language: Language,
        file: &ast::File,
        instruction: &ast::Instruction,
    ) -> &[Candidate] {
        self.spelling.clear();
        self.spelling.push(word(isa, instruction.opcode.symbol));
        self.spelling.extend(file[instruction.modifiers].iter().map(|m| word(isa, m.symbol)));
        if let Some(&at) = self.known.get(self.spelling.as_slice()) {
            return &self.lists[at as usize];
        }
        let list = search(isa, language, &self.spelling);
        self.known.insert(self.spelling.as_slice().into(), self.lists.len() as u32);
        self.lists.push(list);
        self.lists.last().map_or(&[], Vec::as_slice)
    }
}

/// The table's word for a symbol: the interner was seeded with the words, so they share their numbers.
pub fn word(isa: &Isa, symbol: ast::Symbol) -> Word {
    match Word::try_from(symbol.0) {
        Ok(word) if usize::from(word) < isa.words.len() => word,
        _ => NO_WORD,
    }
}

fn search(isa: &Isa, language: Language, spelling: &[Word]) -> Vec<Candidate> {
    let Some((&opcode, modifiers)) = spelling.split_first() else { return Vec::new() };
    let rows = isa.opcode(opcode).map_or(&[][..], |o| o.rows);
    let mut list = Vec::new();
    for &index in rows {
        let row = row_at(isa, index);
        let Ok(filling) = form::fill(row, isa, modifiers) else { continue };
        if form::judge(row, &filling, language, &Unknown, false) == Ok(()) {
            let ignored = form::ignored(row, modifiers);
            list.push(Candidate { index, row, filling, ignored });
        }
    }
    list
}

/// The row itself: rows live as long as the program, whoever holds the table.
fn row_at(isa: &Isa, index: u16) -> &'static Row {
    let rows: &'static [Row] = isa.rows;
    &rows[usize::from(index)]
}

/// How near a row comes to an instruction that no row takes.
#[derive(Clone, Debug)]
pub struct NearMiss {
    /// The row.
    pub row: &'static Row,
    /// Places (after the opcode) of modifiers that the row has no slot for.
    pub unexpected: Vec<usize>,
    /// Slots that are empty and must not be.
    pub missing: Vec<usize>,
    /// What else is wrong when every modifier has a slot.
    pub miss: Option<Miss>,
}

/// The row that comes nearest, so that a message can say what is wrong with respect to it.
///
/// An author is surest of the type and of what the name begins with, so misfits there weigh more.
pub fn nearest(isa: &Isa, language: Language, opcode: Word, modifiers: &[Word]) -> Option<NearMiss> {
    let rows = isa.opcode(opcode)?.rows;
    let near = rows.iter().map(|&i| approach(isa, language, row_at(isa, i), modifiers));
    near.min_by_key(|(cost, _)| *cost).map(|(_, near)| near)
}

fn approach(isa: &Isa, language: Language, row: &'static Row, modifiers: &[Word]) -> (u32, NearMiss) {
    let parts = &row.name[1..];
    let same = parts.iter().zip(modifiers).take_while(|(a, b)| a == b).count();
    let mut near = NearMiss { row, unexpected: Vec::new(), missing: Vec::new(), miss: None };
    let mut cost = 40 * (parts.len() - same) as u32;
    let mut filled = vec![false; row.slots.len()];
    for (i, word) in modifiers.iter().enumerate().skip(same) {
        let free = |s: &usize| !filled[*s] && row.slots[*s].values.contains(word);
        match (0..row.slots.len()).find(free) {
            Some(slot) => filled[slot] = true,
            None => {
                let is_type = isa.word_types.get(usize::from(*word)).is_some_and(Option::is_some);
                cost += if is_type { 13 } else { 10 };
                near.unexpected.push(i);
            }
        }
    }
    near.missing = (0..row.slots.len()).filter(|&s| !filled[s] && !row.slots[s].optional).collect();
    cost += 9 * near.missing.len() as u32;
    if same < parts.len() {
        near.miss = Some(Miss::Name);
    } else if near.unexpected.is_empty() && near.missing.is_empty() {
        near.miss = match form::fill(row, isa, modifiers) {
            Ok(filling) => form::judge(row, &filling, language, &Unknown, false).err(),
            Err(miss) => Some(miss),
        };
        cost += match near.miss {
            Some(Miss::Need | Miss::Gone) => 2,
            Some(Miss::Rule(_)) => 3,
            _ => 4,
        };
    }
    (cost, near)
}
