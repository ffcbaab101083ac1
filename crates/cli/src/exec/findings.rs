//! What the library found while the command ran, read from the file where it left a JSON line for each.

use std::path::Path;

use ptxvm_report::number::plural;
use serde_json::Value;

use crate::exit::{self, Exit};

/// The kinds of lines, what they are called, and the exit status of each.
const KINDS: [(&[&str], &str, Exit); 4] = [
    (&["interrupted"], "interrupted kernel", exit::INTERRUPTED),
    (&["bug"], "bug", exit::BUG),
    (&["unsupported"], "unsupported instruction", exit::UNSUPPORTED),
    (&["finding", "limit"], "finding", exit::FINDING),
];

/// The code of the limit that is the user's own.
const INTERRUPTED: &str = "interrupted";

/// How many kernels the library has been asked to stop by ctrl-C so far.
pub fn stopped(report: &Path) -> u64 {
    let text = std::fs::read(report).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let objects = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    objects
        .filter(|object| object["kind"] == "interrupt")
        .filter_map(|object| object["launches"].as_u64())
        .sum()
}

/// Tells how many things were found, and gives the exit status of the worst.
pub fn read(report: &Path) -> Option<Exit> {
    // Without the file nothing was found; it may have been cut off in the middle of a line.
    let text = std::fs::read(report).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let kinds: Vec<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|object| {
            let is_interrupted = object["kind"] == "limit" && object["code"] == INTERRUPTED;
            let kind = if is_interrupted { Some(INTERRUPTED) } else { object["kind"].as_str() };
            kind.map(str::to_owned)
        })
        .collect();
    let mut worst = None;
    let mut counts = Vec::new();
    for (names, called, exit) in KINDS {
        let count = kinds.iter().filter(|kind| names.contains(&kind.as_str())).count();
        if count > 0 {
            counts.push(plural(count, called));
            worst = worst.max(Some(exit));
        }
    }
    if worst.is_some() {
        eprintln!("ptxvm: {}, told above", counts.join(", "));
    }
    worst
}
