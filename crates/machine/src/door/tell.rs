//! Tells the observer: which instruction runs, what it touches, and which asynchronous operation completes.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::asynchronous::queue::pending::Pending;
use crate::code::Source;
use crate::context::{Context, Execute, Flow, Op, Run};
use crate::door::observer::{Access, HeapChange, Stage, Who};
use crate::door::pointer::Checked;
use crate::door::proof::Proof;
use crate::door::touch::{Proxy, Space, Touch, Wants, When};
use crate::door::watch::{Origin, Watch};
use crate::registers::{LANES, Slot, lanes_in};
use crate::schedule::cluster::state::ClusterState;

impl ClusterState {
    /// Completes an operation, after telling that it does.
    pub(crate) fn deliver(&mut self, pending: &mut Pending) {
        let Some(watch) = self.watch.take() else { return pending.deliver(&mut self.tensor_memory.of_ctas) };
        let proof = watch.named.is_some().then(|| Proof::begin(self, true));
        watch.tell(self.index, self.clusterid, pending, Stage::Delivered);
        self.deliver_told(&watch, pending);
        if let Some(source) = watch.observed.sources.get(pending.issuer.at as usize) {
            watch.prove(proof, self, *source);
        }
        self.watch = Some(watch);
    }
}

impl Watch {
    /// That of a launch, if it is observed.
    #[must_use]
    pub fn of(run: &Run<'_>) -> Option<Self> {
        let observed = Arc::clone(run.code.observed.as_ref()?);
        let named = observed.observer.wants_proof().then(RefCell::default);
        let follower = run.launch.follower.clone();
        Some(Self { observed, shape: run.launch.cluster_shape(), named, follower })
    }

    fn prove(&self, proof: Option<Proof>, cluster: &ClusterState, source: Source) {
        if let (Some(proof), Some(named)) = (proof, &self.named)
            && let Some((space, address)) = proof.slipped(cluster, &named.borrow())
        {
            self.observed.observer.slipped(source, space, address);
        }
    }
}

impl Context<'_> {
    pub(crate) fn who(&self, lanes: u32) -> Who {
        self.worker.who(self.cta.rank, self.cta.ctaid, self.warp.index, lanes)
    }

    /// Tells an observer, if there is one, what the running instruction does to memory.
    #[cold]
    pub(super) fn tell(&self, space: Space, lanes: u32, addresses: &[u64; LANES], bytes: u64, wants: Wants) {
        self.tell_observer(Proxy::Generic, (space, lanes, addresses), bytes, wants);
    }

    /// The same of something that is not an access of lanes by their addresses, which the follower of the launch does not
    /// decide about: what it writes all see.
    #[cold]
    pub(super) fn tell_through(
        &self,
        proxy: Proxy,
        (space, lanes, addresses): (Space, u32, &[u64; LANES]),
        bytes: u64,
        wants: Wants,
    ) {
        if let Some(follower) = &self.run.launch.follower
            && lanes != 0
            && bytes != 0
        {
            let (who, source) = (self.who(lanes), self.worker.source);
            follower.touched(&Access { who, source, space, addresses, bytes, wants, proxy });
        }
        self.tell_observer(proxy, (space, lanes, addresses), bytes, wants);
    }

    fn tell_observer(
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
            let change = HeapChange { who, source, address, taken };
            if let Some(follower) = &self.run.launch.follower {
                follower.heap(&change);
            }
            observed.observer.heap(&change);
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
        (context.worker.undefined, context.worker.without) = (false, None);
        let proof = context.worker.cluster.watch.as_ref().and_then(|watch| {
            watch.named.as_ref()?.borrow_mut().clear();
            let often = self.proved.fetch_add(1, Ordering::Relaxed) >= PROOFS;
            (!often).then(|| Proof::begin(&context.worker.cluster, false))
        });
        let flow = self.op.run(context, slots, mask);
        if context.worker.again.is_some() {
            context.look_again();
        }
        if let Some(watch) = &context.worker.cluster.watch {
            watch.prove(proof, &context.worker.cluster, self.source);
        }
        match flow {
            Flow::Next if context.worker.undefined => Flow::Undefined,
            flow => flow,
        }
    }
}
