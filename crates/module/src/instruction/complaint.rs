//! Writes the diagnostic for an instruction whose modifiers fit no row of the table (E04xx).

use ptxvm_isa::form::Miss;
use ptxvm_isa::target::describe_need;
use ptxvm_isa::{Isa, Language, Row, Word};
use ptxvm_syntax::ast;
use ptxvm_syntax::{Code, Diagnostic};

use super::form::{Candidate, NearMiss, nearest, word};
use crate::context::Context;

/// The codes of this file, with their titles.
pub const CODES: &[(Code, &str)] = &[
    (Code("E0401"), "unknown instruction"),
    (Code("E0402"), "modifier not allowed here"),
    (Code("E0403"), "missing modifier"),
    (Code("E0404"), "modifier given twice"),
    (Code("E0405"), "modifiers in the wrong order"),
    (Code("E0406"), "modifiers that do not go together"),
    (Code("E0407"), "form needs a later .version"),
    (Code("E0408"), "form needs another .target"),
    (Code("E0409"), "form has been removed"),
    (Code("W0601"), "deprecated form"),
    (Code("W0602"), "modifier that ptxas ignores"),
];

/// An instruction with more wrong modifiers than this gets labels for the first ones only.
const MOST_LABELS: usize = 4;

/// What to say of an instruction that is accepted, but that its author would want to know about.
pub fn warn(
    context: &Context<'_>,
    instruction: &ast::Instruction,
    candidate: &Candidate,
) -> Option<Diagnostic> {
    let row = candidate.row;
    let section = context.isa.sections[usize::from(row.section)].number;
    if let Some(i) = candidate.ignored {
        let modifier = context.file[instruction.modifiers].get(i)?;
        let message = format!("ptxas accepts `.{}` here and ignores it", context.text(modifier.symbol));
        let d = Diagnostic::warning(Code("W0602"), modifier.span, message);
        return Some(d.help("it says nothing about this instruction; remove it").section(section));
    }
    let since = row.deprecated.filter(|since| context.language.ptx >= *since)?;
    let form = form_name(context.isa, row);
    let message = format!("`{form}` is deprecated since PTX {since}");
    let d = Diagnostic::warning(Code("W0601"), instruction.opcode.span, message).section(section);
    Some(match row.notes.first() {
        Some(note) => d.help(*note),
        None => d,
    })
}

/// Says what is wrong with an instruction that fits no row.
pub fn complain(
    isa: &Isa,
    language: Language,
    file: &ast::File,
    instruction: &ast::Instruction,
) -> Diagnostic {
    let opcode = instruction.opcode;
    let modifiers: Vec<Word> = file[instruction.modifiers].iter().map(|m| word(isa, m.symbol)).collect();
    let spans: Vec<ast::Span> = file[instruction.modifiers].iter().map(|m| m.span).collect();
    let Some(near) = nearest(isa, language, word(isa, opcode.symbol), &modifiers) else {
        return unknown(isa, file, opcode);
    };
    let text = |i: usize| format!(".{}", file.text(file[instruction.modifiers][i].symbol));
    let form = form_name(isa, near.row);
    let section = isa.sections[usize::from(near.row.section)].number;
    let whole = spans.iter().fold(opcode.span, |a, b| a.to(*b));
    let base = match (&near.unexpected[..], &near.missing[..], near.miss) {
        ([i, more @ ..], missing, _) => unexpected(isa, near.row, &form, &text, &spans, *i, more, missing),
        ([], [slot, ..], _) => missing(isa, near.row, &form, whole, *slot),
        ([], [], Some(Miss::Doubled(i))) => {
            let first = (0..i).find(|&j| modifiers[j] == modifiers[i]);
            let d = Diagnostic::error(Code("E0404"), spans[i], format!("`{}` is given twice", text(i)));
            match first {
                Some(j) => d.also(spans[j], "first given here").help("remove one of them"),
                None => d.help(format!("`{form}` has room for one modifier of this kind")),
            }
        }
        ([], [], Some(Miss::Order(i) | Miss::Unexpected(i))) => {
            let i = i.min(spans.len().saturating_sub(1));
            let message = format!("`{}` is in the wrong place", text(i));
            Diagnostic::error(Code("E0405"), spans[i], message)
                .help(format!("the order is `{}`", near.row.head.split(' ').next().unwrap_or("")))
        }
        ([], [], Some(Miss::Missing(slot))) => missing(isa, near.row, &form, whole, slot),
        ([], [], Some(Miss::Rule(rule))) => broken_rule(language, near.row, &form, whole, rule),
        ([], [], Some(Miss::Need)) => needs(language, near.row.need, &form, whole),
        ([], [], Some(Miss::Gone)) => gone(near.row, &form, whole),
        ([], [], Some(Miss::Name) | None) => name(isa, &near, &form, whole),
    };
    base.section(section)
}

