//! The weak memory of a launch: the views of its threads, the histories of its words, and the choices that are made.

use std::sync::Arc;

use ptxvm_machine::door::observer::Who;
use ptxvm_machine::door::touch::Space;
use ptxvm_machine::random::splitmix64;
use ptxvm_memory::{Budget, Charge};
use rustc_hash::FxHashMap;

use crate::actor::Actor;
use crate::clock::Stamp;
use crate::cluster::ClusterView;
use crate::history::{Histories, Key, Unwritten};
use crate::issued::{Issued, OperationId};
use crate::published::Published;
use crate::question::Explaining;
use crate::shadow::{Entry, Shadow};
use crate::shape::Shape;
use crate::site::{SiteId, Sites};
use crate::stale::Notes;
use crate::view::CtaView;

/// The weak memory of a launch.
#[derive(Debug)]
pub struct Memory {
    pub shape: Shape,
    pub sites: Arc<Sites>,
    budget: Arc<Budget>,
    random: u64,
    /// How often of 256 times a read that may see an older state does.
    staleness: u64,
    /// The stamp of what happens now.
    pub now: Stamp,
    /// The number of the running instruction among those that touch memory.
    pub key: Key,
    pub global: Shadow,
    /// By cluster: its shared memory.
    shared: FxHashMap<u64, Shadow>,
    spare: Vec<Shadow>,
    pub histories: Histories,
    pub ctas: FxHashMap<u64, Box<CtaView>>,
    pub clusters: FxHashMap<u64, ClusterView>,
    /// What `fence.sc` operations have released to later ones.
    pub sequential: Vec<Published>,
    pub notes: Notes,
    /// When the reads that are made now were put off, if they were.
    pub put_off: Option<Key>,
    /// Writes that go beside memory by the last instruction.
    pub unwritten: Vec<Unwritten>,
    /// Asynchronous operations that have been issued, and what they see.
    pub issued: FxHashMap<OperationId, Issued>,
    /// Two accesses whose order is asked for.
    pub explaining: Option<Box<Explaining>>,
}

/// So many CTAs are remembered whose threads have ended, among others.
const KEPT: usize = 64;

/// More histories than this, some hundred megabytes, are not kept.
const MOST_HISTORIES: usize = 1 << 20;

impl Memory {
    /// With `weak`, reads see older writes; otherwise the newest ones, and only what orders them is followed.
    pub fn new(shape: Shape, sites: Arc<Sites>, budget: Arc<Budget>, (seed, weak): (u64, bool)) -> Self {
        let mut random = seed ^ 0x5eed_0fa1_57a1_e000;
        let mood = splitmix64(&mut random);
        Self {
            shape,
            sites,
            budget,
            random,
            // Some programs fail when all that may be old is, others when little is.
            staleness: if weak { [256, 192, 128, 32][(mood % 4) as usize] } else { 0 },
            now: 1,
            key: 0,
            global: Shadow::default(),
            shared: FxHashMap::default(),
            spare: Vec::new(),
            histories: Histories::default(),
            ctas: FxHashMap::default(),
            clusters: FxHashMap::default(),
            sequential: Vec::new(),
            notes: Notes::default(),
            put_off: None,
            unwritten: Vec::new(),
            issued: FxHashMap::default(),
            explaining: None,
        }
    }

    pub fn random(&mut self) -> u64 {
        splitmix64(&mut self.random)
    }

    /// Whether a read that may see an older state does.
    pub fn chooses_old(&mut self) -> bool {
        self.random() % 256 < self.staleness
    }

    /// What orders memory can be followed no longer: from now on all reads see the newest writes, which is never wrong.
    pub fn give_up(&mut self) {
        self.staleness = 0;
    }

    /// What released lies behind; what follows has another stamp.
    pub fn tick(&mut self) {
        self.now = (self.now + 1).min(Stamp::MAX - 1);
        if self.now == Stamp::MAX - 1 {
            // The last stamp says something else.
            self.give_up();
        }
    }

    /// Who executes the instruction of a site.
    pub fn actor(&self, who: &Who, id: SiteId, space: Space) -> Actor {
        let cta = self.shape.cta(who.ctaid);
        Actor { cta, cluster: who.cluster, warp: who.warp, site: self.sites.get(id), id, space }
    }

    /// The views of a CTA's threads.
    pub fn view(&mut self, cta: u64) -> &mut CtaView {
        let shape = self.shape;
        self.ctas.entry(cta).or_insert_with(|| {
            let warps = shape.block.iter().product::<u32>().div_ceil(32);
            Box::new(CtaView::new(shape.place(cta), warps))
        })
    }

    /// What is known of a memory.
    pub fn shadow(&mut self, space: Space, cluster: u64) -> &mut Shadow {
        match space {
            Space::Shared => {
                let Self { shared, spare, .. } = self;
                shared.entry(cluster).or_insert_with(|| spare.pop().unwrap_or_default())
            }
            _ => &mut self.global,
        }
    }

    /// The entry of a word that is about to be written, with the histories; `None` if there is no memory for them.
    pub fn entry(
        &mut self,
        space: Space,
        cluster: u64,
        address: u64,
    ) -> Option<(&mut Entry, Stamp, &mut Histories)> {
        let Self { budget, global, shared, spare, histories, staleness, .. } = self;
        let shadow = match space {
            Space::Shared => shared.entry(cluster).or_insert_with(|| spare.pop().unwrap_or_default()),
            _ => global,
        };
        let base = shadow.base;
        let charge = |bytes: u64| -> Option<Charge> { budget.charge(bytes).ok() };
        let entry = shadow.make(address, charge).filter(|_| histories.count() < MOST_HISTORIES);
        if entry.is_none() {
            *staleness = 0;
        }
        Some((entry?, base, histories))
    }

    /// The entry of a word, if something may be known of it, with the histories.
    pub fn known(
        &mut self,
        space: Space,
        cluster: u64,
        address: u64,
    ) -> Option<(&mut Entry, Stamp, &mut Histories)> {
        let Self { global, shared, histories, .. } = self;
        let shadow = match space {
            Space::Shared => shared.get_mut(&cluster)?,
            _ => global,
        };
        let base = shadow.base;
        Some((shadow.get(address)?, base, histories))
    }

    /// Whether something may be known of some shared memory.
    pub fn has_shared(&self) -> bool {
        self.shared.values().any(|shadow| !shadow.is_empty())
    }

    /// Bytes have been written so that all see it.
    pub fn forget(&mut self, space: Space, cluster: u64, address: u64, bytes: u64) {
        let Self { global, shared, histories, .. } = self;
        match space {
            Space::Global => global.forget(address, bytes, histories),
            Space::Shared => {
                if let Some(shadow) = shared.get_mut(&cluster) {
                    shadow.forget(address, bytes, histories);
                }
            }
            _ => {}
        }
    }

    /// A cluster has ended: its shared memory is gone, and the views of its threads are if there are many.
    pub fn end_cluster(&mut self, cluster: u64) {
        self.clusters.remove(&cluster);
        self.issued.retain(|id, _| id.cluster != cluster);
        if let Some(mut shadow) = self.shared.remove(&cluster) {
            shadow.pass_on(self.now, &mut self.histories);
            self.spare.push(shadow);
            self.tick();
        }
        // Reports ask whether a thread that has ended had executed a fence.
        if self.ctas.len() <= KEPT {
            return;
        }
        let shape = self.shape;
        if shape.has_clusters() {
            self.ctas.retain(|cta, _| u64::from(shape.place(*cta).cluster) != cluster & u64::from(u32::MAX));
        } else {
            self.ctas.remove(&cluster);
        }
    }
}
