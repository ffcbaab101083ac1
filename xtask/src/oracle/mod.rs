//! The oracle: asks ptxas about instructions made from the table, and compares its answers with ours.
//!
//! `tests/oracle` holds what ptxas 13.2 said, its folders `13.3` and `13.4` what those said: of the rows that came with
//! them everything, of the others a sample.

pub mod agreement;
pub mod generate;
pub mod operands;
pub mod ours;
pub mod prelude;
mod ptxas;
mod random;
mod verdicts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ptxvm_isa::{Isa, Language, Target};

use generate::Case;
use ptxas::{Ptxas, RELEASES, Release, Verdict};
pub use random::Random;
use verdicts::Verdicts;

/// The seed of the recorded set.
const SEED: u64 = 9_1;

/// Random legal forms of each row in the recorded set, beside one for each value of each slot.
const EXTRA: usize = 8;

/// Of what a later release shares with the one before it, one form of so many is recorded.
const SAMPLE: usize = 12;

/// The release of this name.
pub fn release(name: &str) -> Result<&'static Release, String> {
    RELEASES.iter().find(|r| r.name == name).ok_or_else(|| format!("no verdicts are kept of ptxas {name}"))
}

/// Makes the set anew, or the part of one file of the table, asks ptxas about all of it, and records what it says.
pub fn record(root: &Path, release: &Release, only: Option<&str>) -> Result<(), String> {
    let isa = crate::generated::table(root)?;
    let ptxas = Ptxas::find(root, release)?;
    for file in families(isa).into_iter().filter(|file| only.is_none_or(|only| only.ends_with(file))) {
        keep(
            root,
            release,
            file,
            &ask(isa, &ptxas, &Asked { release, file, head: "", seed: SEED, extra: EXTRA, all: false })?,
        )?;
    }
    Ok(())
}

/// Asks ptxas about the rows of a file that begin with `head`, and adds its verdicts to those that are recorded: what a
/// new row needs. What was recorded of the others stays.
pub fn add(root: &Path, release: &Release, file: &str, head: &str) -> Result<(), String> {
    let isa = crate::generated::table(root)?;
    let file = file.rsplit('/').next().unwrap_or(file);
    let asked = Asked { release, file, head, seed: SEED, extra: EXTRA, all: true };
    let new = ask(isa, &Ptxas::find(root, release)?, &asked)?;
    if new.is_empty() {
        return Err(format!("{file} has no row that begins with '{head}'"));
    }
    let place = place(root, release, file);
    let mut verdicts = if place.exists() { verdicts::read(&place)? } else { Verdicts::new() };
    for (language, list) in new {
        let recorded = verdicts.entry(language).or_default();
        recorded.retain(|(_, text)| list.iter().all(|(_, new)| new != text));
        recorded.extend(list);
        recorded.sort_by(|(_, a), (_, b)| a.cmp(b));
    }
    keep(root, release, file, &verdicts)
}

/// Where the verdicts of a release are.
fn folder(root: &Path, release: &Release) -> PathBuf {
    let folder = root.join("tests/oracle");
    if release.before().is_some() { folder.join(release.name) } else { folder }
}

/// Where the verdicts on a file of the table are.
fn place(root: &Path, release: &Release, file: &str) -> PathBuf {
    folder(root, release).join(file.replace(".isa", ".txt"))
}

fn keep(root: &Path, release: &Release, file: &str, verdicts: &Verdicts) -> Result<(), String> {
    let path = place(root, release, file);
    std::fs::create_dir_all(folder(root, release)).map_err(|e| format!("{}: {e}", path.display()))?;
    std::fs::write(&path, verdicts::write(verdicts)).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}: {} verdicts", path.display(), verdicts.values().map(Vec::len).sum::<usize>());
    Ok(())
}

/// Asks ptxas about one file's forms and lists where it and our checker disagree.
pub fn compare(root: &Path, release: &Release, file: &str, seed: u64, extra: usize) -> Result<(), String> {
    let isa = crate::generated::table(root)?;
    let file = file.rsplit('/').next().unwrap_or(file);
    let asked = Asked { release, file, head: "", seed, extra, all: true };
    let verdicts = ask(isa, &Ptxas::find(root, release)?, &asked)?;
    let wrong = disagreements(isa, &verdicts)?;
    wrong.iter().for_each(|w| println!("{w}"));
    let total: usize = verdicts.values().map(Vec::len).sum();
    println!("# {file}: {total} forms, {} disagreements with ptxas {}", wrong.len(), release.name);
    println!("# '+' before what ptxas accepts and we refuse, '-' before the reverse");
    Ok(())
}

