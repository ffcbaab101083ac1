//! A thread that reads: what it knows, and what it missed.

use std::sync::Arc;

use ptxvm_model::event::{Place, Scope};
use ptxvm_model::strength::includes;

use crate::actor::Actor;
use crate::clock::{Clock, Event};
use crate::history::{Key, Record, Seen};
use crate::site::SiteId;

/// A thread that reads, and what it knows.
pub struct Reader {
    pub actor: Actor,
    pub lane: usize,
    pub clock: Arc<Clock>,
}

impl Reader {
    /// Whether somebody's doing happens before the reader's.
    pub fn knows(&self, event: &Event) -> bool {
        self.is_own(event) || self.clock.knows(event)
    }

    fn is_own(&self, event: &Event) -> bool {
        event.cta == self.actor.cta && event.warp == self.actor.warp && event.lanes >> self.lane & 1 != 0
    }

    /// Whether the reader sees a write or a later one. What its thread saw by a weak read, or with too narrow a scope, binds
    /// it to nothing (8.10.5). A weak read is bound all the same: no GPU is known on which two of them go back.
    pub fn must_see(&self, record: &Record) -> bool {
        let is_weak = !self.actor.site.is_strong();
        let binds = |seen: &Seen| (seen.strong && self.knows(&seen.by)) || (is_weak && self.is_own(&seen.by));
        self.knows(&record.event) || record.seen.iter().any(binds)
    }

    /// Whether a write of the thread comes after another, or after a read of the thread's that has seen it.
    pub fn is_after(&self, record: &Record) -> bool {
        self.must_see(record) || record.seen.iter().any(|seen| self.is_own(&seen.by))
    }
}

/// A write that a read missed.
pub struct Missed {
    pub event: Event,
    pub site: SiteId,
    pub key: Key,
    /// The write that was seen instead.
    pub seen: Option<(Event, SiteId)>,
}

/// Whether two strong operations of different threads are morally strong (8.7): each scope includes the other's thread.
pub fn is_morally_strong(a: (Scope, Place), b: (Scope, Place)) -> bool {
    includes(a.0, a.1, b.1) && includes(b.0, b.1, a.1)
}
