//! What many runs have reported, gathered: the same finding once, with how often it was made and which runs show it. It is
//! told after the last run, in the order of the runs, whichever of them ended first.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ptxvm_report::number::grouped;
use ptxvm_report::{Message, Report};
use serde_json::{Value, json};

use super::output::{Output, Told};
use crate::exit::{self, Exit};
use crate::seeds::{Again, Shown, Ways, identity};

/// The most findings that are kept; of more only their number is told.
const MOST: usize = 1000;

/// The findings of all runs so far.
#[derive(Default)]
pub struct Gathered {
    by_identity: HashMap<String, Finding>,
    /// How many were reported that are not kept.
    dropped: u64,
}

/// A finding, and which runs have made it.
struct Finding {
    /// As the first of those runs told it.
    told: Told,
    /// That run, and which of its findings it was.
    first: (usize, usize),
    count: u64,
    shown: Shown,
}

impl Gathered {
    /// Takes what a run has told, by the number of the run.
    pub fn add(&mut self, run: usize, told: Vec<Told>) {
        for (at, told) in told.into_iter().enumerate() {
            let (identity, count) = (identity(&told.object), told.object["count"].as_u64().unwrap_or(0));
            let is_full = self.by_identity.len() >= MOST;
            let finding = match self.by_identity.entry(identity) {
                Entry::Vacant(_) if is_full => {
                    self.dropped += 1;
                    continue;
                }
                Entry::Vacant(place) => {
                    place.insert(Finding { told, first: (run, at), count: 0, shown: Shown::default() })
                }
                Entry::Occupied(place) => {
                    let finding = place.into_mut();
                    if (run, at) < finding.first {
                        (finding.told, finding.first) = (told, (run, at));
                    }
                    finding
                }
            };
            finding.count = finding.count.saturating_add(count);
            finding.shown.add(run);
        }
    }

    /// Tells of all, and gives the worst exit status.
    pub fn tell(self, report: &Report<'_>, ways: Ways, again: &Again, output: &Output) -> Exit {
        let mut all: Vec<Finding> = self.by_identity.into_values().collect();
        all.sort_by_key(|finding| finding.first);
        let mut worst = exit::CLEAN;
        for Finding { mut told, count, shown, .. } in all {
            if count > 0 {
                told.object["count"] = json!(count);
            }
            said_by(&mut told.message, &mut told.object, (ways, &shown), again);
            worst = worst.max(output.pass_on(report, told));
        }
        if self.dropped > 0 {
            let text = format!("{} findings more are not told", grouped(self.dropped));
            let object =
                json!({ "kind": "warning", "severity": "warning", "code": "findings", "message": text });
            let message = Message::new(text).warning();
            worst = worst.max(output.pass_on(report, Told { message, object, code: exit::FINDING }));
        }
        worst
    }
}

/// Adds to a finding which runs show it, and the smallest command that shows it again.
pub fn said_by(message: &mut Message, object: &mut Value, (ways, shown): (Ways, &Shown), again: &Again) {
    let Some(first) = shown.first() else { return };
    let command = again.command(ways.at(first));
    let notes = [format!("shown by {}", ways.named(shown)), format!("`{command}` shows it again")];
    message.notes.extend(notes.clone());
    if let (Value::Object(object), Value::Object(more)) = (&mut *object, ways.object(shown)) {
        object.extend(more);
    }
    object["again"] = json!(command);
    match object["notes"].as_array_mut() {
        Some(all) => all.extend(notes.map(Value::from)),
        None => object["notes"] = json!(notes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_has_an_end() {
        let told = |line: usize| Told {
            message: Message::new("wrong"),
            object: json!({ "kind": "finding", "code": "race", "line": line, "count": 2 }),
            code: exit::FINDING,
        };
        let mut gathered = Gathered::default();
        gathered.add(5, (0..MOST + 7).map(told).collect());
        gathered.add(3, vec![told(1), told(MOST + 1)]);
        assert_eq!((gathered.by_identity.len(), gathered.dropped), (MOST, 8));
        let once = &gathered.by_identity[&identity(&told(1).object)];
        assert_eq!((once.first, once.count, once.shown.count()), ((3, 0), 4, 2));
    }
}
