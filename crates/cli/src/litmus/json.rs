//! A verdict as one JSON object on a line.

use std::io::{self, Write};

use ptxvm_model::event::Event;
use ptxvm_model::notation::Step;
use ptxvm_model::{Execution, Verdict};
use serde_json::{Map, Value, json};

use super::{Decided, Outcome, human};

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
            // Nothing, if the test is too large to tell.
            object["racy"] = ptxvm_model::races(decided.test, decided.model, decided.limits).ok().into();
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
    if let Some(execution) = human::execution(&decided.outcome) {
        object["execution"] = events_and_edges(decided, execution, human::cycle(&decided.outcome));
    }
    writeln!(out, "{object}")
}

/// The execution that decides: its events in order, the edges between them by their numbers, and the cycle that forbids it
/// if one does.
fn events_and_edges(decided: &Decided<'_>, execution: &Execution, cycle: &[Step]) -> Value {
    let event = |event: &Event| {
        let thread = event.thread.map(|thread| decided.test.threads[thread].name.as_str());
        let location = event.location.map(|location| decided.test.locations[location].name.as_str());
        let value = event.location.map(|_| event.value);
        json!({ "thread": thread, "instruction": decided.text(event.span), "location": location, "value": value })
    };
    let edge = |step: &Step| json!({ "from": step.from, "to": step.to, "relation": step.relation });
    json!({
        "events": execution.events.iter().map(event).collect::<Vec<Value>>(),
        "edges": execution.edges.iter().map(edge).collect::<Vec<Value>>(),
        "cycle": cycle.iter().map(edge).collect::<Vec<Value>>(),
        "races": execution.races,
    })
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
