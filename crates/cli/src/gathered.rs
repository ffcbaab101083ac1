//! What many runs have reported, gathered: the same finding once, with how often it was made and which runs show it. Its
//! order is that of the runs, whichever of them ended first.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;

use crate::seeds::Shown;

/// The most findings that are kept; of more only their number is known.
const MOST: usize = 1000;

/// The findings of all runs so far, as the first of the runs that show one told it.
#[derive(Debug)]
pub struct Gathered<T> {
    by_identity: HashMap<String, Finding<T>>,
    dropped: u64,
}

/// A finding, and which runs have made it.
#[derive(Debug)]
pub struct Finding<T> {
    pub told: T,
    /// How often it was made, if that is counted.
    pub count: u64,
    pub shown: Shown,
    /// The first run that has made it, and which of that run's findings it was.
    first: (usize, usize),
}

impl<T> Default for Gathered<T> {
    fn default() -> Self {
        Self { by_identity: HashMap::new(), dropped: 0 }
    }
}

impl<T> Gathered<T> {
    /// Takes what a run has told, by the number of the run; each has an object.
    pub fn add(&mut self, run: usize, told: impl IntoIterator<Item = T>, object: impl Fn(&T) -> &Value) {
        for (at, told) in told.into_iter().enumerate() {
            let (identity, count) = (identity(object(&told)), object(&told)["count"].as_u64().unwrap_or(0));
            let is_full = self.by_identity.len() >= MOST;
            let first = (run, at);
            let finding = match self.by_identity.entry(identity) {
                Entry::Vacant(_) if is_full => {
                    self.dropped += 1;
                    continue;
                }
                Entry::Vacant(place) => {
                    place.insert(Finding { told, first, count: 0, shown: Shown::default() })
                }
                Entry::Occupied(place) => {
                    let finding = place.into_mut();
                    if first < finding.first {
                        (finding.told, finding.first) = (told, first);
                    }
                    finding
                }
            };
            finding.count = finding.count.saturating_add(count);
            finding.shown.add(run);
        }
    }

    /// All of them in their order, and how many more were reported that are not kept.
    pub fn all(self) -> (Vec<Finding<T>>, u64) {
        let mut all: Vec<Finding<T>> = self.by_identity.into_values().collect();
        all.sort_by_key(|finding| finding.first);
        (all, self.dropped)
    }
}

/// What belongs to one finding and not to another: its kind and its places. Addresses and values differ from run to run.
fn identity(object: &Value) -> String {
    let place = |object: &Value| {
        let source = &object["source"];
        let at = [&object["line"], &object["column"], &source["file"], &source["line"], &source["column"]];
        at.map(Value::to_string).join(":")
    };
    let related = object["related"].as_array().map_or(&[][..], Vec::as_slice);
    let related: Vec<String> = related.iter().map(place).collect();
    let kinds = [&object["kind"], &object["code"], &object["kernel"], &object["file"]];
    format!("{} {} {}", kinds.map(Value::to_string).join(" "), place(object), related.join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_finding_is_known_by_its_places_and_the_first_run_tells_it() {
        let told = |line: usize, address: usize| json!({ "kind": "finding", "code": "race", "line": line, "address": address, "count": 2 });
        let mut gathered = Gathered::default();
        gathered.add(5, [told(7, 1), told(9, 1)], |object| object);
        gathered.add(3, [told(8, 2), told(9, 3)], |object| object);
        let (all, dropped) = gathered.all();
        let seen: Vec<_> =
            all.iter().map(|f| (f.told["line"].as_u64(), f.told["address"].as_u64(), f.count)).collect();
        assert_eq!(seen, [(Some(8), Some(2), 2), (Some(9), Some(3), 4), (Some(7), Some(1), 2)]);
        assert_eq!((all[1].shown.indices().collect::<Vec<_>>(), dropped), (vec![3, 5], 0));
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let told = |line: usize| json!({ "kind": "finding", "code": "race", "line": line });
        let mut gathered = Gathered::default();
        gathered.add(0, (0..MOST + 7).map(told), |object| object);
        gathered.add(1, [told(0), told(MOST)], |object| object);
        let (all, dropped) = gathered.all();
        assert_eq!((all.len(), dropped, all[0].shown.count()), (MOST, 8, 2));
    }
}
