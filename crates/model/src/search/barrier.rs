//! Who meets whom at execution barriers: which arrivals order which waits, and who waits for ever.
//!
//! A litmus test shows some threads of a CTA, not all of them. So a barrier without a count is for the threads that name
//! it. Where more threads than a count come, as many as it says come first, and everyone who passes comes after these
//! (choice B1 of docs/memory-model.md).

use super::operation::{Meeting, Operation, Path};
use crate::event::Kind;
use crate::relation::Relation;
use crate::test::{Action, Operand, Test};

/// How threads meet.
pub struct Meetings {
    /// The ways in which they may: what `barrier` is in each.
    pub ways: Vec<Relation>,
    /// Who waits for ever: the thread, and the number of the operation on its path.
    pub blocked: Vec<(usize, usize)>,
}

/// One barrier's one phase: the operations of it.
struct Phase {
    meeting: Meeting,
    /// The number of the CTA or cluster.
    of: u32,
    number: usize,
    /// Thread, operation, event.
    arrivals: Vec<(usize, usize, usize)>,
    waits: Vec<(usize, usize, usize)>,
}

/// The most ways to meet that are looked at for one choice of paths.
const MOST_WAYS: usize = 4096;

/// How the threads meet on these paths; nothing if there are too many ways.
pub fn meetings(
    test: &Test,
    paths: &[&Path],
    lengths: &[usize],
    first: &[usize],
    events: usize,
) -> Option<Meetings> {
    let mut phases: Vec<Phase> = Vec::new();
    for (thread, path) in paths.iter().enumerate() {
        let place = test.threads[thread].place;
        // How often this thread has arrived and waited at each barrier.
        let mut before: Vec<(Meeting, usize, usize)> = Vec::new();
        for (number, operation) in path.operations[..lengths[thread]].iter().enumerate() {
            let (Some(meeting), Kind::Barrier { arrives, waits }) = (operation.barrier, operation.kind)
            else {
                continue;
            };
            let at = before.iter().position(|(m, ..)| same(m, &meeting)).unwrap_or_else(|| {
                before.push((meeting, 0, 0));
                before.len() - 1
            });
            let counts = &mut before[at];
            let phase = if arrives { counts.1 } else { counts.2 };
            counts.1 += usize::from(arrives);
            counts.2 += usize::from(waits);
            let of = if meeting.cluster { place.cluster } else { place.cta };
            let known =
                phases.iter().position(|p| same(&p.meeting, &meeting) && p.of == of && p.number == phase);
            let at = known.unwrap_or_else(|| {
                phases.push(Phase { meeting, of, number: phase, arrivals: Vec::new(), waits: Vec::new() });
                phases.len() - 1
            });
            let entry = (thread, number, first[thread] + number);
            if arrives {
                phases[at].arrivals.push(entry);
            }
            if waits {
                phases[at].waits.push(entry);
            }
        }
    }
    let mut meetings = Meetings { ways: vec![Relation::empty(events)], blocked: Vec::new() };
    let needs: Vec<usize> = phases.iter().map(|phase| needed(test, phase)).collect();
    let reached = reached(&phases, &needs, lengths);
    for (phase, &needed) in phases.iter().zip(&needs) {
        if !phase.complete(needed, &reached) {
            let here = phase.waits.iter().filter(|&&(thread, number, _)| reached[thread] == number);
            meetings.blocked.extend(here.map(|&(thread, number, _)| (thread, number)));
            continue;
        }
        let mut ways = Vec::new();
        for members in subsets(phase.arrivals.len(), needed, MOST_WAYS / meetings.ways.len())? {
            for way in &meetings.ways {
                let mut way = way.clone();
                for &(thread, number, from) in members.iter().map(|&m| &phase.arrivals[m]) {
                    for &(other, waiting, to) in &phase.waits {
                        let orders = |thread: usize, number: usize| orders(&paths[thread].operations[number]);
                        if thread != other && orders(thread, number) && orders(other, waiting) {
                            way.add(from, to);
                        }
                    }
                }
                ways.push(way);
            }
        }
        meetings.ways = ways;
    }
    Some(meetings)
}

impl Phase {
    /// Whether enough threads have come, if each thread has come so far.
    fn complete(&self, needed: usize, reached: &[usize]) -> bool {
        self.arrivals.iter().filter(|&&(thread, number, _)| number <= reached[thread]).count() >= needed
    }
}

/// How far each thread comes: the number of the operation that it waits at for ever, or the length of its path.
fn reached(phases: &[Phase], needs: &[usize], lengths: &[usize]) -> Vec<usize> {
    let mut reached = vec![0; lengths.len()];
    loop {
        let stops = |thread: usize| {
            let waits = phases.iter().zip(needs).flat_map(|(phase, &needed)| {
                let open = !phase.complete(needed, &reached);
                phase.waits.iter().filter(move |wait| open && wait.0 == thread)
            });
            let next = waits.map(|&(_, number, _)| number).filter(|&number| number >= reached[thread]).min();
            next.unwrap_or(lengths[thread])
        };
        let next: Vec<usize> = (0..lengths.len()).map(stops).collect();
        if next == reached {
            return reached;
        }
        reached = next;
    }
}

/// How many arrivals a phase takes.
fn needed(test: &Test, phase: &Phase) -> usize {
    match phase.meeting.count {
        Some(count) => usize::try_from(count).unwrap_or(0),
        None => participants(test, phase),
    }
}

fn orders(operation: &Operation) -> bool {
    operation.barrier.is_some_and(|meeting| meeting.orders)
}

fn same(a: &Meeting, b: &Meeting) -> bool {
    (a.cluster, a.instance, a.resource) == (b.cluster, b.instance, b.resource)
}

/// How many threads name a barrier: those that have arrived in this phase, and those whose text may.
fn participants(test: &Test, phase: &Phase) -> usize {
    let names = |thread: usize| {
        let thread = &test.threads[thread];
        let of = if phase.meeting.cluster { thread.place.cluster } else { thread.place.cta };
        let arrives = |action: &Action| match action {
            Action::Barrier(barrier) => {
                barrier.arrives
                    && barrier.cluster == phase.meeting.cluster
                    && barrier.instance == phase.meeting.instance
                    && barrier.resource == Operand::Constant(phase.meeting.resource)
            }
            _ => false,
        };
        of == phase.of && thread.code.iter().any(|instruction| arrives(&instruction.action))
    };
    let arrived = |thread| phase.arrivals.iter().any(|&(other, ..)| other == thread);
    (0..test.threads.len()).filter(|&thread| arrived(thread) || names(thread)).count()
}

/// All ways to choose `size` of `count`; nothing if there are more than `most`.
fn subsets(count: usize, size: usize, most: usize) -> Option<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for next in 0..count {
        // Whoever lacks more than is left must take this one.
        let mut grown = Vec::new();
        for subset in all {
            let lacks = size - subset.len();
            if lacks > 0 {
                grown.push([subset.as_slice(), &[next]].concat());
            }
            if lacks < count - next {
                grown.push(subset);
            }
        }
        all = grown;
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}
