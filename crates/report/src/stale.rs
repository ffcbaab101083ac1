//! Shows a read that saw an older write than memory held: the read, the write that it missed, and what would order them.

use ptxvm_syntax::Label;
use ptxvm_syntax::ast::Span;
use ptxvm_vm::{Accessed, Missing, StaleRead, Thread};
use serde_json::{Value, json};

use crate::number::grouped;
use crate::{Message, Report};

/// As many are shown of one run.
const SHOWN: usize = 4;

/// Those that are worth showing: not what a loop does that waits, unless the run has failed and there is nothing else.
#[must_use]
pub fn worth_showing(mut stale: Vec<StaleRead>, failed: bool) -> Vec<StaleRead> {
    let mistakes = stale.iter().filter(|stale| !stale.is_waiting()).count();
    if mistakes > 0 || !failed {
        stale.retain(|stale| !stale.is_waiting());
    }
    stale.truncate(SHOWN);
    stale
}

/// It for people.
#[must_use]
pub fn message(report: &Report<'_>, stale: &StaleRead, seed: u64) -> Message {
    if stale.late {
        return late(report, stale, seed);
    }
    let mut message = match stale.strong {
        // Strong operations may race: it is the program's to know what it may see.
        true => {
            let text =
                "a strong read saw an older value, as it may: nothing orders the newest write before it";
            Message::new(text).id("stale-read").note()
        }
        false => {
            let text = "a read saw an older value: nothing orders the newest write before it";
            Message::new(text).id("stale-read").warning()
        }
    };
    let (reader, writer) = (who(stale.read.thread), who(stale.missed.thread));
    message.places.push(Label { span: stale.read.span, text: format!("read by {reader}") });
    let missed = format!("the newest write, by {writer}, had been made before");
    message.places.push(Label { span: stale.missed.span, text: missed });
    match &stale.seen {
        Some(seen) => {
            let text = format!("the read saw this write, by {}", who(seen.thread));
            message.places.push(Label { span: seen.span, text });
        }
        None => message.notes.push("the read saw what was there before any write that is remembered".into()),
    }
    message.notes.extend(
        stale.missing.iter().map(|missing| advice(report, (&stale.read, &stale.missed), *missing, CALLED)),
    );
    if stale.count > 1 {
        message.notes.push(format!("reads at this place missed that write {} times", grouped(stale.count)));
    }
    message.notes.push(format!("--memory-model weak --seed {seed} gives the same values again"));
    message
}

/// One that came too late.
fn late(report: &Report<'_>, stale: &StaleRead, seed: u64) -> Message {
    let text = "a read was made late: nothing orders it before a write that it saw";
    let mut message = Message::new(text).id("late-read").warning();
    let (reader, writer) = (who(stale.read.thread), who(stale.missed.thread));
    message.places.push(Label { span: stale.read.span, text: format!("read by {reader}") });
    let seen = format!("what it saw, by {writer}, was written when the reader had gone on");
    message.places.push(Label { span: stale.missed.span, text: seen });
    let advice = |missing: &Missing| advice(report, (&stale.read, &stale.missed), *missing, CALLED);
    message.notes.extend(stale.missing.iter().map(advice));
    message.notes.push(format!("--memory-model weak --seed {seed} gives the same values again"));
    message
}

fn line(report: &Report<'_>, span: Span) -> String {
    format!("line {}", report.place(span).0.line)
}

/// What the threads of a read and a write are called.
pub(crate) const CALLED: [&str; 2] = ["the reader", "the writer"];

