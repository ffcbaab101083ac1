//! `ptxvm isa`: the instruction table, as a whole or one entry at a time.

use std::fmt::Write as _;

use clap::Args;
use ptxvm_isa::form;
use ptxvm_isa::table::{Row, Slot};
use ptxvm_isa::target::describe_need;
use ptxvm_isa::{ISA, Language, NO_WORD, Target, Word};
use ptxvm_module::head::NEWEST;

use crate::exit::{self, Exit};

#[derive(Args)]
pub struct Arguments {
    /// An instruction (`mul.wide.s32`, `mul`), a special register (`%tid`) or a directive (`.maxntid`)
    name: Option<String>,
    /// Only what this target lacks, for example `--lacks sm_80`
    #[arg(long, value_name = "TARGET")]
    lacks: Option<String>,
}

/// Prints the table, a part of it, or one entry.
pub fn run(arguments: &Arguments) -> Exit {
    let text = match (&arguments.name, &arguments.lacks) {
        (Some(name), _) if name.starts_with('%') => special_register(name),
        (Some(name), _) if name.starts_with('.') => directive(name),
        (Some(name), _) => instruction(name),
        (None, Some(target)) => match Target::parse(target) {
            Some(target) => Ok(lacking(target)),
            None => Err(format!("'{target}' is not a target; expected one such as sm_80 or sm_100a")),
        },
        (None, None) => Ok(everything()),
    };
    match text {
        Ok(text) => {
            print!("{text}");
            exit::CLEAN
        }
        Err(message) => exit::usage(message),
    }
}

fn everything() -> String {
    let mut text = String::new();
    let mut section = None;
    for row in ISA.rows {
        if section != Some(row.section) {
            section = Some(row.section);
            heading(row, &mut text);
        }
        let _ = writeln!(text, "    {}{}", row.head, when(row));
    }
    let _ = writeln!(text, "\nSpecial registers");
    for s in ISA.sregs {
        let _ = writeln!(text, "    {:<28} {}", s.name, s.sentence);
    }
    let _ = writeln!(text, "\nDirectives");
    for d in ISA.directives {
        let _ = writeln!(text, "    {:<28} {}", d.name, d.sentence);
    }
    text
}

fn heading(row: &Row, text: &mut String) {
    let s = &ISA.sections[usize::from(row.section)];
    let _ = writeln!(text, "\n{} {}: {}", s.number, s.names.join(", "), s.sentence);
}

fn when(row: &Row) -> String {
    if row.need.is_empty() { String::new() } else { format!("  [{}]", describe_need(row.need)) }
}

/// The rows, registers and slots' values that no version makes legal on a target.
fn lacking(target: Target) -> String {
    let language = Language { target, ptx: NEWEST };
    let mut text = String::new();
    let mut section = None;
    for row in ISA.rows {
        let gone = row.gone.is_some_and(|g| language.targets(g.targets));
        if language.meets(row.need) && !gone {
            continue;
        }
        if section != Some(row.section) {
            section = Some(row.section);
            heading(row, &mut text);
        }
        let why = if gone { "  [removed]".to_owned() } else { when(row) };
        let _ = writeln!(text, "    {}{why}", row.head);
    }
    let mut rules = String::new();
    for row in ISA.rows.iter().filter(|r| language.meets(r.need)) {
        for rule in row.rules.iter().filter(|r| !r.need.is_empty() && !language.meets(r.need)) {
            let _ = writeln!(rules, "    {}: {}", row.head, rule.text);
        }
    }
    if !rules.is_empty() {
        let _ = write!(text, "\nForms with these modifiers\n{rules}");
    }
    for s in ISA.sregs.iter().filter(|s| !language.meets(s.need)) {
        let _ = writeln!(text, "    {}  [{}]", s.name, describe_need(s.need));
    }
    text
}

