//! What the library found while the command ran, read from the file where it left a JSON line for each.

use std::path::Path;

use ptxvm_report::number::plural;
use serde_json::Value;

use crate::exit::{self, Exit};

/// The kinds of lines, what they are called, and the exit status of each.
const KINDS: [(&[&str], &str, Exit); 3] = [
    (&["bug"], "bug", exit::BUG),
    (&["unsupported"], "unsupported instruction", exit::UNSUPPORTED),
    (&["finding", "limit"], "finding", exit::FINDING),
];

/// Tells how many things were found, and gives the exit status of the worst.
pub fn read(report: &Path) -> Option<Exit> {
    // Without the file nothing was found; it may have been cut off in the middle of a line.
    let text = std::fs::read(report).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let kinds: Vec<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|object| object["kind"].as_str().map(str::to_owned))
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
