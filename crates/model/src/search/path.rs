//! What a thread may do alone: every way through its code, each read giving any value that its location may hold.
//!
//! A turn of a loop that writes nothing and leaves the registers that matter as they were is left out: without its reads an
//! execution is constrained less, and ends the same. So a spin loop has finitely many paths, whatever the others do.

use std::collections::BTreeSet;

use super::limits::{Limits, TooLarge};
use super::live;
use super::operation::{End, Meeting, Operation, Path, Paths};
use crate::event::{Kind, Proxy, Scope, Semantics};
use crate::relation::{MOST_EVENTS, Set};
use crate::test::{Action, Barrier, Manner, Operand, Thread, Update};

/// What a thread's locations may hold, by location.
pub type Domains = Vec<BTreeSet<i64>>;

/// The paths of a thread.
///
/// # Errors
/// There are too many.
pub fn paths(
    thread: &Thread,
    locations: &[usize],
    domains: &Domains,
    observed: &[usize],
    limits: &Limits,
) -> Result<Paths, TooLarge> {
    let live = live::at_heads(&thread.code, thread.registers.len(), observed);
    let mut walk = Walk {
        thread,
        locations,
        domains,
        live,
        limits,
        found: Paths { paths: Vec::new(), bounded: false, left_out: Vec::new(), most_left_out: 0 },
        walked: 0,
    };
    let state = State {
        at: 0,
        registers: thread.registers.iter().map(|(_, value)| (*value, 0)).collect(),
        control: 0,
        operations: Vec::new(),
        heads: Vec::new(),
        walked: 0,
    };
    walk.run(state)?;
    Ok(walk.found)
}

struct Walk<'a> {
    thread: &'a Thread,
    /// The location of each address.
    locations: &'a [usize],
    domains: &'a Domains,
    /// For each instruction that a loop begins with, the registers that matter there.
    live: Vec<Option<Vec<bool>>>,
    limits: &'a Limits,
    found: Paths,
    /// How many instructions were walked.
    walked: usize,
}

#[derive(Clone)]
struct State {
    at: usize,
    /// Of each register its value, and the reads that this depends on.
    registers: Vec<(i64, Set)>,
    /// The reads that the way taken so far depends on.
    control: Set,
    operations: Vec<Operation>,
    /// The heads of loops that were passed.
    heads: Vec<Head>,
    /// How many instructions were walked.
    walked: usize,
}

/// A loop's head as it was passed.
#[derive(Clone)]
struct Head {
    /// Which instruction it is.
    at: usize,
    /// What the registers that matter held.
    registers: Vec<i64>,
    /// How many operations there were.
    operations: usize,
    /// What the way taken so far depended on.
    control: Set,
}

/// The most instructions that are walked on one path, and on all of a thread.
const MOST_WALKED: usize = 20_000;
const MOST_WALKED_IN_ALL: usize = 5_000_000;

impl State {
    fn operand(&self, operand: Operand) -> (i64, Set) {
        match operand {
            Operand::Register(register) => self.registers[register],
            Operand::Constant(constant) => (constant, 0),
        }
    }
}

