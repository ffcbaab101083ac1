//! What a thread has released: its clock at a release operation or a fence, for those whom its scope includes.

use std::sync::Arc;

use ptxvm_model::event::{Place, Scope};
use ptxvm_model::strength::includes;

use crate::clock::{Clock, Entity, Event, Stamp, join};
use crate::site::SiteId;

/// What a thread knew and did when it released.
#[derive(Clone, Debug)]
pub struct Published {
    /// Where it runs; `None` for what is no thread's own, and if several have become one, whose scopes were the device at
    /// least.
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

/// So many whose scopes are the device or the system are kept apart, the last ones; those before become one, which counts for
/// everybody.
const WIDE: usize = 8;
/// So many whose scopes are narrower are remembered: who is in the scope of one is one of few.
const NARROW: usize = 64;

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
    // What is no thread's own is for all who wait.
    let wide = |one: &Published| one.place.is_none() || one.scope >= Scope::Gpu;
    let alike = |known: &&mut Published| match (known.place, published.place) {
        (None, None) => true,
        (None, _) | (_, None) => false,
        (Some(known_place), Some(place)) => known_place == place && known.scope == published.scope,
    };
    if let Some(known) = list.iter_mut().find(alike) {
        return known.absorb(published);
    }
    list.push(published.clone());
    if wide(published) && list.iter().filter(|one| wide(one)).count() > WIDE {
        // The last ones stay apart, so that an acquire of too narrow a scope is seen to miss them.
        let mut first = || list.iter().position(wide).map(|at| list.remove(at));
        if let (Some(mut all), Some(other)) = (first(), first()) {
            all.absorb(&other);
            all.place = None;
            list.insert(0, all);
        }
    } else if !wide(published) && list.iter().filter(|one| !wide(one)).count() > NARROW {
        let oldest = list.iter().position(|one| !wide(one));
        oldest.map(|oldest| list.remove(oldest));
    }
}
