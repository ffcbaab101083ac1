//! `--check=sync`, `--check=async` and `--check=leak`: wrong kernels are found at the right lines, and right ones are not.
//!
//! In `tests/check/sync`, `tests/check/async` and `tests/check/leak`, `NAME.ptx` is wrong, and marks each line of a finding with `// check: NAMES`;
//! `NAME.right.ptx` is right and ends well. Some of the wrong ones are faults that are found without a check; they stand
//! there so that each rule of the manual has a pair. Right are also the programs of `tests/run` but for those below, the right
//! kernels of the race checker, and the examples of the findings' pages with their `+` lines.

mod marked;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use marked::{files, root};

/// What these checks find, and how many examples the page of each has.
const FINDINGS: [(&str, usize); 11] = [
    ("leak", 1),
    ("divergent", 3),
    ("barrier", 4),
    ("member-mask", 2),
    ("inactive-lane", 2),
    ("cluster-lifetime", 2),
    ("mbarrier", 5),
    ("unawaited", 4),
    ("overlapping-copies", 1),
    ("wgmma-registers", 3),
    ("undefined-result", 3),
];

/// Programs of `tests/run` in which something is found, and why.
const WRONG: [(&str, &str); 8] = [
    ("cluster/cancel_not_awaited.ptx", "it does not wait for its request, which is what it tests"),
    (
        "nvrtc/exited-lanes-wrote-before-the-barrier.right.ptx",
        "halves of warps come to the barrier by two instructions",
    ),
    ("nvrtc/tcgen05-stage-reused-without-commit-wait.right.ptx", "nobody waits for its last commit"),
    ("mbarrier/cp_async_arrival_at_the_end.ptx", "nobody waits, which is what it tests"),
    ("mbarrier/deadlock_bytes_of_the_phase_before.ptx", "nobody waits for a phase; it ends in a deadlock"),
    ("mbarrier/dropped_out.ptx", "nobody waits for a phase; it ends with a fault"),
    ("mbarrier/h200_sequences.ptx", "it does what is forbidden, and compares with what an H200 did"),
    ("mbarrier/overwritten.ptx", "it stores to a live object; it ends with a fault"),
];

/// The lines and names of what a plain run finds, and its exit status.
fn findings(file: &Path, options: &[&str]) -> (BTreeSet<(u64, String)>, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.args(["run", "--async", "eager", "--format", "json"]).args(options).arg(file);
    let output = command.output().expect("ptxvm runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let objects = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let found = objects.filter(|object| object["severity"] == "error");
    let found = found.map(|finding| {
        let name = finding["code"].as_str().unwrap_or_default().to_owned();
        (finding["line"].as_u64().unwrap_or_default(), name)
    });
    (found.collect(), output.status.code().unwrap_or(-1))
}

/// What a source marks.
fn marked(source: &str) -> BTreeSet<(u64, String)> {
    let lines = (1..).zip(source.lines());
    let marks = lines.filter_map(|(number, line)| Some((number, line.split_once("// check: ")?.1)));
    marks
        .flat_map(|(number, names)| names.split_whitespace().map(move |name| (number, name.to_owned())))
        .collect()
}

/// Runs the pairs of a folder; gives how many files there are.
fn pairs(folder: &str, check: &str) -> usize {
    let folder = root().join("tests/check").join(folder);
    let all = files(&folder);
    let mut wrong = Vec::new();
    for name in &all {
        let file = folder.join(name);
        let source = std::fs::read_to_string(&file).expect("the file is text");
        let (expected, (found, status)) = (marked(&source), findings(&file, &[check]));
        assert_eq!(expected.is_empty(), name.ends_with(".right.ptx"), "{name}: marks");
        if expected != found || status != if expected.is_empty() { 0 } else { 3 } {
            wrong.push(format!("{name}: {found:?}, not {expected:?}; exit status {status}"));
        }
        let twin = match name.strip_suffix(".right.ptx") {
            Some(stem) => format!("{stem}.ptx"),
            None => name.replace(".ptx", ".right.ptx"),
        };
        assert!(all.contains(&twin), "{name} has no twin");
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    all.len()
}

#[test]
fn synchronisation_is_found_wrong_where_it_is() {
    assert!(pairs("sync", "--check=sync") >= 64);
}

#[test]
fn asynchronous_operations_are_found_wrong_where_they_are() {
    assert!(pairs("async", "--check=async") >= 86);
}

#[test]
fn what_is_not_given_back_is_found() {
    assert!(pairs("leak", "--check=leak") >= 4);
}

#[test]
fn nothing_is_found_in_right_programs() {
    let (programs, race) = (root().join("tests/run"), root().join("tests/check/race"));
    // Those of `limits` go on until a limit ends them.
    let ends = |name: &String| !name.starts_with("limits/");
    let programs = files(&programs).into_iter().filter(ends).map(|name| (programs.join(&name), name));
    let right = files(&race).into_iter().filter(|name| name.ends_with(".right.ptx"));
    let mut wrong = Vec::new();
    for (file, name) in programs.chain(right.map(|name| (race.join(&name), name))) {
        if WRONG.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let (found, status) = findings(&file, &["--check=sync,async", "--timeout", "120s"]);
        let of_checks = |name: &str| FINDINGS.iter().any(|(known, _)| *known == name);
        let found: Vec<_> = found.into_iter().filter(|(_, name)| of_checks(name)).collect();
        if !found.is_empty() || status == 101 {
            wrong.push(format!("{name}: {found:?}; exit status {status}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The examples of a page: sources without their `+` and `-` lines.
fn examples(page: &str) -> Vec<(String, String)> {
    let block = |text: &str| {
        let lines = text.lines().skip_while(|line| !line.starts_with("    "));
        let lines: Vec<&str> = lines.take_while(|line| line.starts_with("    ")).collect();
        let side = |keep: char, leave: char| {
            let kept = lines.iter().filter(|line| !line[4..].starts_with(leave));
            kept.map(|line| line[4..].replacen(keep, " ", usize::from(line[4..].starts_with(keep))) + "\n")
                .collect()
        };
        (side('-', '+'), side('+', '-'))
    };
    let blocks = page.split("\n## ").skip(1).map(block);
    blocks.filter(|(wrong, _): &(String, String)| wrong.contains(".entry")).collect()
}

#[test]
fn the_examples_of_the_pages_are_wrong_and_right() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    for (name, count) in FINDINGS {
        let page = root().join(format!("docs/findings/{name}.md"));
        let all = examples(&std::fs::read_to_string(page).expect("the page is there"));
        for (number, (wrong, right)) in all.iter().enumerate() {
            for (source, is_wrong) in [(wrong, true), (right, false)] {
                let file = folder.join(format!("{name}-{number}-{is_wrong}.ptx"));
                std::fs::write(&file, source).expect("the folder can be written");
                let (found, _) = findings(&file, &["--check=sync,async,leak"]);
                assert_eq!(found.iter().any(|(_, found)| found == name), is_wrong, "{found:?}\n{source}");
                assert!(is_wrong || found.is_empty(), "{found:?}\n{source}");
            }
        }
        assert_eq!(all.len(), count, "{name}");
    }
}
