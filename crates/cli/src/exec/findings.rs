//! Reads what the library found while the command ran, from the file to which it wrote one JSON line for each finding.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use ptxvm_report::ColorChoice;
use ptxvm_report::number::{grouped, plural};
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

/// What the report says. Without the file nothing was found; it may have been cut off in the middle of a line. One line is
/// held at a time: a program may have launched a wrong kernel any number of times.
pub fn objects(report: &Path) -> impl Iterator<Item = Value> {
    let lines = File::open(report).map(BufReader::new).into_iter().flat_map(|file| file.split(b'\n'));
    lines.map_while(Result::ok).filter_map(|line| serde_json::from_slice(&line).ok())
}

/// Adds what a report says to the end of another, which may be somebody else's.
pub fn append(report: &Path, to: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(OpenOptions::new().append(true).create(true).open(to)?);
    for object in objects(report) {
        writeln!(out, "{object}")?;
    }
    out.flush()
}

/// How many kernels the library has been asked to stop by ctrl-C so far.
pub fn stopped(report: &Path) -> u64 {
    let interrupts = objects(report).filter(|object| object["kind"] == "interrupt");
    interrupts.filter_map(|object| object["launches"].as_u64()).sum()
}

/// How much of what the command kept from the user is told at its end.
pub const MOST_SAID: u64 = 20;

/// Tells what the user could not see while the command ran, and how many things were found, and gives the exit status of
/// the worst.
pub fn read(report: &Path, color: ColorChoice) -> Option<Exit> {
    let mut found = [0; KINDS.len()];
    let (mut forgiven, mut suppressed) = (0u64, 0);
    let mut said = 0;
    let mut out = ptxvm_report::stderr(color);
    for object in objects(report) {
        if object["suppressed"].is_string() {
            suppressed += 1;
            continue;
        }
        if let Some(text) = object["said"].as_str() {
            said += 1;
            // Nothing is to be done for a reader that has gone away.
            let _ = match said {
                1 => {
                    write!(out, "ptxvm: the command captured standard error, to which ptxvm wrote:\n\n{text}")
                }
                2..=MOST_SAID => write!(out, "\n{text}"),
                _ => Ok(()),
            };
        }
        forgiven = forgiven.saturating_add(object["count"].as_u64().unwrap_or(0));
        let is_interrupted = object["kind"] == "limit" && object["code"] == INTERRUPTED;
        let kind = if is_interrupted { INTERRUPTED } else { object["kind"].as_str().unwrap_or_default() };
        if let Some(place) = KINDS.iter().position(|(names, ..)| names.contains(&kind)) {
            found[place] += 1;
        }
    }
    if said > MOST_SAID {
        let _ = writeln!(out, "\nptxvm: and {} more", grouped(said - MOST_SAID));
    }
    let _ = out.flush();
    let mut worst = None;
    let mut counts = Vec::new();
    for ((_, called, exit), count) in KINDS.into_iter().zip(found) {
        if count > 0 {
            counts.push(plural(count, called));
            worst = worst.max(Some(exit));
        }
    }
    if worst.is_some() {
        let forgiven = match forgiven {
            0 => String::new(),
            count => format!("; kernels went on after {} mistakes", grouped(count)),
        };
        ptxvm_host::say(format_args!("ptxvm: {}, shown above{forgiven}\n", counts.join(", ")));
    }
    if suppressed > 0 {
        ptxvm_host::say(format_args!("ptxvm: {} suppressed\n", plural(suppressed, "finding")));
    }
    worst
}
