//! Events that order memory (`--events`), as a line for people and as an object for programs.

use ptxvm_vm::{Event, Field, Module, Thread};
use serde_json::{Map, Value, json};

/// The line of the PTX that an event comes from.
fn place(module: &Module, event: &Event) -> Option<u32> {
    Some(module.place_in_text(event.span?).1.line)
}

/// A line for people.
#[must_use]
pub fn line(module: &Module, event: &Event) -> String {
    let mut line = format!("event {}", event.what.name());
    for (name, value) in event.what.fields() {
        line.push_str(&format!(" {name}={value}"));
    }
    match event.thread {
        Some(Thread { ctaid: [cx, cy, cz], tid: [x, y, z], .. }) => {
            line.push_str(&format!("  thread ({x},{y},{z}) of CTA ({cx},{cy},{cz})"));
        }
        None => line.push_str(&format!("  CTA {} of cluster {}", event.rank, event.cluster)),
    }
    if let Some(at) = place(module, event) {
        line.push_str(&format!(", line {at}"));
    }
    line
}

/// An object for programs.
#[must_use]
pub fn object(module: &Module, event: &Event) -> Value {
    let fields: Map<String, Value> = event
        .what
        .fields()
        .into_iter()
        .map(|(name, field)| {
            let value = match field {
                Field::Text(text) => json!(text),
                Field::Number(number) => json!(number),
                // JavaScript's numbers cannot hold 64 bits, hence text.
                Field::Address(address) => json!(format!("{address:#x}")),
                Field::Flag(flag) => json!(flag),
            };
            (name.to_owned(), value)
        })
        .collect();
    json!({
        "kind": "event",
        "event": event.what.name(),
        "fields": fields,
        "cluster": event.cluster,
        "rank": event.rank,
        "thread": event.thread.map(|t| json!({
            "ctaid": t.ctaid, "tid": t.tid, "warp": t.warp, "lane": t.lane,
        })),
        "line": place(module, event),
    })
}