/// The files of the table that have rows.
fn families(isa: &Isa) -> Vec<&'static str> {
    let mut files: Vec<&str> = isa.sections.iter().map(|s| s.file).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// What is asked of a release.
struct Asked<'a> {
    release: &'a Release,
    /// The file of the table whose rows forms are made from, and how these rows begin.
    file: &'a str,
    head: &'a str,
    seed: u64,
    extra: usize,
    /// All forms; else, of what the release before it has too, a sample.
    all: bool,
}

/// The forms to ask about.
fn cases(isa: &'static Isa, asked: &Asked<'_>) -> Vec<Case> {
    let in_file = |i: &u16| {
        let row = &isa.rows[usize::from(*i)];
        isa.sections[usize::from(row.section)].file == asked.file && row.head.starts_with(asked.head)
    };
    let rows: Vec<u16> = (0..isa.rows.len() as u16).filter(in_file).collect();
    let newest = asked.release.newest;
    let Some(before) = asked.release.before().filter(|_| !asked.all) else {
        return generate::cases(isa, &rows, newest, asked.seed, asked.extra);
    };
    let all_after = |i: &u16, version| {
        let need = isa.rows[usize::from(*i)].need;
        !need.is_empty() && need.iter().all(|platform| platform.ptx > version)
    };
    // What came after it, it does not know at all.
    let rows: Vec<u16> = rows.into_iter().filter(|i| !all_after(i, newest)).collect();
    let is_new = |i: &u16| all_after(i, before.newest);
    let (new, old): (Vec<u16>, Vec<u16>) = rows.into_iter().partition(is_new);
    let mut all = generate::cases(isa, &new, newest, asked.seed, asked.extra);
    let mut shared = Vec::new();
    for case in generate::cases(isa, &old, newest, asked.seed, asked.extra) {
        let Some(language) = generate::language(&case.language) else { continue };
        let text = operands::expand(&case.text);
        let legal = |language| ours::judge(isa, language, &[&text]) == [true];
        // What a target that is itself new takes is new if the first of its family does not take it.
        let young = isa.targets.iter().any(|t| t.target == language.target && t.ptx > before.newest);
        let target = if young { Target { sm: 100, ..language.target } } else { language.target };
        let came =
            language.ptx == newest && legal(language) && !legal(Language { ptx: before.newest, target });
        if came { all.push(case) } else { shared.push(case) }
    }
    all.extend(shared.into_iter().step_by(SAMPLE));
    all.sort();
    all
}

/// What ptxas says of forms made from the table.
fn ask(isa: &'static Isa, ptxas: &Ptxas, asked: &Asked<'_>) -> Result<Verdicts, String> {
    let mut by_language: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases(isa, asked) {
        by_language.entry(case.language.clone()).or_default().push(case);
    }
    let mut verdicts = Verdicts::new();
    for (name, cases) in by_language {
        let language = generate::language(&name).ok_or_else(|| format!("'{name}' is no language"))?;
        let texts: Vec<String> = cases.iter().map(|c| operands::expand(&c.text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let answers = ptxas.judge(language, &texts)?;
        let judged = cases.into_iter().zip(answers).filter(|(_, v)| *v != Verdict::None);
        let list = judged.map(|(case, v)| (v == Verdict::Accepted, case.text)).collect();
        verdicts.insert(name, list);
    }
    Ok(verdicts)
}

/// Each form on which our checker says something else than ptxas: `+ sm_90a 9.1 add…` if only ptxas accepts it.
fn disagreements(isa: &'static Isa, verdicts: &Verdicts) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    for (name, list) in verdicts {
        let language = generate::language(name).ok_or_else(|| format!("'{name}' is no language"))?;
        let texts: Vec<String> = list.iter().map(|(_, text)| operands::expand(text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for ((accepted, text), ours) in list.iter().zip(ours::judge(isa, language, &texts)) {
            if *accepted != ours {
                wrong.push(format!("{} {name} {text}", if *accepted { '+' } else { '-' }));
            }
        }
    }
    Ok(wrong)
}
