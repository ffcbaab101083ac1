//! What asynchronous operations read: they come after what their thread did before it issued them (8.9.1.1), and see what
//! the generic proxy wrote only if a fence of their proxy lies between (8.9.5).

use std::sync::Arc;

use ptxvm_machine::door::follower::OldWord;
use ptxvm_machine::door::observer::{Stage, Transferred};
use ptxvm_machine::door::touch::{Proxy, Space, Touch, Wants};
use ptxvm_order::{Clock, Event, Key, Missed, Missing, Reader, WORD, words};

use crate::history::Record;
use crate::issued::Issued;
use crate::memory::Memory;
use crate::shadow::Word;

/// What an operation must see through a proxy.
struct Sight<'a> {
    clock: Option<&'a Clock>,
    /// What its own threads did before, unless that takes a fence.
    own: Option<&'a Issued>,
}

impl Sight<'_> {
    fn knows(&self, event: &Event) -> bool {
        let is_own = |issued: &Issued| {
            let Issued { actor, lanes, stamp, .. } = issued;
            (event.cta, event.warp) == (actor.cta, actor.warp)
                && event.lanes & lanes != 0
                && event.stamp <= *stamp
        };
        self.own.is_some_and(is_own) || self.clock.is_some_and(|clock| clock.knows(event))
    }

    fn must_see(&self, record: &Record) -> bool {
        self.knows(&record.event) || record.seen.iter().any(|seen| seen.strong && self.knows(&seen.by))
    }
}

impl Memory {
    /// An operation has been issued.
    pub fn issue(&mut self, told: &Transferred<'_>, site: u32) {
        if !told.touches.iter().any(|touch| touch.wants == Wants::Read)
            || self.global.words.is_empty() && !self.has_shared()
        {
            return;
        }
        let actor = self.order.actor(&told.who, site, Space::Global);
        let (lanes, stamp, old) = (told.who.lanes, self.order.now, self.chooses_old());
        let clock = self.order.view(actor.cta).warps[actor.warp as usize].sum(lanes);
        self.issued.insert(self.order.operation(told, site), Issued { actor, lanes, clock, stamp, old });
        // What its threads do from now on has another stamp.
        self.order.tick();
    }

    /// An operation reads its source: gives what it sees that is not what memory holds.
    pub fn transfer(&mut self, told: &Transferred<'_>, site: u32) -> Vec<OldWord> {
        let id = self.order.operation(told, site);
        let issued = match told.stage {
            Stage::Delivered => self.issued.remove(&id),
            _ => self.issued.get(&id).cloned(),
        };
        let mut old = Vec::new();
        let Some(issued) = issued.filter(|issued| issued.old) else { return old };
        for touch in told.touches.iter().filter(|touch| touch.wants == Wants::Read) {
            self.transfer_from(&issued, touch, &mut old);
        }
        old
    }

    /// Looks at the words of a part of the source.
    fn transfer_from(&mut self, issued: &Issued, touch: &Touch, old: &mut Vec<OldWord>) {
        let sight = match touch.proxy {
            Proxy::Async => {
                Sight { clock: issued.clock.fenced(touch.space).map(|fenced| &**fenced), own: None }
            }
            Proxy::Generic => Sight { clock: Some(&issued.clock), own: Some(issued) },
            _ => return,
        };
        let mut told = false;
        for (word, mask) in words(touch.address, touch.bytes) {
            let Some((newest, cut)) = self.older(&sight, (issued, touch.space, word), mask) else { continue };
            let Some((entry, base, histories)) = self.known(touch.space, issued.actor.cluster, word) else {
                continue;
            };
            let history = entry.history(base, histories);
            let mut one = OldWord { space: touch.space, address: word, mask: 0, bytes: [0; 4] };
            for byte in (0..WORD as usize).filter(|byte| mask >> byte & 1 != 0) {
                if let Some(before) = history.byte_before(byte, cut) {
                    one.mask |= 1 << byte;
                    one.bytes[byte] = before;
                }
            }
            old.push(one);
            if !std::mem::replace(&mut told, true) {
                self.report_transfer(issued, touch, word, newest);
            }
        }
    }

    /// The newest write of a word and the one just before which an operation sees it, if it is to see it so.
    fn older(
        &mut self,
        sight: &Sight<'_>,
        (issued, space, word): (&Issued, Space, u64),
        mask: u8,
    ) -> Option<(Missed, Key)> {
        let random = self.random();
        let (entry, base, histories) = self.known(space, issued.actor.cluster, word)?;
        let missed = |record: &Record| Missed { event: record.event, site: record.site, key: record.key };
        match entry.word(base) {
            Word::Plain => None,
            Word::Once(record) => (!sight.must_see(&record)).then(|| (missed(&record), record.key)),
            Word::History(index) => {
                let history = histories.get(index);
                let of_mask = history.records.iter().rev().filter(|record| record.mask & mask != 0);
                let newer =
                    of_mask.take_while(|record| record.key > history.floor && !sight.must_see(record));
                let newer: Vec<&Record> = newer.collect();
                let newest = newer.first()?;
                let which = match random % 2 {
                    0 => newer.len() - 1,
                    _ => (random >> 1) as usize % newer.len(),
                };
                Some((missed(newest), newer[which].key))
            }
        }
    }

    /// Notes that an operation missed a write.
    fn report_transfer(&mut self, issued: &Issued, touch: &Touch, address: u64, missed: Missed) {
        let mut actor = issued.actor;
        actor.space = touch.space;
        let lane = issued.lanes.trailing_zeros() as usize % 32;
        let reader = Reader { actor, lane, clock: Arc::clone(&issued.clock) };
        let through_async = touch.proxy == Proxy::Async;
        let mut missing = match through_async && reader.knows(&missed.event) {
            true => Vec::new(),
            false => self.order.missing(&reader, &missed),
        };
        if through_async {
            missing.push(Missing::ProxyFence);
        }
        self.report(&reader, address, (&missed, None), missing, false);
    }
}
