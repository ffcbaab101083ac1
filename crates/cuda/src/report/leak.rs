//! What the program has not given back when it ends (`--check=leak`): blocks of the guest's heap, memory, modules, streams and
//! the like.

use std::backtrace::Backtrace;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use ptxvm_report::number::{bytes, plural};
use ptxvm_report::{Message, Report, finding};
use ptxvm_vm::{Check, HeapBlocks};
use serde_json::{Value, json};

use super::excerpt::Excerpt;
use super::{is_suppressed, record, say};
use crate::graph::definition::Graph;
use crate::graph::exec::Exec;
use crate::handles::{Handle, Object};
use crate::memory::registry::{self, MemoryKind};
use crate::module::Module;
use crate::module::library::Library;
use crate::options;
use crate::stream::Stream;
use crate::stream::event::Event;

/// So many allocations of one kind are named, the largest first.
const NAMED: usize = 8;

/// The blocks of the heap that kernels have not given back.
static HEAP: LazyLock<Arc<HeapBlocks>> = LazyLock::new(Arc::default);

/// Whether leaks are looked for.
pub fn are_looked_for() -> bool {
    options::get().choices.settings.checks.has(Check::Leak)
}

/// Where launches keep the blocks of the heap.
pub fn heap_blocks() -> Option<Arc<HeapBlocks>> {
    are_looked_for().then(|| Arc::clone(&HEAP))
}

/// The function of the program that takes memory now, for the report of what it does not give back: the first one that is
/// not CUDA's.
pub fn taker() -> Option<String> {
    if !are_looked_for() {
        return None;
    }
    let stack = Backtrace::force_capture().to_string();
    let frames: Vec<(&str, &str)> = stack
        .lines()
        .filter_map(|line| {
            line.trim_start().split_once(": ").filter(|(number, _)| number.parse::<u32>().is_ok())
        })
        .collect();
    let is_ours =
        |name: &str| name.contains("ptxvm") || name.starts_with("cu") || name.contains("std::backtrace");
    let last = frames.iter().rposition(|(_, name)| is_ours(name))?;
    let (_, name) = frames.get(last + 1)?;
    (*name != "<unknown>").then(|| (*name).to_owned())
}

/// Tells what is left.
pub fn leaks() {
    for (kernel, _, left) in HEAP.left(options::get().choices.settings.check_limit) {
        let span = left.finding.place.as_ref().map(|place| place.span).unwrap_or_default();
        let excerpt = Excerpt::of(kernel.module(), span);
        let left = ptxvm_vm::Mistake { finding: excerpt.finding(&left.finding), ..left };
        let (report, seed) = (excerpt.report(), options::get().choices.settings.seed);
        let object = finding::mistake_object(&report, &left, seed);
        tell(finding::mistake(&left, seed), &report, object);
    }
    memory();
    objects::<Module>("module", "cuModuleUnload");
    objects::<Library>("library", "cuLibraryUnload");
    objects::<Stream>("stream", "cuStreamDestroy");
    objects::<Event>("event", "cuEventDestroy");
    objects::<Graph>("graph", "cuGraphDestroy");
    objects::<Exec>("executable graph", "cuGraphExecDestroy");
}

/// Memory, by the function that gives it back.
fn memory() {
    let mut by_function: BTreeMap<(&str, &str), Vec<Arc<registry::Record>>> = BTreeMap::new();
    for record in registry::all() {
        let names = match record.kind {
            MemoryKind::Device => ("device memory", "cuMemFree"),
            MemoryKind::Pool(_) => ("memory of a pool", "cuMemFreeAsync"),
            MemoryKind::Managed(_) => ("managed memory", "cuMemFree"),
            MemoryKind::Pinned(_) => ("pinned host memory", "cuMemFreeHost"),
            MemoryKind::Registered(_) => ("registered host memory", "cuMemHostUnregister"),
            MemoryKind::Mapped(_) => ("mapped memory", "cuMemUnmap"),
            MemoryKind::Array => ("array memory", "cuArrayDestroy"),
            MemoryKind::Graph(_) | MemoryKind::Imported => continue,
        };
        by_function.entry(names).or_default().push(record);
    }
    for ((what, function), mut records) in by_function {
        records.sort_by_key(|record| std::cmp::Reverse(record.size));
        let all: u64 = records.iter().map(|record| record.size).sum();
        let count = plural(records.len(), "allocation");
        let text = format!("{count} of {what} ({}) left at the end of the program", bytes(all));
        let mut notes: Vec<String> = records.iter().take(NAMED).map(|record| described(record)).collect();
        if records.len() > NAMED {
            notes.push(format!("and {} more", records.len() - NAMED));
        }
        notes.push(format!("`{function}` gives it back"));
        left(text, notes, json!({ "count": records.len(), "bytes": all }));
    }
}

fn described(record: &registry::Record) -> String {
    let taker = record.taker.as_ref().map_or_else(String::new, |taker| format!(", taken by `{taker}`"));
    format!("{} at {:#x}{taker}", bytes(record.size), record.start)
}

/// Objects of a kind that have a handle still.
fn objects<T: Object>(what: &str, function: &str) {
    let count = Handle::<T>::count();
    if count != 0 {
        let text = format!("{} left at the end of the program", plural(count, what));
        left(text, vec![format!("`{function}` takes it back")], json!({ "count": count }));
    }
}

fn left(text: String, notes: Vec<String>, mut object: Value) {
    let mut message = Message::new(text.clone()).id("leak");
    message.notes.clone_from(&notes);
    if let Value::Object(fields) = &mut object {
        fields.insert("kind".into(), json!("finding"));
        fields.insert("severity".into(), json!("error"));
        fields.insert("code".into(), json!("leak"));
        fields.insert("message".into(), json!(text));
        fields.insert("notes".into(), json!(notes));
    }
    tell(message, &Report::with("", "".into(), Vec::new()), object);
}

fn tell(message: Message, report: &Report<'_>, mut object: Value) {
    if !is_suppressed(&mut object) {
        let said = say(message, report);
        record::append_said(object, &said);
    }
}
