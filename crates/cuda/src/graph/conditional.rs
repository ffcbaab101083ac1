//! Conditional nodes: a value that kernels set decides whether a graph runs, how often, or which of several graphs runs.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use ptxvm_vm::SetConditional;

use super::definition::CUgraph;
use crate::abi::{Answer, CUresult};
use crate::handles::{Handle, Object};

/// `CUgraphConditionalHandle`: kernels are given it too, to set the value.
pub type CUgraphConditionalHandle = Handle<Variable>;

/// A value that conditional nodes ask.
pub struct Variable {
    /// The graph that it was made for.
    pub graph: CUgraph,
    /// What kernels set.
    pub value: AtomicU32,
    /// What it is when a launch begins, if it does not stay what it was.
    pub default: Option<u32>,
}

impl Object for Variable {
    const STALE: CUresult = CUresult::INVALID_VALUE;
}

impl Variable {
    /// The value.
    pub fn get(&self) -> u32 {
        self.value.load(Ordering::Acquire)
    }

    /// Makes it what it is at the beginning of a launch.
    pub fn begin(&self) {
        if let Some(default) = self.default {
            self.value.store(default, Ordering::Release);
        }
    }
}

/// What kernels set values by (`cudaGraphSetConditional`). A handle that names none is left.
pub fn conditional_setter() -> SetConditional {
    static SETTER: LazyLock<SetConditional> = LazyLock::new(|| {
        Arc::new(|handle, value| {
            if let Some(variable) = CUgraphConditionalHandle::new(handle).find() {
                variable.value.store(value, Ordering::Release);
            }
        })
    });
    Arc::clone(&SETTER)
}

/// How a value decides: `CUgraphConditionalNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The first body for what is not zero, the second, if there is one, for zero.
    If,
    /// The body as long as it is not zero.
    While,
    /// The body of that number, if there is one.
    Switch,
}

impl Choice {
    /// The choice of a number.
    ///
    /// # Errors
    /// There is none, or it cannot have so many bodies.
    pub fn new(number: u32, bodies: u32) -> Answer<Self> {
        match (number, bodies) {
            (0, 1..=2) => Ok(Choice::If),
            (1, 1) => Ok(Choice::While),
            // The number of bodies is the program's; this keeps a slip of the pen from filling the memory.
            (2, 1..=65536) => Ok(Choice::Switch),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }
}

/// What a conditional node does.
#[derive(Clone)]
pub struct Conditional<G> {
    pub handle: CUgraphConditionalHandle,
    pub variable: Arc<Variable>,
    pub choice: Choice,
    pub bodies: Vec<G>,
}

impl<G> Conditional<G> {
    /// The same with something else in the place of the bodies.
    ///
    /// # Errors
    /// What `change` says.
    pub fn try_map<H>(&self, change: impl FnMut(&G) -> Answer<H>) -> Answer<Conditional<H>> {
        Ok(Conditional {
            handle: self.handle,
            variable: Arc::clone(&self.variable),
            choice: self.choice,
            bodies: self.bodies.iter().map(change).collect::<Answer<_>>()?,
        })
    }

    /// Runs what the value says.
    ///
    /// # Errors
    /// What a body says.
    pub fn run(&self, mut run: impl FnMut(&G) -> Answer) -> Answer {
        let value = self.variable.get() as usize;
        let chosen = match self.choice {
            Choice::If => self.bodies.get(usize::from(value == 0)),
            Choice::Switch => self.bodies.get(value),
            Choice::While => {
                while self.variable.get() != 0 {
                    self.bodies.first().map_or(Ok(()), &mut run)?;
                }
                None
            }
        };
        chosen.map_or(Ok(()), run)
    }
}
