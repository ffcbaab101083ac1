//! What orders memory between threads: fences, the barriers of warps, CTAs and clusters, mbarrier objects.

use std::sync::Arc;

use ptxvm_ir::operation;
use ptxvm_machine::door::follower::Ordering;
use ptxvm_machine::door::observer::Who;
use ptxvm_machine::door::touch::Space;
use ptxvm_model::event::Scope;

use crate::actor::Actor;
use crate::clock::Entity;
use crate::order::Order;
use crate::published::{Published, publish};
use crate::question::How;
use crate::sequence::Sequenced;
use crate::site::SiteId;
use crate::view::Heard;

impl Order {
    /// Threads of a warp do something that orders memory.
    pub fn order(&mut self, who: Who, id: SiteId, ordering: Ordering) {
        let actor = self.actor(&who, id, Space::Global);
        let (cta, warp, lanes) = (actor.cta, who.warp, who.lanes);
        match ordering {
            Ordering::Fence => self.fence(&actor, lanes),
            Ordering::Arrives { barrier, waits } => {
                self.came_to_barrier(&actor);
                let now = self.now;
                let view = self.view(cta);
                let known = view.warps[warp as usize].sum(lanes);
                view.barriers.arrive(barrier, (warp, lanes), &known, now, waits);
                if !waits {
                    self.tick();
                }
            }
            Ordering::Complete { barrier, all } => {
                let now = self.now;
                let view = self.view(cta);
                if view.barriers.complete(barrier, all, cta, now) {
                    view.all = now;
                }
                self.tick();
            }
            Ordering::Passes { barrier, alive } => {
                let view = self.view(cta);
                let clock = Arc::clone(view.barriers.passing(barrier));
                view.warps[warp as usize].set(lanes, alive, &clock, cta);
                self.learnt(&actor, lanes, How::Barrier(barrier), &[]);
            }
            Ordering::Meets { alive } => self.meet(&actor, lanes, alive),
            Ordering::ClusterArrives { phase, releases } => {
                let arrived = match releases {
                    true => vec![self.released_by_warp(&actor, lanes, Scope::Cluster)],
                    // What their fences have released before: that of `fence.mbarrier_init`, as a rule.
                    false => (0..32)
                        .filter(|lane| lanes >> lane & 1 != 0)
                        .flat_map(|lane| self.fenced_by(&actor, lane))
                        .collect(),
                };
                let view = self.clusters.entry(who.cluster).or_default().arrived(phase);
                arrived.iter().for_each(|published| publish(view, published));
                self.tick();
            }
            Ordering::ClusterPasses { phase } => {
                let arrived = self.clusters.entry(who.cluster).or_default().arrived(phase).clone();
                let view = self.view(cta);
                let place = view.place;
                let scope = (Scope::Cluster, place);
                for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                    view.warps[warp as usize].lane(lane).acquire(&arrived, scope, id);
                }
                self.learnt(&actor, lanes, How::ClusterBarrier, &arrived);
            }
            Ordering::TensorFence { before } => {
                let now = self.now;
                let view = &mut self.view(cta).warps[warp as usize];
                for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                    let view = view.lane(lane);
                    view.clock = Arc::new(match before {
                        true => view.clock.before_sync(actor.entity(lane), now),
                        false => view.clock.after_sync(),
                    });
                }
                self.tick();
            }
            // The manual does not say that an exchange of values orders memory. Groups are for who follows operations, and
            // other grids for who knows them.
            Ordering::Exchanges { .. }
            | Ordering::Commits(_)
            | Ordering::Waited { .. }
            | Ordering::GridWaits
            | Ordering::GridReleases => {}
            Ordering::MbarrierArrives { mbarrier } => self.arrive_at_mbarrier(&actor, lanes, mbarrier),
            Ordering::PhaseSeen { mbarrier } => self.see_phase(&actor, lanes, mbarrier),
        }
    }

    /// What the lanes of a warp release together.
    fn released_by_warp(&mut self, actor: &Actor, lanes: u32, scope: Scope) -> Published {
        let now = self.now;
        let view = self.view(actor.cta);
        let warp = &view.warps[actor.warp as usize];
        let by = match lanes {
            u32::MAX => Entity::warp(actor.cta, actor.warp),
            _ => actor.entity(lanes.trailing_zeros() as usize),
        };
        let mut clock = warp.sum(lanes);
        if lanes != u32::MAX {
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                clock = Arc::new(clock.with(actor.entity(lane), now));
            }
        }
        Published { place: Some(view.place), scope, clock, by, stamp: now, site: actor.id }
    }

    /// What the fences of a lane have released.
    fn fenced_by(&mut self, actor: &Actor, lane: usize) -> Vec<Published> {
        let lanes = &self.view(actor.cta).warps[actor.warp as usize].lanes;
        lanes.iter().flat_map(|lanes| lanes[lane].fences.iter().flatten().cloned()).collect()
    }

    /// What a strong write of a lane releases: what its fences did before, and what it does itself (8.8).
    pub fn releases(&mut self, actor: &Actor, lane: usize) -> Vec<Published> {
        let (now, releases) = (self.now, actor.site.order.releases());
        let view = self.view(actor.cta);
        let place = view.place;
        let warp = &mut view.warps[actor.warp as usize];
        let mut own = Vec::new();
        if let Some(lanes) = &warp.lanes {
            own.extend(lanes[lane].fences.iter().flatten().cloned());
        }
        if releases {
            own.push(Published {
                place: Some(place),
                scope: actor.site.scope,
                clock: Arc::clone(warp.clock(lane)),
                by: actor.entity(lane),
                stamp: now,
                site: actor.id,
            });
        }
        own
    }

    /// A strong read of a lane has seen what was released with the write of a word: it knows it if it acquires, and else
    /// remembers it for a fence.
    pub fn hear(&mut self, actor: &Actor, lane: usize, word: u64, released: &Arc<[Published]>) {
        let (site, id) = (actor.site, actor.id);
        let view = self.view(actor.cta);
        let place = view.place;
        let view = view.warps[actor.warp as usize].lane(lane);
        let (acquires, by) = (site.order.acquires(), (site.scope, place));
        if !acquires || !view.acquire(released, by, id) {
            view.hear(Heard { word, site: id, released: Arc::clone(released) });
        }
        if acquires {
            // An earlier strong read of the same word is part of the pattern too (8.8).
            let earlier: Vec<_> = view.heard.iter().filter(|heard| heard.word == word).cloned().collect();
            for heard in earlier {
                view.acquire(&heard.released, by, id);
            }
            self.learnt(actor, 1 << lane, How::Synchronizes, released);
        }
    }

    /// A strong operation of a lane reads or writes a word, or both: which `fence.sc` operations that puts in order.
    pub fn sequence(&mut self, actor: &Actor, lane: usize, word: &mut Sequenced, does: (bool, bool)) {
        self.view(actor.cta).warps[actor.warp as usize].lane(lane).sequence.meet(word, does);
    }

    /// Whether a lane has executed such a fence.
    #[must_use]
    pub fn is_sequenced(&mut self, actor: &Actor, lane: usize) -> bool {
        let lanes = &self.view(actor.cta).warps[actor.warp as usize].lanes;
        lanes.as_ref().is_some_and(|lanes| lanes[lane].sequence.leads())
    }

    fn fence(&mut self, actor: &Actor, lanes: u32) {
        let (order, scope) = (actor.site.order, actor.site.scope);
        let of_proxy = actor.site.fences != [false; 4];
        if of_proxy && !order.acquires() {
            self.fence_proxy(actor, lanes);
        }
        if order == operation::Order::Weak {
            return;
        }
        let (now, key) = (self.now, self.key);
        let forced = self.forced;
        let sequential = match order {
            operation::Order::Sc if !forced => std::mem::take(&mut self.sequential),
            _ => Vec::new(),
        };
        let view = self.view(actor.cta);
        let place = view.place;
        let warp = &mut view.warps[actor.warp as usize];
        let (mut released, mut told) = (Vec::new(), sequential.clone());
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            let view = warp.lane(lane);
            if order.acquires() {
                view.acquired = key;
                let heard = std::mem::take(&mut view.heard);
                for heard in heard {
                    told.extend(heard.released.iter().cloned());
                    if !view.acquire(&heard.released, (scope, place), actor.id) {
                        view.hear(heard);
                    }
                }
                view.acquire(&sequential, (scope, place), actor.id);
                if order == operation::Order::Sc && forced {
                    let met = view.sequence.take_met();
                    if !view.acquire(&met, (scope, place), actor.id) {
                        view.sequence.put_back(met);
                    }
                }
            }
            if order.releases() {
                let published = Published {
                    place: Some(place),
                    scope,
                    clock: Arc::clone(&view.clock),
                    by: actor.entity(lane),
                    stamp: now,
                    site: actor.id,
                };
                // A wider fence does all that a narrower one before it did.
                view.fences[..scope as usize].fill(None);
                view.fences[scope as usize] = Some(published.clone());
                if order == operation::Order::Sc && forced {
                    view.sequence.lead(published);
                } else if order == operation::Order::Sc {
                    released.push(published);
                }
            }
        }
        if order == operation::Order::Sc && !forced {
            self.sequential = sequential;
            released.iter().for_each(|published| publish(&mut self.sequential, published));
        }
        if of_proxy && order.acquires() {
            self.fence_proxy(actor, lanes);
        }
        self.tick();
        self.learnt(actor, lanes, How::Synchronizes, &told);
    }

    /// What lanes know and did another proxy sees from now on, if they or others who know of it start what goes through
    /// that. The model asks for a fence in the CTA of that access (8.9.5); one elsewhere is as good here.
    fn fence_proxy(&mut self, actor: &Actor, lanes: u32) {
        let now = self.now;
        let warp = &mut self.view(actor.cta).warps[actor.warp as usize];
        // Each lane by itself: that they execute the fence together orders nothing between them.
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            let view = warp.lane(lane);
            view.clock = Arc::new(view.clock.with_fence(actor.site.fences, actor.entity(lane), now));
        }
        self.tick();
    }

    /// Lanes meet at `bar.warp.sync`.
    pub fn meet(&mut self, actor: &Actor, lanes: u32, alive: u32) {
        let now = self.now;
        let view = self.view(actor.cta);
        let warp = &mut view.warps[actor.warp as usize];
        let mut clock = warp.sum(lanes);
        if alive & !lanes == 0 {
            clock = Arc::new(clock.with(Entity::warp(actor.cta, actor.warp), now));
        } else {
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                clock = Arc::new(clock.with(actor.entity(lane), now));
            }
        }
        warp.set(lanes, alive, &clock, actor.cta);
        self.tick();
        self.learnt(actor, lanes, How::WarpBarrier, &[]);
    }

    fn arrive_at_mbarrier(&mut self, actor: &Actor, lanes: u32, mbarrier: u32) {
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            let own = self.releases(actor, lane);
            let object =
                self.clusters.entry(actor.cluster).or_default().mbarriers.entry(mbarrier).or_default();
            own.iter().for_each(|published| publish(&mut object.arrived, published));
        }
        self.tick();
    }

    /// An operation that is done has told an mbarrier object of a cluster so.
    pub fn tell_mbarrier(&mut self, cluster: u64, mbarrier: u32, published: &Published) {
        let object = self.clusters.entry(cluster).or_default().mbarriers.entry(mbarrier).or_default();
        publish(&mut object.arrived, published);
    }

    /// A phase of an mbarrier object has ended.
    pub fn end_phase(&mut self, cluster: u64, mbarrier: u32) {
        let object = self.clusters.entry(cluster).or_default().mbarriers.entry(mbarrier).or_default();
        if !object.arrived.is_empty() {
            let mut ended = object.ended.to_vec();
            object.arrived.drain(..).for_each(|published| publish(&mut ended, &published));
            object.ended = Arc::from(ended);
        }
    }

    fn see_phase(&mut self, actor: &Actor, lanes: u32, mbarrier: u32) {
        let objects = &self.clusters.entry(actor.cluster).or_default().mbarriers;
        let Some(released) = objects.get(&mbarrier).map(|object| Arc::clone(&object.ended)) else { return };
        let view = self.view(actor.cta);
        let place = view.place;
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            let view = view.warps[actor.warp as usize].lane(lane);
            let acquires = actor.site.order.acquires();
            if !acquires || !view.acquire(&released, (actor.site.scope, place), actor.id) {
                view.hear(Heard {
                    word: u64::MAX - u64::from(mbarrier),
                    site: actor.id,
                    released: Arc::clone(&released),
                });
            }
        }
        self.learnt(actor, lanes, How::Mbarrier, &released);
    }
}
