//! Reads `isa/*.isa` into the table's own types (see `isa/README.md` for the notation).
//!
//! The table's types hold `&'static` slices, because the generated Rust does; what is read at run time is leaked,
//! so that the same matcher and checker can work on a table that has just been edited.

mod condition;
mod operand;
mod row;
mod tables;

use std::collections::HashMap;

use ptxvm_isa::Type;
use ptxvm_isa::table::{Directive, Isa, Meaning, Opcode, Row, Section, Sreg, TargetEntry, Tolerated, Word};

/// Collects the table from its files, with every error found on the way.
#[derive(Default)]
pub struct Loader {
    words: Vec<&'static str>,
    by_text: HashMap<&'static str, Word>,
    sections: Vec<Section>,
    rows: Vec<Row>,
    meanings: Vec<Meaning>,
    sregs: Vec<Sreg>,
    directives: Vec<Directive>,
    targets: Vec<TargetEntry>,
    tolerated: Vec<Tolerated>,
    /// `file:line: what is wrong`, in the order found.
    pub errors: Vec<String>,
}

/// Gives a string the life of the program.
pub fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// Gives a list the life of the program.
pub fn leak_all<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

impl Loader {
    /// The word of this text, made if it is new.
    pub fn word(&mut self, text: &str) -> Word {
        let text = text.strip_prefix('.').unwrap_or(text);
        if let Some(&word) = self.by_text.get(text) {
            return word;
        }
        let text = leak(text);
        let word = self.words.len() as Word;
        self.words.push(text);
        self.by_text.insert(text, word);
        word
    }

    /// How many rows have been read.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Reads every file of the folder `isa/`, in the order of their names.
    pub fn folder(&mut self, folder: &std::path::Path) {
        for (name, text) in isa_files(folder, &mut self.errors) {
            match name.as_str() {
                "sregs.isa" => self.sregs(&name, &text),
                "directives.isa" => self.directives(&name, &text),
                "targets.isa" => self.targets(&name, &text),
                "tolerated.isa" => self.tolerated(&name, &text),
                n if n.starts_with("modifiers") => self.meanings(&name, &text),
                _ => self.rows(&name, &text),
            }
        }
    }

    /// The finished table.
    pub fn finish(mut self) -> &'static Isa {
        for ty in Type::ALL {
            self.word(ty.name());
        }
        let mut by_opcode: HashMap<Word, Vec<u16>> = HashMap::new();
        for (i, row) in self.rows.iter().enumerate() {
            by_opcode.entry(row.name[0]).or_default().push(i as u16);
        }
        let mut opcodes: Vec<Opcode> =
            by_opcode.into_iter().map(|(word, rows)| Opcode { word, rows: leak_all(rows) }).collect();
        opcodes.sort_by_key(|o| self.words[usize::from(o.word)]);
        let word_types = self.words.iter().map(|w| Type::from_name(w)).collect();
        Box::leak(Box::new(Isa {
            words: leak_all(self.words),
            word_types: leak_all(word_types),
            sections: leak_all(self.sections),
            rows: leak_all(self.rows),
            opcodes: leak_all(opcodes),
            meanings: leak_all(self.meanings),
            sregs: leak_all(self.sregs),
            directives: leak_all(self.directives),
            targets: leak_all(self.targets),
            tolerated: leak_all(self.tolerated),
        }))
    }
}

/// The table's files and their texts: `isa/*.isa` and `isa/modifiers.d/*.isa`.
fn isa_files(folder: &std::path::Path, errors: &mut Vec<String>) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for sub in ["", "modifiers.d"] {
        match std::fs::read_dir(folder.join(sub)) {
            Ok(entries) => paths.extend(entries.flatten().map(|e| e.path())),
            Err(e) => errors.push(format!("{}: {e}", folder.join(sub).display())),
        }
    }
    paths.retain(|p| p.extension().is_some_and(|e| e == "isa"));
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        match std::fs::read_to_string(&path) {
            Ok(text) => files.push((name, text)),
            Err(e) => errors.push(format!("{}: {e}", path.display())),
        }
    }
    files
}
