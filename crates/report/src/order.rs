//! Shows whether the memory model orders two accesses of a run: the chain that leads from one to the other, or what is
//! missing.

use std::fmt::Write;

use ptxvm_vm::{Accessed, How, OrderAnswer, Step};
use serde_json::{Value, json};

use crate::Report;
use crate::stale::{CALLED, advice, who};

fn at(report: &Report<'_>, access: &Accessed) -> String {
    let line = report.place(access.span).0.line;
    let text = &report.source[access.span.start as usize..access.span.end as usize];
    let text = text.lines().next().unwrap_or_default().trim();
    format!("line {line} `{text}` by {}", who(access.thread))
}

/// The answer for people.
#[must_use]
pub fn text(report: &Report<'_>, answer: &OrderAnswer) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match answer {
        OrderAnswer::NotExecuted(number) => {
            let which = ["first", "second"][(*number).min(1)];
            writeln!(text, "the thread did not execute the {which} access")
        }
        OrderAnswer::Ordered { first, second, chain } => ordered(report, &mut text, first, second, chain),
        OrderAnswer::Unordered { first, second, missing } => {
            let mut write = || {
                writeln!(text, "not ordered, as they were executed:")?;
                writeln!(text, "  {}", at(report, first))?;
                writeln!(text, "  {}", at(report, second))?;
                for missing in missing {
                    writeln!(text, "missing: {}", advice(report, (second, first), *missing, CALLED))?;
                }
                Ok(())
            };
            write()
        }
    };
    text
}

fn ordered(
    report: &Report<'_>,
    text: &mut String,
    first: &Accessed,
    second: &Accessed,
    chain: &[Step],
) -> std::fmt::Result {
    writeln!(text, "ordered:")?;
    writeln!(text, "  {}", at(report, first))?;
    let mut here = *first;
    for step in chain {
        if step.from != here {
            writeln!(text, "    program order\n  {}", at(report, &step.from))?;
        }
        writeln!(text, "    {}\n  {}", how(step.how), at(report, &step.to))?;
        here = step.to;
    }
    if here != *second {
        writeln!(text, "    program order\n  {}", at(report, second))?;
    }
    Ok(())
}

fn how(how: How) -> String {
    match how {
        How::Synchronizes => "synchronizes with".into(),
        How::Barrier(number) => format!("barrier {number} of the CTA"),
        How::WarpBarrier => "the barrier of the warp".into(),
        How::ClusterBarrier => "the barrier of the cluster".into(),
        How::Mbarrier => "the phase of the mbarrier object".into(),
    }
}

/// The same as an object.
#[must_use]
pub fn object(report: &Report<'_>, answer: &OrderAnswer) -> Value {
    let access = |access: &Accessed| {
        let place = report.place(access.span).0;
        let thread = access.thread;
        json!({
            "line": place.line, "column": place.column,
            "thread": { "ctaid": thread.ctaid, "tid": thread.tid, "warp": thread.warp, "lane": thread.lane },
        })
    };
    let step =
        |step: &Step| json!({ "from": access(&step.from), "to": access(&step.to), "how": how(step.how) });
    match answer {
        OrderAnswer::NotExecuted(number) => json!({ "kind": "order", "not_executed": number }),
        OrderAnswer::Ordered { first, second, chain } => json!({
            "kind": "order", "ordered": true, "first": access(first), "second": access(second),
            "chain": chain.iter().map(step).collect::<Vec<_>>(),
        }),
        OrderAnswer::Unordered { first, second, missing } => json!({
            "kind": "order", "ordered": false, "first": access(first), "second": access(second),
            "missing": missing.iter().map(|m| advice(report, (second, first), *m, CALLED)).collect::<Vec<_>>(),
        }),
    }
}
