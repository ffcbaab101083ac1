//! The race checker and the axioms say the same of litmus tests: if some execution that the model allows has a data race
//! (8.7.1), the checker finds one in some run, and if none has, it finds none in any.
//!
//! A run finds the races of the execution that it is. What no run shows is listed with the reason.

mod litmus_kernel;

use std::path::{Path, PathBuf};
use std::process::Command;

use litmus_kernel::{KEPT, Kernel, translate};
use serde_json::Value;

/// The runs of each test, at most.
const RUNS: u64 = 40;

/// Where the litmus tests lie that are tried.
const FOLDERS: [&str; 5] = ["manual", "patterns", "copies", "cluster", "mmio"];

/// Tests that race in executions which no run is, and why.
const NEVER: [(&str, &str); 0] = [];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus")
}

fn ptxvm(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ptxvm")).args(arguments).output().expect("ptxvm runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether a run finds a race.
fn races(kernel: &Kernel, file: &Path, run: u64) -> bool {
    let threads = kernel.registers.len();
    let delay = |thread: usize| ((run * 2_654_435_761) >> (3 * thread) & 127).to_string();
    let delays: Vec<String> = (0..threads).map(delay).collect();
    let said = ptxvm(&[
        "run",
        "--format=json",
        "--check=strict",
        "--timeout=20s",
        &format!("--seed={run}"),
        &format!("--grid={}", kernel.grid),
        &format!("--cluster={}", kernel.cluster),
        &format!("--block={}", kernel.warps * 32),
        &format!("--arg=u32[{}]", kernel.locations.len() * 64),
        &format!("--arg=u32[{}]", threads * KEPT),
        &format!("--arg=u32[{threads}]={}", delays.join(",")),
        &file.display().to_string(),
    ]);
    let objects: Vec<Value> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!(objects.iter().any(|object| object["kind"] == "result"), "{}: {said}", file.display());
    objects.iter().any(|object| object["code"] == "race")
}

#[test]
fn the_checker_and_the_axioms_agree() {
    let folder = std::env::temp_dir().join(format!("ptxvm-race-litmus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut wrong, mut racy, mut right) = (Vec::new(), 0, 0);
    for name in FOLDERS {
        let entries = std::fs::read_dir(root().join(name)).expect("the folder").flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        for test in files.iter().filter(|file| file.extension().is_some_and(|e| e == "litmus")) {
            let text = std::fs::read_to_string(test).expect("text");
            let Some(kernel) = translate(&text) else { continue };
            let verdict = ptxvm(&["litmus", "--format=json", "--no-repair", &test.display().to_string()]);
            let verdict: Value = serde_json::from_str(&verdict).expect("a verdict");
            let expected = verdict["racy"].as_bool().expect("the test is small");
            let stem = test.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let file = folder.join(format!("{name}-{stem}.ptx"));
            std::fs::write(&file, &kernel.source).expect("written");
            *(if expected { &mut racy } else { &mut right }) += 1;
            let found = (0..RUNS).any(|run| races(&kernel, &file, run));
            let never = NEVER.iter().any(|(never, _)| *never == stem);
            if found != (expected && !never) {
                wrong.push(format!("{name}/{stem}: the model says {expected}, the checker {found}"));
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "of {racy} that race and {right} that do not:\n{}", wrong.join("\n"));
    assert!(racy > 20 && right > 20, "only {racy} that race and {right} that do not");
}
