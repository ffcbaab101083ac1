//! The race checker of a launch as the machine sees it: each access and each thing that orders memory comes here.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_ir::Program;
use ptxvm_machine::code::Source;
use ptxvm_machine::door::follower::{Batch, Decision, Doubted, Found, MOST_OLD, OldBytes, Ordering};
use ptxvm_machine::door::observer::{Access, HeapChange, Transferred, Who};
use ptxvm_machine::door::touch::{Proxy, Space, Wants};
use ptxvm_machine::{Follower, Turns};
use ptxvm_memory::Budget;
use ptxvm_order::{Carrier, Event, Manner, Shape, SiteId, Sites, WORD};
use rustc_hash::FxHashMap;

use crate::race::deed::{Deed, Kind, Pass};
use crate::race::footprint::{Footprint, Left, Traces};
use crate::race::found::Races;
use crate::race::quick::Quick;
use crate::race::record::Record;
use crate::race::state::{Doubt, State};
use crate::race::unit::Unit;

/// The race checker of one launch. What it finds it hands over when it is dropped.
#[derive(Debug)]
pub struct RaceChecker {
    state: Mutex<State>,
    sites: Arc<Sites>,
    races: Arc<Races>,
    /// What it leaves for the launch after it, and the name of its kernel.
    leaves: Option<(Arc<Footprint>, String)>,
}

/// What is checked.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    /// How the launch is divided.
    pub shape: Shape,
    /// Whether the manual is taken at its word where programs rely on more.
    pub strict: bool,
    /// How many pairs of instructions are told, at most.
    pub limit: usize,
}

impl RaceChecker {
    /// That of a launch of a program. What it needs of the host's memory is charged to a budget, and what it finds comes to
    /// `races`.
    #[must_use]
    pub fn new(program: &Arc<Program>, checked: Checked, budget: &Arc<Budget>, races: &Arc<Races>) -> Self {
        let mut state = State::new(program, checked.shape, Arc::clone(budget), checked.strict);
        state.found.limit = checked.limit;
        let sites = Arc::clone(state.sites());
        Self { state: Mutex::new(state), sites, races: Arc::clone(races), leaves: None }
    }

