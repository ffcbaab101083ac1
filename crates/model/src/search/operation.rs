//! A path: what one thread does from its beginning to its end, before anything is said of the others.

use ptxvm_syntax::ast::Span;

use crate::event::{Kind, Proxy, Scope, Semantics};
use crate::relation::Set;
use crate::test::{Asynchronous, Engine};

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
    /// What the paths that were left out write, up to where they were: address and value of each write. Others may read it.
    pub left_out: Vec<(usize, i64)>,
    /// The most writes on one of these.
    pub most_left_out: usize,
}

impl Operation {
    /// Whether a loop may do it again and again without effect.
    pub fn is_idle(&self) -> bool {
        !matches!(self.kind, Kind::Write | Kind::Barrier { .. })
    }
}
