//! `--events`: what happens in a run that orders memory, a line for each event.

use std::io::{self, Write};

use ptxvm_syntax::LineIndex;
use ptxvm_vm::{Event, Field, Thread};
use serde_json::{Map, Value, json};

use super::options::Form;
use super::progress;

/// Writes events, with the lines of the PTX that they come from.
pub struct Events {
    form: Form,
    source: String,
    lines: LineIndex,
}

impl Events {
    pub fn new(form: Form, source: &str) -> Events {
        Events { form, source: source.to_owned(), lines: LineIndex::new(source) }
    }

    /// Writes one: for people to standard error, for programs to standard output.
    pub fn write(&self, event: &Event) {
        progress::clear();
        // A reader that has gone away is found by the next write that matters.
        let _ = match self.form {
            Form::Human => writeln!(io::stderr().lock(), "{}", self.line(event)),
            Form::Json => writeln!(io::stdout().lock(), "{}", self.object(event)),
        };
    }

    fn place(&self, event: &Event) -> Option<u32> {
        Some(self.lines.line_column(&self.source, event.span?.start).line)
    }

    fn line(&self, event: &Event) -> String {
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
        if let Some(at) = self.place(event) {
            line.push_str(&format!(", line {at}"));
        }
        line
    }

    fn object(&self, event: &Event) -> Value {
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
            "line": self.place(event),
        })
    }
}
