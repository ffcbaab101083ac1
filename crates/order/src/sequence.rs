//! The order of `fence.sc` operations that no execution could turn round (8.9.3, 8.10.2).
//!
//! A run executes these fences one after another, but another run with the same values may have them the other way round,
//! unless something contradicts that. So of two fences the first comes before the second only if a strong operation after
//! the first communicates with one before the second: it is seen or overwritten by it, or reads what it overwrites. Were the
//! second fence the first, the second operation would come before the one that it has seen the effect of (8.10.6).
//!
//! A word remembers what the fences before its strong reads and writes released. Who reads or writes it takes that along,
//! and its next fence acquires it. What has been taken along stays with its thread.

use ptxvm_model::event::{Place, Scope};

use crate::actor::Actor;
use crate::order::Order;
use crate::published::{Published, publish};
use crate::site::SiteId;
use crate::view::Lane;

/// What the `fence.sc` operations of a thread have released, and those that its next one comes after.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// What its own last ones released, by their scopes.
    own: Vec<Published>,
    /// What others released that its strong operations have met.
    met: Vec<Published>,
}

/// What the fences before the strong operations on a word released.
#[derive(Clone, Debug, Default)]
pub struct Sequenced {
    reads: Vec<Published>,
    writes: Vec<Published>,
}

impl Lane {
    /// A `fence.sc` comes after those that it must come after.
    pub fn follow_sequence(&mut self, by: (Scope, Place), site: SiteId) {
        let met = std::mem::take(&mut self.sequence.met);
        if !self.acquire(&met, by, site) {
            self.sequence.met = met;
        }
    }

    /// What it releases comes before what it must come before.
    pub fn lead_sequence(&mut self, published: Published) {
        self.sequence.own.retain(|own| own.scope > published.scope);
        self.sequence.own.push(published);
    }
}

impl Order {
    /// A strong operation of a lane reads or writes a word, or both.
    pub fn sequence(
        &mut self,
        actor: &Actor,
        lane: usize,
        word: &mut Sequenced,
        (reads, writes): (bool, bool),
    ) {
        let view = self.view(actor.cta).warps[actor.warp as usize].lane(lane);
        let Sequence { own, met } = &mut view.sequence;
        word.writes.iter().for_each(|published| publish(met, published));
        if writes {
            word.reads.iter().for_each(|published| publish(met, published));
            // Who reads what is written now comes after these reads too.
            let before = std::mem::take(&mut word.reads);
            before.iter().chain(own.iter()).for_each(|published| publish(&mut word.writes, published));
        } else if reads {
            own.iter().for_each(|published| publish(&mut word.reads, published));
        }
    }

    /// Whether a lane's fences or those that it has met lead or follow others.
    #[must_use]
    pub fn is_sequenced(&mut self, actor: &Actor, lane: usize) -> bool {
        let lanes = &self.view(actor.cta).warps[actor.warp as usize].lanes;
        lanes.as_ref().is_some_and(|lanes| !lanes[lane].sequence.own.is_empty())
    }
}
