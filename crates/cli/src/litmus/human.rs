//! A verdict for people: yes or no, the states, one execution or the cycle that forbids it.

use std::io::{self, Write};

use ptxvm_model::notation::Step;
use ptxvm_model::test::Quantifier;
use ptxvm_model::{Execution, Repair, Verdict, draw};

use super::{Decided, Outcome};

/// The execution that decides, if there is one.
pub fn execution(outcome: &Outcome) -> Option<&Execution> {
    match outcome {
        Outcome::Verdict(verdict) => {
            verdict.witness.as_ref().or(verdict.forbidden.as_ref().map(|rejected| &rejected.execution))
        }
        Outcome::Ends(hang, _) => hang.as_ref().map(|hang| &hang.execution),
    }
}

/// The cycle that forbids the outcome, if one does.
pub fn cycle(outcome: &Outcome) -> &[Step] {
    match outcome {
        Outcome::Verdict(verdict) => verdict.forbidden.as_ref().map_or(&[], |rejected| &rejected.steps),
        Outcome::Ends(..) => &[],
    }
}

pub fn write(decided: &Decided<'_>, out: &mut dyn Write) -> io::Result<()> {
    match &decided.outcome {
        Outcome::Verdict(verdict) => {
            headline(decided, verdict, out)?;
            states(decided, verdict, out)?;
            reason(decided, verdict, out)
        }
        Outcome::Ends(hang, bounded) => {
            let what = if hang.is_some() { "may not end" } else { "always ends" };
            writeln!(out, "{}: {what} ({})", decided.name, decided.model.name)?;
            if let Some(hang) = hang {
                for (threads, how) in [
                    (&hang.spinning, "turns in a loop for ever"),
                    (&hang.waiting, "waits at a barrier for ever"),
                ] {
                    for &thread in threads {
                        writeln!(out, "  {} {how}", decided.test.threads[thread].name)?;
                    }
                }
                writeln!(out, "\n{}", draw::table(decided.test, decided.source, &hang.execution))?;
            }
            bound(decided, *bounded, out)
        }
    }
}

fn headline(decided: &Decided<'_>, verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    let what = match (decided.test.quantifier, verdict.holds) {
        (Quantifier::Exists, true) => "yes, it is allowed",
        (Quantifier::Exists, false) => "no, it is forbidden",
        (Quantifier::NotExists, true) => "yes, it is forbidden",
        (Quantifier::NotExists, false) => "no, it is allowed",
        (Quantifier::Forall, true) => "yes, always",
        (Quantifier::Forall, false) => "no, not always",
    };
    let quantifier = decided.test.quantifier.name();
    writeln!(out, "{}: {quantifier}: {what} ({})", decided.name, decided.model.name)
}

/// The states that executions may end in; a star marks those that satisfy the condition.
fn states(decided: &Decided<'_>, verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> =
        decided.test.observables().iter().map(|&o| decided.test.observable_name(o)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let width = |i: usize| {
        let values = verdict.states.iter().map(|state| state.values[i].to_string().len());
        values.max().unwrap_or(0).max(names[i].len())
    };
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let line = |cells: Vec<String>| -> String {
        cells.iter().zip(&widths).map(|(cell, &width)| format!("  {cell:>width$}")).collect()
    };
    writeln!(out, "   {}", line(names.clone()))?;
    for state in verdict.states.iter().take(64) {
        let mark = if state.satisfies { '*' } else { ' ' };
        writeln!(out, "  {mark}{}", line(state.values.iter().map(i64::to_string).collect()))?;
    }
    if verdict.states.len() > 64 {
        writeln!(out, "  … and {} more", verdict.states.len() - 64)?;
    }
    if !verdict.complete {
        writeln!(out, "  … and others: to find them all takes more than --max-candidates")?;
    }
    Ok(())
}

fn reason(decided: &Decided<'_>, verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    let condition =
        if decided.test.quantifier == Quantifier::Forall { "the condition fails" } else { "it ends so" };
    if let Some(witness) = &verdict.witness {
        writeln!(out, "\nan execution in which {condition}:\n")?;
        write!(out, "{}", draw::table(decided.test, decided.source, witness))?;
        if let Some(repair) = &decided.repair {
            write!(out, "\n{}", remedy(decided, repair))?;
        }
    } else if let Some(rejected) = &verdict.forbidden {
        writeln!(
            out,
            "\n{} forbids every execution in which {condition}, as in this one:\n",
            rejected.axiom
        )?;
        write!(out, "{}", draw::cycle(decided.test, decided.source, &rejected.execution, &rejected.steps))?;
    } else {
        writeln!(out, "\nno thread can take a path on which {condition}")?;
    }
    bound(decided, verdict.bounded, out)
}

/// What would forbid it, in a sentence.
fn remedy(decided: &Decided<'_>, repair: &Repair) -> String {
    let strong =
        repair.relaxed.map(|scope| format!("accesses that are .relaxed.{} instead of weak", scope.name()));
    let fences = repair.fences.iter().map(|fence| {
        let thread = &decided.test.threads[fence.thread].name;
        format!("{} in {thread} after `{}`", fence.text, decided.text(fence.after))
    });
    let parts: Vec<String> = strong.into_iter().chain(fences).collect();
    let verb = if parts.len() == 1 { "would forbid it" } else { "together would forbid it" };
    format!("{} {verb}\n", parts.join(",\n"))
}

fn bound(decided: &Decided<'_>, bounded: bool, out: &mut dyn Write) -> io::Result<()> {
    if bounded {
        let turns = decided.limits.unroll;
        writeln!(out, "\nloops that write were entered again {turns} times at most (--unroll)")?;
    }
    Ok(())
}
