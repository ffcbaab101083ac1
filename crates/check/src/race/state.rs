//! What the checker knows of a launch: the order of its threads, the last accesses of each word, what has been released where.

use std::collections::VecDeque;
use std::sync::Arc;

use ptxvm_ir::Program;
use ptxvm_machine::SourceLine;
use ptxvm_machine::door::follower::{Batch, Doubted};
use ptxvm_machine::door::touch::Space;
use ptxvm_machine::explain::source_lines;
use ptxvm_memory::Budget;
use ptxvm_order::{
    Clock, Event, Key, OperationId, Order, Published, Sequenced, Shadow, Shape, SiteId, Sites, Stamp,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::race::deed::{Deed, Place};
use crate::race::found::Found;
use crate::race::more::More;
use crate::race::record::{Entry, Readers, Record};

/// What a strong write has released to who reads it.
#[derive(Clone, Debug)]
pub struct Signal {
    /// The bytes that were written, of those of the word.
    pub mask: u8,
    pub event: Event,
    pub site: SiteId,
    pub key: Key,
    pub released: Arc<[Published]>,
    /// What of that its own thread has released, by it or by earlier writes of the same bytes.
    pub own: Arc<[Published]>,
    /// Who has seen it by strong reads, the last few: what they do with these bytes afterwards comes after it (8.9.5).
    pub seen_by: SmallVec<[Event; 2]>,
}

/// So many warps are remembered that have seen a write.
pub const OBSERVERS: usize = 64;

/// What has been released at the bytes of a word: by one write as a rule, and never by two of the same byte.
pub type Signals = SmallVec<[Signal; 1]>;

/// So many groups are told apart, at most: who waits for all but more of them counts as waiting for all before the last so many.
const GROUPS: usize = 1024;

/// The groups of asynchronous operations that a thread has closed lately, each with the stamp of its last operation.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// That of the last operation that was issued.
    pub last: Stamp,
    closed: VecDeque<Stamp>,
    /// How many have been closed, and by each warp of a warpgroup that has them together.
    count: u32,
    of_warps: [u32; 4],
}

impl Groups {
    /// The thread closes a group.
    pub fn close(&mut self) {
        if self.closed.len() == GROUPS {
            self.closed.pop_front();
        }
        self.closed.push_back(self.last);
        self.count += 1;
    }

    /// A warp of a warpgroup closes a group of all.
    pub fn close_for(&mut self, warp: u32) {
        let own = &mut self.of_warps[warp as usize % 4];
        *own += 1;
        if *own > self.count {
            self.close();
        }
    }

    /// The stamp up to which all operations are done when only the latest groups of a warp may be under way.
    pub fn done_for(&self, warp: u32, latest: u32) -> Stamp {
        let ahead = self.count - self.of_warps[warp as usize % 4];
        self.done(latest.saturating_add(ahead))
    }

    /// The stamp up to which all operations are done when only the latest groups may be under way; 0 if none is.
    pub fn done(&self, latest: u32) -> Stamp {
        let latest = (latest as usize).min(GROUPS - 1);
        let done = self.closed.len().checked_sub(1 + latest);
        done.map_or(0, |at| self.closed[at])
    }
}

/// An operation under way that will tell an mbarrier object, or that is asked about when it is complete.
#[derive(Debug)]
pub struct Issued {
    /// What comes before it.
    pub clock: Arc<Clock>,
    /// Whose it is.
    pub event: Event,
    /// Its writes that race if they change something.
    pub doubts: Vec<Doubt>,
}

/// What the threads of a launch have touched before they had waited for the grids before theirs.
#[derive(Debug, Default)]
pub struct Early {
    pub touched: Shadow<Entry>,
    /// Whether some thread has waited.
    pub waits: bool,
}

/// What the checker knows of a launch.
#[derive(Debug)]
pub struct State {
    pub order: Order,
    pub program: Arc<Program>,
    /// Whether the manual is taken at its word where programs rely on more.
    pub strict: bool,
    pub budget: Arc<Budget>,
    /// What is known of memories: first global memory, then those of clusters.
    pub shadows: Vec<Shadow<Entry>>,
    /// In the same way, of shared memories: who has read words besides those whom their records have room for.
    pub readers: Vec<Shadow<Readers>>,
    /// The blocks of the heap that threads have taken in this launch: how long each is.
    pub blocks: FxHashMap<u64, u64>,
    /// Accesses of words besides those whom their entries have room for.
    pub more: More,
    /// By cluster: which are its shared memory and its tensor memory.
    of_clusters: FxHashMap<(Space, u64), usize>,
    /// Those of clusters that have ended.
    spare: Vec<usize>,
    /// Memory for what is kept of words has run out: nothing more is looked for.
    pub given_up: bool,
    /// What strong writes have released, by memory (the cluster whose shared memory it is) and word.
    pub signals: FxHashMap<Option<u64>, FxHashMap<u64, Signals>>,
    /// What `fence.sc` operations before strong accesses have released, in the same way.
    pub sequenced: FxHashMap<Option<u64>, FxHashMap<u64, Sequenced>>,
    /// By CTA and warp, for each lane.
    pub groups: FxHashMap<(Batch, u64, u32), Box<[Groups; 32]>>,
    pub issued: FxHashMap<OperationId, Issued>,
    /// By CTA and instruction: the warp and the lane that last issued what tells an mbarrier object.
    pub issuers: FxHashMap<(u64, SiteId), (u32, u32)>,
    /// By instruction: the warp and the lane that last issued what tells an mbarrier object.
    pub last_issuers: FxHashMap<SiteId, (u32, u32)>,
    /// What threads do before they have waited for the grids before theirs, if that counts.
    pub early: Option<Box<Early>>,
    /// Whether it lets the grids after it begin.
    pub lets_go: bool,
    pub found: Found,
    /// Writes of the running instruction that race if they change something.
    pub doubts: Vec<Doubt>,
    /// Pairs of lanes that write the same bytes by the running instruction; the earlier one beside memory.
    pub collisions: Vec<(usize, usize)>,
}

