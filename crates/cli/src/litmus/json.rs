//! A verdict as one JSON object on a line.

use std::io::{self, Write};

use ptxvm_model::Verdict;
use serde_json::{Map, Value, json};

use super::{Decided, Outcome};

pub fn write(decided: &Decided<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut object = json!({
        "file": decided.name,
        "name": decided.test.name,
        "model": decided.model.name,
        "holds": decided.holds(),
    });
    match &decided.outcome {
        Outcome::Verdict(verdict) => {
            object["quantifier"] = decided.test.quantifier.name().into();
            object["states"] = states(decided, verdict);
            object["complete"] = verdict.complete.into();
            object["bounded"] = verdict.bounded.into();
            object["candidates"] = verdict.steps.into();
            if let Some(forbidden) = &verdict.forbidden {
                object["forbidden_by"] = forbidden.axiom.clone().into();
            }
        }
        Outcome::Ends(hang, bounded) => {
            object["ends"] = hang.is_none().into();
            object["bounded"] = (*bounded).into();
        }
    }
    if let Some(repair) = &decided.repair {
        let fence = |fence: &ptxvm_model::Fence| {
            let thread = &decided.test.threads[fence.thread].name;
            json!({ "thread": thread, "after": decided.text(fence.after), "fence": fence.text })
        };
        object["forbidden_with"] = json!({
            "relaxed": repair.relaxed.map(ptxvm_model::event::Scope::name),
            "fences": repair.fences.iter().map(fence).collect::<Vec<Value>>(),
        });
    }
    writeln!(out, "{object}")
}

/// Each state as an object: the observables and their values, and whether the condition holds.
fn states(decided: &Decided<'_>, verdict: &Verdict) -> Value {
    let observables = decided.test.observables();
    let state = |state: &ptxvm_model::State| {
        let mut values = Map::new();
        for (observable, value) in observables.iter().zip(&state.values) {
            values.insert(decided.test.observable_name(*observable), (*value).into());
        }
        json!({ "values": values, "satisfies": state.satisfies })
    };
    verdict.states.iter().map(state).collect()
}
