//! An access as the checker compares it with others: who makes it, what it does, and what it comes after.

use std::sync::Arc;

use ptxvm_machine::door::touch::{Proxy, Space};
use ptxvm_model::event::Scope;
use ptxvm_order::{Actor, Clock, Event, Stamp};

use crate::race::record::Record;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    /// It reads and writes in one step.
    Update,
    /// It changes the mbarrier object that lies there: no data, but the object must have been initialised.
    Mbarrier,
}

impl Kind {
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Update)
    }
}

/// Some bytes of a memory: where they begin, and how many they are.
pub type Place = (Space, u64, u64);

/// An access that is made now.
#[derive(Clone, Debug)]
pub struct Deed {
    pub actor: Actor,
    /// Who makes it: a thread, or the unit that works for it.
    pub event: Event,
    /// The lanes of the actor's warp whose doing comes before it by program order.
    pub own: u32,
    /// What comes before it.
    pub clock: Arc<Clock>,
    pub kind: Kind,
    /// The scope of a strong operation.
    pub strong: Option<Scope>,
    /// Through which proxy.
    pub proxy: Proxy,
    /// Whether it changes words by operations of the async proxy that are atomic among each other.
    pub reduces: bool,
    /// Whether it is known afterwards if it wrote what was there already.
    pub may_repeat: bool,
    /// What is kept of it, but for the bytes; `None` if its numbers are too large.
    pub record: Option<Record>,
    /// The stamp up to which all threads of its CTA know each other.
    pub settled: Stamp,
}

impl Deed {
    /// The same by another lane, with what comes before that.
    #[inline]
    pub fn set_lane(&mut self, lane: usize, together: bool) {
        self.own = if together { u32::MAX } else { 1 << lane };
        self.event.lanes = self.actor.event(1 << lane, self.event.stamp).lanes;
        self.record = Record::new(&self.event, self.actor.id, 0);
    }
}

/// What is done with an access. Lanes that write a word by one instruction are all compared before one is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// It is compared with those before it.
    Compare,
    /// Later ones are compared with it.
    Keep,
    /// Both.
    Both,
}
