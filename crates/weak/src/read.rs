//! Reads: which states of a word a thread may see, and what it learns from the one that it sees.
//!
//! A thread sees no state before a write that happens before the read, nor before one that somebody has seen by a morally
//! strong read which happens before it (8.10.5, 8.10.6), itself included. All states since then it may see. An access of several words sees all of them at
//! one moment.

use std::sync::Arc;

use ptxvm_machine::door::follower::{Found, OldBytes};
use ptxvm_machine::door::observer::Access;
use ptxvm_order::{Actor, Glimpse, Key, Missed, Reader, WORD, is_morally_strong, words};
use smallvec::SmallVec;

use crate::history::{Record, Seen};
use crate::memory::Memory;
use crate::shadow::{Entry, Word};
use crate::sight::must_see;

/// Which states of some words a reader may see.
#[derive(Debug, Default)]
struct Choice {
    /// The newest write that it must see.
    floor: Key,
    /// Writes that it need not see.
    newer: SmallVec<[Key; 8]>,
}

impl Memory {
    /// Lanes read. Gives those that see `old`.
    pub fn read(&mut self, actor: Actor, access: &Access<'_>, found: &Found<'_>, old: &mut OldBytes) -> u32 {
        let mut slow = self.unsettled(&actor, access);
        let mut stale = 0;
        while slow != 0 {
            let lane = slow.trailing_zeros() as usize;
            slow &= slow - 1;
            let clock = Arc::clone(self.order.view(actor.cta).warps[actor.warp as usize].clock(lane));
            let mut reader = Reader { actor, lane, clock };
            let bytes = access.bytes;
            let element = u64::from(actor.site.element).clamp(1, bytes);
            let mut buffer = [0; 32];
            let mut is_old = false;
            for first in (0..bytes).step_by(element as usize) {
                let address = access.addresses[lane] + first;
                let length = element.min(bytes - first);
                if let Some(cut) = self.see(&mut reader, address, length) {
                    if !is_old {
                        found.read(lane, 0, &mut buffer[..bytes as usize]);
                        is_old = true;
                    }
                    self.put_back((actor, address, length), cut, &mut buffer[first as usize..]);
                }
            }
            if is_old {
                old.0[lane][..bytes as usize].copy_from_slice(&buffer[..bytes as usize]);
                stale |= 1 << lane;
            }
        }
        stale
    }

    /// The lanes that read something which is not simply the newest value for all.
    fn unsettled(&mut self, actor: &Actor, access: &Access<'_>) -> u32 {
        let known = self.order.view(actor.cta).warps[actor.warp as usize].known;
        // Who reads strongly may learn from a write that it knows already.
        let known = if actor.site.is_strong() { 0 } else { known };
        let cta = actor.cta as u32;
        let shadow = self.shadow(actor.space, actor.cluster);
        if shadow.words.is_empty() {
            return 0;
        }
        let base = shadow.base;
        let settled = |entry: &Entry| entry.is_settled(base, cta, known);
        let mut lanes = access.who.lanes;
        let (mut low, mut high) = (u64::MAX, 0);
        while lanes != 0 {
            let address = access.addresses[lanes.trailing_zeros() as usize];
            lanes &= lanes - 1;
            (low, high) = (low.min(address), high.max(address));
        }
        let last = access.bytes - 1;
        let mut slow = 0;
        // Mostly the lanes of a warp are close together.
        let page = shadow.words.span(low, high + last);
        if page.is_some_and(|page| page.iter().all(settled)) {
            return 0;
        }
        for lane in (0..32).filter(|lane| access.who.lanes >> lane & 1 != 0) {
            let (first, end) = (access.addresses[lane] / WORD, (access.addresses[lane] + last) / WORD);
            let mut words = first..=end;
            let is_slow =
                words.any(|word| shadow.words.get(word * WORD).is_some_and(|entry| !settled(entry)));
            slow |= u32::from(is_slow) << lane;
        }
        slow
    }

    /// Chooses what a thread sees of some bytes that are one access. Gives the write just before which it sees them, if
    /// that is not what memory holds.
    fn see(&mut self, reader: &mut Reader, address: u64, bytes: u64) -> Option<Key> {
        let choice = self.choice(reader, address, bytes);
        let mut cut = Key::MAX;
        if !choice.newer.is_empty() && self.chooses_old() {
            let which = match self.random() % 2 {
                0 => 0,
                _ => self.random() as usize % choice.newer.len(),
            };
            cut = choice.newer[which];
        }
        for (word, mask) in words(address, bytes) {
            self.learn(reader, word, mask, cut);
        }
        let stale = cut != Key::MAX;
        if stale {
            self.note_stale(reader, address, bytes, cut);
        } else {
            self.notes.excuse(reader.actor.entity(reader.lane), address);
            self.note_late(reader, address, bytes);
        }
        stale.then_some(cut)
    }

