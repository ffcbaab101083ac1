//! Tells of buffers that do not hold what `--expect` says.

use ptxvm_report::Message;
use ptxvm_report::number::{general, grouped};
use serde_json::{Value, json};

use super::difference::index;
use super::expect::{Expectation, Wrong};
use super::job::Job;
use super::output::Output;
use super::table::Outcome;
use crate::exit::{self, Exit};

/// The code of the finding.
const CODE: &str = "unexpected-result";

/// Compares what a run has left with all that is expected, and tells of what differs.
pub fn compare(job: &Job<'_>, outcomes: &[Outcome], output: &Output) -> Exit {
    let mut worst = exit::CLEAN;
    for expectation in &job.expectations {
        let outcome = outcomes.iter().find(|outcome| outcome.parameter == expectation.parameter);
        if let Some((outcome, wrong)) = outcome.and_then(|o| Some((o, expectation.wrong(o)?))) {
            let (message, object) = finding(job, expectation, outcome, &wrong);
            worst = worst.max(output.tell(&job.report, message, object));
        }
    }
    worst
}

/// The finding: for people and for programs.
fn finding(job: &Job<'_>, expectation: &Expectation, outcome: &Outcome, wrong: &Wrong) -> (Message, Value) {
    let (name, shape) = (&outcome.name, &outcome.before.shape);
    let all: u64 = shape.iter().product();
    let verb = if wrong.count == 1 { "differs" } else { "differ" };
    let text = format!(
        "`{name}` is not what is expected: {} of {} elements {verb}",
        grouped(wrong.count),
        grouped(all)
    );
    let place = |at: u64| index(at, shape).iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let [is, expected] = wrong.first.shown();
    let mut notes = vec![format!("`{name}[{}]` is {is}, and {expected} is expected", place(wrong.first.at))];
    if let Some((pair, distance)) = wrong.furthest.filter(|(pair, _)| pair.at != wrong.first.at) {
        let [is, expected] = pair.shown();
        notes.push(format!(
            "the furthest is `{name}[{}]`: {is} instead of {expected}, {} away",
            place(pair.at),
            general(distance)
        ));
    }
    notes.push(format!("expected by `--expect {}`", expectation.option));
    let mut message = Message::new(text.clone()).id(CODE);
    message.notes.extend(notes.clone());
    let object = json!({
        "kind": "finding",
        "severity": "error",
        "stopped": false,
        "code": CODE,
        "message": text,
        "notes": notes,
        "file": job.report.name,
        "kernel": job.kernel().name(),
        "buffer": name,
        "index": index(wrong.first.at, shape),
        "differing_elements": wrong.count,
        "value": is,
        "expected": expected,
    });
    (message, object)
}
