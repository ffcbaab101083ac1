//! What strong writes release to strong reads of the same word (8.8, 8.9.2).

use std::sync::Arc;

use ptxvm_machine::door::touch::Space;
use ptxvm_order::{Event, Glimpse, Manner, Published, WORD, is_morally_strong, publish, words};

use crate::race::deed::{Deed, Kind, Place};
use crate::race::state::{Signal, State};

fn memory(space: Space, cluster: u64) -> Option<u64> {
    (space == Space::Shared).then_some(cluster)
}

impl State {
    /// Whether nothing has been released in a memory.
    pub fn has_no_signals(&self, space: Space, cluster: u64) -> bool {
        self.signals.get(&memory(space, cluster)).is_none_or(|signals| signals.is_empty())
    }

    /// A thread is about to read, or change, the word of a strong operation: it learns what has been released there.
    pub fn hear(&mut self, deed: &mut Deed, lane: usize, space: Space, address: u64) {
        let actor = deed.actor;
        let word = address / WORD * WORD;
        let signals = self.signals.get(&memory(space, actor.cluster));
        let Some(signal) = signals.and_then(|signals| signals.get(&word)).cloned() else { return };
        let written = self.order.sites.get(signal.site);
        let shape = self.order.shape;
        let place = shape.place(actor.cta);
        let is_own = (signal.event.cta, signal.event.warp) == (actor.cta, actor.warp)
            && signal.event.lanes >> lane & 1 != 0;
        let strong = actor.site.is_strong()
            && written.is_strong()
            && is_morally_strong((written.scope, shape.place(signal.event.cta)), (actor.site.scope, place));
        let key = self.order.key;
        let view = &mut self.order.view(actor.cta).warps[actor.warp as usize];
        if !is_own && !deed.clock.knows(&signal.event) {
            let Signal { event, site, key: of_write, .. } = signal;
            view.lane(lane).glimpse(Glimpse { read: actor.id, write: site, event, key: of_write, at: key });
        }
        if !(strong || is_own) || actor.site.manner == (Manner::Atomic { reduction: true }) {
            return;
        }
        let memory = actor.cluster << 1 | u64::from(space == Space::Shared);
        self.order.hear(&actor, lane, word ^ memory << 48, &signal.released);
        deed.clock = Arc::clone(self.order.view(actor.cta).warps[actor.warp as usize].clock(lane));
    }

    /// A thread writes: what a strong write releases can be learnt there from now on, by whoever sees it or an atomic operation
    /// that follows.
    pub fn release(&mut self, deed: &Deed, lane: usize, (space, address, bytes): Place) {
        let actor = deed.actor;
        let at = memory(space, actor.cluster);
        let strong = actor.site.is_strong();
        if !strong && self.has_no_signals(space, actor.cluster) {
            return;
        }
        let own = if strong { self.order.releases(&actor, lane) } else { Vec::new() };
        let (key, now, shape) = (self.order.key, self.order.now, self.order.shape);
        let sites = Arc::clone(&self.order.sites);
        let signals = self.signals.entry(at).or_default();
        for (word, _) in words(address, bytes) {
            let event = Event { cta: actor.cta, warp: actor.warp, lanes: 1 << lane, stamp: now };
            let before = signals.get(&word);
            let passed_on = before.filter(|before| {
                let is_own = (before.event.cta, before.event.warp, before.event.lanes)
                    == (event.cta, event.warp, event.lanes);
                let written = sites.get(before.site);
                let places = (shape.place(before.event.cta), shape.place(actor.cta));
                let morally = is_morally_strong((written.scope, places.0), (actor.site.scope, places.1));
                strong && (is_own || deed.kind == Kind::Update && morally)
            });
            let mut released: Vec<Published> =
                passed_on.map(|before| before.released.to_vec()).unwrap_or_default();
            own.iter().for_each(|published| publish(&mut released, published));
            if released.is_empty() && !strong {
                signals.remove(&word);
                continue;
            }
            signals.insert(word, Signal { event, site: actor.id, key, released: Arc::from(released) });
        }
    }
}
