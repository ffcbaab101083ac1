//! The answer to a litmus test's question, with the states that it rests on and one execution to look at.

use crate::notation::Model;
use crate::search::{self, Execution, Limits, Rejected, TooLarge};
use crate::test::{Observable, Quantifier, Test};

/// A state that executions may end in.
#[derive(Clone, Debug)]
pub struct State {
    /// What each observable is, in the order of [`Test::observables`].
    pub values: Vec<i64>,
    /// Whether the condition holds in it.
    pub satisfies: bool,
}

/// What a model says about a litmus test.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Whether the test's statement is true.
    pub holds: bool,
    pub states: Vec<State>,
    /// Whether these are all states; else the search for them was too long, and the verdict is true all the same.
    pub complete: bool,
    /// An execution that shows it: one that satisfies the condition, or for `forall` one that does not.
    pub witness: Option<Execution>,
    /// If there is none: what forbids it.
    pub forbidden: Option<Rejected>,
    /// Whether loops were cut: then more turns of them might show more states.
    pub bounded: bool,
    /// How many candidates were looked at.
    pub steps: u64,
}

/// Decides a litmus test.
///
/// # Errors
/// The test is too large.
pub fn decide(test: &Test, model: &Model, limits: &Limits) -> Result<Verdict, TooLarge> {
    // What a witness shows: that the condition can hold, or for `forall` that it can fail.
    let shows = test.quantifier != Quantifier::Forall;
    let asked = search::find(test, model, limits, Some(shows))?;
    let shown = asked.states.into_iter().next();
    let holds = shown.is_some() == (test.quantifier == Quantifier::Exists);
    // All states are more work than the question; what that leaves out, is said.
    let (found, complete, more) = match search::find(test, model, limits, None) {
        Ok(found) => (found.states, true, found.steps),
        Err(TooLarge::Steps(steps)) => (shown.clone().into_iter().collect(), false, steps),
        Err(other) => return Err(other),
    };
    let observables = test.observables();
    let mut states = Vec::new();
    for values in found.into_keys() {
        let value = |observable: Observable| {
            let at = observables.iter().position(|&known| known == observable);
            at.and_then(|at| values.get(at)).copied().unwrap_or(0)
        };
        if test.filter.as_ref().is_none_or(|filter| filter.holds(&value)) {
            let satisfies = test.condition.holds(&value);
            states.push(State { values, satisfies });
        }
    }
    Ok(Verdict {
        holds,
        states,
        complete,
        witness: shown.map(|(_, execution)| execution),
        forbidden: asked.rejected,
        bounded: asked.bounded,
        steps: asked.steps + more,
    })
}
