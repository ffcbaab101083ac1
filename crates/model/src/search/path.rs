//! What a thread may do alone: every way through its code, each read giving any value that its location may hold.
//!
//! A turn of a loop that writes nothing and leaves the registers that matter as they were is left out: without its reads an
//! execution is constrained less, and ends the same. So a spin loop has finitely many paths, whatever the others do.

use std::collections::BTreeSet;

use ptxvm_syntax::ast::Span;

use super::limits::{Limits, TooLarge};
use super::live;
use crate::event::{Kind, Proxy, Scope, Semantics};
use crate::relation::{MOST_EVENTS, Set};
use crate::test::{Action, Asynchronous, Barrier, Engine, Manner, Operand, Thread, Update};

/// One operation on a path.
#[derive(Clone, Debug)]
pub struct Operation {
    pub kind: Kind,
    pub semantics: Semantics,
    pub scope: Scope,
    pub proxy: Proxy,
    pub address: Option<usize>,
    pub value: i64,
    pub atomic: bool,
    pub reduction: bool,
    pub asynchronous: Option<Asynchronous>,
    /// The engine whose operations it waits for.
    pub awaits: Option<Engine>,
    /// For the write of an atomic operation: the read.
    pub read: Option<usize>,
    /// The first operation of the same vector access, whose parts have no order.
    pub vector: usize,
    /// The reads of the path that it depends on.
    pub depends: Set,
    /// Which barrier it is part of, and how many threads meet there.
    pub barrier: Option<Meeting>,
    /// Where its instruction stands.
    pub span: Span,
}

/// A barrier by its numbers, as they were when it was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    pub cluster: bool,
    pub instance: i64,
    pub resource: i64,
    pub count: Option<i64>,
    pub orders: bool,
}

/// How a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Finished,
    /// Turns in a loop without an effect, which begins with this operation.
    Spins(usize),
}

/// One way through a thread's code.
#[derive(Clone, Debug)]
pub struct Path {
    pub operations: Vec<Operation>,
    /// What the registers hold in the end.
    pub registers: Vec<i64>,
    pub end: End,
}

/// The paths of a thread, and whether some were left out because a loop was entered too often.
pub struct Paths {
    pub paths: Vec<Path>,
    pub bounded: bool,
}

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
    let mut walk =
        Walk { thread, locations, domains, live, limits, found: Paths { paths: Vec::new(), bounded: false } };
    let state = State {
        at: 0,
        registers: thread.registers.iter().map(|(_, value)| (*value, 0)).collect(),
        control: 0,
        operations: Vec::new(),
        heads: Vec::new(),
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
}

#[derive(Clone)]
struct State {
    at: usize,
    /// Of each register its value, and the reads that this depends on.
    registers: Vec<(i64, Set)>,
    /// The reads that the way taken so far depends on.
    control: Set,
    operations: Vec<Operation>,
    /// The heads of loops that were passed: the instruction, the registers, how many operations there were.
    heads: Vec<(usize, Vec<i64>, usize)>,
}

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
                let visits = state.heads.iter().filter(|(at, ..)| *at == state.at).count();
                let before = state.heads.iter().rev().find(|(at, then, _)| *at == state.at && *then == now);
                if let Some(&(_, _, from)) = before {
                    let idle = state.operations[from..].iter().all(Operation::is_idle);
                    if idle {
                        return self.finish(state, End::Spins(from));
                    }
                }
                if visits > self.limits.unroll {
                    self.found.bounded = true;
                    return Ok(());
                }
                let count = state.operations.len();
                state.heads.push((state.at, now, count));
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

    fn finish(&mut self, state: State, end: End) -> Result<(), TooLarge> {
        let registers = state.registers.into_iter().map(|(value, _)| value).collect();
        self.found.paths.push(Path { operations: state.operations, registers, end });
        self.enough(self.found.paths.len())
    }

    fn enough(&self, count: usize) -> Result<(), TooLarge> {
        if count > self.limits.paths { Err(TooLarge::Paths(self.thread.name.clone())) } else { Ok(()) }
    }
}

impl Operation {
    /// Whether a loop may do it again and again without effect.
    fn is_idle(&self) -> bool {
        !matches!(self.kind, Kind::Write | Kind::Barrier { .. })
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
