//! Which of a test's execution barriers a launch can meet at, and with how many threads.
//!
//! All instances that a CTA plays at once share its barriers, so that a test whose threads would not all come through, or
//! not all at the same rounds, would stop the launch.

use super::skipped::{Skipped, skipped};
use crate::test::{Action, Barrier, Operand, Test};

/// The barriers of a CTA that a test names: the number that the text gives, and the resource.
fn named(test: &Test, cta: u32) -> Vec<(i64, i64)> {
    let mut names = Vec::new();
    for thread in test.threads.iter().filter(|thread| thread.place.cta == cta) {
        for instruction in &thread.code {
            if let Action::Barrier(barrier) = &instruction.action
                && let Operand::Constant(resource) = barrier.resource
                && !barrier.cluster
                && !names.contains(&(barrier.instance, resource))
            {
                names.push((barrier.instance, resource));
            }
        }
    }
    names
}

/// The barrier's number in the kernel, and how many threads of an instance meet there.
pub fn resource(test: &Test, thread: usize, barrier: &Barrier) -> Result<(usize, usize), Skipped> {
    let Operand::Constant(resource) = barrier.resource else {
        return skipped("a barrier whose number is in a register");
    };
    let cta = test.threads[thread].place.cta;
    let name = (barrier.instance, resource);
    let number = named(test, cta).iter().position(|known| *known == name).unwrap_or(0);
    if number > 12 {
        return skipped("more barriers than a CTA has");
    }
    let uses = |action: &Action| {
        matches!(action, Action::Barrier(other)
            if !other.cluster && (other.instance, other.resource) == (barrier.instance, barrier.resource))
    };
    let threads = test.threads.iter().filter(|thread| thread.place.cta == cta);
    let count = threads.filter(|thread| thread.code.iter().any(|i| uses(&i.action))).count();
    match barrier.count {
        Some(Operand::Constant(given)) if usize::try_from(given) == Ok(count) => Ok((number, count)),
        None => Ok((number, count)),
        _ => skipped("a barrier that not all who name it come through in one round"),
    }
}

/// Checks that every thread gets past its barriers.
pub fn check(test: &Test) -> Result<(), Skipped> {
    for thread in &test.threads {
        let barriers = thread.code.iter().any(|i| matches!(i.action, Action::Barrier(_)));
        let branches = thread.code.iter().any(|i| matches!(i.action, Action::Branch { .. }));
        if barriers && branches {
            return skipped("barriers beside branches");
        }
    }
    let mut at = vec![0; test.threads.len()];
    loop {
        let next: Vec<Option<&Barrier>> =
            at.iter().enumerate().map(|(thread, &at)| next_barrier(test, thread, at)).collect();
        if next.iter().all(Option::is_none) {
            return Ok(());
        }
        let passes = |thread: usize| -> Result<bool, Skipped> {
            let Some(barrier) = next[thread] else { return Ok(false) };
            if barrier.cluster {
                return Ok(true);
            }
            let (_, count) = resource(test, thread, barrier)?;
            let here = (0..test.threads.len()).filter(|&other| {
                test.threads[other].place.cta == test.threads[thread].place.cta
                    && next[other].is_some_and(|next| {
                        !next.cluster
                            && (next.instance, next.resource) == (barrier.instance, barrier.resource)
                    })
            });
            Ok(here.count() == count)
        };
        let mut moved = false;
        for (thread, at) in at.iter_mut().enumerate() {
            if passes(thread)? {
                *at += 1;
                moved = true;
            }
        }
        if !moved {
            return skipped("a barrier that threads wait at for ever");
        }
    }
}

/// The barrier that a thread comes to after so many.
fn next_barrier(test: &Test, thread: usize, after: usize) -> Option<&Barrier> {
    let barriers = test.threads[thread].code.iter().filter_map(|i| match &i.action {
        Action::Barrier(barrier) => Some(barrier),
        _ => None,
    });
    barriers.into_iter().nth(after)
}

/// What a thread must add so that all threads of a cluster come to its barrier as often: arrivals without a wait first.
pub fn cluster_rounds(test: &Test, thread: Option<usize>) -> Vec<&'static str> {
    let count = |thread: usize| {
        let barriers = test.threads[thread].code.iter().filter_map(|i| match &i.action {
            Action::Barrier(barrier) if barrier.cluster => Some(barrier),
            _ => None,
        });
        barriers.fold((0, 0), |(arrived, waited), barrier| {
            (arrived + usize::from(barrier.arrives), waited + usize::from(barrier.waits))
        })
    };
    let most = (0..test.threads.len()).map(|thread| count(thread).0).max().unwrap_or(0);
    let (arrived, waited) = thread.map_or((0, 0), count);
    let mut lines = Vec::new();
    if arrived > waited {
        lines.push("barrier.cluster.wait;");
    }
    for _ in arrived..most {
        lines.push("barrier.cluster.arrive.relaxed;");
        lines.push("barrier.cluster.wait;");
    }
    lines
}
