//! Asynchronous operations: what they touch belongs to units beside the threads, and what orders it is waiting for them.
//!
//! An operation comes after what its thread did before it issued it (8.9.1.1). All that it touches is compared and kept when
//! it is issued: until somebody has waited for it, it may touch that at any time.

use std::sync::Arc;

use ptxvm_machine::door::follower::{Batch, Doubted, Ordering};
use ptxvm_machine::door::observer::{Transferred, Who};
use ptxvm_machine::door::touch::{Proxy, Space, Touch, Wants};
use ptxvm_model::event::Scope;
use ptxvm_order::{Actor, Carrier, Clock, Entity, Event, Manner, Published, SiteId, Stamp};
use rustc_hash::FxHashSet;

use crate::race::deed::{Deed, Kind, Pass};
use crate::race::record::Record;
use crate::race::state::{Doubt, Issued, State};
use crate::race::unit::{Unit, threads};

/// Who reads and who writes for an operation.
struct Units {
    source: Event,
    destination: Event,
    /// Whose groups its thread closes, if it does.
    batch: Option<Batch>,
}

impl Units {
    fn of(carrier: Carrier, actor: &Actor, (lanes, stamp): (u32, Stamp), mbarrier: Option<u32>) -> Self {
        let unit = |unit: Unit| Event { cta: unit.of_cta(actor.cta), warp: actor.warp, lanes, stamp };
        let alone = |event: Event, batch| Self { source: event, destination: event, batch };
        match (carrier, mbarrier) {
            (Carrier::Copies, _) => alone(unit(Unit::Copies), Some(Batch::Copies)),
            // The warps of a warpgroup wait for what all of them multiply.
            (Carrier::Products, _) => {
                let warp = warpgroup(actor.warp);
                alone(Event { warp, ..unit(Unit::Products) }, Some(Batch::Products))
            }
            (Carrier::Tensor, _) => alone(unit(Unit::Tensor), None),
            (Carrier::TensorLoads, _) => alone(unit(Unit::TensorLoads), Some(Batch::TensorLoads)),
            (Carrier::TensorStores, _) => alone(unit(Unit::TensorStores), Some(Batch::TensorStores)),
            (Carrier::Stores, _) => {
                let mbarrier = mbarrier.unwrap_or_default();
                alone(Unit::Stores.signalling(actor.cta, mbarrier, stamp), None)
            }
            (Carrier::Any, Some(mbarrier)) => {
                alone(Unit::Signalled.signalling(actor.cta, mbarrier, stamp), None)
            }
            (Carrier::Any, None) => Self {
                source: unit(Unit::BulkSource),
                destination: unit(Unit::Bulk),
                batch: Some(Batch::Bulk),
            },
        }
    }
}

/// So many words of an operation are asked about, at most.
const DOUBTS: usize = 1 << 14;

impl State {
    /// An operation has been issued.
    pub fn issue(&mut self, operation: &Transferred<'_>, site: SiteId) {
        let actor = self.order.actor(&operation.who, site, Space::Global);
        let (lanes, stamp) = (operation.who.lanes, self.order.now);
        if actor.site.manner == Manner::Store {
            return self.store_and_release(operation, &actor);
        }
        let clock = self.order.view(actor.cta).warps[actor.warp as usize].sum(lanes);
        let units = Units::of(actor.site.carrier, &actor, (lanes, stamp), signalled(operation.touches));
        let mut each = threads(&Event { lanes, ..units.destination }).zip(0u32..);
        let mut lane = each.next().map_or(0, |(entity, _)| entity.parts().2);
        for touch in operation.touches {
            let kind = match touch.wants {
                Wants::Read | Wants::ReadLater => Kind::Read,
                Wants::Write | Wants::WriteLater => Kind::Write,
                Wants::Update => Kind::Update,
                Wants::Mbarrier => Kind::Mbarrier,
                Wants::Nothing => continue,
            };
            let mut event = if kind == Kind::Read { units.source } else { units.destination };
            let mut own = lanes;
            if units.batch == Some(Batch::Copies) {
                // Each lane has one line to write, after what it reads for that.
                (event.lanes, own) = (1 << lane, 1 << lane);
                if kind.writes() {
                    lane = each.next().map_or(lane, |(entity, _)| entity.parts().2);
                }
            }
            // Who signals comes through the proxy that copies go through.
            let proxy = match kind {
                Kind::Mbarrier if actor.site.carrier == Carrier::Any => Proxy::Async,
                _ => touch.proxy,
            };
            let actor = Actor { space: touch.space, ..actor };
            let reduces = actor.site.reduces;
            let clock = Arc::clone(&clock);
            // What tensor memory held cannot be seen.
            let may_repeat = kind == Kind::Write && !reduces && touch.space != Space::Tensor;
            let record = Record::new(&event, actor.id, 0);
            let (strong, settled) = (None, 0);
            let deed =
                Deed { actor, event, own, clock, kind, strong, proxy, reduces, may_repeat, record, settled };
            self.touch(&deed, (touch.space, touch.address, touch.bytes), Pass::Both);
        }
        if let Some(batch) = units.batch {
            self.issued_to_groups(&actor, lanes, batch);
        }
        let mut doubts = std::mem::take(&mut self.doubts);
        doubts.truncate(DOUBTS);
        let mbarrier = signalled(operation.touches);
        if mbarrier.is_some() {
            let issuer = (actor.warp, lanes.trailing_zeros() % 32);
            self.issuers.insert((actor.cta, site), issuer);
            self.last_issuers.insert(site, issuer);
        }
        if mbarrier.is_some() || !doubts.is_empty() {
            let event = units.destination;
            let id = self.order.operation(operation, site);
            self.issued.insert(id, Issued { clock, event, doubts });
        }
        // What its threads do from now on has another stamp.
        self.order.tick();
    }

