//! Whoever is told of every touch of the guest's memory: checkers of races, of bounds, of what nobody has written.
//!
//! An observer is asked for when a kernel is linked ([`crate::Kernel::link_observed`]). Then each instruction says what it
//! is before it runs ([`Telling`]), and no access can take the quick way of [`Context::resolve`], since what that compares
//! with is kept empty: nothing of this stands in the way of a kernel that nobody observes.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::pointer::Checked;
use super::proof::Proof;
use super::touch::{Proxy, Space, Touch, Wants, When};
use crate::asynchronous::queue::{Issuer, Pending};
pub use crate::code::Source;
use crate::context::{Context, Run};
use crate::registers::{LANES, Slot, lanes_in};
use crate::schedule::cluster::ClusterState;
use crate::vector::lanes::{Execute, Flow, Op};

/// Is told of every touch of memory that a kernel's instructions and asynchronous operations make.
///
/// Clusters run on several host threads, and each tells of its own; what one cluster does comes in the order in which it
/// happens. An instruction tells before it touches. One that is executed again, because a mistake of it was forgiven or
/// because it waits, tells again.
pub trait Observer: Send + Sync + std::fmt::Debug {
    /// The lanes of a warp touch memory.
    fn access(&self, access: &Access<'_>);

    /// An asynchronous operation has been issued, reads its source, or completes.
    fn transfer(&self, transfer: &Transferred<'_>);

    /// A thread has taken a block of the heap, or given one back.
    fn heap(&self, change: &HeapChange);

    /// Whether it is to be proved that all is told that is done to shared and tensor memory, which takes long: what they
    /// hold is compared before and after each instruction, the first times it is executed, and each operation that
    /// completes.
    fn wants_proof(&self) -> bool {
        false
    }

    /// A byte of shared or tensor memory has changed although nothing was told of it, which is a mistake of ours.
    fn slipped(&self, source: Source, space: Space, address: u64) {
        let _ = (source, space, address);
    }
}

/// A warp, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    /// The number of the cluster in the grid.
    pub cluster: u64,
    /// The rank of the CTA in it.
    pub rank: u32,
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// The warp in its CTA.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
}

/// An access of lanes.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// Who makes it.
    pub who: Who,
    /// The instruction, of which the program knows the order, the scope and the rest.
    pub source: Source,
    /// The memory.
    pub space: Space,
    /// Where each lane's access begins; anything for lanes that make none.
    pub addresses: &'a [u64; LANES],
    /// How many bytes each lane touches.
    pub bytes: u64,
    /// What it does to them.
    pub wants: Wants,
    /// Through which proxy.
    pub proxy: Proxy,
}

/// How far an asynchronous operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It has been issued. The touches are all that it will make.
    Issued,
    /// It reads its source. The touches are those that it makes then.
    Fetched,
    /// It completes. The touches are those that it makes now: also those of its source, unless it was read before.
    Delivered,
}

/// Something that an asynchronous operation has come to.
#[derive(Clone, Copy, Debug)]
pub struct Transferred<'a> {
    /// Who issued it.
    pub who: Who,
    /// The instruction that did.
    pub source: Source,
    /// Its number: among those of its cluster, or for a `wgmma` among those of its warp.
    pub operation: u64,
    /// How far it is.
    pub stage: Stage,
    /// What it touches.
    pub touches: &'a [Touch],
}

/// A change of the guest's heap.
#[derive(Clone, Copy, Debug)]
pub struct HeapChange {
    /// Who called the function.
    pub who: Who,
    /// The call.
    pub source: Source,
    /// Where the block begins.
    pub address: u64,
    /// How long it is; `None` if it has been given back.
    pub taken: Option<u64>,
}

/// An observer, and what is needed to tell it something.
#[derive(Debug)]
pub struct Observed {
    observer: Arc<dyn Observer>,
    /// By instruction of the code: that of the program.
    sources: Box<[Source]>,
}

impl Observed {
    /// For linked code whose instructions have these sources.
    pub(crate) fn new(observer: Arc<dyn Observer>, sources: Box<[Source]>) -> Arc<Self> {
        Arc::new(Self { observer, sources })
    }
}

/// An observer in the middle of a launch.
#[derive(Clone, Debug)]
pub struct Watch {
    observed: Arc<Observed>,
    /// The CTAs of a cluster in each dimension.
    shape: [u32; 3],
    /// What has been told since the last instruction began, if it is to be proved that this is all.
    named: Option<RefCell<Vec<Touch>>>,
}

/// Where an operation comes from that belongs to its warp: a `wgmma`.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    who: Who,
    source: Source,
    operation: u64,
}

impl Watch {
    /// Tells how far an operation of a warp is.
    pub(crate) fn tell_of(&self, origin: Origin, stage: Stage, touches: &[Touch]) {
        let Origin { who, source, operation } = origin;
        self.observed.observer.transfer(&Transferred { who, source, operation, stage, touches });
    }

    /// That of a launch, if it is observed.
    #[must_use]
    pub fn of(run: &Run<'_>) -> Option<Self> {
        let observed = Arc::clone(run.code.observed.as_ref()?);
        let named = observed.observer.wants_proof().then(RefCell::default);
        Some(Self { observed, shape: run.launch.cluster_shape(), named })
    }

