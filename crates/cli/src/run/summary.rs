//! The sentence that says what became of many runs: how many came to their end, and whether their results are the same.

use ptxvm_report::number::grouped;
use serde_json::{Value, json};

use crate::seeds::{Shown, Way, Ways, runs};

/// What became of them.
pub struct Summary<'a> {
    pub all: usize,
    /// How many came to their end.
    pub well: usize,
    /// How many a fault ended, how many a limit of their own, and how many were not made, for lack of memory.
    pub faults: usize,
    pub limits: usize,
    pub no_room: usize,
    /// Those whose results are not those of the first.
    pub differing: &'a Shown,
    /// The first that came to its end.
    pub first: Option<Way>,
    /// Whether it has results.
    pub is_compared: bool,
}

impl Summary<'_> {
    /// `64 runs, all with the same results`
    pub fn sentence(&self) -> String {
        let named = |count: usize| grouped(count as u64);
        let all_well = self.well == self.all;
        let why = [
            (self.faults, "ended with a fault"),
            (self.limits, "reached a limit"),
            (self.no_room, "found no memory"),
            (self.all - self.well - self.faults - self.limits - self.no_room, "did not end"),
        ];
        let stopped: Vec<(usize, &str)> = why.into_iter().filter(|(count, _)| *count > 0).collect();
        let begin = match stopped[..] {
            [] => runs(self.all),
            _ if self.faults == self.all => format!("{}, all of which ended with a fault", runs(self.all)),
            _ if self.limits == self.all => format!("{}, all of which reached a limit", runs(self.all)),
            _ if self.well + self.faults + self.limits == 0 => {
                format!("none of {} came to its end", runs(self.all))
            }
            [(count, what), ref others @ ..] => {
                let others = others.iter().map(|(count, what)| format!(", {} {what}", named(*count)));
                format!("{} of {} {what}{}", named(count), runs(self.all), others.collect::<String>())
            }
        };
        let Some(first) = self.first else { return begin };
        let differing = self.differing.count();
        let rest = if all_well { "" } else { " others" };
        match self.well {
            1 if all_well => begin,
            1 => format!("{begin}; the other one has its results below"),
            _ if !self.is_compared => format!("{begin}; there are no results to compare"),
            _ if differing > 0 => {
                let of = if all_well { String::new() } else { format!(" of the {}{rest}", named(self.well)) };
                format!(
                    "{begin}; the results of {}{of} differ from those of {first}, which are below",
                    named(differing)
                )
            }
            _ if all_well => format!("{begin}, all with the same results"),
            _ => format!("{begin}; the results of the others are the same"),
        }
    }

    /// The same for programs.
    pub fn object(&self, ways: Ways) -> Value {
        let way = |way: Way| json!({ "seed": way.seed, "async": way.asynchrony.map(|when| when.name()) });
        json!({
            "kind": "runs",
            "runs": self.all,
            "ended": self.well,
            "faults": self.faults,
            "limits": self.limits,
            "differing": ways.object(self.differing),
            "results_of": self.first.map(way),
        })
    }
}
