//! Writes and atomic operations: how they enter the histories of words, and what they release.

use std::sync::Arc;

use ptxvm_machine::door::follower::{Found, OldBytes};
use ptxvm_machine::door::observer::Access;
use ptxvm_machine::door::touch::Space;
use ptxvm_order::{
    Actor, Event, Glimpse, Key, Manner, Published, Reader, SiteId, WORD, is_morally_strong, publish, words,
};
use smallvec::SmallVec;

use crate::history::{MOST, Record, Unwritten};
use crate::memory::Memory;
use crate::shadow::{Entry, PATIENCE};
use crate::sight::is_after;

/// What is written to a word.
struct Written {
    word: u64,
    /// The bytes, as bits.
    mask: u8,
    /// What they held.
    old: [u8; 4],
}

/// The newest write to a word before another.
struct Before {
    event: Event,
    site: SiteId,
    key: Key,
    released: Option<Arc<[Published]>>,
}

impl Memory {
    /// Lanes write, or change words in one step.
    ///
    /// Gives the lanes whose write has been overwritten already, and so must not come to memory.
    pub fn write(&mut self, actor: Actor, access: &Access<'_>, found: &Found<'_>) -> u32 {
        let mut overwritten = 0;
        let atomic = matches!(actor.site.manner, Manner::Atomic { .. });
        let strong = actor.site.is_strong() && actor.site.manner != Manner::Other;
        let all = match self.order.shape.has_clusters() {
            false => self.order.view(actor.cta).all,
            true => 0,
        };
        for lane in 0..32 {
            if access.who.lanes >> lane & 1 == 0 {
                continue;
            }
            let own = if strong { self.order.releases(&actor, lane) } else { Vec::new() };
            let (address, bytes) = (access.addresses[lane], access.bytes);
            if bytes == WORD && address.is_multiple_of(WORD) {
                if !atomic && self.comes_before_the_newest(&actor, lane, address, &own) {
                    overwritten |= 1 << lane;
                    continue;
                }
                let old = found.word(lane, 0).to_le_bytes();
                self.write_word(&actor, lane, Written { word: address, mask: 0xf, old }, (atomic, all), &own);
                continue;
            }
            for (word, mask) in words(address, bytes) {
                let mut old = [0; 4];
                let (first, last) = (mask.trailing_zeros() as usize, 8 - mask.leading_zeros() as usize);
                found.read(lane, (word + first as u64 - address) as usize, &mut old[first..last]);
                self.write_word(&actor, lane, Written { word, mask, old }, (atomic, all), &own);
            }
        }
        if strong && actor.site.order.releases() {
            self.order.tick();
        }
        overwritten
    }

    /// Now and then puts a write before the newest one in coherence order: one of another thread that this one knows
    /// nothing of. Gives whether it did.
    fn comes_before_the_newest(&mut self, actor: &Actor, lane: usize, word: u64, own: &[Published]) -> bool {
        let (key, now) = (self.order.key, self.order.now);
        let Actor { space, cluster, cta, warp, .. } = *actor;
        let unsettled = |entry: &Entry, base| entry.has_history() || !entry.is_settled(base, 0, 0);
        if !self.known(space, cluster, word).is_some_and(|(entry, base, _)| unsettled(entry, base)) {
            return false;
        }
        let clock = Arc::clone(self.order.view(cta).warps[warp as usize].clock(lane));
        let reader = Reader { actor: *actor, lane, clock };
        let sites = Arc::clone(&self.order.sites);
        if !self.chooses_old() || !self.random().is_multiple_of(4) {
            return false;
        }
        let Some((entry, base, histories)) = self.known(space, cluster, word) else { return false };
        let history = entry.history(base, histories);
        let [before @ .., newest] = &mut history.records[..] else { return false };
        // What the thread released with its last write would have to be passed on.
        if before.last().is_some_and(|before| reader.knows(&before.event) && before.released.is_some()) {
            return false;
        }
        // The read of an atomic operation sees the write just before its own (8.10.3).
        let atomic = matches!(sites.get(newest.site).manner, Manner::Atomic { .. });
        let place = newest.key - 1;
        let free = newest.key != key && newest.mask == 0xf && newest.key > history.floor;
        if atomic || !free || is_after(&reader, newest) {
            return false;
        }
        let (replaced, newest) = (newest.old, newest.key);
        if history.records.iter().any(|record| record.key == place) || history.records.len() >= MOST {
            return false;
        }
        let released = (!own.is_empty()).then(|| Arc::from(own));
        let event = actor.event(1 << lane, now);
        let seen = SmallVec::new();
        let record = Record { key: place, event, site: actor.id, mask: 0xf, old: replaced, released, seen };
        let last = history.records.len() - 1;
        history.records.insert(last, record);
        self.unwritten.push(Unwritten { space, cluster, word, newest, lane });
        true
    }