    /// Which states of some bytes a thread may see.
    fn choice(&mut self, reader: &Reader, address: u64, bytes: u64) -> Choice {
        let mut choice = Choice::default();
        let Actor { space, cluster, .. } = reader.actor;
        for (word, mask) in words(address, bytes) {
            let Some((entry, base, histories)) = self.known(space, cluster, word) else { continue };
            if entry.has_history() {
                let Word::History(index) = entry.word(base) else { continue };
                let history = histories.get(index);
                choice.floor = choice.floor.max(history.floor);
                for record in history.records.iter().rev().filter(|record| record.mask & mask != 0) {
                    if must_see(reader, record) {
                        choice.floor = choice.floor.max(record.key);
                        break;
                    }
                    choice.newer.push(record.key);
                }
            } else if !entry.is_settled(base, 0, 0) {
                match reader.knows(&entry.event()) {
                    true => choice.floor = choice.floor.max(entry.key()),
                    false => choice.newer.push(entry.key()),
                }
            }
        }
        choice.newer.retain(|key| *key > choice.floor);
        choice.newer.sort_unstable();
        choice.newer.dedup();
        choice
    }

    /// A thread sees a word just before a write, and learns what that state has to tell.
    fn learn(&mut self, reader: &mut Reader, word: u64, mask: u8, cut: Key) {
        let Actor { space, cluster, cta, warp, site, id, .. } = reader.actor;
        let (now, at) = (self.order.now, self.order.key);
        let sites = Arc::clone(&self.order.sites);
        let (place, shape) = (self.order.shape.place(cta), self.order.shape);
        let Some((entry, base, histories)) = self.known(space, cluster, word) else { return };
        if !entry.has_history() && (entry.is_settled(base, 0, 0) || reader.knows(&entry.event())) {
            return;
        }
        let history = entry.history(base, histories);
        if cut != Key::MAX {
            history.patience = history.patience.saturating_sub(1);
            if history.patience == 0 {
                history.floor = history.records.last().map_or(0, |record| record.key);
            }
        }
        let Some(index) = history.newest(mask, cut) else { return };
        let record = &history.records[index];
        let (event, write, key) = (record.event, record.site, record.key);
        let known = reader.knows(&event);
        let released = record.released.clone();
        // What the write tells is told to operations that are morally strong with it.
        let written = sites.get(write);
        let strong = site.is_strong()
            && written.is_strong()
            && is_morally_strong((written.scope, shape.place(event.cta)), (site.scope, place));
        if !known {
            history.see(index, Seen { by: reader.actor.event(1 << reader.lane, now), strong });
        }
        let view = &mut self.order.view(cta).warps[warp as usize];
        if !known {
            view.lane(reader.lane).glimpse(Glimpse { read: id, write, event, key, at });
        }
        let Some(released) = released.filter(|_| strong) else { return };
        self.order.hear(&reader.actor, reader.lane, word, &released);
        reader.clock = Arc::clone(self.order.view(cta).warps[warp as usize].clock(reader.lane));
    }

    /// Turns what memory holds into what it held just before a write.
    fn put_back(&mut self, (actor, address, bytes): (Actor, u64, u64), cut: Key, buffer: &mut [u8]) {
        for (word, mask) in words(address, bytes) {
            let Some((entry, base, histories)) = self.known(actor.space, actor.cluster, word) else {
                continue;
            };
            if !entry.has_history() && entry.is_settled(base, 0, 0) {
                continue;
            }
            let history = entry.history(base, histories);
            for byte in (0..WORD).filter(|byte| mask >> byte & 1 != 0) {
                if let Some(old) = history.byte_before(byte as usize, cut) {
                    buffer[(word + byte - address) as usize] = old;
                }
            }
        }
    }

    /// Notes that a thread has seen a write that was made after the place of its read in the program.
    fn note_late(&mut self, reader: &Reader, address: u64, bytes: u64) {
        let Some(since) = self.put_off else { return };
        let Actor { space, cluster, .. } = reader.actor;
        let mut later = None;
        for (word, mask) in words(address, bytes) {
            let Some((entry, base, histories)) = self.known(space, cluster, word) else { continue };
            let Word::History(index) = entry.word(base) else { continue };
            let history = histories.get(index);
            let newest = history.newest(mask, Key::MAX).map(|at| &history.records[at]);
            if let Some(record) = newest.filter(|record| record.key > since) {
                let (event, site, key) = (record.event, record.site, record.key);
                later = Some(Missed { event, site, key });
            }
        }
        if let Some(later) = later {
            self.report_late(reader, address, &later);
        }
    }

    /// Notes that a thread has seen an older state.
    fn note_stale(&mut self, reader: &Reader, address: u64, bytes: u64, cut: Key) {
        let Actor { space, cluster, .. } = reader.actor;
        let mut missed = None;
        for (word, mask) in words(address, bytes) {
            let Some((entry, base, histories)) = self.known(space, cluster, word) else { continue };
            let Word::History(index) = entry.word(base) else {
                continue;
            };
            let history = histories.get(index);
            let newer = |record: &&Record| record.key >= cut && record.mask & mask != 0;
            if let Some(record) = history.records.iter().rev().find(newer) {
                let seen = history.newest(mask, cut).map(|at| {
                    let seen = &history.records[at];
                    (seen.event, seen.site)
                });
                let (event, site, key) = (record.event, record.site, record.key);
                missed = Some((Missed { event, site, key }, seen));
            }
        }
        if let Some((missed, seen)) = missed {
            self.report_stale(reader, address, &missed, seen);
        }
    }
}
