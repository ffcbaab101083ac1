//! Warps that have read a word of shared memory and that its record has no room for: it keeps two reads, and a word of shared
//! memory is often read by all warps of a CTA. Of the others it is known which warps they are of and when the first of them
//! was made, which is enough to say of a warp that who writes knows nothing of it since.

use ptxvm_order::{Event, Stamp, WORD};

use crate::race::deed::{Deed, Pass, Place};
use crate::race::more::Kept;
use crate::race::record::{Readers, Record};
use crate::race::state::State;
use crate::race::unit::Unit;
use ptxvm_machine::door::touch::Space;

impl State {
    /// A read of a word of shared memory has had to give way to another. Gives whether it is of those that are noted here.
    pub fn note_reader(&mut self, shadow: usize, word: u64, kept: &Kept, settled: Stamp) -> bool {
        let read = &kept.record;
        let Ok(cta) = u32::try_from(read.cta()) else { return false };
        // Whole words that are read plainly: what is strong may be no race, and parts of words are read by few.
        let plain = !self.order.sites.get(read.site()).is_strong() && read.mask() == 0xf;
        if kept.writes || Unit::of(read.cta()).is_some() || !plain {
            return false;
        }
        if self.readers.len() <= shadow {
            self.readers.resize_with(shadow + 1, Default::default);
        }
        let Self { readers, budget, given_up, .. } = self;
        let Some(readers) = readers[shadow].make(word, |bytes| budget.charge(bytes).ok()) else {
            *given_up = true;
            return true;
        };
        readers.note(read, cta, settled);
        true
    }

    /// A word of shared memory is written: what does its writer not know of those who have read it?
    pub fn look_at_readers(&mut self, deed: &Deed, shadow: usize, (word, mask): (u64, u8), pass: Pass) {
        let Some(readers) = self.readers.get_mut(shadow).and_then(|readers| readers.get(word)) else {
            return;
        };
        let known = *readers;
        if pass != Pass::Compare {
            *readers = Readers::default();
        }
        let settled = if u64::from(known.cta) == deed.actor.cta { deed.settled } else { 0 };
        if pass == Pass::Keep || known.are_settled(settled) {
            return;
        }
        let (cta, stamp) = (u64::from(known.cta), known.since);
        for warp in (0..32).filter(|warp| known.warps >> warp & 1 != 0) {
            let is_own = (cta, warp) == (deed.actor.cta, deed.actor.warp);
            let event = Event { cta, warp, lanes: u32::MAX, stamp };
            if is_own || deed.clock.knows(&event) {
                continue;
            }
            let place: Place = (Space::Shared, word / WORD * WORD, WORD);
            if let Some(record) = Record::new(&Event { lanes: 1, ..event }, known.site, mask) {
                self.found(deed, &record, false, place);
            }
        }
    }
}