    /// Writes that did not come to memory have been made: the newest write of each word replaced what they wrote.
    pub fn take_unwritten(&mut self, old: &OldBytes) {
        for Unwritten { space, cluster, word, newest, lane } in std::mem::take(&mut self.unwritten) {
            let Some((entry, base, histories)) = self.known(space, cluster, word) else { continue };
            if !entry.has_history() {
                continue;
            }
            let records = &mut entry.history(base, histories).records;
            if let Some(record) = records.iter_mut().find(|record| record.key == newest) {
                record.old.copy_from_slice(&old.0[lane][..WORD as usize]);
            }
        }
    }

    /// A lane writes bytes of a word.
    fn write_word(
        &mut self,
        actor: &Actor,
        lane: usize,
        written: Written,
        (atomic, all): (bool, u32),
        own: &[Published],
    ) {
        let (key, now) = (self.order.key, self.order.now);
        let event = actor.event(1 << lane, now);
        let Actor { space, cluster, cta, .. } = *actor;
        let shared = space == Space::Shared;
        let whole = written.mask == 0xf && own.is_empty();
        let Some((entry, base, _)) = self.entry(space, cluster, written.word) else { return };
        if whole && !entry.has_history() {
            if entry.key() == key && !entry.is_settled(base, 0, 0) {
                return entry.add_lanes(event.lanes);
            }
            // All who can read the word know its last write, so that nothing older can be seen.
            if entry.is_settled(base, cta as u32, if shared { all } else { 0 }) {
                return entry.write_once(event, actor.id, key, u32::from_le_bytes(written.old));
            }
        }
        let Some((entry, base, histories)) = self.entry(space, cluster, written.word) else { return };
        let history = entry.history(base, histories);
        let last = history.records.last();
        if whole && shared && last.is_some_and(|last| last.event.stamp <= all && last.released.is_none()) {
            entry.forget(histories);
            return entry.write_once(event, actor.id, key, u32::from_le_bytes(written.old));
        }
        let before = history.newest(written.mask, Key::MAX).map(|at| {
            let Record { event, site, key, released, .. } = &history.records[at];
            Before { event: *event, site: *site, key: *key, released: released.clone() }
        });
        let mut released = own.to_vec();
        if let Some(before) = before.filter(|before| before.key != key || before.released.is_some()) {
            self.follow(actor, lane, (atomic, &written), before, &mut released);
        }
        let released = (!released.is_empty()).then(|| Arc::from(released));
        let patience = PATIENCE / 2 + (self.random() % u64::from(PATIENCE)) as u32;
        let Some((entry, base, histories)) = self.entry(space, cluster, written.word) else { return };
        let history = entry.history(base, histories);
        if let Some(last) = history.records.last_mut().filter(|last| last.key == key) {
            // Another lane of the same instruction has written the word: what it left nobody else sees.
            last.event.lanes |= event.lanes;
            last.event.stamp = last.event.stamp.min(event.stamp);
            for byte in (0..4).filter(|byte| written.mask & !last.mask & 1 << byte != 0) {
                last.old[byte] = written.old[byte];
            }
            last.mask |= written.mask;
            last.released = released;
            return;
        }
        let Written { mask, old, .. } = written;
        let seen = SmallVec::new();
        let record = Record { key, event, site: actor.id, mask, old, released, seen };
        history.push(record, patience);
    }

    /// A write follows another. An atomic operation passes on what that one releases to who reads its own write (8.9.2), and
    /// acquires it if it may; a write of the same thread passes it on too (8.8).
    fn follow(
        &mut self,
        actor: &Actor,
        lane: usize,
        (atomic, written): (bool, &Written),
        before: Before,
        released: &mut Vec<Published>,
    ) {
        if !actor.site.is_strong() {
            return;
        }
        let at = self.order.key;
        let (site_before, writer) = (self.order.sites.get(before.site), before.event);
        let place_of_writer = self.order.shape.place(writer.cta);
        let reads = atomic && actor.site.manner != (Manner::Atomic { reduction: true });
        let same_thread = writer.cta == actor.cta && writer.warp == actor.warp && writer.lanes == 1 << lane;
        let view = self.order.view(actor.cta);
        let place = view.place;
        let warp = &mut view.warps[actor.warp as usize];
        if reads && !same_thread {
            let Before { event, site: write, key, .. } = before;
            warp.lane(lane).glimpse(Glimpse { read: actor.id, write, event, key, at });
        }
        let Some(passed_on) = before.released else { return };
        let strong =
            same_thread || is_morally_strong((site_before.scope, place_of_writer), (actor.site.scope, place));
        if !strong || !(atomic || same_thread) {
            return;
        }
        if reads {
            self.order.hear(actor, lane, written.word, &passed_on);
        }
        let own = std::mem::take(released);
        *released = passed_on.to_vec();
        own.iter().for_each(|published| publish(released, published));
    }
}
