//! Who touches memory or orders it: lanes of a warp, with an instruction.

use ptxvm_machine::door::touch::Space;

use crate::clock::{Entity, Event, Stamp};
use crate::site::{Manner, Site, SiteId};

/// Who touches memory, and how.
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    pub cta: u64,
    pub cluster: u64,
    pub warp: u32,
    pub site: Site,
    pub id: SiteId,
    pub space: Space,
}

impl Actor {
    pub fn entity(&self, lane: usize) -> Entity {
        Entity::thread(self.cta, self.warp, lane)
    }

    /// What some lanes do now. Lanes that move a matrix together count as one: what is told of each lane are its rows.
    pub fn event(&self, lanes: u32, stamp: Stamp) -> Event {
        let lanes = if self.site.manner == Manner::Together { u32::MAX } else { lanes };
        Event { cta: self.cta, warp: self.warp, lanes, stamp }
    }
}