    /// A thread writes by an asynchronous operation that releases, which nobody waits for: it is as if it wrote by itself.
    fn store_and_release(&mut self, operation: &Transferred<'_>, actor: &Actor) {
        let lane = operation.who.lanes.trailing_zeros() as usize % 32;
        for touch in
            operation.touches.iter().filter(|touch| matches!(touch.wants, Wants::Write | Wants::WriteLater))
        {
            let actor = Actor { space: touch.space, ..*actor };
            let event = actor.event(1 << lane, self.order.now);
            let view = self.order.view(actor.cta);
            let (settled, clock) = (view.all, Arc::clone(view.warps[actor.warp as usize].clock(lane)));
            let (record, strong) = (Record::new(&event, actor.id, 0), Some(actor.site.scope));
            let (own, kind, proxy) = (1 << lane, Kind::Write, Proxy::Generic);
            let (reduces, may_repeat) = (false, false);
            let deed =
                Deed { actor, event, own, clock, kind, strong, proxy, reduces, may_repeat, record, settled };
            let place = (touch.space, touch.address, touch.bytes);
            self.touch(&deed, place, Pass::Both);
            self.release(&deed, lane, place);
        }
        self.order.tick();
    }

    /// Lanes have issued something that they wait for by groups.
    pub fn issued_to_groups(&mut self, actor: &Actor, lanes: u32, batch: Batch) {
        let now = self.order.now;
        let groups = self.groups.entry((batch, actor.cta, leader(batch, actor.warp))).or_default();
        (0..32).filter(|lane| lanes >> lane & 1 != 0).for_each(|lane| groups[lane].last = now);
    }

    /// An operation completes: it tells the mbarrier objects that wait for it. Gives what is to be asked of it.
    pub fn complete(&mut self, operation: &Transferred<'_>, site: SiteId) -> Vec<Doubted> {
        let id = self.order.operation(operation, site);
        let Some(issued) = self.issued.get(&id) else { return Vec::new() };
        let asked = issued.doubts.iter().map(Doubt::asked).collect();
        if signalled(operation.touches).is_some() {
            let (clock, event) = (Arc::clone(&issued.clock), issued.event);
            self.tell(operation, site, (&clock, event));
        }
        asked
    }

    /// It is complete, and has changed these of the words that were asked about.
    pub fn completed(&mut self, operation: &Transferred<'_>, site: SiteId, changed: &[Doubted]) {
        let id = self.order.operation(operation, site);
        let Some(Issued { doubts, .. }) = self.issued.remove(&id) else { return };
        let changed: FxHashSet<Doubted> = changed.iter().copied().collect();
        for doubt in doubts.iter().filter(|doubt| changed.contains(&doubt.asked())) {
            self.found(&doubt.deed, &doubt.record, true, doubt.place);
        }
    }

    /// Tells the mbarrier objects that wait for it.
    fn tell(&mut self, operation: &Transferred<'_>, site: SiteId, (clock, event): (&Arc<Clock>, Event)) {
        let actor = self.order.actor(&operation.who, site, Space::Shared);
        let lanes =
            Event { cta: actor.cta, warp: actor.warp, lanes: operation.who.lanes, stamp: event.stamp };
        // What its thread did before is not known by that to who waits (8.9.1.1), but for `tcgen05.commit`. That
        // `cp.async.mbarrier.arrive` is the thread's own arrival programs rely on.
        let alone = match actor.site.carrier {
            Carrier::Any | Carrier::Stores => true,
            Carrier::Copies => self.strict,
            _ => false,
        };
        let (before, with) = match alone {
            true => (Clock::default(), None),
            false => (Clock::clone(clock), Some(threads(&lanes))),
        };
        let known = threads(&event).chain(with.into_iter().flatten());
        let mut clock = known.fold(before, |clock, thread| clock.with(thread, event.stamp));
        if actor.site.carrier == Carrier::Tensor {
            // `tcgen05.commit` has the effect of that fence.
            clock = clock.before_sync(event.first(), event.stamp);
        }
        let published = Published {
            place: None,
            scope: Scope::Cluster,
            clock: Arc::new(clock),
            by: event.first(),
            stamp: event.stamp,
            site,
        };
        for touch in operation.touches.iter().filter(|touch| touch.wants == Wants::Mbarrier) {
            self.order.tell_mbarrier(operation.who.cluster, touch.address as u32, &published);
        }
    }

