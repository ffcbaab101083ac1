//! All that is known of a function's flow before it runs, in one place.

use super::dominators::Dominators;
use super::graph::Graph;
use super::loops::Loops;
use super::values::Values;
use crate::program::{Function, Program};

/// How control and values flow through a function.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Which block leads to which.
    pub graph: Graph,
    /// What every way to a block passes.
    pub dominators: Dominators,
    /// What every way from a block passes.
    pub ends: Dominators,
    /// The loops.
    pub loops: Loops,
    /// The values of registers; `None` if they are too many.
    pub values: Option<Values>,
}

impl Flow {
    /// The flow of a function that has a body.
    #[must_use]
    pub fn of(program: &Program, function: &Function) -> Self {
        let graph = Graph::of(function);
        let dominators = Dominators::of(&graph);
        let values = Values::of(program, function, &graph, &dominators);
        let (ends, loops) = (Dominators::of_ends(&graph), Loops::of(&graph));
        Self { graph, dominators, ends, loops, values }
    }
}
