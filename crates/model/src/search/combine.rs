//! Chooses a path for each thread, and gathers the states that allowed executions end in.

use std::collections::BTreeMap;

use super::assemble::{Assembly, assemble};
use super::candidates::{self, Budget, Candidates, Execution, Go, Obstacle, execution};
use super::domain;
use super::limits::{Limits, TooLarge};
use super::operation::{End, Path, Paths};
use crate::event::Kind;
use crate::notation::{Base, Graph, Model};
use crate::relation::members;
use crate::test::{Observable, Test};

/// What forbids an outcome.
#[derive(Clone, Debug)]
pub struct Rejected {
    pub axiom: String,
    pub steps: Vec<crate::notation::Step>,
    pub execution: Execution,
}

/// What a search has found.
pub struct Found {
    /// The values of the observables in each state, with an execution that ends so.
    pub states: BTreeMap<Vec<i64>, Execution>,
    /// Whether paths were left out because a loop was entered too often.
    pub bounded: bool,
    /// Of the states that were asked about, what forbids one; only if none was found.
    pub rejected: Option<Rejected>,
    /// How many candidates were looked at.
    pub steps: u64,
}

/// Finds every state that the model allows; with `only`, just one in which the condition holds or does not, as it says, and
/// what forbids it.
///
/// # Errors
/// The test is too large.
pub fn find(test: &Test, model: &Model, limits: &Limits, only: Option<bool>) -> Result<Found, TooLarge> {
    let threads = domain::threads(test, limits)?;
    let mut obstacle = None;
    let mut search = Search {
        test,
        model,
        only,
        race: None,
        observables: test.observables(),
        writes: threads.iter().map(|paths| written(test, paths)).collect(),
        found: BTreeMap::new(),
        budget: Budget { left: limits.steps, whole: limits.steps },
        obstacle: &mut obstacle,
    };
    search.choose(&threads, &mut Vec::new())?;
    let steps = search.budget.whole - search.budget.left;
    let states = search.found;
    let rejected = obstacle.filter(|_| states.is_empty()).map(|o: Obstacle| Rejected {
        axiom: o.axiom,
        steps: o.steps,
        execution: o.execution,
    });
    Ok(Found { states, bounded: threads.iter().any(|paths| paths.bounded), rejected, steps })
}

/// Whether two accesses race in some execution that the model allows (8.7.1). A model that knows no causality has no races.
///
/// # Errors
/// The test is too large.
pub fn races(test: &Test, model: &Model, limits: &Limits) -> Result<bool, TooLarge> {
    let threads = domain::threads(test, limits)?;
    let mut search = Search {
        test,
        model,
        only: None,
        race: Some(false),
        observables: test.observables(),
        writes: threads.iter().map(|paths| written(test, paths)).collect(),
        found: BTreeMap::new(),
        budget: Budget { left: limits.steps, whole: limits.steps },
        obstacle: &mut None,
    };
    search.choose(&threads, &mut Vec::new())?;
    Ok(search.race == Some(true))
}

struct Search<'a> {
    test: &'a Test,
    model: &'a Model,
    only: Option<bool>,
    /// Whether an execution that races has been found, if that is all that is asked.
    race: Option<bool>,
    observables: Vec<Observable>,
    /// What each thread may write, on whichever path.
    writes: Vec<Vec<(usize, i64)>>,
    found: BTreeMap<Vec<i64>, Execution>,
    budget: Budget,
    obstacle: &'a mut Option<Obstacle>,
}