    /// Threads of a warp do something that orders memory.
    pub fn ordered(&mut self, who: Who, site: SiteId, ordering: Ordering) {
        match ordering {
            Ordering::Commits(batch) => self.commit(&who, batch),
            Ordering::Waited { batch, latest, read } => self.waited(&who, site, (batch, latest, read)),
            Ordering::Exchanges { alive } if !self.strict => {
                let actor = self.order.actor(&who, site, Space::Global);
                self.order.meet(&actor, who.lanes, alive);
            }
            Ordering::GridWaits => self.wait_for_grids(&who, site),
            Ordering::GridReleases => self.lets_go = true,
            _ => self.order.order(who, site, ordering),
        }
    }

    fn commit(&mut self, who: &Who, batch: Batch) {
        let cta = self.order.shape.cta(who.ctaid);
        let groups = self.groups.entry((batch, cta, leader(batch, who.warp))).or_default();
        for lane in (0..32).filter(|lane| who.lanes >> lane & 1 != 0) {
            match batch {
                // All warps of the warpgroup have come to the end of the group when the first closes it.
                Batch::Products => groups[lane].close_for(who.warp),
                _ => groups[lane].close(),
            }
        }
    }

    fn waited(&mut self, who: &Who, site: SiteId, (batch, latest, read): (Batch, u32, bool)) {
        let actor = self.order.actor(who, site, Space::Global);
        let has_groups = !matches!(batch, Batch::TensorLoads | Batch::TensorStores);
        if !has_groups {
            self.commit(who, batch);
            // What is loaded or stored from now on has another stamp.
            self.order.tick();
        }
        let key = (batch, actor.cta, leader(batch, actor.warp));
        let Some(groups) = self.groups.get(&key) else { return };
        let units: &[Unit] = match (batch, read) {
            (Batch::Copies, _) => &[Unit::Copies],
            (Batch::Products, _) => &[Unit::Products],
            (Batch::TensorLoads, _) => &[Unit::TensorLoads],
            (Batch::TensorStores, _) => &[Unit::TensorStores],
            (Batch::Bulk, true) => &[Unit::BulkSource],
            (Batch::Bulk, false) => &[Unit::BulkSource, Unit::Bulk],
        };
        let stamps: [Stamp; 32] = std::array::from_fn(|lane| match batch {
            Batch::Products => groups[lane].done_for(actor.warp, latest),
            _ => groups[lane].done(latest),
        });
        let warp = &mut self.order.view(actor.cta).warps[actor.warp as usize];
        let together = who.lanes == u32::MAX && stamps.iter().all(|stamp| *stamp == stamps[0]);
        let as_one = !matches!(batch, Batch::Copies | Batch::Bulk);
        if as_one && together && warp.lanes.is_none() {
            // A warp waits as one.
            let unit = Entity::warp(units[0].of_cta(actor.cta), leader(batch, actor.warp));
            warp.clock = Arc::new(warp.clock.with(unit, stamps[0]));
            return;
        }
        for lane in (0..32).filter(|lane| who.lanes >> lane & 1 != 0 && stamps[*lane] != 0) {
            let view = warp.lane(lane);
            let entity = |unit: &Unit| match as_one {
                true => Entity::warp(unit.of_cta(actor.cta), leader(batch, actor.warp)),
                false => Entity::thread(unit.of_cta(actor.cta), actor.warp, lane),
            };
            let clock = Clock::clone(&view.clock);
            view.clock =
                Arc::new(units.iter().fold(clock, |clock, unit| clock.with(entity(unit), stamps[lane])));
        }
    }
}

/// The first warp of the warpgroup of a warp.
fn warpgroup(warp: u32) -> u32 {
    warp & !3
}

/// The warp that stands for those that wait for the same groups.
fn leader(batch: Batch, warp: u32) -> u32 {
    if batch == Batch::Products { warpgroup(warp) } else { warp }
}

/// The mbarrier object that is told when an operation is done; with several, they lie at the same place in each CTA.
fn signalled(touches: &[Touch]) -> Option<u32> {
    touches.iter().find(|touch| touch.wants == Wants::Mbarrier).map(|touch| touch.address as u32)
}
