//! Puts one path of each thread together: events, and the relations that the paths alone decide.

use super::barrier::{self, Meetings};
use super::limits::TooLarge;
use super::operation::{Operation, Path};
use crate::event::{Event, Kind, Place, Proxy, Scope, Semantics};
use crate::notation::Base;
use crate::relation::{MOST_EVENTS, Relation, members};
use crate::test::Test;

/// The events of some paths, and how their threads meet at barriers.
pub struct Assembly {
    /// Everything but `barrier`.
    pub base: Base,
    /// For each thread the number of its first event.
    pub first: Vec<usize>,
    pub meetings: Meetings,
}

/// Puts paths together, the first `lengths` operations of each.
///
/// # Errors
/// They have too many events, or meet in too many ways.
pub fn assemble(test: &Test, paths: &[&Path], lengths: &[usize]) -> Result<Assembly, TooLarge> {
    let mut events: Vec<Event> = (0..test.locations.len()).map(|location| initial(test, location)).collect();
    let mut first = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        first.push(events.len());
        events.extend(path.operations[..lengths[number]].iter().map(|o| event(test, number, o)));
    }
    let count = events.len();
    if count > MOST_EVENTS {
        return Err(TooLarge::Events);
    }
    let mut base = Base {
        events,
        po: Relation::empty(count),
        rmw: Relation::empty(count),
        dep: Relation::empty(count),
        barrier: Relation::empty(count),
        issue: Relation::empty(count),
    };
    for (number, path) in paths.iter().enumerate() {
        let operations = &path.operations[..lengths[number]];
        let start = first[number];
        for (b, later) in operations.iter().enumerate() {
            for (a, earlier) in operations[..b].iter().enumerate() {
                match ordered(earlier, later) {
                    Ordered::Program => base.po.add(start + a, start + b),
                    Ordered::Issue => base.issue.add(start + a, start + b),
                    Ordered::No => {}
                }
            }
            members(later.depends).for_each(|read| base.dep.add(start + read, start + b));
            if let Some(read) = later.read {
                base.rmw.add(start + read, start + b);
            }
        }
    }
    let meetings = barrier::meetings(test, paths, lengths, &first, count).ok_or(TooLarge::Meetings)?;
    Ok(Assembly { base, first, meetings })
}

enum Ordered {
    Program,
    Issue,
    No,
}

/// How two operations of a thread are ordered, the earlier of which comes first in its text.
fn ordered(earlier: &Operation, later: &Operation) -> Ordered {
    let tensor = |o: &Operation| o.proxy == Proxy::Tensor && o.address.is_some();
    if tensor(earlier) || tensor(later) {
        // Choice A2: the tensor cores take operations in the order of issue; anything else needs a fence or a wait.
        let fenced = later.kind == Kind::TensorBefore || earlier.kind == Kind::TensorAfter;
        let piped = |o: &Operation| tensor(o) && o.asynchronous.is_some();
        return if fenced || piped(earlier) && piped(later) { Ordered::Program } else { Ordered::No };
    }
    if earlier.vector == later.vector {
        return Ordered::No;
    }
    match (earlier.asynchronous, later.asynchronous) {
        (None, None) => Ordered::Program,
        (Some(a), Some(b)) if a == b => Ordered::Program,
        (None, Some(_)) => Ordered::Issue,
        (Some(a), None) if later.awaits == Some(a.engine) => Ordered::Program,
        _ => Ordered::No,
    }
}

fn initial(test: &Test, location: usize) -> Event {
    Event {
        thread: None,
        place: Place { cta: 0, cluster: 0, gpu: 0 },
        kind: Kind::Initial,
        semantics: Semantics::Weak,
        scope: Scope::Sys,
        proxy: Proxy::Generic,
        address: test.addresses.iter().position(|address| address.location == location),
        location: Some(location),
        value: test.locations[location].initial,
        atomic: false,
        reduction: false,
        phase_test: false,
        asynchronous: None,
        span: ptxvm_syntax::ast::Span::new(0, 0),
    }
}

fn event(test: &Test, thread: usize, operation: &Operation) -> Event {
    let location = operation.address.map(|address| test.addresses[address].location);
    let mbarrier = location.is_some_and(|location| test.locations[location].mbarrier.is_some());
    Event {
        thread: Some(thread),
        place: test.threads[thread].place,
        kind: operation.kind,
        semantics: operation.semantics,
        scope: operation.scope,
        proxy: operation.proxy,
        address: operation.address,
        location,
        value: operation.value,
        atomic: operation.atomic,
        reduction: operation.reduction,
        phase_test: mbarrier && operation.kind == Kind::Read && !operation.atomic,
        asynchronous: operation.asynchronous.map(|a| a.number),
        span: operation.span,
    }
}
