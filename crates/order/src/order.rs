//! What happens before what in a launch: the views of its threads, and what has been released to whom.

use std::sync::Arc;

use ptxvm_machine::door::observer::Who;
use ptxvm_machine::door::touch::Space;
use rustc_hash::FxHashMap;

use crate::actor::Actor;
use crate::clock::{Key, Stamp};
use crate::cluster::ClusterView;
use crate::published::Published;
use crate::question::Explaining;
use crate::shape::Shape;
use crate::site::{SiteId, Sites};
use crate::view::CtaView;

/// So many CTAs are remembered whose threads have ended, among others.
const KEPT: usize = 64;

/// What happens before what in a launch.
#[derive(Debug)]
pub struct Order {
    /// How the launch is divided.
    pub shape: Shape,
    /// Its program's instructions.
    pub sites: Arc<Sites>,
    /// The stamp of what happens now.
    pub now: Stamp,
    /// The number of the running instruction among those that touch memory.
    pub key: Key,
    pub(crate) ctas: FxHashMap<u64, Box<CtaView>>,
    pub(crate) clusters: FxHashMap<u64, ClusterView>,
    /// What `fence.sc` operations have released to later ones.
    pub(crate) sequential: Vec<Published>,
    /// Whether one `fence.sc` comes before another only where every execution with these values has it so
    /// (`sequence.rs`), and not because it was executed before.
    pub(crate) forced: bool,
    /// Two accesses whose order is asked for.
    pub(crate) explaining: Option<Box<Explaining>>,
}

impl Order {
    /// That of a launch of a program that begins now.
    #[must_use]
    pub fn new(shape: Shape, sites: Arc<Sites>) -> Self {
        Self {
            shape,
            sites,
            now: 1,
            key: 0,
            ctas: FxHashMap::default(),
            clusters: FxHashMap::default(),
            sequential: Vec::new(),
            forced: false,
            explaining: None,
        }
    }

    /// The same, where `fence.sc` operations have only the order that no execution with these values could turn round.
    #[must_use]
    pub fn forced(self) -> Self {
        Self { forced: true, ..self }
    }

    /// What released lies behind; what follows has another stamp.
    pub fn tick(&mut self) {
        // The last stamp is for whoever has something else to say with it.
        self.now = (self.now + 1).min(Stamp::MAX - 1);
    }

    /// Whether there are no more stamps: what orders memory can be followed no longer.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.now == Stamp::MAX - 1
    }

    /// Whether somebody asks by which chain accesses are ordered.
    #[must_use]
    pub fn is_explaining(&self) -> bool {
        self.explaining.is_some()
    }

    /// Who executes the instruction of a site.
    #[must_use]
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

    /// A cluster has ended: the views of its threads are gone if there are many.
    pub fn end_cluster(&mut self, cluster: u64) {
        self.clusters.remove(&cluster);
        // Reports ask whether a thread that has ended had executed a fence.
        if self.ctas.len() <= KEPT {
            return;
        }
        let shape = self.shape;
        if shape.has_clusters() {
            self.ctas.retain(|cta, _| !shape.is_of_cluster(*cta, cluster));
        } else {
            self.ctas.remove(&cluster);
        }
    }
}
