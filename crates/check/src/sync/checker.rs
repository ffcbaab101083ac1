//! The checker of a launch as the machine sees it: it gives each part what that asks for, and tells what they have found.

use std::sync::{Arc, Mutex, PoisonError};

use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::mbarrier::Mbarrier;
use ptxvm_ir::{FunctionId, Program};
use ptxvm_machine::code::Source;
use ptxvm_machine::door::follower::{Batch, Decision, Doubted, Found, OldBytes, Ordering};
use ptxvm_machine::door::observer::{Access, Transferred, Who};
use ptxvm_machine::door::touch::{Space, Touch, Wants};
use ptxvm_machine::{Follower, Mistakes};
use ptxvm_order::{Carrier, Shape, Sites};
use rustc_hash::FxHashMap;

use crate::sync::awaited::{Issue, Outstanding, Written};
use crate::sync::object::Objects;
use crate::sync::peer::Peers;
use crate::sync::thread::Member;
use crate::sync::told::{Told, Wrong};

/// The bits of an address of shared memory that lie below the rank of its CTA.
const OFFSET_BITS: u32 = 24;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Followed {
    /// How the launch is divided.
    pub shape: Shape,
    /// Whether the shared memory of other CTAs is looked after.
    pub clusters: bool,
    /// Whether asynchronous operations and mbarrier objects are.
    pub asynchronous: bool,
    /// How many findings are told, at most.
    pub limit: u32,
}

/// The checker of synchronisation of one launch.
#[derive(Debug)]
pub struct SyncChecker {
    followed: Followed,
    sites: Sites,
    told: Told,
    state: Mutex<FxHashMap<u64, State>>,
}

/// What is known of a cluster.
#[derive(Debug, Default)]
struct State {
    peers: Peers,
    objects: Objects,
    outstanding: Outstanding,
    found: Vec<Wrong>,
}

/// The rank of the CTA that an address of shared memory is in.
fn rank(address: u64) -> u32 {
    (address >> OFFSET_BITS) as u32
}

/// Whether bytes are touched as ordinary memory.
fn is_ordinary(wants: Wants) -> bool {
    !matches!(wants, Wants::Mbarrier | Wants::Nothing)
}

impl SyncChecker {
    /// That of a launch of a kernel of a program; what it finds is noted with the launch's mistakes.
    #[must_use]
    pub fn new(
        program: &Arc<Program>,
        entry: FunctionId,
        followed: Followed,
        mistakes: &Arc<Mistakes>,
    ) -> Self {
        let (program, mistakes) = (Arc::clone(program), Arc::clone(mistakes));
        let sites = Sites::of(&program);
        Self {
            followed,
            sites,
            told: Told { program, entry, mistakes, limit: followed.limit },
            state: Mutex::default(),
        }
    }

    /// Does something with what is known of a cluster, and tells what comes of it.
    fn with(&self, cluster: u64, act: impl FnOnce(&mut State)) {
        let mut all = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = all.entry(cluster).or_default();
        act(state);
        if !state.found.is_empty() {
            self.told.tell(&mut state.found);
        }
    }

    /// Whether an instruction makes an mbarrier object, or puts an end to one.
    fn makes(&self, source: Source) -> Option<bool> {
        if !self.sites.get(self.sites.id(source)).makes_mbarrier {
            return None;
        }
        let program = &self.told.program;
        let function = program.functions.get(source.function.0 as usize)?;
        match program.operation(function.instructions.get(source.instruction as usize)?)? {
            Operation::Mbarrier(Mbarrier::Init { .. }) => Some(true),
            _ => Some(false),
        }
    }