/// The row's name and its literal modifiers, to speak of it: `mul.wide`, `add.s32`.
fn form_name(isa: &Isa, row: &Row) -> String {
    let mut text: Vec<&str> = row.name.iter().map(|&w| isa.text(w)).collect();
    let literal = row.slots.iter().filter(|s| !s.optional && s.values.len() == 1);
    text.extend(literal.map(|s| isa.text(s.values[0])));
    text.join(".")
}

/// The values of a slot as a person would list them.
fn choices(isa: &Isa, row: &Row, slot: usize) -> String {
    let values = row.slots[slot].values;
    let shown: Vec<String> = values.iter().take(12).map(|&w| format!("`.{}`", isa.text(w))).collect();
    let more = if values.len() > shown.len() { ", …" } else { "" };
    shown.join(", ") + more
}

fn unknown(isa: &Isa, file: &ast::File, opcode: ast::Name) -> Diagnostic {
    let text = file.text(opcode.symbol);
    let message = format!("there is no instruction `{text}`");
    let d = Diagnostic::error(Code("E0401"), opcode.span, message).section("9.7");
    let names = isa.opcodes.iter().map(|o| isa.text(o.word));
    let near = names.map(|n| (distance(n, text), n)).min();
    match near {
        Some((distance, name)) if distance <= 1 + text.len() / 4 => d.help(format!("did you mean `{name}`?")),
        _ => d,
    }
}

#[allow(clippy::too_many_arguments)]
fn unexpected(
    isa: &Isa,
    row: &Row,
    form: &str,
    text: &dyn Fn(usize) -> String,
    spans: &[ast::Span],
    i: usize,
    more: &[usize],
    missing: &[usize],
) -> Diagnostic {
    let message = format!("`{}` is not a modifier of this form of `{form}`", text(i));
    let mut d = Diagnostic::error(Code("E0402"), spans[i], message);
    for &j in more.iter().take(MOST_LABELS) {
        d = d.also(spans[j], "nor is this one");
    }
    match missing {
        [slot, ..] => d.help(format!("expected one of {}", choices(isa, row, *slot))),
        [] => d.help(format!("the form is `{}`", row.head)),
    }
}

fn missing(isa: &Isa, row: &Row, form: &str, whole: ast::Span, slot: usize) -> Diagnostic {
    let what = &row.slots[slot];
    let message = if what.values.len() == 1 {
        format!("`{form}` needs the modifier `.{}`", isa.text(what.values[0]))
    } else {
        format!("`{form}` needs a modifier for `.{}`", what.name)
    };
    let d = Diagnostic::error(Code("E0403"), whole, message);
    if what.values.len() == 1 {
        d.help(format!("the form is `{}`", row.head))
    } else {
        d.help(format!("add one of {}", choices(isa, row, slot)))
    }
}

fn broken_rule(language: Language, row: &Row, form: &str, whole: ast::Span, rule: usize) -> Diagnostic {
    let rule = &row.rules[rule];
    if !rule.need.is_empty() && !language.meets(rule.need) {
        let what = rule.text.split("=>").next().unwrap_or("").trim();
        return needs(language, rule.need, &format!("{form} with {what}"), whole);
    }
    let message = format!("these modifiers of `{form}` do not go together");
    let d = Diagnostic::error(Code("E0406"), whole, message);
    let (when, then) = rule.text.split_once("=>").unwrap_or((rule.text, ""));
    if rule.never {
        d.help(format!("not allowed together: {}", when.trim()))
    } else {
        d.help(format!("with {} it must be {}", when.trim(), then.trim()))
    }
}

fn needs(
    language: Language,
    need: &[ptxvm_isa::target::Platform],
    form: &str,
    whole: ast::Span,
) -> Diagnostic {
    let on_target = need.iter().find(|p| language.targets(p.targets));
    let help = format!("it exists with {}", describe_need(need));
    match on_target {
        Some(p) => Diagnostic::error(
            Code("E0407"),
            whole,
            format!("`{form}` needs PTX {}, but this module is `.version {}`", p.ptx, language.ptx),
        )
        .help(help),
        None => {
            Diagnostic::error(Code("E0408"), whole, format!("`{form}` does not exist on {}", language.target))
                .help(help)
        }
    }
}

fn gone(row: &Row, form: &str, whole: ast::Span) -> Diagnostic {
    let since = row.gone.map_or(String::new(), |g| {
        let targets: Vec<String> = g.targets.iter().map(ToString::to_string).collect();
        let on =
            if targets.is_empty() { String::new() } else { format!(" on {} and later", targets.join(", ")) };
        format!(" since PTX {}{on}", g.ptx)
    });
    let d = Diagnostic::error(Code("E0409"), whole, format!("`{form}` has been removed{since}"));
    match row.notes.first() {
        Some(note) => d.help(*note),
        None => d,
    }
}

fn name(isa: &Isa, near: &NearMiss, form: &str, whole: ast::Span) -> Diagnostic {
    let opcode = near.row.name.first().map_or("", |&w| isa.text(w));
    Diagnostic::error(Code("E0402"), whole, format!("this is not a form of `{opcode}`"))
        .help(format!("the nearest is `{form}`: `{}`", near.row.head))
}

/// The edit distance of two short words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(32).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
