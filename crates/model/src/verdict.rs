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
    /// Whether some execution satisfies the condition.
    pub allowed: bool,
    pub states: Vec<State>,
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
    let observables = test.observables();
    let found = search::find(test, model, limits, None)?;
    let value = |state: &[i64], observable: Observable| {
        let at = observables.iter().position(|&known| known == observable);
        at.and_then(|at| state.get(at)).copied().unwrap_or(0)
    };
    let mut states = Vec::new();
    let mut witness = None;
    // What a witness shows: that the condition can hold, or for `forall` that it can fail.
    let shows = test.quantifier != Quantifier::Forall;
    for (values, execution) in &found.states {
        let look = |observable| value(values, observable);
        if test.filter.as_ref().is_some_and(|filter| !filter.holds(&look)) {
            continue;
        }
        let satisfies = test.condition.holds(&look);
        if satisfies == shows && witness.is_none() {
            witness = Some(execution.clone());
        }
        states.push(State { values: values.clone(), satisfies });
    }
    let mut forbidden = None;
    let mut steps = found.steps;
    if witness.is_none() {
        let again = search::find(test, model, limits, Some(shows))?;
        steps += again.steps;
        forbidden = again.rejected;
    }
    let allowed = states.iter().any(|state| state.satisfies);
    let holds = match test.quantifier {
        Quantifier::Exists => allowed,
        Quantifier::NotExists => !allowed,
        Quantifier::Forall => states.iter().all(|state| state.satisfies),
    };
    Ok(Verdict { holds, allowed, states, witness, forbidden, bounded: found.bounded, steps })
}