    fn look(&self, access: &Access<'_>) {
        if access.space != Space::Shared {
            return;
        }
        let Access { who, source, addresses, bytes, wants, .. } = access;
        let lanes = || (0..32).filter(|lane| who.lanes >> lane & 1 != 0);
        let foreign =
            self.followed.shape.has_clusters() && lanes().any(|lane| rank(addresses[lane]) != who.rank);
        let made = match wants {
            Wants::Mbarrier => self.makes(*source),
            _ => None,
        };
        self.with(who.cluster, |state| {
            let State { peers, objects, found, .. } = state;
            let shape = &self.followed.shape;
            if foreign && self.followed.clusters {
                for lane in lanes() {
                    let who = Who { lanes: 1 << lane, ..*who };
                    peers.touch(&who, *source, rank(addresses[lane]), shape, found);
                }
            }
            if !self.followed.asynchronous {
                return;
            }
            if let Some(init) = made {
                for lane in lanes() {
                    if init { objects.init(addresses[lane], *source) } else { objects.inval(addresses[lane]) }
                }
            } else if is_ordinary(*wants) {
                let of = || lanes().map(|lane| addresses[lane]);
                let (first, last) = (of().min().unwrap_or(0), of().max().unwrap_or(0));
                if objects.may_hold(first, last + bytes) {
                    for lane in lanes() {
                        let who = Who { lanes: 1 << lane, ..*who };
                        objects.touch(&who, *source, (addresses[lane], *bytes), shape, found);
                    }
                }
            }
        });
    }

    /// What an operation that has been issued is to the parts.
    fn issue(&self, operation: &Transferred<'_>, state: &mut State) {
        let State { peers, objects, outstanding, found } = state;
        let (shape, who, at) = (&self.followed.shape, &operation.who, operation.source);
        let shared = || operation.touches.iter().filter(|touch| touch.space == Space::Shared);
        if self.followed.clusters && shape.has_clusters() {
            shared().for_each(|touch| peers.touch(who, at, rank(touch.address), shape, found));
        }
        if !self.followed.asynchronous {
            return;
        }
        for Touch { address, bytes, .. } in shared().filter(|touch| is_ordinary(touch.wants)) {
            if objects.may_hold(*address, address + bytes) {
                objects.touch(who, at, (*address, *bytes), shape, found);
            }
        }
        let first = Member::first(who);
        let issue = |member: Member| Issue { at, thread: member.thread(who.ctaid, shape) };
        let mbarriers = || {
            let told = operation.touches.iter().filter(|touch| touch.wants == Wants::Mbarrier);
            told.map(|touch| touch.address)
        };
        let told = mbarriers().next();
        let carrier = self.sites.get(self.sites.id(at)).carrier;
        match (carrier, told) {
            (Carrier::Copies, Some(mbarrier)) => {
                for member in Member::each(who) {
                    outstanding.tell(Batch::Copies, member, (operation.operation, mbarrier));
                }
            }
            (Carrier::Copies, None) => self.copies(operation, outstanding, found),
            (Carrier::Tensor, Some(_)) => {
                for mbarrier in mbarriers() {
                    outstanding.tell(Batch::TensorLoads, first, (operation.operation, mbarrier));
                }
            }
            (Carrier::Tensor, None) => outstanding.issue(Batch::TensorLoads, first, issue(first)),
            (Carrier::Products, _) => {
                let warp = Member { lane: 0, ..first };
                outstanding.issue(Batch::Products, warp, issue(warp));
            }
            (Carrier::TensorStores, _) => {
                let warp = Member { lane: 0, ..first };
                outstanding.issue(Batch::TensorStores, warp, issue(warp));
            }
            (Carrier::TensorLoads, _) => {}
            (Carrier::Stores | Carrier::Any, Some(_)) => {
                mbarriers()
                    .for_each(|mbarrier| outstanding.signal(operation.operation, mbarrier, issue(first)));
            }
            (Carrier::Any, None) => outstanding.issue(Batch::Bulk, first, issue(first)),
            (Carrier::Stores, None) => {}
        }
    }

    /// `cp.async` of some lanes: of each the line that it writes comes after what it reads for that.
    fn copies(&self, operation: &Transferred<'_>, outstanding: &mut Outstanding, found: &mut Vec<Wrong>) {
        let who = &operation.who;
        let writes =
            operation.touches.iter().filter(|touch| matches!(touch.wants, Wants::Write | Wants::WriteLater));
        for (member, touch) in Member::each(who).zip(writes) {
            let issue =
                Issue { at: operation.source, thread: member.thread(who.ctaid, &self.followed.shape) };
            let written = Written { address: touch.address, bytes: touch.bytes };
            outstanding.write(member, written, issue, found);
            outstanding.issue(Batch::Copies, member, issue);
        }
    }

