//! Shows an access of a kernel and a copy or fill of the host's that touch the same bytes, and that nothing orders.

use ptxvm_vm::{Meeting, Thread};
use serde_json::{Value, json};

use crate::number::grouped;
use crate::race::accessed;
use crate::{Message, Report};

/// It for people; `what` is what the host did, and `name` what lies at the address.
#[must_use]
pub fn message(meeting: &Meeting, kernel: &str, what: &str, name: Option<&str>) -> Message {
    let mut message = Message::new(sentence(meeting, what)).id("race");
    message.places.push(accessed(&meeting.part, Some(kernel)));
    message.notes.extend(notes(meeting, kernel, what, name));
    message
}

fn sentence(meeting: &Meeting, what: &str) -> String {
    let (ours, theirs) = (done(meeting.part.writes), done(meeting.host_writes));
    format!("a race in global memory: nothing orders this {ours} and a {what} that {theirs}s the same bytes")
}

fn done(writes: bool) -> &'static str {
    if writes { "write" } else { "read" }
}

fn notes(meeting: &Meeting, kernel: &str, what: &str, name: Option<&str>) -> Vec<String> {
    let bytes = if meeting.bytes == 1 { "one byte".to_owned() } else { format!("{} bytes", meeting.bytes) };
    let name = name.map_or(String::new(), |name| format!(", {name}"));
    let mut notes = vec![format!("{bytes} of global memory at {:#x}{name}", meeting.address)];
    if let Some(source) = meeting.part.sources.first() {
        notes.push(format!("the kernel's was made from {}:{}", source.file, source.line));
    }
    notes.push(format!(
        "the launch of `{kernel}` and the {what} are in two streams, and nothing orders them: an event that the one stream \
         records and the other waits for (`cudaStreamWaitEvent`), one stream for both, or waiting for the first of them does"
    ));
    if meeting.count > 1 {
        notes.push(format!("this instruction and the {what} share {} words", grouped(meeting.count)));
    }
    notes
}

/// It as an object.
#[must_use]
pub fn object(
    report: &Report<'_>,
    meeting: &Meeting,
    (kernel, what): (&str, &str),
    name: Option<&str>,
) -> Value {
    let part = &meeting.part;
    let (start, end) = report.place(part.accessed.span);
    let Thread { ctaid, tid, warp, lane } = part.accessed.thread;
    json!({
        "kind": "finding",
        "severity": "error",
        "stopped": false,
        "code": "race",
        "message": sentence(meeting, what),
        "file": report.name,
        "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column,
        "thread": { "ctaid": ctaid, "tid": tid, "warp": warp, "lane": lane },
        "source": part.sources.first().map(|at| json!({
            "file": at.file, "line": at.line, "column": at.column, "function": at.function,
        })),
        "kernel": kernel,
        "writes": part.writes,
        "host": { "operation": what, "writes": meeting.host_writes },
        "related": [],
        "space": "global",
        "address": format!("{:#x}", meeting.address),
        "bytes": meeting.bytes,
        "object": name,
        "notes": notes(meeting, kernel, what, name),
        "count": meeting.count,
    })
}