    /// The same, which leaves what the launch has touched for the one after it.
    #[must_use]
    pub fn leaving(mut self, footprint: &Arc<Footprint>, kernel: &str) -> Self {
        if footprint.begins_early() {
            self.state().early = Some(Box::default());
        }
        self.leaves = Some((Arc::clone(footprint), kernel.to_owned()));
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RaceChecker {
    fn drop(&mut self) {
        let mut state = self.state();
        let incomplete = state.has_stopped();
        self.races.add(&mut state.found, incomplete);
        if let Some((footprint, kernel)) = &self.leaves {
            let early = state.early.take().unwrap_or_default();
            footprint.end(Left {
                program: Arc::clone(&state.program),
                kernel: kernel.clone(),
                sites: Arc::clone(&self.sites),
                shape: state.order.shape,
                all: Traces::of(&state.shadows[0]),
                lets_go: state.lets_go,
                early: Traces::of(&early.touched),
                waits: early.waits,
                issuers: std::mem::take(&mut state.last_issuers),
            });
        }
    }
}

/// What an instruction does to memory.
fn kind(wants: Wants, makes_mbarrier: bool) -> Option<Kind> {
    Some(match wants {
        Wants::Read => Kind::Read,
        Wants::Write => Kind::Write,
        Wants::Update => Kind::Update,
        Wants::Mbarrier if makes_mbarrier => Kind::Write,
        Wants::Mbarrier => Kind::Mbarrier,
        Wants::ReadLater | Wants::WriteLater | Wants::Nothing => return None,
    })
}

/// Whether no two lanes touch the same word.
fn are_apart(access: &Access<'_>) -> bool {
    let mut next = 0;
    (0..32).filter(|lane| access.who.lanes >> lane & 1 != 0).all(|lane| {
        let address = access.addresses[lane];
        let is_apart = address >= next;
        next = (address + access.bytes).next_multiple_of(WORD);
        is_apart
    })
}

impl State {
    /// Lanes touch memory; `memory` is what it holds before, if that can be seen. Gives whether lanes write the same words.
    fn access(&mut self, access: &Access<'_>, id: SiteId, memory: Option<&Found<'_>>) -> bool {
        let site = self.sites().get(id);
        match kind(access.wants, site.makes_mbarrier) {
            // Whether it writes is known when it has been executed.
            Some(Kind::Update) if site.compares => self.access_as(Kind::Read, access, id, memory),
            Some(kind) => self.access_as(kind, access, id, memory),
            None => false,
        }
    }

    fn access_as(&mut self, kind: Kind, access: &Access<'_>, id: SiteId, memory: Option<&Found<'_>>) -> bool {
        let actor = self.order.actor(&access.who, id, access.space);
        self.order.key += 1;
        let site = actor.site;
        let is_plain = matches!(site.manner, Manner::Load | Manner::Store | Manner::Atomic { .. });
        let strong = (is_plain && site.is_strong()).then_some(site.scope);
        // Lanes that move a matrix together wait for each other to do it.
        let together = site.manner == Manner::Together && !self.strict;
        let now = self.order.now;
        let unit = |event: Event| match site.carrier {
            Carrier::TensorLoads => Event { cta: Unit::TensorLoads.of_cta(event.cta), ..event },
            _ if site.constant => Event { cta: Unit::Constant.of_cta(event.cta), ..event },
            _ => event,
        };
        let view = self.order.view(actor.cta);
        let (settled, warp) = (view.all, &view.warps[actor.warp as usize]);
        let first = access.who.lanes.trailing_zeros() as usize % 32;
        let clock = Arc::clone(warp.clock(first));
        // Lanes that have fenced or acquired something alone, and not met since, know different things.
        let split = warp.lanes.as_ref().is_some_and(|lanes| {
            let active = lanes.iter().enumerate().filter(|(lane, _)| access.who.lanes >> lane & 1 != 0);
            active.into_iter().any(|(_, lane)| !Arc::ptr_eq(&lane.clock, &clock))
        });
        let mut deed = Deed {
            actor,
            event: unit(actor.event(0, now)),
            own: 0,
            clock,
            kind,
            strong,
            proxy: access.proxy,
            reduces: site.reduces,
            // What tensor memory held cannot be seen.
            may_repeat: kind == Kind::Write && memory.is_some() && access.space != Space::Tensor,
            record: None,
            settled,
        };
        let of_lane = |state: &mut Self, deed: &mut Deed, lane: usize| {
            deed.set_lane(lane, together);
            if split || strong.is_some() {
                deed.clock = Arc::clone(state.order.view(actor.cta).warps[actor.warp as usize].clock(lane));
            }
        };
        let one_pass = !kind.writes() || are_apart(access);
        let mut slow = access.who.lanes;
        let is_simple =
            matches!((kind, site.manner), (Kind::Read, Manner::Load) | (Kind::Write, Manner::Store));
        if is_simple
            && self.early.is_none()
            && one_pass
            && !split
            && strong.is_none()
            && (kind == Kind::Read || self.has_no_signals(access.space, actor.cluster))
            && access.bytes.is_multiple_of(WORD)
        {
            let whole = Event { lanes: 1, ..deed.event };
            let writes = kind == Kind::Write;
            if let Some(record) = Record::new(&whole, id, 0) {
                let (cta, knows_no_more) = (actor.cta, deed.clock.knows_only_whole(actor.cta));
                let (shared, forgets) = (access.space == Space::Shared, self.more.is_full());
                let quick = Quick {
                    record,
                    cta,
                    settled,
                    knows_no_more,
                    constant: site.constant,
                    writes,
                    shared,
                    forgets,
                };
                slow = self.touch_quickly(access, &quick);
            }
        }
        for lane in (0..32).filter(|lane| slow >> lane & 1 != 0) {
            of_lane(self, &mut deed, lane);
            let place = (access.space, access.addresses[lane], access.bytes);
            if is_plain && kind != Kind::Write {
                self.hear(&mut deed, lane, place);
            }
            let doubts = self.doubts.len();
            self.touch(&deed, place, if one_pass { Pass::Both } else { Pass::Compare });
            for doubt in &mut self.doubts[doubts..] {
                if let Some(memory) = memory {
                    let (from, bytes) = ((doubt.place.1 - place.1) as usize, doubt.place.2 as usize);
                    memory.read(lane, from, &mut doubt.old[..bytes]);
                }
            }
            if one_pass && is_plain && kind.writes() {
                self.release(&deed, lane, place);
            }
        }
        if !one_pass {
            for lane in (0..32).filter(|lane| access.who.lanes >> lane & 1 != 0) {
                of_lane(self, &mut deed, lane);
                let place = (access.space, access.addresses[lane], access.bytes);
                self.touch(&deed, place, Pass::Keep);
                if is_plain {
                    self.release(&deed, lane, place);
                }
            }
        }
        if site.carrier == Carrier::TensorLoads {
            self.issued_to_groups(&actor, access.who.lanes, Batch::TensorLoads);
        }
        if strong.is_some() && kind.writes() && site.order.releases() {
            self.order.tick();
        }
        !one_pass
    }

    /// Lanes of those that meet which write the very same bytes as a later one by one instruction: which value is left is open. They write beside
    /// memory, so that it can be seen whether they all write the same.
    fn collide(&mut self, access: &Access<'_>, id: SiteId) -> u32 {
        let site = self.sites().get(id);
        let plain = site.manner == Manner::Store && !site.is_strong() && access.wants == Wants::Write;
        if !plain || access.bytes > MOST_OLD as u64 {
            return 0;
        }
        let mut last = FxHashMap::default();
        for lane in Turns::of(access.bytes).lanes(access.who.lanes) {
            if let Some(earlier) = last.insert(access.addresses[lane], lane) {
                self.collisions.push((earlier, lane));
            }
        }
        self.collisions.iter().fold(0, |lanes, (earlier, _)| lanes | 1 << earlier)
    }

    /// The instruction has been executed: writes that raced with others are no race if they have changed nothing, or written
    /// the same.
    fn look_again(&mut self, access: &Access<'_>, id: SiteId, memory: &Found<'_>, beside: &OldBytes) {
        if self.sites().get(id).compares && access.who.lanes != 0 {
            self.access_as(Kind::Update, access, id, None);
        }
        let beyond =
            |from: usize, bytes: usize| memory.bytes().checked_sub(bytes).is_none_or(|last| from > last);
        for Doubt { deed, record, place, old } in std::mem::take(&mut self.doubts) {
            let lane = deed.own.trailing_zeros() as usize % 32;
            let (from, bytes) = (place.1.wrapping_sub(access.addresses[lane]) as usize, place.2 as usize);
            // An instruction that touches memory in several steps is looked at for the last one.
            if access.who.lanes >> lane & 1 == 0 || beyond(from, bytes) {
                continue;
            }
            let mut new = [0; 4];
            memory.read(lane, from, &mut new[..bytes]);
            if new != old {
                self.found(&deed, &record, true, place);
            }
        }
        for (earlier, lane) in std::mem::take(&mut self.collisions) {
            let bytes = access.bytes as usize;
            let mut left = [0; MOST_OLD];
            memory.read(lane, 0, &mut left[..bytes]);
            if left[..bytes] != beside.0[earlier][..bytes] {
                self.found_collision(access, id, (earlier, lane));
            }
        }
    }
}

impl Follower for RaceChecker {
    fn access(&self, access: &Access<'_>, memory: &Found<'_>, _: &mut OldBytes) -> Decision {
        let mut state = self.state();
        if state.has_stopped() {
            return Decision::default();
        }
        let id = self.sites.id(access.source);
        let meet = state.access(access, id, Some(memory));
        let elsewhere = if meet { state.collide(access, id) } else { 0 };
        let compares = access.wants == Wants::Update && state.sites().get(id).compares;
        let look_again = elsewhere != 0 || compares || !state.doubts.is_empty();
        Decision { elsewhere, look_again, ..Decision::default() }
    }

    fn look_again(&self, access: &Access<'_>, memory: &Found<'_>, beside: &OldBytes) {
        self.state().look_again(access, self.sites.id(access.source), memory, beside);
    }

    fn touched(&self, access: &Access<'_>) {
        let mut state = self.state();
        if !state.has_stopped() {
            state.access(access, self.sites.id(access.source), None);
        }
    }

    fn issued(&self, operation: &Transferred<'_>) {
        let mut state = self.state();
        if !state.has_stopped() {
            state.issue(operation, self.sites.id(operation.source));
        }
    }

    fn completes(&self, operation: &Transferred<'_>) -> Vec<Doubted> {
        self.state().complete(operation, self.sites.id(operation.source))
    }

    fn completed(&self, operation: &Transferred<'_>, changed: &[Doubted]) {
        self.state().completed(operation, self.sites.id(operation.source), changed);
    }

    fn heap(&self, change: &HeapChange) {
        let mut state = self.state();
        if let Some(bytes) = change.taken {
            state.forget(change.address, bytes);
            state.blocks.insert(change.address, bytes);
        } else if let Some(bytes) = state.blocks.remove(&change.address)
            && !state.has_stopped()
        {
            // Who gives a block back must come after all who have used it, as if all of it were written.
            let (who, source) = (change.who, change.source);
            let addresses = &[change.address; 32];
            let (space, wants, proxy) = (Space::Global, Wants::Write, Proxy::Generic);
            let access = Access { who, source, space, addresses, bytes, wants, proxy };
            state.access_as(Kind::Write, &access, self.sites.id(source), None);
        }
    }

    fn ordered(&self, who: Who, source: Source, ordering: Ordering) {
        self.state().ordered(who, self.sites.id(source), ordering);
    }

    fn phase_ended(&self, cluster: u64, mbarrier: u32) {
        self.state().order.end_phase(cluster, mbarrier);
    }

    fn cluster_ended(&self, cluster: u64) {
        self.state().end_cluster(cluster);
    }

    fn moment(&self) -> u64 {
        self.state().order.key
    }
}
