//! The forms that the machine runs, made from the table: what random programs are built of.

use ptxvm_isa::form::{self, Filling, Unknown};
use ptxvm_isa::table::Row;
use ptxvm_isa::{ISA, Language};
use ptxvm_machine::ops;
use ptxvm_module::head::NEWEST;
use ptxvm_syntax::{Interner, LineIndex};
use ptxvm_vm::Profile;

use crate::oracle::Random;
use crate::oracle::operands::{self, Prelude, Supply};
use crate::oracle::{generate, ours, prelude};

/// How many ways to fill a row's slots are tried; most rows have fewer that differ.
const FILLINGS: usize = 48;

/// A row with words in its slots.
pub struct FilledForm {
    row: &'static Row,
    filling: Filling,
    /// The opcode with its modifiers: `add.rn.f32`.
    head: String,
}

impl FilledForm {
    /// The opcode.
    pub fn opcode(&self) -> &'static str {
        ISA.words[usize::from(self.row.name[0])]
    }

    /// The opcode with its modifiers.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// The row of the table.
    pub fn row(&self) -> &'static Row {
        self.row
    }

    /// An instruction of this form, with its semicolon.
    pub fn instruction(&self, supply: &mut dyn Supply, random: &mut Random) -> String {
        let list = *random.pick(self.row.lists);
        let operands: Vec<String> = list
            .iter()
            .map(|&o| {
                let operand = &self.row.operands[usize::from(o)];
                operands::legal(&ISA, operand, &self.filling, supply, random)
            })
            .collect();
        let blank = if operands.is_empty() { "" } else { " " };
        operands::expand(&format!("{}{blank}{};", self.head, operands.join(", ")))
    }
}

/// All forms of a device, by opcode.
pub struct Forms {
    /// The device.
    pub profile: &'static Profile,
    /// The language of its programs.
    pub language: Language,
    opcodes: Vec<Vec<FilledForm>>,
    /// By opcode, those that only compute, as places in `opcodes`.
    computing: Vec<Vec<(usize, usize)>>,
    /// Video instructions.
    video: Vec<Vec<(usize, usize)>>,
    /// Those that access memory.
    accessing: Vec<Vec<(usize, usize)>>,
}

/// The sections of instructions that compute a thread's registers from its registers.
const COMPUTING: &[&str] = &[
    "9.7.1.", "9.7.2.", "9.7.3.", "9.7.4.", "9.7.5.", "9.7.6.", "9.7.7.", "9.7.8.", "9.7.9.3", "9.7.9.4",
    "9.7.9.7", "9.7.9.19", "9.7.9.20", "9.7.9.21", "9.7.9.22",
];

/// The section of video instructions, of which there are many and which no compiler writes any more.
const VIDEO: &[&str] = &["9.7.18."];

/// The sections of loads, stores and atomics that are done when the next instruction begins.
const ACCESSING: &[&str] = &["9.7.9.8", "9.7.9.9", "9.7.9.10", "9.7.9.11", "9.7.13.5", "9.7.13.6"];

impl Forms {
    /// Asks the checker and the machine about every row. The same forms every time.
    pub fn new(profile: &'static Profile) -> Forms {
        let language = Language { target: profile.target(), ptx: NEWEST };
        let mut random = Random::new(0);
        let mut forms = Vec::new();
        // Control flow is the program's own affair.
        let rows =
            ISA.rows.iter().filter(|r| !ISA.sections[usize::from(r.section)].number.starts_with("9.7.12"));
        for row in rows {
            let mut heads = Vec::new();
            for _ in 0..FILLINGS {
                let filling = generate::any_filling(row, &mut random);
                let head = head(row, &filling);
                if form::judge(row, &filling, language, &Unknown, false).is_ok() && !heads.contains(&head) {
                    heads.push(head.clone());
                    forms.push(FilledForm { row, filling, head });
                }
            }
        }
        let texts: Vec<String> = forms.iter().map(|f| f.instruction(&mut Prelude, &mut random)).collect();
        let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
        let runs = runs(language, &lines);
        let mut by_opcode: Vec<Vec<FilledForm>> = Vec::new();
        for (form, _) in forms.into_iter().zip(runs).filter(|(_, runs)| *runs) {
            match by_opcode.last_mut().filter(|list| list[0].opcode() == form.opcode()) {
                Some(list) => list.push(form),
                None => by_opcode.push(vec![form]),
            }
        }
        let [computing, video, accessing] =
            [COMPUTING, VIDEO, ACCESSING].map(|sections| of_sections(&by_opcode, sections));
        Forms { profile, language, opcodes: by_opcode, computing, video, accessing }
    }