    /// Tells how far an operation of a cluster is. It must be told before the operation does what is told.
    pub fn tell(&self, cluster: u64, clusterid: [u32; 3], pending: &Pending, stage: Stage) {
        let mut touches = Vec::new();
        pending.footprint(&mut |touch| {
            let now = match stage {
                Stage::Issued => true,
                Stage::Fetched => touch.when == When::Fetch,
                Stage::Delivered => touch.when == When::Deliver || !pending.fetched,
            };
            if now && touch.bytes != 0 {
                touches.push(touch);
            }
        });
        let Issuer { rank, warp, lanes, at, operation, .. } = pending.issuer;
        let Some(source) = self.observed.sources.get(at as usize).copied() else { return };
        let [x, y] = [self.shape[0].max(1), self.shape[1].max(1)];
        let within = [rank % x, rank / x % y, rank / x / y];
        let ctaid = std::array::from_fn(|d| clusterid[d] * self.shape[d] + within[d]);
        let who = Who { cluster, rank, ctaid, warp, lanes };
        if stage == Stage::Delivered {
            self.name(touches.iter().copied());
        }
        self.observed.observer.transfer(&Transferred { who, source, operation, stage, touches: &touches });
    }
}

impl Watch {
    fn name(&self, touches: impl Iterator<Item = Touch>) {
        if let Some(named) = &self.named {
            named.borrow_mut().extend(touches);
        }
    }
}

impl ClusterState {
    /// Completes an operation, after telling that it does.
    pub(crate) fn deliver(&mut self, pending: &mut Pending) {
        let Some(watch) = self.watch.take() else { return pending.deliver(&mut self.tensor_memory.of_ctas) };
        let proof = watch.named.is_some().then(|| Proof::begin(self, true));
        watch.tell(self.index, self.clusterid, pending, Stage::Delivered);
        pending.deliver(&mut self.tensor_memory.of_ctas);
        if let Some(source) = watch.observed.sources.get(pending.issuer.at as usize) {
            watch.prove(proof, self, *source);
        }
        self.watch = Some(watch);
    }
}

impl Watch {
    fn prove(&self, proof: Option<Proof>, cluster: &ClusterState, source: Source) {
        if let (Some(proof), Some(named)) = (proof, &self.named)
            && let Some((space, address)) = proof.slipped(cluster, &named.borrow())
        {
            self.observed.observer.slipped(source, space, address);
        }
    }
}

impl Context<'_> {
    fn who(&self, lanes: u32) -> Who {
        let (cluster, rank) = (self.worker.cluster.index, self.cta.rank);
        Who { cluster, rank, ctaid: self.cta.ctaid, warp: self.warp.index, lanes }
    }

    /// Tells an observer, if there is one, what the running instruction does to memory.
    #[cold]
    pub(super) fn tell(&self, space: Space, lanes: u32, addresses: &[u64; LANES], bytes: u64, wants: Wants) {
        self.tell_through(Proxy::Generic, (space, lanes, addresses), bytes, wants);
    }

    /// The same, through another proxy.
    #[cold]
    pub(super) fn tell_through(
        &self,
        proxy: Proxy,
        (space, lanes, addresses): (Space, u32, &[u64; LANES]),
        bytes: u64,
        wants: Wants,
    ) {
        if lanes == 0 || bytes == 0 {
            return;
        }
        if let Some(observed) = &self.run.code.observed {
            let (who, source) = (self.who(lanes), self.worker.source);
            if let Some(watch) = &self.worker.cluster.watch {
                let touch = |lane: usize| Touch {
                    space,
                    address: addresses[lane],
                    bytes,
                    wants,
                    when: When::Deliver,
                    proxy,
                };
                watch.name(lanes_in(lanes).map(touch));
            }
            observed.observer.access(&Access { who, source, space, addresses, bytes, wants, proxy });
        }
    }

    /// Tells an observer, if there is one, that a lane now does something to a range that was checked for later.
    pub(crate) fn touches(&self, lane: usize, range: &Checked, wants: Wants, proxy: Proxy) {
        if self.run.code.observed.is_some() {
            let Touch { space, address, bytes, .. } = range.touch(wants, When::Deliver, proxy);
            self.tell_through(proxy, (space, 1 << lane, &[address; LANES]), bytes, wants);
        }
    }

    /// Tells an observer, if there is one, what a thread has done to the heap.
    pub(crate) fn tell_heap(&self, lane: usize, address: u64, taken: Option<u64>) {
        if let Some(observed) = &self.run.code.observed {
            let (who, source) = (self.who(1 << lane), self.worker.source);
            observed.observer.heap(&HeapChange { who, source, address, taken });
        }
    }

    /// Where an operation of the running warp that is not one of the cluster's queue comes from, if somebody observes.
    pub(crate) fn origin(&self, operation: u64) -> Option<Origin> {
        let observed = self.run.code.observed.is_some();
        observed.then(|| Origin { who: self.who(u32::MAX), source: self.worker.source, operation })
    }
}

/// An instruction of an observed kernel: it says what it is before it runs.
pub(crate) struct Telling {
    op: Op,
    source: Source,
    /// How often it has been proved that it tells all.
    proved: AtomicU32,
}

/// How often that is done for an instruction: enough for all that it can do, and a loop must come to an end.
const PROOFS: u32 = 256;

impl Telling {
    /// The instruction that comes from there.
    pub(crate) fn wrap(op: Op, source: Source) -> Op {
        Box::new(Self { op, source, proved: AtomicU32::new(0) })
    }
}

impl Execute for Telling {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        context.worker.source = self.source;
        let proof = context.worker.cluster.watch.as_ref().and_then(|watch| {
            watch.named.as_ref()?.borrow_mut().clear();
            let often = self.proved.fetch_add(1, Ordering::Relaxed) >= PROOFS;
            (!often).then(|| Proof::begin(&context.worker.cluster, false))
        });
        let flow = self.op.run(context, slots, mask);
        if let Some(watch) = &context.worker.cluster.watch {
            watch.prove(proof, &context.worker.cluster, self.source);
        }
        flow
    }

    fn is_wgmma(&self) -> bool {
        self.op.is_wgmma()
    }
}
