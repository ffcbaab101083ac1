//! Compares our verdicts with ptxas's recorded ones. A test demands that they agree; every exception is listed with its
//! reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ptxvm_isa::Isa;

use super::ptxas::{RELEASES, Release};
use super::{disagreements, folder, verdicts};

/// How many forms a family has, and those on which we disagree.
struct Family {
    name: String,
    forms: usize,
    wrong: Vec<String>,
}

/// Compares our checker with every recorded file of a release.
fn families(root: &Path, release: &Release, isa: &'static Isa) -> Result<Vec<Family>, String> {
    let folder = folder(root, release);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "txt"));
    paths.sort();
    let mut families = Vec::new();
    for path in paths {
        let verdicts = verdicts::read(&path)?;
        families.push(Family {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            forms: verdicts.values().map(Vec::len).sum(),
            wrong: disagreements(isa, &verdicts)?,
        });
    }
    Ok(families)
}

/// The listed exceptions of a release: each line of its `exceptions.md` that is indented, with the heading above it as its
/// reason.
fn exceptions(root: &Path, release: &Release) -> Result<BTreeMap<String, String>, String> {
    let path = folder(root, release).join("exceptions.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut reason = String::new();
    let mut listed = BTreeMap::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            reason = heading.to_owned();
        } else if let Some(form) = line.strip_prefix("    ") {
            listed.insert(form.trim().to_owned(), reason.clone());
        }
    }
    Ok(listed)
}

/// Prints the rates, and what is listed wrongly or not at all.
pub fn report(root: &Path, isa: &'static Isa) -> Result<(), String> {
    let mut faults = Vec::new();
    for release in &RELEASES {
        println!("ptxas {}", release.name);
        let found = report_on(root, release, isa)?;
        faults.extend(found.into_iter().map(|fault| format!("ptxas {}: {fault}", release.name)));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// What is wrong with the verdicts on one release.
fn report_on(root: &Path, release: &Release, isa: &'static Isa) -> Result<Vec<String>, String> {
    let families = families(root, release, isa)?;
    let listed = exceptions(root, release)?;
    let (mut forms, mut wrong) = (0, BTreeSet::new());
    let mut faults = Vec::new();
    for family in &families {
        let rate = 100.0 * (family.forms - family.wrong.len()) as f64 / family.forms.max(1) as f64;
        println!("{:<28} {:>6} forms  {:>7.3} % agree", family.name, family.forms, rate);
        if rate < 99.0 {
            faults.push(format!("{} agrees on {rate:.3} % only", family.name));
        }
        forms += family.forms;
        wrong.extend(family.wrong.iter().cloned());
    }
    let rate = 100.0 * (forms - wrong.len()) as f64 / forms.max(1) as f64;
    println!("{:<28} {forms:>6} forms  {rate:>7.3} % agree", "all");
    if rate < 99.5 {
        faults.push(format!("on the whole {rate:.3} % agree, less than 99.5 %"));
    }
    let unlisted = wrong.iter().filter(|w| !listed.contains_key(*w));
    faults.extend(unlisted.map(|w| format!("not listed: {w}")));
    let stale = listed.keys().filter(|l| !wrong.contains(*l));
    faults.extend(stale.map(|l| format!("listed, but we agree: {l}")));
    let bare = listed.iter().filter(|(_, reason)| reason.is_empty());
    faults.extend(bare.map(|(l, _)| format!("listed without a reason: {l}")));
    Ok(faults)
}

#[cfg(test)]
mod tests {
    #[test]
    fn ptxas_agrees() {
        assert_eq!(super::report(&crate::root(), &ptxvm_isa::ISA), Ok(()));
    }
}
