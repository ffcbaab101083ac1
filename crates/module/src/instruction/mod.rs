//! Checks one instruction: its modifiers against the table's rows, and its operands against the row's places.

pub mod complaint;
pub mod form;
mod operand;
mod rules;

use ptxvm_isa::form::{Miss, judge};
use ptxvm_syntax::ast;
use ptxvm_syntax::{Code, Diagnostic};

use crate::context::Context;
use form::Candidate;
use operand::Mismatch;
use rules::Given;

/// The codes of forms and of operands, with their titles.
pub const CODES: [&[(Code, &str)]; 2] = [complaint::CODES, operand::CODES];

/// The row of the table that an instruction is an instance of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its index in the table.
    pub row: u16,
    /// Which of its operand lists the operands fit.
    pub list: u8,
}

/// Checks an instruction whose names have been resolved; gives the row it is an instance of, if there is one.
pub fn check(instruction: &ast::Instruction, context: &mut Context<'_>) -> Option<Form> {
    let mut forms = std::mem::take(&mut context.forms);
    let candidates = forms.candidates(context.isa, context.language, context.file, instruction);
    let (form, diagnostic) = if candidates.is_empty() {
        (None, Some(complaint::complain(context.isa, context.language, context.file, instruction)))
    } else {
        match choose(instruction, candidates, context) {
            Ok((candidate, list)) => {
                let form = Form { row: candidate.index, list };
                (Some(form), complaint::warn(context, instruction, candidate))
            }
            Err(diagnostic) => (None, diagnostic.map(|d| *d)),
        }
    };
    context.forms = forms;
    if let Some(diagnostic) = diagnostic {
        context.report(diagnostic);
    }
    form
}

/// Why a candidate does not take the operands.
enum Refusal {
    Operands(Mismatch),
    Rule(usize),
}

/// The first candidate that takes the operands and the list that they fit, or what is wrong with respect to the one that came nearest.
fn choose<'c>(
    instruction: &ast::Instruction,
    candidates: &'c [Candidate],
    context: &Context<'_>,
) -> Result<(&'c Candidate, u8), Option<Box<Diagnostic>>> {
    let operands = &context.file[instruction.operands];
    let mut best: Option<(u32, &Candidate, Refusal)> = None;
    for candidate in candidates {
        for (number, list) in candidate.row.lists.iter().enumerate() {
            let (progress, refusal) = match operand::fits(context, candidate, list, operands) {
                Err(mismatch) => (mismatch.progress(), Refusal::Operands(mismatch)),
                Ok(()) => match ask_rules(context, candidate, list, operands) {
                    None => return Ok((candidate, number as u8)),
                    Some(rule) => (u32::MAX, Refusal::Rule(rule)),
                },
            };
            if best.as_ref().is_none_or(|(most, ..)| progress > *most) {
                best = Some((progress, candidate, refusal));
            }
        }
    }
    Err(best.and_then(|(_, candidate, refusal)| match refusal {
        Refusal::Operands(mismatch) => {
            operand::describe(context, instruction, candidate, mismatch).map(Box::new)
        }
        Refusal::Rule(rule) => Some(Box::new(broken_rule(context, instruction, candidate, rule))),
    }))
}

/// The first rule about operands that is broken.
fn ask_rules(
    context: &Context<'_>,
    candidate: &Candidate,
    list: &'static [u8],
    operands: &[ast::Operand],
) -> Option<usize> {
    if candidate.row.rules.is_empty() {
        return None;
    }
    let given = Given { context, row: candidate.row, list, operands };
    match judge(candidate.row, &candidate.filling, context.language, &given, true) {
        Err(Miss::Rule(rule)) => Some(rule),
        _ => None,
    }
}

fn broken_rule(
    context: &Context<'_>,
    instruction: &ast::Instruction,
    candidate: &Candidate,
    rule: usize,
) -> Diagnostic {
    let text = candidate.row.rules[rule].text;
    let opcode = context.text(instruction.opcode.symbol);
    let section = context.isa.sections[usize::from(candidate.row.section)].number;
    let (when, then) = text.split_once("=>").unwrap_or((text, ""));
    let message = format!("these operands do not go with this form of `{opcode}`");
    Diagnostic::error(Code("E0406"), instruction.span, message)
        .help(format!("with {} it must be {}", when.trim(), then.trim()))
        .section(section)
}