fn instruction(name: &str) -> Result<String, String> {
    let mut parts = name.split('.');
    let opcode_text = parts.next().unwrap_or("");
    let opcode = ISA.word(opcode_text).and_then(|w| ISA.opcode(w));
    let opcode = opcode.ok_or_else(|| format!("there is no instruction '{opcode_text}'"))?;
    let modifiers: Vec<&str> = parts.collect();
    let words: Vec<Word> = modifiers.iter().map(|m| ISA.word(m).unwrap_or(NO_WORD)).collect();
    let rows: Vec<&Row> = opcode.rows.iter().map(|&r| &ISA.rows[usize::from(r)]).collect();
    let mut fitting: Vec<&Row> =
        rows.iter().copied().filter(|r| form::fill(r, &ISA, &words).is_ok()).collect();
    if fitting.is_empty() {
        fitting = rows.iter().copied().filter(|r| mentions(r, &words)).collect();
    }
    if fitting.is_empty() {
        return Err(format!(
            "no form of '{opcode_text}' has these modifiers; `ptxvm isa {opcode_text}` shows its forms"
        ));
    }
    let mut text = String::new();
    let mut section = None;
    for row in &fitting {
        if section != Some(row.section) {
            section = Some(row.section);
            heading(row, &mut text);
        }
        form_text(row, &mut text);
    }
    let shown: Vec<&str> = if modifiers.is_empty() { every_modifier(&fitting) } else { modifiers };
    let meanings: Vec<(&str, &str)> =
        shown.iter().filter_map(|m| meaning(opcode_text, m).map(|s| (*m, s))).collect();
    if !meanings.is_empty() {
        let _ = writeln!(text, "\nModifiers");
        let width = meanings.iter().map(|(m, _)| m.len()).max().unwrap_or(0) + 1;
        for (modifier, sentence) in meanings {
            let _ = writeln!(text, "    {:<width$}  {sentence}", format!(".{modifier}"));
        }
    }
    Ok(text.trim_start().to_owned())
}

/// Whether a row has room for each of these modifiers, whatever else it may want.
fn mentions(row: &Row, words: &[Word]) -> bool {
    words.iter().all(|w| row.name[1..].contains(w) || row.slots.iter().any(|s| s.values.contains(w)))
}

fn form_text(row: &Row, text: &mut String) {
    let _ = writeln!(text, "\n  {}", row.head);
    for slot in row.slots.iter().filter(|s| s.values.len() > 1) {
        let _ = writeln!(text, "      .{} = {}", slot.name, values(slot));
    }
    let need = describe_need(row.need);
    let _ = writeln!(
        text,
        "      legal with {}",
        if need.is_empty() { "every version and target" } else { &need }
    );
    if let Some(g) = row.gone {
        let targets: Vec<String> = g.targets.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "      removed since PTX {} {}", g.ptx, targets.join(", "));
    }
    if let Some(v) = row.deprecated {
        let _ = writeln!(text, "      deprecated since PTX {v}");
    }
    for rule in row.rules {
        let _ = writeln!(text, "      {}", rule.text);
    }
    for note in row.notes {
        let _ = writeln!(text, "      note: {note}");
    }
}

fn values(slot: &Slot) -> String {
    slot.values.iter().map(|&w| format!(".{}", ISA.text(w))).collect::<Vec<_>>().join(" ")
}

/// The sentence for a modifier; a type explains itself.
fn meaning(opcode: &str, word: &str) -> Option<&'static str> {
    let ty = ptxvm_isa::Type::from_name(word);
    ISA.meaning(opcode, word).or_else(|| ty.map(|t| type_sentence(t.kind())))
}

fn type_sentence(kind: ptxvm_isa::Kind) -> &'static str {
    use ptxvm_isa::Kind;
    match kind {
        Kind::Predicate => "A predicate, true or false.",
        Kind::Bits => "Untyped bits of this width.",
        Kind::Unsigned => "An unsigned integer of this width.",
        Kind::Signed => "A signed integer of this width, in two's complement.",
        Kind::Float => "A floating point number of this width.",
        Kind::Packed => "A packed or alternate number format, held in a register of untyped bits.",
    }
}

fn every_modifier(rows: &[&Row]) -> Vec<&'static str> {
    let mut seen = Vec::new();
    for row in rows {
        let name = row.name[1..].iter();
        for &word in name.chain(row.slots.iter().flat_map(|s| s.values)) {
            let text = ISA.text(word);
            if !seen.contains(&text) && ptxvm_isa::Type::from_name(text).is_none() {
                seen.push(text);
            }
        }
    }
    seen
}

fn special_register(name: &str) -> Result<String, String> {
    let bare = name.split('.').next().unwrap_or(name);
    let s = ISA.sregs.iter().find(|s| s.name == bare);
    let s = s.ok_or_else(|| format!("there is no special register '{bare}'"))?;
    let members = if s.vector { " with members .x .y .z .w" } else { "" };
    Ok(format!(
        "{} {}: {}\n  .{}{members}\n  legal with {}\n",
        s.section,
        s.name,
        s.sentence,
        s.ty.name(),
        describe_need(s.need)
    ))
}

fn directive(name: &str) -> Result<String, String> {
    let d = ISA.directives.iter().find(|d| d.name == name);
    let d = d.ok_or_else(|| format!("there is no directive '{name}'"))?;
    Ok(format!(
        "{} {}: {}\n  allowed in: {}\n  legal with {}\n",
        d.section,
        d.name,
        d.sentence,
        d.place,
        describe_need(d.need)
    ))
}