impl Search<'_> {
    fn choose<'p>(&mut self, threads: &'p [Paths], chosen: &mut Vec<&'p Path>) -> Result<Go, TooLarge> {
        let Some(next) = threads.get(chosen.len()) else {
            return self.combination(chosen);
        };
        for path in next.paths.iter().filter(|path| path.end == End::Finished) {
            self.budget.spend(0)?;
            chosen.push(path);
            let go = if self.plausible(chosen) { self.choose(threads, chosen)? } else { Go::On };
            chosen.pop();
            if go == Go::Enough {
                return Ok(go);
            }
        }
        Ok(Go::On)
    }

    /// Whether each value that was read has been written, or may yet be by a thread whose path is still open.
    fn plausible(&self, chosen: &[&Path]) -> bool {
        let location = |address: usize| self.test.addresses[address].location;
        let accesses = |kind: Kind| {
            let operations = chosen.iter().flat_map(|path| &path.operations);
            operations
                .filter(move |o| o.kind == kind)
                .filter_map(move |o| Some((location(o.address?), o.value)))
        };
        accesses(Kind::Read).all(|read| {
            self.test.locations[read.0].initial == read.1
                || accesses(Kind::Write).any(|write| write == read)
                || self.writes[chosen.len()..].iter().any(|writes| writes.contains(&read))
        })
    }

    fn combination(&mut self, paths: &[&Path]) -> Result<Go, TooLarge> {
        let register = |observable: Observable| match observable {
            Observable::Register { thread, register } => Some(paths[thread].registers[register]),
            Observable::Memory(_) => None,
        };
        let registers: Option<Vec<i64>> = self.observables.iter().map(|&o| register(o)).collect();
        if self.race.is_none()
            && let Some(state) = &registers
            && (self.found.contains_key(state) || !self.wanted(state))
        {
            return Ok(Go::On);
        }
        let lengths: Vec<usize> = paths.iter().map(|path| path.operations.len()).collect();
        let assembly = assemble(self.test, paths, &lengths)?;
        if !assembly.meetings.blocked.is_empty() {
            return Ok(Go::On);
        }
        if self.race.is_some() {
            return self.race(&assembly);
        }
        match registers {
            Some(state) => self.registers_only(&assembly, state),
            None => self.with_memory(&assembly, &register),
        }
    }

    /// Looks for an execution that races.
    fn race(&mut self, assembly: &Assembly) -> Result<Go, TooLarge> {
        let mut found = false;
        let mut candidates = Candidates { model: self.model, budget: &mut self.budget, obstacle: None };
        let go = candidates.each(assembly, &mut |base, graph| {
            found = !candidates::races(base, graph).is_empty();
            if found { Go::Enough } else { Go::On }
        })?;
        self.race = Some(found || self.race == Some(true));
        Ok(go)
    }

    /// The paths decide the state: one execution is enough.
    fn registers_only(&mut self, assembly: &Assembly, state: Vec<i64>) -> Result<Go, TooLarge> {
        let mut witness = None;
        let asks = self.only.is_some();
        let mut candidates = Candidates {
            model: self.model,
            budget: &mut self.budget,
            obstacle: asks.then_some(&mut *self.obstacle),
        };
        candidates.each(assembly, &mut |base, graph| {
            witness = Some(execution(base, graph));
            Go::Enough
        })?;
        match witness {
            Some(witness) => {
                self.found.insert(state, witness);
                Ok(if asks { Go::Enough } else { Go::On })
            }
            None => Ok(Go::On),
        }
    }

    /// The state has locations too, whose last value the order of writes decides.
    fn with_memory(
        &mut self,
        assembly: &Assembly,
        register: &dyn Fn(Observable) -> Option<i64>,
    ) -> Result<Go, TooLarge> {
        let asks = self.only.is_some();
        let observables = self.observables.clone();
        let mut new: BTreeMap<Vec<i64>, Execution> = BTreeMap::new();
        let mut candidates = Candidates {
            model: self.model,
            budget: &mut self.budget,
            obstacle: asks.then_some(&mut *self.obstacle),
        };
        let (test, only, found) = (self.test, self.only, &self.found);
        let go = candidates.each(assembly, &mut |base, graph| {
            let mut states = vec![Vec::new()];
            for &observable in &observables {
                let values = match observable {
                    Observable::Memory(location) => last_values(base, graph, location),
                    Observable::Register { .. } => register(observable).into_iter().collect(),
                };
                states = states
                    .iter()
                    .flat_map(|state: &Vec<i64>| values.iter().map(|&v| [state.as_slice(), &[v]].concat()))
                    .collect();
            }
            for state in states {
                if wanted(test, only, &observables, &state) && !found.contains_key(&state) {
                    new.entry(state).or_insert_with(|| execution(base, graph));
                    if asks {
                        return Go::Enough;
                    }
                }
            }
            Go::On
        })?;
        self.found.extend(new);
        Ok(go)
    }

    fn wanted(&self, state: &[i64]) -> bool {
        wanted(self.test, self.only, &self.observables, state)
    }
}

/// Whether a state is one of those that are looked for.
fn wanted(test: &Test, only: Option<bool>, observables: &[Observable], state: &[i64]) -> bool {
    let value = |observable: Observable| value_of(observables, state, observable);
    let filtered = || test.filter.as_ref().is_none_or(|filter| filter.holds(&value));
    only.is_none_or(|only| test.condition.holds(&value) == only && filtered())
}

/// The value of an observable in a state.
pub fn value_of(observables: &[Observable], state: &[i64], observable: Observable) -> i64 {
    let at = observables.iter().position(|&known| known == observable);
    at.and_then(|at| state.get(at)).copied().unwrap_or(0)
}

/// What a location may hold in the end: the value of any write that no other comes after.
fn last_values(base: &Base, graph: &Graph<'_>, location: usize) -> Vec<i64> {
    let coherence = graph.named(graph.model.slot("coherence").unwrap_or(usize::MAX));
    let writes = base.events.iter().enumerate().filter(|(_, e)| e.writes() && e.location == Some(location));
    let last = writes.filter(|&(number, _)| members(coherence.after(number)).next().is_none());
    let mut values: Vec<i64> = last.map(|(_, event)| event.value).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// What a thread may write: location and value, each once.
fn written(test: &Test, paths: &Paths) -> Vec<(usize, i64)> {
    let operations = paths.paths.iter().flat_map(|path| &path.operations);
    let writes = operations.filter(|operation| operation.kind == Kind::Write);
    let mut all: Vec<(usize, i64)> =
        writes.filter_map(|write| Some((test.addresses[write.address?].location, write.value))).collect();
    all.sort_unstable();
    all.dedup();
    all
}
