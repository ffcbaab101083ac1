//! Dat3M's suite for PTX: four lists of files with a verdict each, for two models, and for whether executions end.

use std::path::Path;

use ptxvm_model::test::Test;
use ptxvm_model::{Limits, decide, herd, model, search};

use super::Tally;

/// The lists, their models, and whether they are about the end of executions.
const LISTS: [(&str, &str, bool); 6] = [
    ("PTXv6_0-expected.csv", "ptx-6.0", false),
    ("PTXv7_5-expected.csv", "ptx-7.5", false),
    ("PTXv6_0-Liveness-expected.csv", "ptx-6.0", true),
    ("PTXv7_5-Liveness-expected.csv", "ptx-7.5", true),
    // What they expect of 7.5 is true of 9.1 as well.
    ("PTXv7_5-expected.csv", "ptx-9.1", false),
    ("PTXv7_5-Liveness-expected.csv", "ptx-9.1", true),
];

pub fn compare(checkout: &Path, pattern: &str, tally: &mut Tally) -> Result<(), String> {
    for (list, name, ends) in LISTS {
        let path = checkout.join("dartagnan/src/test/resources").join(list);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let (same, differ) = (tally.same, tally.differ);
        let rows = text.lines().filter_map(|line| line.trim().split_once(','));
        for (file, expected) in rows.filter(|(file, _)| file.contains(pattern)) {
            tally.one(&format!("{list} by {name}: {file}"), expected == "1", || {
                verdict(&checkout.join(file), name, ends)
            });
        }
        println!("{list} by {name}: {} agree, {} differ", tally.same - same, tally.differ - differ);
    }
    Ok(())
}

/// Whether a test's statement is true; or whether all its executions end.
fn verdict(path: &Path, name: &str, ends: bool) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    if !ends {
        return holds(&text, name);
    }
    let test = read(&text)?;
    let model = model(name).ok_or("there is no such model")?;
    let (hang, _) = search::hang(&test, model, &Limits::default()).map_err(|e| e.to_string())?;
    Ok(hang.is_none())
}

/// Whether a test's statement is true.
pub fn holds(text: &str, name: &str) -> Result<bool, String> {
    let test = read(text)?;
    let model = model(name).ok_or("there is no such model")?;
    let verdict = decide(&test, model, &Limits::default()).map_err(|e| e.to_string())?;
    Ok(verdict.holds)
}

fn read(text: &str) -> Result<Test, String> {
    herd::parse(text).map_err(|errors| {
        let first = errors.first().map(|error| (error.message.clone(), error.primary.span.start));
        format!("{first:?}")
    })
}
