//! What a thread has released: its clock at a release operation or a fence, for those whom its scope includes.

use std::sync::Arc;

use ptxvm_model::event::{Place, Scope};
use ptxvm_model::strength::includes;

use crate::clock::{Clock, Entity, Event, Stamp, join};
use crate::site::SiteId;

/// What a thread knew and did when it released.
#[derive(Clone, Debug)]
pub struct Published {
    /// Where it runs; `None` if several have become one.
    pub place: Option<Place>,
    /// The scope of the release operation or fence.
    pub scope: Scope,
    pub clock: Arc<Clock>,
    /// The thread, and its stamp then.
    pub by: Entity,
    pub stamp: Stamp,
    /// The instruction that released.
    pub site: SiteId,
}

/// So many are kept apart; more become one that counts for everybody, so that nothing right is missed.
const APART: usize = 8;

impl Published {
    /// Whether an acquire operation or fence of a thread elsewhere is morally strong with the release (8.7).
    pub fn is_for(&self, scope: Scope, place: Place) -> bool {
        self.place
            .is_none_or(|releaser| includes(self.scope, releaser, place) && includes(scope, place, releaser))
    }

    /// All that who acquires it knows.
    pub fn whole(&self) -> Arc<Clock> {
        if self.clock.get(self.by) >= self.stamp {
            return Arc::clone(&self.clock);
        }
        Arc::new(self.clock.with(self.by, self.stamp))
    }

    /// Whether who acquires it knows what one of the lanes did.
    pub fn covers(&self, event: &Event) -> bool {
        self.clock.knows(event) || Clock::default().with(self.by, self.stamp).knows(event)
    }

    fn absorb(&mut self, other: &Published) {
        self.clock = join(&self.whole(), &other.whole());
        (self.by, self.stamp, self.site) = (other.by, other.stamp, other.site);
    }
}

/// Adds to what has been published. What is alike for all who could acquire it becomes one.
pub fn publish(list: &mut Vec<Published>, published: &Published) {
    let alike = |known: &&mut Published| {
        known.place.is_none() || (known.place == published.place && known.scope == published.scope)
    };
    if let Some(known) = list.iter_mut().find(alike) {
        return known.absorb(published);
    }
    list.push(published.clone());
    if list.len() > APART {
        let mut all = list.swap_remove(0);
        list.drain(..).for_each(|other| all.absorb(&other));
        all.place = None;
        list.push(all);
    }
}
