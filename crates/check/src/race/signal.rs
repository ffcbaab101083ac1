//! What strong writes release to strong reads of the same word (8.8, 8.9.2).

use std::sync::Arc;

use ptxvm_machine::door::touch::Space;
use ptxvm_order::{Actor, Event, Glimpse, Manner, SiteId, is_morally_strong, publish, words};
use smallvec::SmallVec;

use crate::race::access::are_parts_of_a_cas;
use crate::race::deed::{Deed, Kind, Place};
use crate::race::state::{OBSERVERS, Signal, State};

fn memory(space: Space, cluster: u64) -> Option<u64> {
    (space == Space::Shared).then_some(cluster)
}

impl State {
    /// Whether nothing has been released in a memory.
    pub fn has_no_signals(&self, space: Space, cluster: u64) -> bool {
        self.signals.get(&memory(space, cluster)).is_none_or(|signals| signals.is_empty())
    }

    /// A thread is about to read, or change, the bytes of a strong operation: it learns what has been released there.
    pub fn hear(&mut self, deed: &mut Deed, lane: usize, (space, address, bytes): Place) {
        let actor = deed.actor;
        if actor.site.is_strong() {
            let reads = actor.site.manner != (Manner::Atomic { reduction: true });
            self.sequence(deed, lane, (space, address, bytes), (reads, false));
        }
        let Some((word, mask)) = words(address, bytes).next() else { return };
        let signals = self.signals.get(&memory(space, actor.cluster)).and_then(|signals| signals.get(&word));
        let Some(signals) = signals.cloned() else { return };
        for signal in signals.iter().filter(|signal| signal.mask & mask != 0) {
            self.hear_signal(deed, lane, (space, word, mask), signal);
        }
    }

    /// A lane has seen a strong write of some bytes of a word by a strong read.
    fn observe(&mut self, actor: &Actor, lane: usize, (space, word, mask): (Space, u64, u8)) {
        let event = Event { cta: actor.cta, warp: actor.warp, lanes: 1 << lane, stamp: self.order.now };
        let signals =
            self.signals.get_mut(&memory(space, actor.cluster)).and_then(|signals| signals.get_mut(&word));
        for signal in signals.into_iter().flatten().filter(|signal| signal.mask == mask) {
            // Lanes of a warp that poll are one: who knows of one of them counts as knowing of all.
            let known = |known: &&mut Event| (known.cta, known.warp) == (event.cta, event.warp);
            if let Some(known) = signal.seen_by.iter_mut().find(known) {
                known.lanes |= event.lanes;
                continue;
            }
            if signal.seen_by.len() == OBSERVERS {
                signal.seen_by.remove(0);
            }
            signal.seen_by.push(event);
        }
    }

    /// Whether an access of some bytes of a word comes after the strong write that stands there because somebody has seen
    /// that before, who comes before the access or makes it.
    pub fn follows_by_observation(
        &self,
        deed: &Deed,
        written: (Event, SiteId),
        (space, word, mask): (Space, u64, u8),
    ) -> bool {
        let signals =
            self.signals.get(&memory(space, deed.actor.cluster)).and_then(|signals| signals.get(&word));
        let mut of_bytes = signals.into_iter().flatten().filter(|signal| signal.mask & mask != 0);
        of_bytes.any(|signal| {
            let own = |seen: &Event| {
                (seen.cta, seen.warp) == (deed.actor.cta, deed.actor.warp) && seen.lanes & deed.own != 0
            };
            (signal.event, signal.site) == written
                && signal.seen_by.iter().any(|seen| own(seen) || deed.clock.knows(seen))
        })
    }

