//! Shows what stopped a run: findings of the guest in rustc's style, what is not supported, and limits.

use ptxvm_syntax::Label;
use ptxvm_vm::{Finding, Limit, Mistake, Related, SourceLine, Thread, Unsupported};
use serde_json::{Value, json};

use crate::number::{grouped, time};
use crate::{Message, Report};

/// A finding for people: the place, who did it, the registers, and how to see it again.
#[must_use]
pub fn message(finding: &Finding, seed: u64) -> Message {
    let mut message = without_advice(finding, seed);
    if finding.survived {
        message.notes.push("an H200 goes on after this, and so does a run with `--findings report`".into());
    }
    message
}

fn without_advice(finding: &Finding, seed: u64) -> Message {
    let mut message = Message::new(finding.message.clone()).id(finding.kind.name());
    if let Some(place) = &finding.place {
        message.places.push(Label { span: place.span, text: String::new() });
        for (function, span) in &place.calls {
            message.places.push(Label { span: *span, text: format!("called from `{function}` here") });
        }
    }
    for other in &finding.related {
        message.places.push(Label { span: other.span, text: other.text.clone() });
    }
    message.notes.extend(finding.notes.iter().cloned());
    let function = finding.place.as_ref().map(|p| p.function.as_str()).filter(|f| *f != finding.kernel);
    let inside = function.map_or_else(String::new, |f| format!("`{f}`, called by "));
    message.notes.push(match finding.thread {
        Some(thread) => format!("{} of {inside}kernel `{}`", who(thread), finding.kernel),
        None => format!("in {inside}kernel `{}`", finding.kernel),
    });
    if !finding.registers.is_empty() {
        let registers: Vec<String> =
            finding.registers.iter().map(|(name, value)| format!("{name} = {value:#x}")).collect();
        message.notes.push(registers.join(", "));
    }
    let sources = finding.place.as_ref().map_or(&[][..], |place| &place.sources);
    for (depth, source) in sources.iter().enumerate() {
        let made = if depth == 0 { "made from" } else { "inlined at" };
        let inside = source.function.as_ref().map_or(String::new(), |name| format!(" in `{name}`"));
        message.notes.push(format!(
            "{made} {}:{}{}{inside}",
            source.file,
            source.line,
            column(source.column)
        ));
    }
    if seed != 0 {
        message.notes.push(format!("--seed {seed} gives this order of execution again"));
    }
    message
}

/// A mistake after which the kernel went on, for people.
#[must_use]
pub fn mistake(mistake: &Mistake, seed: u64) -> Message {
    let mut message = without_advice(&mistake.finding, seed);
    let times = match mistake.count {
        0 | 1 => "one thread did this once".to_owned(),
        count => format!("threads did this {} times", grouped(count)),
    };
    message.notes.push(match mistake.finding.survived {
        true => format!("{times}; an H200 goes on after it, and so did the kernel here"),
        false => format!("{times}; the kernel went on"),
    });
    message
}

/// The same as an object.
#[must_use]
pub fn mistake_object(report: &Report<'_>, mistake: &Mistake, seed: u64) -> Value {
    let mut object = object(report, &mistake.finding, seed);
    object["count"] = json!(mistake.count.max(1));
    object["stopped"] = json!(false);
    object
}

fn column(column: u32) -> String {
    if column == 0 { String::new() } else { format!(":{column}") }
}

fn who(t: Thread) -> String {
    let ([cx, cy, cz], [x, y, z]) = (t.ctaid, t.tid);
    format!("thread ({x},{y},{z}) of CTA ({cx},{cy},{cz}), lane {} of warp {},", t.lane, t.warp)
}

