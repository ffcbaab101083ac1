//! Finds the forms of the table that the machine runs, by asking the machine about instructions made from every row.

use std::collections::BTreeMap;

use ptxvm_ir::FormUse;
use ptxvm_ir::operation::{Form, decode};
use ptxvm_isa::form::MAX_SLOTS;
use ptxvm_isa::{ISA, Isa, NO_WORD};
use ptxvm_machine::ops;
use ptxvm_syntax::Interner;

use crate::oracle::{generate, ours, prelude};

/// How many instructions of a row were tried, and how many of them the machine runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub tried: usize,
    pub runs: usize,
}

impl Share {
    /// In the words of the coverage page.
    pub fn words(self) -> String {
        match self {
            Share { runs: 0, .. } => "no".into(),
            Share { tried, runs } if tried == runs => "yes".into(),
            Share { tried, runs } => format!("{} %", (100 * runs / tried).max(1)),
        }
    }
}

/// How many random instructions of a row are tried besides those for each word in its slots; then of rows of which none
/// was legal.
const TRIES: [usize; 2] = [2, 200];

/// By row of the compiled table.
pub fn by_row() -> Vec<Share> {
    let mut shares = vec![Share::default(); ISA.rows.len()];
    for extra in TRIES {
        let untried = shares.iter().enumerate().filter(|(_, share)| share.tried == 0);
        let rows: Vec<u16> = untried.map(|(row, _)| row as u16).collect();
        ask(&rows, extra, &mut shares);
    }
    for (row, share) in shares.iter_mut().enumerate().filter(|(_, s)| s.tried == 0) {
        *share = bare(row as u16);
    }
    shares
}

fn ask(rows: &[u16], extra: usize, shares: &mut [Share]) {
    let mut by_language: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in generate::cases(&ISA, rows, 1, extra) {
        by_language.entry(case.language).or_default().push(case.text);
    }
    for (language, texts) in &by_language {
        let Some(language) = generate::language(language) else { continue };
        let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
        let accepted = ours::judge(&ISA, language, &lines);
        let legal: Vec<&str> =
            lines.iter().zip(accepted).filter(|(_, yes)| *yes).map(|(line, _)| *line).collect();
        // In small modules: one that cannot be lowered takes few others with it.
        for some in legal.chunks(8) {
            count(&prelude::module(language, some).0, &ISA, shares);
        }
    }
}

/// A row that no instruction tried belongs to, because another row takes it first or only targets of the past have
/// it: the machine is asked about its first form alone, without operands.
fn bare(row: u16) -> Share {
    let mut filling = [NO_WORD; MAX_SLOTS];
    for (word, slot) in filling.iter_mut().zip(ISA.rows[usize::from(row)].slots) {
        if let Some(first) = slot.values.first().filter(|_| !slot.optional) {
            *word = *first;
        }
    }
    let used = FormUse { row, filling };
    Share { tried: 1, runs: usize::from(ops::executes(decode(&Form::new(&used, &[])).as_ref())) }
}

fn count(text: &str, isa: &'static Isa, shares: &mut [Share]) {
    let parsed = ptxvm_syntax::parse(text, &Interner::with_words(isa.words));
    let checked = ptxvm_module::check(&parsed.file, text, isa, &ptxvm_module::Options::default());
    let Ok(program) = ptxvm_ir::lower(&parsed.file, text, &checked.module, isa) else { return };
    for function in program.functions.iter().filter(|f| f.entry) {
        for instruction in &function.instructions {
            let used = &program.forms[instruction.form.0 as usize];
            let share = &mut shares[usize::from(used.row)];
            share.tried += 1;
            share.runs += usize::from(ops::executes(program.operation(instruction)));
        }
    }
}