impl Walk<'_> {
    /// Goes on from a state to the end, and at each read in every direction.
    fn run(&mut self, mut state: State) -> Result<(), TooLarge> {
        loop {
            if let Some(matters) = self.live.get(state.at).and_then(Option::as_ref) {
                let now: Vec<i64> = state
                    .registers
                    .iter()
                    .zip(matters)
                    .map(|((value, _), &matters)| if matters { *value } else { 0 })
                    .collect();
                let before = state.heads.iter().rev().find(|h| h.at == state.at && h.registers == now);
                if let Some(&Head { operations: from, .. }) = before
                    && state.operations[from..].iter().all(Operation::is_idle)
                {
                    return self.finish(state, End::Spins(from));
                }
                // Turns that no read decides are no choice, and end by themselves: they do not count.
                let mut decided: Vec<Set> =
                    state.heads.iter().filter(|h| h.at == state.at).map(|h| h.control).collect();
                decided.dedup();
                if decided.len() > self.limits.unroll {
                    self.leave_out(&state);
                    return Ok(());
                }
                let head = Head {
                    at: state.at,
                    registers: now,
                    operations: state.operations.len(),
                    control: state.control,
                };
                state.heads.push(head);
            }
            state.walked += 1;
            self.walked += 1;
            if self.walked > MOST_WALKED_IN_ALL {
                return Err(TooLarge::Paths(self.thread.name.clone()));
            }
            if state.walked > MOST_WALKED {
                self.leave_out(&state);
                return Ok(());
            }
            if state.operations.len() > MOST_EVENTS {
                return Err(TooLarge::Events);
            }
            let Some(instruction) = self.thread.code.get(state.at) else {
                return self.finish(state, End::Finished);
            };
            match &instruction.action {
                Action::Compute { to, function, left, right } => {
                    let (left, right) = (state.operand(*left), state.operand(*right));
                    state.registers[*to] = (function.apply(left.0, right.0), left.1 | right.1);
                }
                Action::Branch { comparison, left, right, target } => {
                    let (left, right) = (state.operand(*left), state.operand(*right));
                    state.control |= left.1 | right.1;
                    if comparison.holds(left.0, right.0) {
                        state.at = *target;
                        continue;
                    }
                }
                Action::Load { to, addresses, manner } => {
                    return self.load(state, to, addresses, *manner);
                }
                Action::Atomic { to, address, update, manner } => {
                    return self.atomic(state, *to, *address, *update, *manner);
                }
                Action::Store { addresses, values, manner } => {
                    let vector = state.operations.len();
                    for (address, value) in addresses.iter().zip(values) {
                        let (value, depends) = state.operand(*value);
                        let mut operation =
                            self.access(&state, Kind::Write, *address, value, *manner, depends);
                        operation.vector = vector;
                        state.operations.push(operation);
                    }
                }
                Action::Fence { semantics, scope } => {
                    let mut operation = self.operation(&state, Kind::Fence);
                    (operation.semantics, operation.scope) = (*semantics, *scope);
                    state.operations.push(operation);
                }
                Action::ProxyFence(proxy) => {
                    let mut operation = self.operation(&state, Kind::ProxyFence(*proxy));
                    operation.proxy = *proxy;
                    state.operations.push(operation);
                }
                Action::AliasFence => state.operations.push(self.operation(&state, Kind::AliasFence)),
                Action::TensorBefore => state.operations.push(self.operation(&state, Kind::TensorBefore)),
                Action::TensorAfter => state.operations.push(self.operation(&state, Kind::TensorAfter)),
                Action::Await(engine) => {
                    let mut operation = self.operation(&state, Kind::Await);
                    operation.awaits = Some(*engine);
                    state.operations.push(operation);
                }
                Action::Barrier(barrier) => {
                    let operation = self.barrier(&state, barrier);
                    state.operations.push(operation);
                }
            }
            state.at += 1;
        }
    }

    fn load(
        &mut self,
        state: State,
        to: &[usize],
        addresses: &[usize],
        manner: Manner,
    ) -> Result<(), TooLarge> {
        // Each element of a vector may hold anything that its location may hold.
        let vector = state.operations.len();
        let mut states = vec![state];
        for (register, address) in to.iter().zip(addresses) {
            let mut next = Vec::new();
            for state in states {
                for &value in &self.domains[self.locations[*address]] {
                    let mut state = state.clone();
                    let mut operation = self.access(&state, Kind::Read, *address, value, manner, 0);
                    operation.vector = vector;
                    let read = 1 << state.operations.len().min(MOST_EVENTS - 1);
                    state.operations.push(operation);
                    state.registers[*register] = (value, read);
                    next.push(state);
                }
            }
            states = next;
            self.enough(states.len())?;
        }
        for mut state in states {
            state.at += 1;
            self.run(state)?;
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        state: State,
        to: Option<usize>,
        address: usize,
        update: Update,
        manner: Manner,
    ) -> Result<(), TooLarge> {
        let values: Vec<i64> = self.domains[self.locations[address]].iter().copied().collect();
        let (reading, writing) = halves(manner);
        for old in values {
            let mut state = state.clone();
            let number = state.operations.len();
            let read = 1 << number.min(MOST_EVENTS - 1);
            let (new, depends) = match update {
                Update::Function(function, operand) => {
                    let (operand, depends) = state.operand(operand);
                    let own = if function == crate::test::Function::Second { 0 } else { read };
                    (Some(function.apply(old, operand)), depends | own)
                }
                Update::CompareAndSwap(expected, new) => {
                    let (expected, new) = (state.operand(expected), state.operand(new));
                    ((old == expected.0).then_some(new.0), expected.1 | new.1 | read)
                }
            };
            let mut operation = self.access(&state, Kind::Read, address, old, reading, 0);
            (operation.atomic, operation.reduction) = (true, to.is_none());
            state.operations.push(operation);
            if let Some(new) = new {
                let mut operation = self.access(&state, Kind::Write, address, new, writing, depends);
                (operation.atomic, operation.reduction) = (true, to.is_none());
                operation.read = Some(number);
                state.operations.push(operation);
            }
            if let Some(register) = to {
                state.registers[register] = (old, read);
            }
            state.at += 1;
            self.run(state)?;
        }
        Ok(())
    }

    fn barrier(&self, state: &State, barrier: &Barrier) -> Operation {
        let kind = Kind::Barrier { arrives: barrier.arrives, waits: barrier.waits };
        let mut operation = self.operation(state, kind);
        let (resource, depends) = state.operand(barrier.resource);
        let count = barrier.count.map(|count| state.operand(count));
        operation.depends |= depends | count.map_or(0, |(_, depends)| depends);
        operation.barrier = Some(Meeting {
            cluster: barrier.cluster,
            instance: barrier.instance,
            resource,
            count: count.map(|(count, _)| count),
            orders: barrier.orders,
        });
        operation
    }

    fn operation(&self, state: &State, kind: Kind) -> Operation {
        let instruction = &self.thread.code[state.at];
        Operation {
            kind,
            semantics: Semantics::Weak,
            scope: Scope::Cta,
            proxy: Proxy::Generic,
            address: None,
            value: 0,
            atomic: false,
            reduction: false,
            asynchronous: instruction.asynchronous,
            awaits: None,
            read: None,
            vector: state.operations.len(),
            depends: state.control,
            barrier: None,
            span: instruction.span,
        }
    }

    fn access(
        &self,
        state: &State,
        kind: Kind,
        address: usize,
        value: i64,
        manner: Manner,
        depends: Set,
    ) -> Operation {
        let mut operation = self.operation(state, kind);
        operation.semantics = manner.semantics;
        operation.scope = manner.scope;
        operation.proxy = manner.proxy;
        operation.address = Some(address);
        operation.value = value;
        operation.depends |= depends;
        operation
    }

    /// Gives up a path that turns in a loop too often.
    fn leave_out(&mut self, state: &State) {
        self.found.bounded = true;
        let writes = state.operations.iter().filter(|o| o.kind == Kind::Write);
        self.found.most_left_out = self.found.most_left_out.max(writes.clone().count());
        for operation in writes {
            if let Some(address) = operation.address
                && !self.found.left_out.contains(&(address, operation.value))
            {
                self.found.left_out.push((address, operation.value));
            }
        }
    }

    fn finish(&mut self, state: State, end: End) -> Result<(), TooLarge> {
        let registers = state.registers.into_iter().map(|(value, _)| value).collect();
        self.found.paths.push(Path { operations: state.operations, registers, end });
        self.enough(self.found.paths.len())
    }

    fn enough(&self, count: usize) -> Result<(), TooLarge> {
        if count > self.limits.paths { Err(TooLarge::Paths(self.thread.name.clone())) } else { Ok(()) }
    }
}

/// How the read and the write of an atomic operation take part in synchronization.
fn halves(manner: Manner) -> (Manner, Manner) {
    let with = |semantics| Manner { semantics, ..manner };
    let (acquires, releases) = (manner.semantics.acquires(), manner.semantics.releases());
    let weak = manner.semantics == Semantics::Weak;
    let plain = if weak { Semantics::Weak } else { Semantics::Relaxed };
    (
        with(if acquires { Semantics::Acquire } else { plain }),
        with(if releases { Semantics::Release } else { plain }),
    )
}
