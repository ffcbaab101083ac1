//! Compares what a GPU was observed to do with what the model allows: every outcome of every test must be among the states
//! that it may end in.

use std::collections::HashMap;
use std::path::Path;

use ptxvm_model::test::Quantifier;
use ptxvm_model::{Limits, decide, kernel, model};
use serde_json::Value;

use super::gather::{Named, gather};

/// What one line of observations came to.
#[derive(Default)]
struct Tally {
    kernels: usize,
    runs: u64,
    forbidden: usize,
    unknown: usize,
    /// How many outcomes the model allows, and how many of them were seen.
    allowed: usize,
    seen: usize,
    /// Of those that sequential consistency does not allow.
    weak: usize,
    weak_seen: usize,
    /// How many tests ask for an outcome that is allowed, and how many of these showed it.
    exists: usize,
    exists_seen: usize,
}

pub fn compare(file: &Path, paths: &[&str]) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut tests: HashMap<String, Named> = HashMap::new();
    for path in paths {
        tests.extend(gather(Path::new(path))?.0.into_iter().map(|test| (test.name.clone(), test)));
    }
    let mut tally = Tally::default();
    // What all kernels of a test showed, with the observables' names.
    let mut seen: Vec<(String, Vec<Vec<i64>>)> = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = line["test"].as_str().unwrap_or_default();
        let Some(named) = tests.get(name) else { continue };
        if line["hash"] != kernel::fingerprint(&named.text) {
            println!("{name}: the test has changed since it was observed");
            tally.unknown += 1;
            continue;
        }
        let outcomes = outcomes(&line);
        tally.kernels += 1;
        tally.runs += line["runs"].as_u64().unwrap_or(0);
        let model = model("ptx-9.1").ok_or("there is no such model")?;
        match kernel::forbidden(&named.test, &outcomes, model, &Limits::default()) {
            Ok(forbidden) => {
                for outcome in forbidden {
                    println!("{name} ({}): {outcome:?} of {} is forbidden", line["home"], line["observes"]);
                    tally.forbidden += 1;
                }
            }
            Err(why) => {
                println!("{name}: {why}");
                tally.unknown += 1;
            }
        }
        match seen.iter_mut().find(|(known, _)| known == name) {
            Some((_, all)) => all.extend(outcomes),
            None => seen.push((name.to_owned(), outcomes)),
        }
    }
    for (name, outcomes) in &seen {
        reached(&tests[name], outcomes, &mut tally)?;
    }
    println!(
        "{} kernels of {} tests, {} runs: {} forbidden outcomes, {} not compared",
        tally.kernels,
        seen.len(),
        tally.runs,
        tally.forbidden,
        tally.unknown
    );
    println!(
        "{} of {} allowed outcomes were seen; of {} that sequential consistency forbids, {}",
        tally.seen, tally.allowed, tally.weak, tally.weak_seen
    );
    println!("{} of {} tests that ask for an allowed outcome showed it", tally.exists_seen, tally.exists);
    if tally.forbidden == 0 { Ok(()) } else { Err(format!("{} outcomes are forbidden", tally.forbidden)) }
}

/// The outcomes of a line: the values of each.
fn outcomes(line: &Value) -> Vec<Vec<i64>> {
    let rows = line["outcomes"].as_array().map_or(&[][..], Vec::as_slice);
    let values = |row: &Value| {
        let values = row[0].as_array().map_or(&[][..], Vec::as_slice);
        values.iter().map(|value| value.as_i64().unwrap_or(i64::MIN)).collect()
    };
    rows.iter().map(values).collect()
}

/// Counts what of the allowed was seen, and names the condition that never was.
fn reached(named: &Named, outcomes: &[Vec<i64>], tally: &mut Tally) -> Result<(), String> {
    let test = kernel::observing_all(&named.test);
    let states = |name: &str| {
        let model = model(name).ok_or("there is no such model")?;
        decide(&test, model, &Limits::default()).map_err(|why| why.to_string())
    };
    let (Ok(allowed), Ok(plain)) = (states("ptx-9.1"), states("sc")) else { return Ok(()) };
    // The condition of the text, over states that begin with what it observes.
    let observables = test.observables();
    let condition = |values: &[i64]| {
        let value = |wanted| observables.iter().position(|known| *known == wanted).map_or(0, |at| values[at]);
        named.test.condition.holds(&value)
    };
    let asked = named.test.quantifier == Quantifier::Exists && named.test.filter.is_none();
    if asked && allowed.states.iter().any(|state| condition(&state.values)) {
        tally.exists += 1;
        let plainly = plain.states.iter().any(|state| condition(&state.values));
        let seen = outcomes.iter().any(|values| condition(values));
        tally.exists_seen += usize::from(seen);
        if !seen {
            let how = if plainly { "" } else { "; sequential consistency forbids it" };
            println!("{}: allowed, never seen{how}", named.name);
        }
    }
    for state in &allowed.states {
        let weak = !plain.states.iter().any(|other| other.values == state.values);
        let seen = outcomes.contains(&state.values);
        tally.allowed += 1;
        tally.seen += usize::from(seen);
        tally.weak += usize::from(weak);
        tally.weak_seen += usize::from(weak && seen);
    }
    Ok(())
}
