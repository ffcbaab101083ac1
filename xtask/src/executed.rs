//! Finds the forms of the table that the machine runs, and those that compiled code executes itself, by asking about
//! instructions made from every row.

use std::collections::BTreeMap;
use std::sync::Arc;

use ptxvm_ir::operation::{Form, decode};
use ptxvm_ir::{FormUse, FunctionId};
use ptxvm_isa::form::MAX_SLOTS;
use ptxvm_isa::{ISA, Isa, NO_WORD};
use ptxvm_jit::Engine;
use ptxvm_machine::code::Source;
use ptxvm_machine::{Addresses, Kernel, ops};
use ptxvm_module::head::NEWEST;
use ptxvm_syntax::Interner;

use crate::oracle::{generate, ours, prelude};

/// How many instructions of a row were tried, and how many of them the machine runs; how many compiled code has, and how
/// many of those it executes itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub tried: usize,
    pub runs: usize,
    pub in_code: usize,
    pub compiled: usize,
}

impl Share {
    /// In the words of the coverage page.
    pub fn words(self) -> String {
        match self {
            Share { runs: 0, .. } => "no".into(),
            Share { tried, runs, .. } if tried == runs => "yes".into(),
            Share { tried, runs, .. } => percent(runs, tried),
        }
    }

    /// Whether it is compiled, in the words of the coverage page.
    pub fn compiled_words(self) -> String {
        match self {
            Share { runs: 0, .. } => "no".into(),
            Share { compiled: 0, .. } => "called".into(),
            share if share.is_compiled() => "compiled".into(),
            Share { in_code, compiled, .. } => percent(compiled, in_code),
        }
    }

    /// Whether compiled code executes all of it itself.
    pub fn is_compiled(self) -> bool {
        self.runs > 0 && self.compiled > 0 && self.compiled == self.in_code
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{} %", (100 * part / whole).max(1))
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
    for case in generate::cases(&ISA, rows, NEWEST, 1, extra) {
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
    let runs = usize::from(ops::executes(decode(&Form::new(&used, &[])).as_ref()));
    Share { tried: 1, runs, ..Share::default() }
}

fn count(text: &str, isa: &'static Isa, shares: &mut [Share]) {
    let parsed = ptxvm_syntax::parse(text, &Interner::with_words(isa.words));
    let checked = ptxvm_module::check(&parsed.file, text, isa, &ptxvm_module::Options::default());
    let Ok(program) = ptxvm_ir::lower(&parsed.file, text, &checked.module, isa) else { return };
    let program = Arc::new(program);
    let addresses = Addresses { variables: vec![0; program.variables.len()] };
    for (index, function) in program.functions.iter().enumerate().filter(|(_, f)| f.entry) {
        let id = FunctionId(index as u32);
        let code = Engine::instructions(&Kernel::link(Arc::clone(&program), id, &addresses), [32, 1, 1]);
        for (at, instruction) in function.instructions.iter().enumerate() {
            let used = &program.forms[instruction.form.0 as usize];
            let share = &mut shares[usize::from(used.row)];
            let runs = ops::executes(program.operation(instruction));
            // What follows a trap, say, is in no code.
            let itself = code.get(&Source { function: id, instruction: at as u32 }).filter(|_| runs);
            share.tried += 1;
            share.runs += usize::from(runs);
            share.in_code += usize::from(itself.is_some());
            share.compiled += usize::from(itself == Some(&true));
        }
    }
}
