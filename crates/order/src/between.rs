//! Finds what is missing between two accesses that nothing orders, from what the later thread has seen of the earlier one.

use std::sync::Arc;

use ptxvm_model::event::Scope;
use ptxvm_model::strength::includes;

use crate::clock::Event;
use crate::missing::{Missed, Missing};
use crate::order::Order;
use crate::published::Published;
use crate::reader::{Reader, is_morally_strong};
use crate::site::SiteId;
use crate::view::Glimpse;

impl Order {
    /// The narrowest scope that includes both threads.
    #[must_use]
    pub fn needed(&self, a: u64, b: u64) -> Scope {
        let (a, b) = (self.shape.place(a), self.shape.place(b));
        Scope::ALL.into_iter().find(|scope| includes(*scope, a, b)).unwrap_or(Scope::Sys)
    }

    /// What is missing between a write and a thread that does not know of it.
    pub fn missing(&mut self, reader: &Reader, missed: &Missed) -> Vec<Missing> {
        let scope = self.needed(reader.actor.cta, missed.event.cta);
        let sites = Arc::clone(&self.sites);
        let span = |site: SiteId| sites.get(site).span;
        let view = self.view(reader.actor.cta);
        let place = view.place;
        let lane = view.warps[reader.actor.warp as usize].lane(reader.lane).clone();
        // It was released and looked at, for others.
        if let Some((published, acquire)) = lane.refused.iter().rev().find(|(p, _)| p.covers(&missed.event)) {
            let narrow = |has: Scope| has < scope;
            let acquire_scope = sites.get(*acquire).scope;
            return [(published.site, published.scope), (*acquire, acquire_scope)]
                .into_iter()
                .filter(|(_, has)| narrow(*has))
                .map(|(site, has)| Missing::Scope { at: span(site), has, scope })
                .collect();
        }
        // It was released and seen, but not acquired.
        let covers = |released: &[Published]| released.iter().any(|p| p.covers(&missed.event));
        if let Some(heard) = lane.heard.iter().rev().find(|heard| covers(&heard.released)) {
            let mut missing = vec![Missing::Acquire { read: span(heard.site), scope }];
            let too_narrow = heard.released.iter().find(|p| p.covers(&missed.event) && p.scope < scope);
            missing.extend(too_narrow.map(|p| Missing::Scope { at: span(p.site), has: p.scope, scope }));
            return missing;
        }
        let later = |glimpse: &&Glimpse| {
            let Event { cta, warp, lanes, .. } = glimpse.event;
            glimpse.key > missed.key
                && (cta, warp) == (missed.event.cta, missed.event.warp)
                && lanes & missed.event.lanes != 0
        };
        let Some(glimpse) = lane.glimpses.iter().rev().find(later).copied() else {
            return vec![Missing::Signal { scope }];
        };
        let (read, write) = (sites.get(glimpse.read), sites.get(glimpse.write));
        let mut missing = Vec::new();
        let writer = self.shape.place(missed.event.cta);
        if !self.was_released(missed) && !write.order.releases() {
            missing.push(Missing::Release { signal: write.span, scope });
        }
        if !write.is_strong() {
            missing.push(Missing::WeakWrite { signal: write.span, scope });
        }
        if !read.is_strong() {
            missing.push(Missing::WeakRead { read: read.span, scope });
        }
        if read.is_strong()
            && write.is_strong()
            && !is_morally_strong((write.scope, writer), (read.scope, place))
        {
            for site in [write, read].into_iter().filter(|site| site.scope < scope) {
                missing.push(Missing::Scope { at: site.span, has: site.scope, scope });
            }
        }
        if !read.order.acquires() && lane.acquired < glimpse.at {
            missing.push(Missing::Acquire { read: read.span, scope });
        }
        missing
    }

    /// Whether a fence of the writer came after the write.
    fn was_released(&self, missed: &Missed) -> bool {
        let Event { cta, warp, lanes, stamp } = missed.event;
        let lane = lanes.trailing_zeros() as usize;
        let views = self.ctas.get(&cta).and_then(|view| view.warps.get(warp as usize)?.lanes.as_ref());
        views.is_some_and(|lanes| lanes[lane % 32].fences.iter().flatten().any(|fence| fence.stamp >= stamp))
    }
}
