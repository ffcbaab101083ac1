//! Asks our own front end about the same instructions.

use ptxvm_isa::{Isa, Language};
use ptxvm_syntax::{Interner, LineIndex, Severity};

use super::prelude;

/// Whether we accept each instruction.
///
/// They are checked in one module, as ptxas is asked: every error of ours knows its line. Lines with an error are
/// taken out and the rest is checked again, because a syntax error may swallow what follows it.
pub fn judge(isa: &'static Isa, language: Language, instructions: &[&str]) -> Vec<bool> {
    let mut accepted = vec![true; instructions.len()];
    let mut left: Vec<usize> = (0..instructions.len()).collect();
    loop {
        let texts: Vec<&str> = left.iter().map(|&i| instructions[i]).collect();
        let wrong = wrong_lines(isa, language, &texts);
        if wrong.is_empty() {
            return accepted;
        }
        wrong.iter().for_each(|&line| accepted[left[line]] = false);
        left.retain(|&i| accepted[i]);
    }
}

fn wrong_lines(isa: &'static Isa, language: Language, instructions: &[&str]) -> Vec<usize> {
    let (text, first) = prelude::module(language, instructions);
    let parsed = ptxvm_syntax::parse(&text, &Interner::with_words(isa.words));
    let checked = ptxvm_module::check(&parsed.file, &text, isa, &ptxvm_module::Options::default());
    let index = LineIndex::new(&text);
    let errors =
        parsed.diagnostics.iter().chain(&checked.diagnostics).filter(|d| d.severity == Severity::Error);
    let mut lines = Vec::new();
    for d in errors {
        let line = index.line_column(&text, d.primary.span.start).line as usize;
        match line.checked_sub(first) {
            Some(i) if i < instructions.len() => lines.push(i),
            _ => eprintln!("outside the tried lines: {language:?} line {line}: {}", d.message),
        }
    }
    lines
}
