//! Programs that are stopped after every instruction and go on: that must change nothing, neither what a program gives
//! or is told nor what is counted.

use crate::outcome::Outcome;
use crate::{programs, root};

/// The orders in which each program is run.
const SETTINGS: &[&[&str]] = &[&[], &["--seed", "1"]];

/// Runs the programs of a folder both ways, and fails with all that differ.
pub fn folder(name: &str) {
    let mut wrong = Vec::new();
    for file in programs(&root().join(name)) {
        let source = std::fs::read_to_string(&file).expect("the file is text");
        // When the host's clock ends a run is not the same twice.
        if source.contains("\n// limit time") {
            continue;
        }
        for settings in SETTINGS {
            let said = |more: &[&str]| {
                let settings = [*settings, &["--threads", "1", "--stats=json"], more].concat();
                Outcome::of(&file, &[], &settings).map(counted)
            };
            let plain = said(&[]);
            // A loop that waits for another CTA takes its turns step by step too. A sanitizer would take hours for it.
            if cfg!(sanitized)
                && plain.as_ref().is_ok_and(|(_, objects)| instructions(objects) > MOST_SANITIZED)
            {
                continue;
            }
            let stepped = said(&["--single-steps", "--timeout", "600s"]);
            if plain != stepped {
                wrong.push(format!("{} {settings:?}:\n  {plain:?}\n  {stepped:?}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Longer programs are not run step by step under a sanitizer; without one all are.
const MOST_SANITIZED: u64 = 1 << 20;

/// The instructions that warps have executed, as a run's objects say.
fn instructions(objects: &[String]) -> u64 {
    let objects = objects.iter().filter_map(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    objects.filter_map(|object| object["warp_instructions"].as_u64()).sum()
}

/// All that a run said, without how long it took and how much memory that took.
fn counted(mut outcome: Outcome) -> (Option<i32>, Vec<String>) {
    for object in &mut outcome.objects {
        for field in ["seconds", "host_memory_peak"] {
            object.as_object_mut().map(|fields| fields.remove(field));
        }
    }
    (outcome.code, outcome.comparable())
}
