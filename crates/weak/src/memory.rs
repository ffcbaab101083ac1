//! The weak memory of a launch: the views of its threads, the histories of its words, and the choices that are made.

use std::sync::Arc;

use ptxvm_machine::door::touch::Space;
use ptxvm_machine::random::splitmix64;
use ptxvm_memory::{Budget, Charge};
use ptxvm_order::{Key, OperationId, Order, Shape, Sites, Stamp};
use rustc_hash::FxHashMap;

use crate::history::{Histories, Unwritten};
use crate::issued::Issued;
use crate::shadow::{Entry, Known};
use crate::stale::Notes;

/// The weak memory of a launch.
#[derive(Debug)]
pub struct Memory {
    /// What happens before what.
    pub order: Order,
    budget: Arc<Budget>,
    random: u64,
    /// How often of 256 times a read that may see an older state does.
    staleness: u64,
    pub global: Known,
    /// By cluster: its shared memory.
    shared: FxHashMap<u64, Known>,
    spare: Vec<Known>,
    pub histories: Histories,
    pub notes: Notes,
    /// When the reads that are made now were put off, if they were.
    pub put_off: Option<Key>,
    /// Writes that go beside memory by the last instruction.
    pub unwritten: Vec<Unwritten>,
    /// Asynchronous operations that have been issued, and what they see.
    pub issued: FxHashMap<OperationId, Issued>,
}

/// More histories than this, some hundred megabytes, are not kept.
const MOST_HISTORIES: usize = 1 << 20;

impl Memory {
    /// With `weak`, reads see older writes; otherwise the newest ones, and only what orders them is followed.
    pub fn new(shape: Shape, sites: Arc<Sites>, budget: Arc<Budget>, (seed, weak): (u64, bool)) -> Self {
        let mut random = seed ^ 0x5eed_0fa1_57a1_e000;
        let mood = splitmix64(&mut random);
        Self {
            order: Order::new(shape, sites),
            budget,
            random,
            // Some programs fail when all that may be old is, others when little is.
            staleness: if weak { [256, 192, 128, 32][(mood % 4) as usize] } else { 0 },
            global: Known::default(),
            shared: FxHashMap::default(),
            spare: Vec::new(),
            histories: Histories::default(),
            notes: Notes::default(),
            put_off: None,
            unwritten: Vec::new(),
            issued: FxHashMap::default(),
        }
    }

    pub fn random(&mut self) -> u64 {
        splitmix64(&mut self.random)
    }

    /// Whether a read that may see an older state does. What orders memory can be followed no longer at some time: then all
    /// reads see the newest writes, which is never wrong.
    pub fn chooses_old(&mut self) -> bool {
        self.random() % 256 < self.staleness && !self.order.is_exhausted()
    }

    /// What is known of a memory.
    pub fn shadow(&mut self, space: Space, cluster: u64) -> &mut Known {
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
        let entry = shadow.words.make(address, charge).filter(|_| histories.count() < MOST_HISTORIES);
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
        Some((shadow.words.get(address)?, base, histories))
    }

    /// Whether something may be known of some shared memory.
    pub fn has_shared(&self) -> bool {
        self.shared.values().any(|shadow| !shadow.words.is_empty())
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

    /// A cluster has ended: its shared memory is gone.
    pub fn end_cluster(&mut self, cluster: u64) {
        self.issued.retain(|id, _| id.cluster != cluster);
        if let Some(mut shadow) = self.shared.remove(&cluster) {
            shadow.pass_on(self.order.now, &mut self.histories);
            self.spare.push(shadow);
            self.order.tick();
        }
        self.order.end_cluster(cluster);
    }
}