    /// One that only computes.
    pub fn computing(&self, random: &mut Random) -> &FilledForm {
        let places = if random.one_in(32) { &self.video } else { &self.computing };
        self.at(places, random).unwrap_or_else(|| self.any(random))
    }

    /// One that accesses memory.
    pub fn accessing(&self, random: &mut Random) -> Option<&FilledForm> {
        self.at(&self.accessing, random)
    }

    fn at(&self, places: &[Vec<(usize, usize)>], random: &mut Random) -> Option<&FilledForm> {
        let of_one = places.get(random.below(places.len()))?;
        let &(opcode, form) = of_one.get(random.below(of_one.len()))?;
        Some(&self.opcodes[opcode][form])
    }

    /// One of all: opcodes with many forms come no more often than others.
    pub fn any(&self, random: &mut Random) -> &FilledForm {
        let of_one = random.pick(&self.opcodes);
        random.pick(of_one)
    }

    /// One of an opcode.
    pub fn of(&self, opcode: &str, random: &mut Random) -> Option<&FilledForm> {
        let lists: Vec<&Vec<FilledForm>> = self.opcodes.iter().filter(|l| l[0].opcode() == opcode).collect();
        if lists.is_empty() {
            return None;
        }
        let list = *random.pick(&lists);
        Some(random.pick(list))
    }

    /// Whether there is one of an opcode.
    pub fn has(&self, opcode: &str) -> bool {
        self.opcodes.iter().any(|list| list[0].opcode() == opcode)
    }

    /// All of them, those of a row together.
    pub fn all(&self) -> impl Iterator<Item = &FilledForm> {
        self.opcodes.iter().flatten()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.opcodes.iter().map(Vec::len).sum()
    }

    /// Whether it has tensor memory.
    pub fn blackwell(&self) -> bool {
        self.has("tcgen05")
    }
}

/// The places of the forms of some sections. Those of a section `9.7.1.` are all that begin so.
fn of_sections(opcodes: &[Vec<FilledForm>], sections: &[&str]) -> Vec<Vec<(usize, usize)>> {
    let belongs = |form: &FilledForm| {
        let number = ISA.sections[usize::from(form.row.section)].number;
        sections.iter().any(|s| if s.ends_with('.') { number.starts_with(s) } else { number == *s })
    };
    let of_one = |(opcode, list): (usize, &Vec<FilledForm>)| {
        let some = list.iter().enumerate().filter(|(_, form)| belongs(form));
        some.map(|(form, _)| (opcode, form)).collect::<Vec<_>>()
    };
    opcodes.iter().enumerate().map(of_one).filter(|places| !places.is_empty()).collect()
}

fn head(row: &Row, filling: &Filling) -> String {
    let mut head = ISA.words[usize::from(row.name[0])].to_owned();
    for word in generate::spell(row, filling) {
        head.push('.');
        head += ISA.words[usize::from(word)];
    }
    head
}

/// Which of these instructions the checker takes and the machine has.
fn runs(language: Language, lines: &[&str]) -> Vec<bool> {
    let legal = ours::judge(&ISA, language, lines);
    let mut runs = vec![false; lines.len()];
    let legal: Vec<usize> = (0..lines.len()).filter(|&i| legal[i]).collect();
    // In small modules: one that cannot be lowered takes few others with it.
    for some in legal.chunks(8) {
        let texts: Vec<&str> = some.iter().map(|&i| lines[i]).collect();
        let (text, first) = prelude::module(language, &texts);
        let parsed = ptxvm_syntax::parse(&text, &Interner::with_words(ISA.words));
        let checked = ptxvm_module::check(&parsed.file, &text, &ISA, &ptxvm_module::Options::default());
        let Ok(program) = ptxvm_ir::lower(&parsed.file, &text, &checked.module, &ISA) else { continue };
        let index = LineIndex::new(&text);
        for function in program.functions.iter().filter(|f| f.entry) {
            for instruction in &function.instructions {
                let line = index.line_column(&text, instruction.span.start).line as usize;
                if let Some(&i) = line.checked_sub(first).and_then(|line| some.get(line)) {
                    runs[i] = ops::executes(program.operation(instruction));
                }
            }
        }
    }
    runs
}
