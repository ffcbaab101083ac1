//! A thread that touches memory, and what it knows.

use std::sync::Arc;

use ptxvm_model::event::{Place, Scope};
use ptxvm_model::strength::includes;

use crate::actor::Actor;
use crate::clock::{Clock, Event};

/// A thread that touches memory, and what it knows.
#[derive(Clone, Debug)]
pub struct Reader {
    /// Its warp and the instruction.
    pub actor: Actor,
    /// Its lane.
    pub lane: usize,
    /// What happens before it.
    pub clock: Arc<Clock>,
}

impl Reader {
    /// Whether somebody's doing happens before the reader's.
    #[must_use]
    pub fn knows(&self, event: &Event) -> bool {
        self.is_own(event) || self.clock.knows(event)
    }

    /// Whether it is the reader's own.
    #[must_use]
    pub fn is_own(&self, event: &Event) -> bool {
        event.cta == self.actor.cta && event.warp == self.actor.warp && event.lanes >> self.lane & 1 != 0
    }
}

/// Whether two strong operations of different threads are morally strong (8.7): each scope includes the other's thread.
pub fn is_morally_strong(a: (Scope, Place), b: (Scope, Place)) -> bool {
    includes(a.0, a.1, b.1) && includes(b.0, b.1, a.1)
}
