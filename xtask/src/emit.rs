//! Writes the table as Rust: `crates/isa/src/generated/`, one file per file of the table.
//!
//! The text is the table's own structures, spelled as constant expressions; a comment above each row shows the
//! line it comes from, so that a reader can follow it. Words and rows have names and not numbers, so that a new one
//! changes its own lines alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxvm_isa::table::{
    Ask, Condition, Count, CountSource, Isa, NO_WORD, Operand, Range, Row, Rule, Shape, Slot, SpaceOf,
    TypeOf, Word,
};
use ptxvm_isa::target::{Platform, Suffix, Target, Version};

const HEAD: &str = "//! Written by `cargo xtask isa` from `isa/*.isa`; do not edit.\n\n";

/// The generated files: name and text.
pub fn files(isa: &Isa) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut modules: Vec<(String, Vec<&Row>)> = Vec::new();
    for row in isa.rows {
        let module = module_name(isa.sections[usize::from(row.section)].file);
        match modules.last_mut() {
            Some((name, rows)) if *name == module => rows.push(row),
            _ => modules.push((module, vec![row])),
        }
    }
    for (name, rows) in &modules {
        files.insert(format!("{name}.rs"), rows_file(isa, rows));
    }
    files.insert("words.rs".into(), words_file(isa));
    files.insert("tables.rs".into(), tables_file(isa, &modules));
    files.insert("mod.rs".into(), root_file(isa, &modules));
    files
}

fn module_name(file: &str) -> String {
    let stem = file.trim_end_matches(".isa");
    format!("s{}", stem.replace(['.', '-'], "_"))
}

