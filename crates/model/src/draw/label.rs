//! What people are shown of an event: a letter, its instruction, and what it saw or wrote. And which edges are worth a
//! line: those that follow from others are left out.

use crate::event::{Event, Kind};
use crate::notation::Step;
use crate::search::Execution;
use crate::test::Test;

/// `a`, `b` … `z`, `aa` …; initial writes are named after their location.
pub fn letter(test: &Test, execution: &Execution, number: usize) -> String {
    let event = &execution.events[number];
    if let (Kind::Initial, Some(location)) = (event.kind, event.location) {
        return format!("{}=", test.locations[location].name);
    }
    let initial = execution.events.iter().take_while(|event| event.kind == Kind::Initial).count();
    let mut rest = number - initial;
    let mut name = String::new();
    loop {
        name.insert(0, char::from(b'a' + (rest % 26) as u8));
        if rest < 26 {
            return name;
        }
        rest = rest / 26 - 1;
    }
}

/// The instruction with what it did: `ld.relaxed.gpu r0, y = 1`.
pub fn what(test: &Test, source: &str, event: &Event) -> String {
    let text = source.get(event.span.start as usize..event.span.end as usize).unwrap_or("");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").trim_end_matches(';').to_owned();
    let location = event.address.map_or("", |address| test.addresses[address].name.as_str());
    let by = if event.proxy == crate::event::Proxy::Generic { "" } else { event.proxy.name() };
    let part = event.atomic || event.asynchronous.is_some();
    match event.kind {
        Kind::Initial => format!("{location} = {}", event.value),
        // Parts of one instruction say which part they are.
        Kind::Read if part => format!("{text} [reads {location} = {}{}]", event.value, suffix(by)),
        Kind::Write if part => format!("{text} [writes {location} = {}{}]", event.value, suffix(by)),
        Kind::Read => format!("{text} = {}", event.value),
        Kind::Write if text.contains(&event.value.to_string()) => text,
        Kind::Write => format!("{text} = {}", event.value),
        Kind::ProxyFence(_) if event.asynchronous.is_some() => format!("{text} [proxy fence]"),
        _ => text,
    }
}

fn suffix(proxy: &str) -> String {
    if proxy.is_empty() { String::new() } else { format!(" by {proxy}") }
}

/// The edges to show: of orders only steps between neighbours, of program order none between threads' lines, and nothing
/// that the drawing shows anyway.
pub fn edges(execution: &Execution) -> Vec<&Step> {
    let implied = |step: &Step| {
        let mut same = execution.edges.iter().filter(|other| other.relation == step.relation);
        let leads = |from: usize, to: usize| {
            execution.edges.iter().any(|e| e.relation == step.relation && (e.from, e.to) == (from, to))
        };
        same.any(|first| first.from == step.from && leads(first.to, step.to))
    };
    let used = |number: usize| {
        execution.events[number].kind != Kind::Initial
            || execution.edges.iter().any(|step| step.from == number && step.relation == "rf")
    };
    let hidden = ["po", "dep", "rmw", "observation", "issue"];
    execution
        .edges
        .iter()
        .filter(|step| !hidden.contains(&step.relation.as_str()))
        .filter(|step| used(step.from) && !implied(step))
        .collect()
}

/// A relation's short name in drawings.
pub fn short(relation: &str) -> &str {
    match relation {
        "coherence" => "co",
        "from-read" => "fr",
        other => other,
    }
}