/// What would order the two, whose threads are called so.
pub(crate) fn advice(
    report: &Report<'_>,
    (read_by, written): (&Accessed, &Accessed),
    missing: Missing,
    [reader, writer]: [&str; 2],
) -> String {
    let (write, read) = (line(report, written.span), line(report, read_by.span));
    match missing {
        Missing::Signal { scope } => {
            let s = scope.name();
            let barrier = match read_by.thread.ctaid == written.thread.ctaid {
                true => "a barrier of the CTA (`bar.sync`) between the two orders them; or ",
                false => "",
            };
            format!(
                "{reader} had seen nothing that {writer} did after {write}: {barrier}a release after {write} \
                 (`fence.acq_rel.{s}` and a strong write, or `st.release.{s}`) that {reader} acquires before {read} \
                 (`ld.acquire.{s}`, or a strong read and `fence.acq_rel.{s}`)"
            )
        }
        Missing::Release { signal, scope } => {
            let (s, signal) = (scope.name(), line(report, signal));
            format!(
                "{reader} had seen the same thread's write at {signal}, but nothing releases the one at {write} before: \
                 `fence.acq_rel.{s}` between {write} and {signal}, or `st.release.{s}` at {signal}"
            )
        }
        Missing::WeakWrite { signal, scope } => {
            let (s, signal) = (scope.name(), line(report, signal));
            format!(
                "the write at {signal}, which {reader} had seen, is weak and orders nothing: `st.release.{s}`, or \
                 `st.relaxed.{s}` after a fence"
            )
        }
        Missing::WeakRead { read: weak, scope } => {
            let (s, weak) = (scope.name(), line(report, weak));
            format!(
                "the read at {weak} is weak and orders nothing: `ld.acquire.{s}`, or `ld.relaxed.{s}` before a fence"
            )
        }
        Missing::Acquire { read: signal, scope } => {
            let (s, signal) = (scope.name(), line(report, signal));
            if signal == read {
                return format!(
                    "nothing acquires what {reader} sees at {signal}: an acquire operation (`.acquire.{s}`) there does"
                );
            }
            format!(
                "nothing acquires what {reader} had seen at {signal}: `fence.acq_rel.{s}` between {signal} and {read}, or \
                 an acquire operation (`.acquire.{s}`) at {signal}"
            )
        }
        Missing::Before { scope } => {
            let s = scope.name();
            format!(
                "{reader} must release after {read} before it tells others that it has read (`fence.acq_rel.{s}` and a \
                 strong write, or `st.release.{s}`), and {writer} must acquire that before {write}"
            )
        }
        Missing::ProxyFence => {
            format!(
                "{read} reads through the async proxy, and no `fence.proxy.async` lies between {write} and {read}, in the \
                 thread that writes or in one that knows of the write"
            )
        }
        Missing::Scope { at, has, scope } => {
            let (has, s, at) = (has.name(), scope.name(), line(report, at));
            format!("the scope .{has} at {at} leaves the other thread out: it takes .{s}")
        }
    }
}

pub(crate) fn who(t: Thread) -> String {
    let ([cx, cy, cz], [x, y, z]) = (t.ctaid, t.tid);
    format!("thread ({x},{y},{z}) of CTA ({cx},{cy},{cz})")
}

/// It as an object.
#[must_use]
pub fn object(report: &Report<'_>, stale: &StaleRead, seed: u64) -> Value {
    let access = |accessed: &Accessed| {
        let at = report.place(accessed.span).0;
        let Thread { ctaid, tid, warp, lane } = accessed.thread;
        json!({
            "line": at.line, "column": at.column,
            "thread": { "ctaid": ctaid, "tid": tid, "warp": warp, "lane": lane },
        })
    };
    json!({
        "kind": "stale-read",
        "severity": if stale.strong { "note" } else { "warning" },
        "file": report.name,
        "read": access(&stale.read),
        "missed": access(&stale.missed),
        "seen": stale.seen.as_ref().map(access),
        "address": format!("{:#x}", stale.address),
        "strong": stale.strong,
        "late": stale.late,
        "missing": stale.missing.iter().map(|missing| advice(report, (&stale.read, &stale.missed), *missing, CALLED)).collect::<Vec<_>>(),
        "count": stale.count,
        "seed": seed,
    })
}