/// A write that races with another one, unless it writes what is there already.
#[derive(Debug)]
pub struct Doubt {
    pub deed: Deed,
    pub record: Record,
    pub place: Place,
    /// What the bytes held.
    pub old: [u8; 4],
}

impl Doubt {
    /// The bytes of which it must be known whether they change.
    pub fn asked(&self) -> Doubted {
        let (space, address, bytes) = self.place;
        Doubted { space, address, bytes }
    }
}

impl State {
    pub fn new(program: &Arc<Program>, shape: Shape, budget: Arc<Budget>, strict: bool) -> Self {
        let sites = Arc::new(Sites::of(program));
        Self {
            order: Order::new(shape, sites).forced(),
            program: Arc::clone(program),
            strict,
            budget,
            shadows: vec![Shadow::default()],
            readers: Vec::new(),
            blocks: FxHashMap::default(),
            more: More::default(),
            of_clusters: FxHashMap::default(),
            spare: Vec::new(),
            given_up: false,
            signals: FxHashMap::default(),
            sequenced: FxHashMap::default(),
            groups: FxHashMap::default(),
            issued: FxHashMap::default(),
            issuers: FxHashMap::default(),
            last_issuers: FxHashMap::default(),
            early: None,
            lets_go: false,
            found: Found::default(),
            doubts: Vec::new(),
            collisions: Vec::new(),
        }
    }

    pub fn sites(&self) -> &Arc<Sites> {
        &self.order.sites
    }

    /// The lines that an instruction was made from.
    pub fn source_lines(&self, site: SiteId) -> Vec<SourceLine> {
        source_lines(&self.program, self.sites().get(site).location)
    }

    /// Whether nothing more is looked for: what orders memory cannot be followed, or there is no memory to keep accesses.
    pub fn has_stopped(&self) -> bool {
        self.given_up || self.order.is_exhausted()
    }

    /// Which shadow is that of a memory.
    #[inline]
    pub fn shadow(&mut self, space: Space, cluster: u64) -> usize {
        if !matches!(space, Space::Shared | Space::Tensor) {
            return 0;
        }
        let Self { shadows, of_clusters, spare, .. } = self;
        *of_clusters.entry((space, cluster)).or_insert_with(|| {
            spare.pop().unwrap_or_else(|| {
                shadows.push(Shadow::default());
                shadows.len() - 1
            })
        })
    }

    /// What is known of a word.
    #[inline]
    pub fn entry(&mut self, shadow: usize, address: u64) -> Option<&mut Entry> {
        let Self { budget, shadows, given_up, .. } = self;
        let entry = shadows[shadow].make(address, |bytes| budget.charge(bytes).ok());
        *given_up |= entry.is_none();
        entry
    }

    /// A thread has taken a block of the heap: who had it before gave it back first.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        self.shadows[0].each(address, bytes, |entry| *entry = Entry::default());
        self.more.forget(0, address, bytes);
    }

    /// A cluster has ended: its shared memory is gone.
    pub fn end_cluster(&mut self, cluster: u64) {
        for space in [Space::Shared, Space::Tensor] {
            if let Some(shadow) = self.of_clusters.remove(&(space, cluster)) {
                self.shadows[shadow].entries().for_each(|entry| *entry = Entry::default());
                if let Some(readers) = self.readers.get_mut(shadow) {
                    readers.entries().for_each(|readers| *readers = Readers::default());
                }
                self.more.end(shadow);
                self.spare.push(shadow);
            }
        }
        self.signals.remove(&Some(cluster));
        self.sequenced.remove(&Some(cluster));
        self.issued.retain(|id, _| id.cluster != cluster);
        let shape = self.order.shape;
        self.groups.retain(|(_, cta, _), _| !shape.is_of_cluster(*cta, cluster));
        self.issuers.retain(|(cta, _), _| !shape.is_of_cluster(*cta, cluster));
        self.order.end_cluster(cluster);
    }
}
