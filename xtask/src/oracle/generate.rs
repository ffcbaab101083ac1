//! Makes instructions from the table: legal forms of every row, and illegal neighbours of each.
//!
//! Every value of every slot appears at least once in a form that the table says is legal. One change to such a form makes
//! a neighbour: a modifier dropped, added, swapped or doubled, another type or space, an operand missing, added or of
//! another kind, a guard, another target or version.

use ptxvm_isa::form::{self, Filling, Unknown};
use ptxvm_isa::table::{Isa, NO_WORD, Row};
use ptxvm_isa::{Language, Target, Version, Word};

use super::operands;
use super::random::Random;

/// An instruction to try and the module it is tried in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// `sm_90a 9.1`
    pub language: String,
    /// The instruction with its semicolon.
    pub text: String,
}

/// The targets tried, most often first.
const TARGETS: &[&str] = &[
    "sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_80", "sm_70", "sm_90", "sm_75", "sm_89", "sm_100",
    "sm_100f", "sm_103f", "sm_120f", "sm_121a", "sm_110a", "sm_60", "sm_86", "sm_103", "sm_110f", "sm_120",
    "sm_121f",
];

/// The same for PTX 9.4, which has targets more.
const LATER_TARGETS: &[&str] = &[
    "sm_90a", "sm_100a", "sm_107a", "sm_120a", "sm_80", "sm_103a", "sm_70", "sm_90", "sm_75", "sm_100",
    "sm_100f", "sm_103f", "sm_107f", "sm_107", "sm_120f", "sm_121a", "sm_110a", "sm_86", "sm_103", "sm_110f",
    "sm_120",
];

fn targets(newest: Version) -> &'static [&'static str] {
    if newest >= Version::new(9, 4) { LATER_TARGETS } else { TARGETS }
}

const VERSIONS: &[(u8, u8)] =
    &[(6, 0), (6, 5), (7, 0), (7, 4), (7, 8), (8, 0), (8, 3), (8, 6), (8, 8), (9, 0), (9, 1)];

/// How many of a row's slot values are tried at the most; of longer rows, a sample is.
const MOST_VALUES: usize = 40;

/// Reads `sm_90a 9.1`.
pub fn language(text: &str) -> Option<Language> {
    let (target, version) = text.split_once(' ')?;
    let (major, minor) = version.split_once('.')?;
    let ptx = Version::new(major.parse().ok()?, minor.parse().ok()?);
    Some(Language { target: Target::parse(target)?, ptx })
}

/// One form in the making: its guard, the words after the opcode, and the operands.
#[derive(Clone)]
struct TriedForm {
    guard: &'static str,
    opcode: Word,
    words: Vec<Word>,
    operands: Vec<String>,
}

impl TriedForm {
    fn text(&self, isa: &Isa) -> String {
        let mut text = format!("{}{}", self.guard, isa.text(self.opcode));
        for &word in &self.words {
            text.push('.');
            text += isa.text(word);
        }
        if !self.operands.is_empty() {
            text.push(' ');
            text += &self.operands.join(", ");
        }
        text + ";"
    }
}