    fn order(&self, who: &Who, at: Source, ordering: Ordering, state: &mut State) {
        let State { peers, objects, outstanding, found } = state;
        let shape = &self.followed.shape;
        match ordering {
            Ordering::ClusterArrives { phase, .. } => peers.arrives(who.rank, phase),
            Ordering::ClusterPasses { phase } => peers.passes(who.rank, phase),
            Ordering::MbarrierArrives { mbarrier } if self.followed.asynchronous => {
                objects.arrive(who, at, mbarrier.into(), shape, found);
            }
            Ordering::PhaseSeen { mbarrier } => {
                peers.hears(who.rank);
                if self.followed.asynchronous {
                    objects.see(who, at, mbarrier.into(), shape, found);
                    outstanding.see(mbarrier.into());
                }
            }
            Ordering::Commits(batch) => {
                members(batch, who).for_each(|member| outstanding.commit(batch, member));
            }
            Ordering::Waited { batch, latest, .. } => {
                // What has no groups is waited for as one.
                let alone = batch == Batch::TensorStores;
                // Those of the tensor cores are kept with the loads, for which no thread must wait.
                if batch != Batch::TensorLoads {
                    for member in members(batch, who) {
                        if alone {
                            outstanding.commit(batch, member);
                        }
                        outstanding.wait(batch, member, latest);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The threads whose groups these are: a warp has those of products and of stores to tensor memory together.
fn members(batch: Batch, who: &Who) -> impl Iterator<Item = Member> + use<> {
    let together = matches!(batch, Batch::Products | Batch::TensorStores);
    let lanes = if together { 1 } else { who.lanes };
    Member::each(&Who { lanes, ..*who })
}

impl Follower for SyncChecker {
    fn access(&self, access: &Access<'_>, _: &Found<'_>, _: &mut OldBytes) -> Decision {
        self.look(access);
        Decision::default()
    }

    fn touched(&self, access: &Access<'_>) {
        self.look(access);
    }

    fn issued(&self, operation: &Transferred<'_>) {
        self.with(operation.who.cluster, |state| self.issue(operation, state));
    }

    fn completes(&self, operation: &Transferred<'_>) -> Vec<Doubted> {
        if self.followed.asynchronous {
            self.with(operation.who.cluster, |state| {
                let told = operation.touches.iter().filter(|touch| touch.wants == Wants::Mbarrier);
                told.for_each(|touch| state.outstanding.complete(operation.operation, touch.address));
            });
        }
        Vec::new()
    }

    fn ordered(&self, who: Who, source: Source, ordering: Ordering) {
        let is_of_ours = matches!(
            ordering,
            Ordering::ClusterArrives { .. }
                | Ordering::ClusterPasses { .. }
                | Ordering::MbarrierArrives { .. }
                | Ordering::PhaseSeen { .. }
                | Ordering::Commits(_)
                | Ordering::Waited { .. }
        );
        if is_of_ours {
            self.with(who.cluster, |state| self.order(&who, source, ordering, state));
        }
    }

    fn phase_ended(&self, cluster: u64, mbarrier: u32) {
        self.with(cluster, |state| {
            state.objects.phase_ended(mbarrier.into());
            state.outstanding.phase_ended(mbarrier.into());
        });
    }

    fn cta_ended(&self, cluster: u64, ended: u32) {
        self.with(cluster, |state| {
            let State { peers, objects, outstanding, found } = state;
            let is_of = |address: u64| rank(address) == ended;
            peers.ended(ended, found);
            objects.ended(is_of);
            if self.followed.asynchronous {
                outstanding.ended(ended, is_of, found);
            }
        });
    }

    fn cluster_ended(&self, cluster: u64) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).remove(&cluster);
    }
}
