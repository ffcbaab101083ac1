//! What an H200 did with the litmus tests of `tests/litmus`, billions of times: every outcome must be one that the model
//! allows. `tests/litmus/h200/observed.jsonl` is a measurement: if a line seems wrong, measure again, never edit it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ptxvm_isa::ISA;
use ptxvm_model::test::{Quantifier, Test};
use ptxvm_model::{Limits, decide, herd, kernel, model, ptx};
use ptxvm_syntax::Interner;
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus")
}

fn read(name: &str, text: &str) -> Test {
    if name.ends_with(".litmus") {
        return herd::parse(text).unwrap_or_else(|errors| panic!("{name}: {}", errors[0].message));
    }
    let parsed = ptxvm_syntax::parse(text, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, text, &ISA, &ptxvm_module::Options::default());
    let program = ptxvm_ir::lower(&parsed.file, text, &checked.module, &ISA).expect("a program");
    ptx::read(&program, text).unwrap_or_else(|errors| panic!("{name}: {}", errors[0].message))
}

/// The lines about our own tests: other people's are compared by `cargo xtask litmus observed`.
fn lines() -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join("h200/observed.jsonl")).expect("the observations");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
    let ours = |line: &Value| {
        let name = line["test"].as_str().unwrap_or_default();
        // The first line is about the machine.
        !name.is_empty() && !name.starts_with("Dat3M/") && !name.starts_with("mixedproxy/")
    };
    lines.filter(ours).collect()
}

fn outcomes(line: &Value) -> Vec<Vec<i64>> {
    let rows = line["outcomes"].as_array().expect("outcomes");
    let values = |row: &Value| {
        let values = row[0].as_array().expect("values");
        values.iter().map(|value| value.as_i64().expect("a number")).collect()
    };
    rows.iter().map(values).collect()
}

#[test]
fn every_outcome_is_allowed() {
    let model = model("ptx-9.1").expect("a model");
    let mut wrong = Vec::new();
    let lines = lines();
    assert!(lines.len() > 150, "only {} observations", lines.len());
    for line in &lines {
        let name = line["test"].as_str().expect("a name");
        let text = std::fs::read_to_string(folder().join(name)).expect("the litmus test");
        assert_eq!(line["hash"], kernel::fingerprint(&text), "{name} has changed since it was observed");
        let test = read(name, &text);
        match kernel::forbidden(&test, &outcomes(line), model, &Limits::default()) {
            Ok(forbidden) => wrong.extend(
                forbidden.iter().map(|outcome| format!("{name}: {outcome:?} of {}", line["observes"])),
            ),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A test that no longer sees weak memory would pass all the same; this is what it must have seen.
#[test]
fn weak_outcomes_were_seen() {
    let mut seen: BTreeMap<String, bool> = BTreeMap::new();
    for line in &lines() {
        let name = line["test"].as_str().expect("a name");
        let text = std::fs::read_to_string(folder().join(name)).expect("the litmus test");
        let test = read(name, &text);
        if test.quantifier != Quantifier::Exists {
            continue;
        }
        let plain = decide(&test, model("sc").expect("a model"), &Limits::default());
        if plain.is_ok_and(|plain| plain.holds) {
            continue;
        }
        // The question's observables come first.
        let observables = kernel::observing_all(&test).observables();
        let holds = outcomes(line).iter().any(|outcome| {
            let value = |wanted| {
                let at = observables.iter().position(|known| *known == wanted);
                at.map_or(0, |at| outcome[at])
            };
            test.condition.holds(&value)
        });
        *seen.entry(name.to_owned()).or_default() |= holds;
    }
    let count = seen.values().filter(|&&seen| seen).count();
    assert!(count >= 25, "only {count} of {} were seen: {seen:?}", seen.len());
    for name in ["manual/LB.litmus", "copies/IRIW-relaxed.litmus", "ptx/mp-relaxed.ptx"] {
        assert_eq!(seen.get(name), Some(&true), "{name}");
    }
}