fn list<T>(items: &[T], one: impl Fn(&T) -> String) -> String {
    format!("&[{}]", items.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// The number of a word, by its name. A word may begin with a digit, or be one of Rust's own.
fn word(isa: &Isa, word: Word) -> String {
    format!("{} as Word", variant(isa.text(word)))
}

fn variant(text: &str) -> String {
    format!("w_{}", text.replace("::", "__").replace(':', "_"))
}

fn words(isa: &Isa, items: &[Word]) -> String {
    list(items, |w| word(isa, *w))
}

fn version(v: &Version) -> String {
    format!("V({}, {})", v.major, v.minor)
}

fn target(t: &Target) -> String {
    let suffix = match t.suffix {
        Suffix::Plain => "P",
        Suffix::Family => "F",
        Suffix::Arch => "A",
    };
    format!("{suffix}({})", t.sm)
}

fn platform(p: &Platform) -> String {
    format!("Platform {{ ptx: {}, targets: {} }}", version(&p.ptx), list(p.targets, target))
}

fn option<T>(value: &Option<T>, one: impl Fn(&T) -> String) -> String {
    value.as_ref().map_or("None".into(), |v| format!("Some({})", one(v)))
}

fn ranges(items: &[Range]) -> String {
    list(items, |r| format!("Range {{ low: {}, high: {}, step: {} }}", r.low, r.high, r.step))
}

fn slot(isa: &Isa, s: &Slot) -> String {
    format!("Slot {{ name: {:?}, values: {}, optional: {} }}", s.name, words(isa, s.values), s.optional)
}

fn count(c: &Count) -> String {
    let source = match c.source {
        CountSource::Number(n) => format!("Number({n})"),
        CountSource::Slot(s) => format!("Slot({s})"),
        CountSource::Field(s, f) => format!("Field({s}, {f:?})"),
    };
    format!("Count {{ source: CountSource::{source}, times: {}, over: {} }}", c.times, c.over)
}

fn operand(isa: &Isa, o: &Operand) -> String {
    let operand = |o: &Operand| operand(isa, o);
    let shape = match &o.shape {
        Shape::Vector(c, inner) => format!("Vector({}, {})", count(c), list(inner, operand)),
        Shape::Bracket(inner, lists) => {
            format!("Bracket({}, {})", list(inner, operand), list(lists, |l| list(l, u8::to_string)))
        }
        Shape::Pair(a, b, optional) => format!("Pair(&{}, &{}, {optional})", operand(a), operand(b)),
        other => format!("{other:?}"),
    };
    let ty = match o.ty {
        TypeOf::Fixed(ty) => format!("Fixed(Type::{ty:?})"),
        other => format!("{other:?}"),
    };
    let space = match o.space {
        SpaceOf::Generic => "Generic".into(),
        SpaceOf::Slot(s) => format!("Slot({s})"),
        SpaceOf::Fixed(w) => format!("Fixed({})", word(isa, w)),
    };
    let mut text = format!("Operand {{ name: {:?}, shape: Shape::{shape}, ty: TypeOf::{ty}", o.name);
    let flags = [
        ("written", o.written),
        ("wider", o.wider),
        ("sreg", o.sreg),
        ("var", o.var),
        ("sink", o.sink),
        ("negatable", o.negatable),
        ("selector", o.selector),
        ("unified", o.unified),
        ("cut", o.cut),
        ("share", o.share),
        ("single", o.single),
        ("predicate", o.predicate),
    ];
    for (name, set) in flags {
        if set {
            let _ = write!(text, ", {name}: true");
        }
    }
    if o.space != SpaceOf::Generic {
        let _ = write!(text, ", space: SpaceOf::{space}");
    }
    if !o.ranges.is_empty() {
        let _ = write!(text, ", ranges: {}", ranges(o.ranges));
    }
    text + ", ..Operand::BLANK }"
}

fn condition(isa: &Isa, c: &Condition) -> String {
    let ask = match &c.ask {
        Ask::Filled(s) => format!("Filled({s})"),
        Ask::Holds(s, values) => format!("Holds({s}, {})", words(isa, values)),
        Ask::Word(w) => format!("Word({})", word(isa, *w)),
        Ask::Given(name) => format!("Given({name:?})"),
        Ask::Is(name, form) => format!("Is({name:?}, OperandForm::{form:?})"),
        Ask::AtMost(a, b) => format!("AtMost({a:?}, {b:?})"),
        Ask::Within(name, values) => format!("Within({name:?}, {})", ranges(values)),
        Ask::Target(targets) => format!("Target({})", list(targets, target)),
        Ask::Ptx(v) => format!("Ptx({})", version(v)),
        Ask::IndependentTextures => "IndependentTextures".into(),
    };
    format!("Condition {{ not: {}, ask: Ask::{ask} }}", c.not)
}

fn rule(isa: &Isa, r: &Rule) -> String {
    let condition = |c: &Condition| condition(isa, c);
    format!(
        "Rule {{ when: {}, then: {}, need: {}, never: {}, text: {:?} }}",
        list(r.when, condition),
        list(r.then, condition),
        list(r.need, platform),
        r.never,
        r.text
    )
}

fn row(isa: &Isa, r: &Row) -> String {
    let mut text = format!("    // {}\n    Row {{\n        section: {},\n", r.head, r.section);
    let mut field = |name: &str, value: String| {
        let _ = writeln!(text, "        {name}: {value},");
    };
    field("head", format!("{:?}", r.head));
    field("name", words(isa, r.name));
    field("slots", list(r.slots, |s| slot(isa, s)));
    field("operands", list(r.operands, |o| operand(isa, o)));
    field("lists", list(r.lists, |l| list(l, u8::to_string)));
    field("need", list(r.need, platform));
    field("gone", option(&r.gone, platform));
    field("deprecated", option(&r.deprecated, version));
    field("order", list(r.order, |g| list(g, u8::to_string)));
    field("rules", list(r.rules, |r| rule(isa, r)));
    field("notes", list(r.notes, |n| format!("{n:?}")));
    text + "    },\n"
}

fn rows_file(isa: &Isa, rows: &[&Row]) -> String {
    let mut text = String::from(HEAD);
    text += "#![cfg_attr(rustfmt, rustfmt_skip)]\n#![allow(unused_imports)]\n\nuse crate::generated::prelude::*;\n\n";
    let _ = writeln!(text, "pub static ROWS: [Row; {}] = [", rows.len());
    for r in rows {
        text += &row(isa, r);
    }
    text + "];\n"
}

fn words_file(isa: &Isa) -> String {
    let mut text = format!("{HEAD}#![cfg_attr(rustfmt, rustfmt_skip)]\n\nuse crate::types::Type;\n\n");
    text += "pub static WORDS: &[&str] = &[\n";
    for w in isa.words {
        let _ = writeln!(text, "    {w:?},");
    }
    text += "];\n\n/// The number of each word.\n";
    text += "#[allow(non_camel_case_types, dead_code, reason = \"the names are PTX's, and not all are used by rows\")]\n";
    text += "#[derive(Clone, Copy)]\n#[repr(u16)]\npub enum Number {\n";
    for w in isa.words {
        let _ = writeln!(text, "    {},", variant(w));
    }
    text += "}\n\npub static WORD_TYPES: &[Option<Type>] = &[\n";
    for ty in isa.word_types {
        let _ = writeln!(text, "    {},", option(ty, |t| format!("Type::{t:?}").replace("Some(", "")));
    }
    text + "];\n"
}

/// The numbers of rows: that of the first of their file, and how far they are from it.
fn rows(numbers: &[u16], modules: &[(String, Vec<&Row>)]) -> String {
    list(numbers, |number| {
        let mut further = usize::from(*number);
        let mut name = "";
        for (module, rows) in modules {
            name = module;
            match further.checked_sub(rows.len()) {
                Some(rest) => further = rest,
                None => break,
            }
        }
        if further == 0 { first(name) } else { format!("{} + {further}", first(name)) }
    })
}

/// The name of the number of a file's first row.
fn first(module: &str) -> String {
    module.to_uppercase()
}

fn tables_file(isa: &Isa, modules: &[(String, Vec<&Row>)]) -> String {
    let mut text = String::from(HEAD);
    text += "#![cfg_attr(rustfmt, rustfmt_skip)]\n\nuse crate::generated::prelude::*;\n\n";
    text += "pub static SECTIONS: &[Section] = &[\n";
    for s in isa.sections {
        let _ = writeln!(
            text,
            "    Section {{ number: {:?}, names: {}, sentence: {:?}, file: {:?} }},",
            s.number,
            list(s.names, |n| format!("{n:?}")),
            s.sentence,
            s.file
        );
    }
    text += "];\n\npub static OPCODES: &[Opcode] = &[\n";
    for o in isa.opcodes {
        let _ =
            writeln!(text, "    Opcode {{ word: {}, rows: {} }},", word(isa, o.word), rows(o.rows, modules));
    }
    text += "];\n\npub static MEANINGS: &[Meaning] = &[\n";
    for m in isa.meanings {
        let _ = writeln!(
            text,
            "    Meaning {{ opcode: {:?}, word: {:?}, sentence: {:?} }},",
            m.opcode, m.word, m.sentence
        );
    }
    text += "];\n\npub static SREGS: &[Sreg] = &[\n";
    for s in isa.sregs {
        let _ = writeln!(
            text,
            "    Sreg {{ name: {:?}, ty: Type::{:?}, vector: {}, need: {}, section: {:?}, sentence: {:?} }},",
            s.name,
            s.ty,
            s.vector,
            list(s.need, platform),
            s.section,
            s.sentence
        );
    }
    text += "];\n\npub static DIRECTIVES: &[Directive] = &[\n";
    for d in isa.directives {
        let _ = writeln!(
            text,
            "    Directive {{ name: {:?}, place: {:?}, need: {}, section: {:?}, sentence: {:?} }},",
            d.name,
            d.place,
            list(d.need, platform),
            d.section,
            d.sentence
        );
    }
    text += "];\n\npub static TARGETS: &[TargetEntry] = &[\n";
    for t in isa.targets {
        let _ =
            writeln!(text, "    TargetEntry {{ target: {}, ptx: {} }},", target(&t.target), version(&t.ptx));
    }
    text += "];\n\npub static TOLERATED: &[Tolerated] = &[\n";
    for t in isa.tolerated {
        let _ = writeln!(
            text,
            "    Tolerated {{ words: {}, how: Tolerance::{:?}, names: {}, only: {}, given: {}, unless: {} }},",
            words(isa, t.words),
            t.how,
            list(t.names, |n| words(isa, n)),
            t.only,
            words(isa, t.given),
            words(isa, t.unless)
        );
    }
    text + "];\n"
}

fn root_file(isa: &Isa, modules: &[(String, Vec<&Row>)]) -> String {
    let mut text = String::from(HEAD);
    text += "#![cfg_attr(rustfmt, rustfmt_skip)]\n\n";
    for (name, _) in modules {
        let _ = writeln!(text, "mod {name};");
    }
    text += "mod tables;\nmod words;\n\n";
    text += "mod prelude {\n    pub use super::words::Number::*;\n    pub use crate::table::*;\n    pub use crate::target::Platform;\n    pub use crate::types::Type;\n    use crate::target::{Suffix, Target, Version};\n\n";
    text += "    #[allow(non_snake_case)]\n    pub const fn V(major: u8, minor: u8) -> Version { Version::new(major, minor) }\n";
    for (letter, suffix) in [("P", "Plain"), ("F", "Family"), ("A", "Arch")] {
        let _ = writeln!(
            text,
            "    #[allow(non_snake_case)]\n    pub const fn {letter}(sm: u16) -> Target {{ Target {{ sm, suffix: Suffix::{suffix} }} }}"
        );
    }
    let mut before = String::from("0");
    for (name, _) in modules {
        let _ = writeln!(text, "    pub const {}: u16 = {before};", first(name));
        before = format!("{} + super::{name}::ROWS.len() as u16", first(name));
    }
    text += "}\n\n";
    let total: usize = modules.iter().map(|(_, rows)| rows.len()).sum();
    let _ = writeln!(text, "static ROWS: [crate::table::Row; {total}] = {{");
    text += "    let mut all = [crate::table::Row::BLANK; _];\n    let mut at = 0;\n"
        .replace("_]", &format!("{total}]"))
        .as_str();
    for (name, _) in modules {
        let _ = writeln!(
            text,
            "    let mut i = 0;\n    while i < {name}::ROWS.len() {{\n        all[at] = {name}::ROWS[i];\n        (at, i) = (at + 1, i + 1);\n    }}"
        );
    }
    text += "    let _ = at;\n    all\n};\n\n";
    debug_assert!(isa.words.len() < usize::from(NO_WORD));
    text += "/// The table.\npub static ISA: crate::table::Isa = crate::table::Isa {\n    words: words::WORDS,\n    word_types: words::WORD_TYPES,\n    sections: tables::SECTIONS,\n    rows: &ROWS,\n    opcodes: tables::OPCODES,\n    meanings: tables::MEANINGS,\n    sregs: tables::SREGS,\n    directives: tables::DIRECTIVES,\n    targets: tables::TARGETS,\n    tolerated: tables::TOLERATED,\n};\n";
    text
}
