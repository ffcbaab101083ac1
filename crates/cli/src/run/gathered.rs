//! Tells what many runs of a kernel have reported: each finding once, with the seeds that show it and the command that shows
//! it again.

use ptxvm_report::number::grouped;
use ptxvm_report::{Message, Report};
use serde_json::json;

use super::output::{Output, Told};
use crate::exit::{self, Exit};
use crate::gathered::{Finding, Gathered};
use crate::seeds::{Again, Ways};

/// Tells of all, and gives the worst exit status.
pub fn tell(
    gathered: Gathered<Told>,
    report: &Report<'_>,
    (ways, again): (Ways, &Again),
    output: &Output,
) -> Exit {
    let (all, dropped) = gathered.all();
    let mut worst = exit::CLEAN;
    for Finding { mut told, count, shown, .. } in all {
        if count > 0 {
            told.object["count"] = json!(count);
        }
        told.message.notes.extend(ways.add_to(&mut told.object, &shown, again));
        worst = worst.max(output.pass_on(report, told));
    }
    if dropped > 0 {
        let text = format!("{} findings more are not told", grouped(dropped));
        let object = json!({ "kind": "warning", "severity": "warning", "code": "findings", "message": text });
        let message = Message::new(text).warning();
        worst = worst.max(output.pass_on(report, Told { message, object, code: exit::FINDING }));
    }
    worst
}