/// The cases for these rows, in PTX up to a version.
pub fn cases(isa: &Isa, rows: &[u16], newest: Version, seed: u64, extra: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for &index in rows {
        let row = &isa.rows[usize::from(index)];
        // A row has random numbers of its own, so that a new one changes little about the others.
        let mut random = Random::new(
            row.head.bytes().fold(seed, |seed, byte| (seed ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        );
        let mut tries: Vec<Option<(usize, Word)>> = vec![None; extra];
        let mut values = Vec::new();
        for (slot, s) in row.slots.iter().enumerate() {
            values.extend(s.values.iter().map(|&v| Some((slot, v))));
        }
        while values.len() > MOST_VALUES {
            values.swap_remove(random.below(values.len()));
        }
        tries.extend(values);
        for forced in tries {
            let Some((language, filling)) = legal(row, newest, forced, &mut random) else { continue };
            let list = *random.pick(row.lists);
            let form = TriedForm {
                guard: "",
                opcode: row.name[0],
                words: spell(row, &filling),
                operands: list
                    .iter()
                    .map(|&o| {
                        let operand = &row.operands[usize::from(o)];
                        operands::legal(isa, operand, &filling, &mut operands::Prelude, &mut random)
                    })
                    .collect(),
            };
            push(&mut cases, isa, language, &form);
            for _ in 0..2 {
                neighbour(isa, row, (language, newest), &form, &mut random, &mut cases);
            }
        }
    }
    cases.sort();
    cases.dedup();
    cases
}

fn push(cases: &mut Vec<Case>, isa: &Isa, language: Language, form: &TriedForm) {
    let language = format!("{} {}", language.target, language.ptx);
    cases.push(Case { language, text: form.text(isa) });
}

/// The modifiers in the row's own order.
pub fn spell(row: &Row, filling: &Filling) -> Vec<Word> {
    let mut words = row.name[1..].to_vec();
    words.extend(filling.iter().filter(|&&w| w != NO_WORD));
    words
}

/// A filling that the table holds legal, with `forced` in its slot, and a language it is legal in.
fn legal(
    row: &Row,
    newest: Version,
    forced: Option<(usize, Word)>,
    random: &mut Random,
) -> Option<(Language, Filling)> {
    let mut best = None;
    let targets = targets(newest);
    for attempt in 0..300 {
        let mut filling = any_filling(row, random);
        if let Some((slot, word)) = forced {
            filling[slot] = word;
        }
        let target =
            if random.one_in(3) { targets[random.below(targets.len())] } else { targets[attempt % 6] };
        let target = Target::parse(target)?;
        let language = Language { target, ptx: newest };
        if form::judge(row, &filling, language, &Unknown, false).is_ok() {
            return Some((language, filling));
        }
        best.get_or_insert((language, filling));
    }
    // The table knows no legal form with this value (a removed form, say): try it all the same.
    best
}

/// A word in every slot that must have one and in some of the others, legal together or not.
pub fn any_filling(row: &Row, random: &mut Random) -> Filling {
    let mut filling: Filling = [NO_WORD; form::MAX_SLOTS];
    let sparse = 1 + random.below(4);
    for (i, slot) in row.slots.iter().enumerate() {
        if !slot.optional || random.one_in(1 + sparse) {
            filling[i] = *random.pick(slot.values);
        }
    }
    filling
}

fn neighbour(
    isa: &Isa,
    row: &Row,
    (mut language, newest): (Language, Version),
    form: &TriedForm,
    random: &mut Random,
    cases: &mut Vec<Case>,
) {
    let mut form = form.clone();
    let name = row.name.len() - 1;
    let free = form.words.len() - name;
    match random.below(14) {
        0 if free > 0 => {
            form.words.remove(name + random.below(free));
        }
        1 => {
            let word = foreign(isa, row, random);
            form.words.insert(name + random.below(free + 1), word);
        }
        2 if form.words.len() > 1 => {
            let i = random.below(form.words.len() - 1);
            form.words.swap(i, i + 1);
        }
        3 if free > 0 => {
            let word = form.words[name + random.below(free)];
            form.words.push(word);
        }
        4 | 5 if free > 0 => {
            let i = name + random.below(free);
            let kin: Vec<Word> = kin(isa, form.words[i]);
            form.words[i] = *random.pick(&kin);
        }
        6 if free > 0 => {
            let i = name + random.below(free);
            form.words[i] = foreign(isa, row, random);
        }
        7 if !form.operands.is_empty() => {
            form.operands.remove(random.below(form.operands.len()));
        }
        8 => {
            let extra = operands::any(random);
            form.operands.insert(random.below(form.operands.len() + 1), extra);
        }
        9 if !form.operands.is_empty() => {
            let i = random.below(form.operands.len());
            form.operands[i] = operands::mutated(&form.operands[i], random);
        }
        10 => {
            form.guard = "@%p1 ";
            if let Some(i) = form.operands.iter().position(|o| o.starts_with("[pa")) {
                form.operands[i] = "[ar]".into();
            }
        }
        11 if form.operands.iter().any(|o| operands::is_number(o)) => {
            let numbers = form.operands.iter_mut().filter(|o| operands::is_number(o));
            numbers.for_each(|o| *o = operands::odd_number(random));
        }
        12 => {
            language.target = Target::parse(targets(newest)[random.below(targets(newest).len())])
                .unwrap_or(language.target);
        }
        _ => {
            let (major, minor) = *random.pick(VERSIONS);
            // Of a version that is new, the one before is the one to try.
            let before = (newest > Version::new(9, 2)).then(|| Version::new(9, newest.minor - 1));
            language.ptx = before.filter(|_| random.one_in(2)).unwrap_or(Version::new(major, minor));
            let entry = isa.targets.iter().find(|t| t.target == language.target);
            if entry.is_none_or(|t| t.ptx > language.ptx) {
                language.ptx = entry.map_or(Version::new(9, 0), |t| t.ptx);
            }
        }
    }
    push(cases, isa, language, &form);
}

/// A modifier that some row of the table uses, more often one of the same opcode.
fn foreign(isa: &Isa, row: &Row, random: &mut Random) -> Word {
    let same = isa.opcode(row.name[0]).map_or(&[][..], |o| o.rows);
    let index = if !same.is_empty() && !random.one_in(4) {
        usize::from(*random.pick(same))
    } else {
        random.below(isa.rows.len())
    };
    let slots = isa.rows[index].slots;
    if slots.is_empty() {
        return isa.word("s32").unwrap_or(0);
    }
    let values = slots[random.below(slots.len())].values;
    *random.pick(values)
}

/// Words of the same sort: other types for a type, other spaces for a space, and so on.
fn kin(isa: &Isa, word: Word) -> Vec<Word> {
    let groups: &[&[&str]] = &[
        &["global", "shared", "local", "const", "param", "shared::cta", "shared::cluster"],
        &["rn", "rz", "rm", "rp", "rni", "rzi", "approx", "full", "rna", "rs"],
        &["cta", "cluster", "gpu", "sys"],
        &["relaxed", "acquire", "release", "acq_rel", "weak", "volatile", "mmio", "sc"],
        &["v2", "v4", "v8"],
        &["ca", "cg", "cs", "lu", "cv", "wb", "wt"],
        &["row", "col"],
        &["1d", "2d", "3d", "4d", "5d", "a1d", "a2d", "cube", "acube"],
        &["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "num", "nan"],
        &["and", "or", "xor", "add", "min", "max", "inc", "dec", "exch", "cas", "popc"],
    ];
    let text = isa.text(word);
    let mut kin: Vec<Word> = Vec::new();
    if isa.word_types[usize::from(word)].is_some() {
        kin = (0..isa.words.len() as Word).filter(|&w| isa.word_types[usize::from(w)].is_some()).collect();
    } else if let Some(group) = groups.iter().find(|g| g.contains(&text)) {
        kin = group.iter().filter_map(|g| isa.word(g)).collect();
    }
    if kin.is_empty() {
        kin.push(word);
    }
    kin
}
