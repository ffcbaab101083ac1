//! Kernels whose wrong lines are marked with comments, as `tests/check` has them, and what a run tells of a file.
#![allow(dead_code, reason = "each test needs some of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files of a folder and those in it, by their paths from there.
pub fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|inner| format!("{name}/{inner}")));
        } else if name.ends_with(".ptx") {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// The pairs of lines that a source marks with `// NAME: MARKS`: the first and the last of each mark.
pub fn marked(name: &str, source: &str) -> BTreeSet<(u64, u64)> {
    let comment = format!("// {name}: ");
    let mut all = BTreeMap::new();
    for (number, line) in (1..).zip(source.lines()) {
        let marks = line.split_once(&comment).map_or("", |(_, marks)| marks);
        for mark in marks.split_whitespace() {
            let (first, last) = all.entry(mark).or_insert((number, number));
            (*first, *last) = (number.min(*first), number.max(*last));
        }
    }
    all.into_values().collect()
}

/// The lines that a run tells of with a code: a finding's own, and that of the first place that belongs to it, if one does.
pub fn told(code: &str, file: &Path, options: &[&str]) -> Vec<(u64, Option<u64>)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.args(["run", "--format", "json"]).args(options).arg(file);
    let output = command.output().expect("ptxvm runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code != 101), "{}: {error}", file.display());
    let text = String::from_utf8_lossy(&output.stdout);
    let objects = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lines = objects.filter(|object| object["code"] == code).map(|finding| {
        let line = finding["line"].as_u64().expect("a line");
        (line, finding["related"][0]["line"].as_u64())
    });
    lines.collect()
}

/// Two lines in order.
pub fn pair(a: u64, b: u64) -> (u64, u64) {
    (a.min(b), a.max(b))
}
