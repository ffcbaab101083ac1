//! Whether every execution ends: none waits for ever at a barrier, and none turns for ever in a loop that only reads.
//!
//! The manual promises no progress. What is asked here is what Dat3M asks: could a thread turn in a loop although every
//! write is seen sooner or later? So the reads of a loop that goes on for ever must see writes that no other write comes
//! after in coherence order.

use super::assemble::assemble;
use super::candidates::{Budget, Candidates, Execution, Go, execution};
use super::domain;
use super::limits::{Limits, TooLarge};
use super::operation::{End, Path, Paths};
use crate::notation::{Base, Graph, Model};
use crate::test::Test;

/// An execution that does not end.
#[derive(Clone, Debug)]
pub struct Hang {
    pub execution: Execution,
    /// The threads that turn in a loop, and those that wait at a barrier.
    pub spinning: Vec<usize>,
    pub waiting: Vec<usize>,
}

/// An execution that does not end, if there is one; and whether paths were left out.
///
/// # Errors
/// The test is too large.
pub fn hang(test: &Test, model: &Model, limits: &Limits) -> Result<(Option<Hang>, bool), TooLarge> {
    let threads = domain::threads(test, limits)?;
    let mut search =
        Search { test, model, budget: Budget { left: limits.steps, whole: limits.steps }, found: None };
    search.choose(&threads, &mut Vec::new())?;
    Ok((search.found, threads.iter().any(|paths| paths.bounded)))
}

struct Search<'a> {
    test: &'a Test,
    model: &'a Model,
    budget: Budget,
    found: Option<Hang>,
}

impl Search<'_> {
    fn choose<'p>(&mut self, threads: &'p [Paths], chosen: &mut Vec<&'p Path>) -> Result<(), TooLarge> {
        let Some(next) = threads.get(chosen.len()) else {
            return self.combination(chosen);
        };
        for path in &next.paths {
            self.budget.spend(0)?;
            chosen.push(path);
            self.choose(threads, chosen)?;
            chosen.pop();
            if self.found.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn combination(&mut self, paths: &[&Path]) -> Result<(), TooLarge> {
        let mut lengths: Vec<usize> = paths.iter().map(|path| path.operations.len()).collect();
        let mut waiting = Vec::new();
        // A thread that waits does nothing more, which may make others wait.
        let assembly = loop {
            let assembly = assemble(self.test, paths, &lengths)?;
            let mut shorter = false;
            for &(thread, number) in &assembly.meetings.blocked {
                if number + 1 < lengths[thread] {
                    lengths[thread] = number + 1;
                    shorter = true;
                }
                if !waiting.contains(&thread) {
                    waiting.push(thread);
                }
            }
            if !shorter {
                break assembly;
            }
        };
        let turns = |thread: usize| match paths[thread].end {
            End::Spins(from) if !waiting.contains(&thread) => Some((thread, from)),
            _ => None,
        };
        let spinning: Vec<(usize, usize)> = (0..paths.len()).filter_map(turns).collect();
        if spinning.is_empty() && waiting.is_empty() {
            return Ok(());
        }
        let fair = |base: &Base, graph: &Graph<'_>| {
            let named = |name: &str| graph.named(self.model.slot(name).unwrap_or(usize::MAX));
            let (rf, coherence) = (named("rf"), named("coherence"));
            spinning.iter().all(|&(thread, from)| {
                let (start, end) = (assembly.first[thread] + from, assembly.first[thread] + lengths[thread]);
                let stale = |write: usize, read: usize| rf.has(write, read) && coherence.after(write) != 0;
                (start..end).all(|read| (0..base.events.len()).all(|write| !stale(write, read)))
            })
        };
        let mut found = None;
        let mut candidates = Candidates { model: self.model, budget: &mut self.budget, obstacle: None };
        candidates.each(&assembly, &mut |base, graph| {
            if !fair(base, graph) {
                return Go::On;
            }
            found = Some(execution(base, graph));
            Go::Enough
        })?;
        if let Some(execution) = found {
            let spinning = spinning.into_iter().map(|(thread, _)| thread).collect();
            self.found = Some(Hang { execution, spinning, waiting });
        }
        Ok(())
    }
}
