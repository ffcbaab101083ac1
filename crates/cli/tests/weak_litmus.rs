//! Litmus tests as kernels under weak memory: every outcome must be one that the axioms allow (`ptxvm litmus`), and the
//! weak ones that we can produce must appear.
//!
//! A test in herd's format becomes a kernel, each of its threads a thread of a warp of its own. Threads begin after delays
//! that differ from run to run.

mod litmus_kernel;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use litmus_kernel::{KEPT, Kernel, translate};
use serde_json::Value;

/// The runs of each test.
const RUNS: u64 = 150;

/// Where the litmus tests lie that are tried.
const FOLDERS: [&str; 5] = ["manual", "patterns", "copies", "cluster", "mmio"];

/// Allowed outcomes that no run shows, and why: docs/weak-memory.md.
const NEVER: [&str; 2] = ["atomicity-narrow-scope", "atomicity-two-clusters"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus")
}

fn ptxvm(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ptxvm")).args(arguments).output().expect("ptxvm runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

type State = BTreeMap<String, u64>;

/// What a run of a kernel ends with.
fn outcome(kernel: &Kernel, file: &Path, run: u64) -> State {
    let delays: Vec<String> = (0..kernel.registers.len() as u64)
        .map(|thread| ((run * 2_654_435_761) >> (3 * thread) & 127).to_string())
        .collect();
    let words = kernel.locations.len() * 64;
    let threads = kernel.registers.len();
    let arguments = [
        "run",
        "--format=json",
        "--show=4096",
        "--memory-model=weak",
        "--timeout=20s",
        &format!("--seed={}", run + 1),
        &format!("--grid={}", kernel.grid),
        &format!("--cluster={}", kernel.cluster),
        &format!("--block={}", kernel.warps * 32),
        &format!("--arg=u32[{words}]"),
        &format!("--arg=u32[{}]", threads * KEPT),
        &format!("--arg=u32[{threads}]={}", delays.join(",")),
        &file.display().to_string(),
    ];
    let said = ptxvm(&arguments);
    let objects = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let result = objects.into_iter().find(|object| object["kind"] == "result");
    let result = result.unwrap_or_else(|| panic!("{}: {said}", file.display()));
    let value = |buffer: usize, at: usize| {
        result["buffers"][buffer]["first"][at].as_u64().unwrap_or_else(|| panic!("no value in {said}"))
    };
    let memory =
        kernel.locations.iter().enumerate().map(|(number, name)| (name.clone(), value(0, number * 64)));
    let registers = kernel.registers.iter().enumerate().flat_map(|(thread, names)| {
        let kept = names.iter().enumerate();
        kept.map(move |(number, name)| (format!("P{thread}:{name}"), thread * KEPT + number))
    });
    let registers: Vec<_> = registers.map(|(name, at)| (name, value(1, at))).collect();
    memory.chain(registers).collect()
}

#[test]
fn every_outcome_is_allowed_and_weak_ones_appear() {
    let folder = std::env::temp_dir().join(format!("ptxvm-weak-litmus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut wrong, mut never, mut tried) = (Vec::new(), Vec::new(), 0);
    for name in FOLDERS {
        let mut files: Vec<PathBuf> = std::fs::read_dir(root().join(name))
            .expect("the folder")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        files.sort();
        for test in files.iter().filter(|file| file.extension().is_some_and(|e| e == "litmus")) {
            let text = std::fs::read_to_string(test).expect("text");
            // A thread that never comes to a barrier is waited for by the test's others; in a kernel it ends, and then nobody
            // waits for it any more.
            if text.contains(" ends: no") {
                continue;
            }
            let Some(kernel) = translate(&text) else { continue };
            let verdict = ptxvm(&["litmus", "--format=json", "--no-repair", &test.display().to_string()]);
            let verdict: Value = serde_json::from_str(&verdict).expect("a verdict");
            let states = verdict["states"].as_array().expect("states");
            let stem = test.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let file = folder.join(format!("{name}-{stem}.ptx"));
            std::fs::write(&file, &kernel.source).expect("written");
            tried += 1;
            let (mut satisfied, mut seen) = (false, BTreeSet::new());
            for run in 0..RUNS {
                let outcome = outcome(&kernel, &file, run);
                let same = |state: &&Value| {
                    let values = state["values"].as_object();
                    values.is_some_and(|values| {
                        values.iter().all(|(n, v)| outcome.get(n).copied() == v.as_u64())
                    })
                };
                match states.iter().find(same) {
                    Some(state) => satisfied |= state["satisfies"] == true,
                    None if seen.insert(outcome.clone()) => wrong.push(format!("{name}/{stem}: {outcome:?}")),
                    None => {}
                }
            }
            if verdict["quantifier"] == "exists" && verdict["holds"] == true && !satisfied {
                never.push(stem);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "forbidden outcomes:\n{}", wrong.join("\n"));
    assert!(tried > 50, "only {tried} tests could be translated");
    assert_eq!(never, NEVER, "what never appears");
}
