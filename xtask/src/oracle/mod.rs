//! The oracle: asks ptxas about instructions made from the table, and compares its answers with ours.

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

use ptxvm_isa::Isa;

use generate::Case;
use ptxas::{Ptxas, Verdict};
pub use random::Random;
use verdicts::Verdicts;

/// The seed of the recorded set.
const SEED: u64 = 9_1;

/// Random legal forms of each row in the recorded set, beside one for each value of each slot.
const EXTRA: usize = 8;

/// Makes the set anew, or the part of one file of the table, asks ptxas about all of it, and records what it says.
pub fn record(root: &Path, only: Option<&str>) -> Result<(), String> {
    let isa = crate::generated::table(root)?;
    let ptxas = Ptxas::find(root)?;
    let folder = root.join("tests/oracle");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for file in families(isa).into_iter().filter(|file| only.is_none_or(|only| only.ends_with(file))) {
        keep(root, file, &ask(isa, &ptxas, file, "", SEED, EXTRA)?)?;
    }
    Ok(())
}

/// Asks ptxas about the rows of a file that begin with `head`, and adds its verdicts to those that are recorded: what a
/// new row needs. What was recorded of the others stays.
pub fn add(root: &Path, file: &str, head: &str) -> Result<(), String> {
    let isa = crate::generated::table(root)?;
    let file = file.rsplit('/').next().unwrap_or(file);
    let new = ask(isa, &Ptxas::find(root)?, file, head, SEED, EXTRA)?;
    if new.is_empty() {
        return Err(format!("{file} has no row that begins with '{head}'"));
    }
    let mut verdicts = verdicts::read(&place(root, file))?;
    for (language, list) in new {
        let recorded = verdicts.entry(language).or_default();
        recorded.retain(|(_, text)| list.iter().all(|(_, new)| new != text));
        recorded.extend(list);
        recorded.sort_by(|(_, a), (_, b)| a.cmp(b));
    }
    keep(root, file, &verdicts)
}

/// Where the verdicts on a file of the table are.
fn place(root: &Path, file: &str) -> PathBuf {
    root.join("tests/oracle").join(file.replace(".isa", ".txt"))
}

fn keep(root: &Path, file: &str, verdicts: &Verdicts) -> Result<(), String> {
    let path = place(root, file);
    std::fs::write(&path, verdicts::write(verdicts)).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}: {} verdicts", path.display(), verdicts.values().map(Vec::len).sum::<usize>());
    Ok(())
}

/// Asks ptxas about one file's forms and lists where it and our checker disagree.
pub fn compare(root: &Path, file: &str, seed: u64, extra: usize) -> Result<(), String> {
    let isa = crate::generated::table(root)?;
    let file = file.rsplit('/').next().unwrap_or(file);
    let verdicts = ask(isa, &Ptxas::find(root)?, file, "", seed, extra)?;
    let wrong = disagreements(isa, &verdicts)?;
    wrong.iter().for_each(|w| println!("{w}"));
    let total: usize = verdicts.values().map(Vec::len).sum();
    println!("# {file}: {total} forms, {} disagreements", wrong.len());
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

/// What ptxas says of forms made from the rows of a file that begin with `head`.
fn ask(
    isa: &'static Isa,
    ptxas: &Ptxas,
    file: &str,
    head: &str,
    seed: u64,
    extra: usize,
) -> Result<Verdicts, String> {
    let asked = |i: &u16| {
        let row = &isa.rows[usize::from(*i)];
        isa.sections[usize::from(row.section)].file == file && row.head.starts_with(head)
    };
    let rows: Vec<u16> = (0..isa.rows.len() as u16).filter(asked).collect();
    let mut by_language: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in generate::cases(isa, &rows, seed, extra) {
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
