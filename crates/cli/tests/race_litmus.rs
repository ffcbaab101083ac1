//! The race checker and the axioms say the same of litmus tests: if some execution that the model allows has a data race
//! (8.7.1), the checker finds one in some run, and if none has, it finds none in any.
//!
//! A run finds the races of the execution that it is. What no run shows is listed with the reason.
//!
//! Dat3M's and NVlabs' tests are tried too if `PTXVM_LITMUS` names a folder into which `cargo xtask litmus texts` has written
//! them. Dat3M expects no verdicts on races of its tests of PTX; what the axioms say of them is ours.

mod litmus_kernel;

use std::path::{Path, PathBuf};
use std::process::Command;

use litmus_kernel::{KEPT, Kernel, translate};
use serde_json::Value;

/// The runs of each test, at most.
const RUNS: u64 = 40;

/// Where the litmus tests lie that are tried.
const FOLDERS: [&str; 5] = ["manual", "patterns", "copies", "cluster", "mmio"];

/// The runs of each of other people's tests, at most: they are many.
const RUNS_OF_THEIRS: u64 = 12;

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
        "--timeout=2s",
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
    // Some of them spin for ever, or are at a barrier alone, in executions that are right.
    let ended = ["result", "limit", "finding"];
    let is_end = |object: &Value| ended.iter().any(|end| object["kind"] == *end);
    assert!(objects.iter().any(is_end), "{}: {said}", file.display());
    objects.iter().any(|object| object["code"] == "race")
}

/// What came of some tests.
#[derive(Default)]
struct Came {
    /// Where the checker and the axioms differ.
    wrong: Vec<String>,
    racy: usize,
    right: usize,
    /// What cannot be run as a kernel here.
    left_out: usize,
}

/// Asks both of a test.
fn compare(test: &Path, name: &str, (folder, runs): (&Path, u64), came: &mut Came) {
    let text = std::fs::read_to_string(test).expect("text");
    let Some(kernel) = translate(&text) else {
        came.left_out += 1;
        return;
    };
    let verdict = ptxvm(&["litmus", "--format=json", "--no-repair", &test.display().to_string()]);
    let verdict: Value = serde_json::from_str(&verdict).expect("a verdict");
    let Some(expected) = verdict["racy"].as_bool() else {
        panic!("{name}: no verdict: {verdict}");
    };
    let file = folder.join(format!("{}.ptx", name.replace(['/', ' '], "-")));
    std::fs::write(&file, &kernel.source).expect("written");
    *(if expected { &mut came.racy } else { &mut came.right }) += 1;
    let found = (0..runs).any(|run| races(&kernel, &file, run));
    let never = NEVER.iter().any(|(never, _)| *never == name);
    if found != (expected && !never) {
        came.wrong.push(format!("{name}: the model says {expected}, the checker {found}"));
    }
}

/// The tests in a folder and those inside it.
fn tests_in(folder: &Path, tests: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder").flatten() {
        match entry.path() {
            path if path.is_dir() => tests_in(&path, tests),
            path => tests.push(path),
        }
    }
    tests.sort();
}

/// A folder for kernels, which is gone when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("ptxvm-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_checker_and_the_axioms_agree() {
    let (scratch, mut came) = (Scratch::new("race-litmus"), Came::default());
    for folder in FOLDERS {
        let mut tests = Vec::new();
        tests_in(&root().join(folder), &mut tests);
        for test in tests.iter().filter(|file| file.extension().is_some_and(|e| e == "litmus")) {
            let stem = test.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            compare(test, &format!("{folder}/{stem}"), (scratch.0.as_path(), RUNS), &mut came);
        }
    }
    let Came { wrong, racy, right, .. } = came;
    assert!(wrong.is_empty(), "of {racy} that race and {right} that do not:\n{}", wrong.join("\n"));
    assert!(racy > 20 && right > 20, "only {racy} that race and {right} that do not");
}

#[test]
fn they_agree_on_other_peoples_tests() {
    let Some(theirs) = std::env::var_os("PTXVM_LITMUS").map(PathBuf::from) else { return };
    let (scratch, mut came, mut tests) = (Scratch::new("race-litmus-theirs"), Came::default(), Vec::new());
    tests_in(&theirs, &mut tests);
    for test in &tests {
        let name = test.strip_prefix(&theirs).unwrap_or(test).display().to_string();
        compare(test, &name, (scratch.0.as_path(), RUNS_OF_THEIRS), &mut came);
    }
    let Came { wrong, racy, right, left_out } = came;
    println!("{racy} race, {right} do not, {left_out} cannot be run as kernels here");
    assert!(wrong.is_empty(), "of {racy} that race and {right} that do not:\n{}", wrong.join("\n"));
    assert!(racy > 20 && right > 20, "only {racy} that race and {right} that do not");
}