    fn hear_signal(
        &mut self,
        deed: &mut Deed,
        lane: usize,
        (space, word, mask): (Space, u64, u8),
        signal: &Signal,
    ) {
        let actor = deed.actor;
        let written = self.order.sites.get(signal.site);
        let shape = self.order.shape;
        let place = shape.place(actor.cta);
        let is_own = (signal.event.cta, signal.event.warp) == (actor.cta, actor.warp)
            && signal.event.lanes >> lane & 1 != 0;
        let strong = actor.site.is_strong()
            && written.is_strong()
            && ((signal.mask, written.element) == (mask, actor.site.element)
                || !self.strict && are_parts_of_a_cas(&written, &actor.site))
            && is_morally_strong((written.scope, shape.place(signal.event.cta)), (actor.site.scope, place));
        if strong && actor.site.manner != (Manner::Atomic { reduction: true }) {
            self.observe(&actor, lane, (space, word, mask));
        }
        let key = self.order.key;
        let view = &mut self.order.view(actor.cta).warps[actor.warp as usize];
        if !is_own && !deed.clock.knows(&signal.event) {
            let Signal { event, site, key: of_write, .. } = *signal;
            view.lane(lane).glimpse(Glimpse { read: actor.id, write: site, event, key: of_write, at: key });
        }
        if !(strong || is_own) || actor.site.manner == (Manner::Atomic { reduction: true }) {
            return;
        }
        let memory = actor.cluster << 1 | u64::from(space == Space::Shared);
        let first = word + u64::from(mask.trailing_zeros());
        self.order.hear(&actor, lane, first ^ memory << 48, &signal.released);
        deed.clock = Arc::clone(self.order.view(actor.cta).warps[actor.warp as usize].clock(lane));
    }

    /// A strong operation takes along what the `fence.sc` operations before others of its bytes have released.
    fn sequence(
        &mut self,
        deed: &Deed,
        lane: usize,
        (space, address, bytes): Place,
        reads_and_writes: (bool, bool),
    ) {
        let (actor, at) = (deed.actor, memory(space, deed.actor.cluster));
        let leads = self.order.is_sequenced(&actor, lane);
        if !leads && !self.sequenced.contains_key(&at) {
            return;
        }
        let Self { order, sequenced, .. } = self;
        for (word, _) in words(address, bytes) {
            let sequenced = sequenced.entry(at).or_default();
            let known = match leads {
                true => Some(sequenced.entry(word).or_default()),
                false => sequenced.get_mut(&word),
            };
            if let Some(known) = known {
                order.sequence(&actor, lane, known, reads_and_writes);
            }
        }
    }

    /// A thread writes: what a strong write releases can be learnt there from now on, by whoever sees it or an atomic operation
    /// that follows.
    pub fn release(&mut self, deed: &Deed, lane: usize, (space, address, bytes): Place) {
        let actor = deed.actor;
        let at = memory(space, actor.cluster);
        let strong = actor.site.is_strong();
        if strong {
            self.sequence(deed, lane, (space, address, bytes), (false, true));
        }
        if !strong && self.has_no_signals(space, actor.cluster) {
            return;
        }
        let own = if strong { self.order.releases(&actor, lane) } else { Vec::new() };
        let (key, now, shape) = (self.order.key, self.order.now, self.order.shape);
        let sites = Arc::clone(&self.order.sites);
        let signals = self.signals.entry(at).or_default();
        for (word, mask) in words(address, bytes) {
            let event = Event { cta: actor.cta, warp: actor.warp, lanes: 1 << lane, stamp: now };
            let mut of_word = signals.remove(&word).unwrap_or_default();
            let before =
                of_word.iter().position(|signal| signal.mask == mask).map(|at| of_word.swap_remove(at));
            // Other bytes keep what was released with them.
            of_word.retain(|signal| signal.mask & mask == 0);
            let (mut released, mut by_itself) = (Vec::new(), Vec::new());
            if let Some(before) = before.filter(|_| strong) {
                let is_own = (before.event.cta, before.event.warp, before.event.lanes)
                    == (event.cta, event.warp, event.lanes);
                let written = sites.get(before.site);
                let places = (shape.place(before.event.cta), shape.place(actor.cta));
                let morally = (is_own
                    || is_morally_strong((written.scope, places.0), (actor.site.scope, places.1)))
                    && written.element == actor.site.element;
                // Atomic operations hand on what others have released (8.9.2); who writes again hands on its own (8.8).
                if deed.kind == Kind::Update && morally {
                    released = before.released.to_vec();
                } else if is_own {
                    released = before.own.to_vec();
                }
                if is_own {
                    by_itself = before.own.to_vec();
                }
            }
            for published in &own {
                publish(&mut released, published);
                publish(&mut by_itself, published);
            }
            if strong || !released.is_empty() {
                let (released, own) = (Arc::from(released), Arc::from(by_itself));
                let seen_by = SmallVec::new();
                of_word.push(Signal { mask, event, site: actor.id, key, released, own, seen_by });
            }
            if !of_word.is_empty() {
                signals.insert(word, of_word);
            }
        }
    }
}
