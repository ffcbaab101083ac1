//! A question about the order of two accesses: what is asked, what is watched for it, and the answer.

use std::sync::{Mutex, PoisonError};

use ptxvm_syntax::ast::Span;
use rustc_hash::FxHashMap;

use crate::clock::{Entity, Event, Key, Stamp};
use crate::missing::{Accessed, Missing};
use crate::site::SiteId;

/// An access that is asked about: an instruction that begins between two bytes of the source, and a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Where the line begins and ends.
    pub line: Span,
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// `%tid`
    pub tid: [u32; 3],
}

/// How one operation comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It releases, and the other acquires (8.9.4), or both are `fence.sc`.
    Synchronizes,
    /// Both threads come to this barrier of their CTA.
    Barrier(u32),
    /// Both threads come to `bar.warp.sync`.
    WarpBarrier,
    /// Both threads come to the barrier of their cluster.
    ClusterBarrier,
    /// It arrives at an mbarrier object, and the other sees the phase end.
    Mbarrier,
}

/// A step of a chain: an operation of one thread, and one of another that comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The earlier one; a barrier is the same instruction for both, if it is not known.
    pub from: Accessed,
    /// The later one.
    pub to: Accessed,
    /// How.
    pub how: How,
}

/// What the model says about two accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderAnswer {
    /// One of them was not executed by the thread: the first or the second.
    NotExecuted(usize),
    /// The one that was executed first comes before the other, by these steps; none within a thread.
    Ordered {
        /// The earlier access.
        first: Accessed,
        /// The later one.
        second: Accessed,
        /// What leads from one to the other.
        chain: Vec<Step>,
    },
    /// Nothing orders them.
    Unordered {
        /// The one that was executed first.
        first: Accessed,
        /// The other.
        second: Accessed,
        /// What would order them.
        missing: Vec<Missing>,
    },
}

/// A question about two accesses, and its answer after the launch.
#[derive(Debug)]
pub struct OrderQuestion {
    pub(crate) asked: [Asked; 2],
    answer: Mutex<Option<OrderAnswer>>,
}

impl OrderQuestion {
    /// Whether one access is ordered with another.
    #[must_use]
    pub fn new(first: Asked, second: Asked) -> Self {
        Self { asked: [first, second], answer: Mutex::new(None) }
    }

    /// The answer, after the launch.
    #[must_use]
    pub fn answer(&self) -> Option<OrderAnswer> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Answers it.
    pub fn set(&self, answer: OrderAnswer) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }
}

/// What a thread learnt by.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub from: Entity,
    pub release: SiteId,
    pub acquire: SiteId,
    pub how: How,
    /// When.
    pub at: Stamp,
}

/// An access that is watched.
#[derive(Debug)]
pub struct Watched {
    pub sites: Vec<SiteId>,
    pub cta: u64,
    pub warp: u32,
    pub lane: usize,
    /// Its last execution.
    pub happened: Option<(Event, SiteId, Key)>,
    /// By thread: how it learnt of that.
    pub learnt: FxHashMap<Entity, Link>,
}

/// The accesses that are watched, and what is known about them so far.
#[derive(Debug)]
pub struct Explaining {
    pub watched: [Watched; 2],
    /// By warp: where it came to a barrier last.
    pub barriers: FxHashMap<Entity, SiteId>,
    pub answer: Option<OrderAnswer>,
}