/// The same as an object.
#[must_use]
pub fn object(report: &Report<'_>, finding: &Finding, seed: u64) -> Value {
    let mut object = json!({
        "kind": "finding",
        "severity": "error",
        "stopped": true,
        "survived": finding.survived,
        "code": finding.kind.name(),
        "message": finding.message,
        "notes": finding.notes,
        "file": report.name,
        "kernel": finding.kernel,
        "thread": finding.thread.map(|t| json!({
            "ctaid": t.ctaid, "tid": t.tid, "warp": t.warp, "lane": t.lane,
        })),
        // JavaScript's numbers cannot hold 64 bits, hence text.
        "registers": finding.registers.iter().map(|(name, value)| {
            json!({ "name": name, "value": format!("{value:#x}") })
        }).collect::<Vec<_>>(),
        "seed": seed,
    });
    let line = |at: &SourceLine| json!({ "file": at.file, "line": at.line, "column": at.column, "function": at.function });
    if let Some(place) = &finding.place {
        let (start, end) = report.place(place.span);
        object["function"] = json!(place.function);
        object["line"] = json!(start.line);
        object["column"] = json!(start.column);
        object["end_line"] = json!(end.line);
        object["end_column"] = json!(end.column);
        object["source"] = json!(place.sources.split_first().map(|(first, outer)| {
            let mut source = line(first);
            source["inlined_at"] = outer.iter().map(line).collect();
            source
        }));
        let calls = place.calls.iter().map(|(function, span)| {
            let at = report.place(*span).0;
            json!({ "function": function, "line": at.line, "column": at.column })
        });
        object["calls"] = calls.collect();
    }
    let other = |other: &Related| {
        let (start, end) = report.place(other.span);
        json!({
            "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column,
            "message": other.text,
            "source": other.sources.first().map(line),
        })
    };
    object["related"] = finding.related.iter().map(other).collect();
    object
}

/// What ptxvm cannot do yet, for people.
#[must_use]
pub fn unsupported(what: &Unsupported) -> Message {
    let mut message =
        Message::new(format!("ptxvm does not support this yet: {}", what.what)).id("unsupported");
    // An empty span at the very beginning is no place.
    if what.span.end > 0 {
        message.places.push(Label { span: what.span, text: String::new() });
    }
    message
}

/// The same as an object.
#[must_use]
pub fn unsupported_object(report: &Report<'_>, what: &Unsupported) -> Value {
    let at = report.place(what.span).0;
    let place = (what.span.end > 0).then_some((at.line, at.column));
    json!({
        "kind": "unsupported",
        "severity": "error",
        "message": what.what,
        "file": report.name,
        "line": place.map(|p| p.0),
        "column": place.map(|p| p.1),
    })
}

/// That more was found than is told.
#[must_use]
pub fn left_out(limit: u32) -> (Message, Value) {
    let limit = grouped(limit.into());
    let text = format!("more was found than is told here: {limit} findings of a kind are (--check-limit)");
    let object =
        json!({ "kind": "warning", "severity": "warning", "code": "check-limit", "message": text.clone() });
    (Message::new(text).id("check-limit").warning(), object)
}

/// How far a command had come when it was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The kernel had not begun.
    Nothing,
    /// So many CTAs of a launch had ended, and so many there are.
    Ctas(u64, u64),
    /// So many runs had ended, and so many there are.
    Runs(u64, u64),
}

/// What stopped a run that did nothing wrong, and how far it had come.
#[must_use]
pub fn limit(limit: Limit, reached: Reached) -> String {
    let reached = match reached {
        Reached::Nothing => "the kernel had not begun".to_owned(),
        Reached::Ctas(done, all) => format!("{done} of {all} CTAs had ended"),
        Reached::Runs(done, all) => format!("{done} of {all} runs had ended"),
    };
    match limit {
        Limit::Instructions(n) => {
            format!("stopped after {n} warp instructions (--max-instructions); {reached}")
        }
        Limit::Time(after) => format!("stopped after {} (--timeout); {reached}", time(after)),
        Limit::Memory(over) => format!("out of memory: {over} (--max-memory); {reached}"),
        Limit::Interrupted => format!("interrupted; {reached}"),
    }
}

/// The name of a limit in JSON.
#[must_use]
pub fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Instructions(_) => "instructions",
        Limit::Time(_) => "time",
        Limit::Memory(_) => "memory",
        Limit::Interrupted => "interrupted",
    }
}
