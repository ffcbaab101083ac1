//! Notes what reads missed, for reports.

use ptxvm_order::{Event, Missed, Missing, Reader, SiteId};

use crate::memory::Memory;
use crate::stale::StaleRead;

impl Memory {
    /// Notes that a thread missed a write, and the write that it saw instead, if it is remembered.
    pub fn report_stale(
        &mut self,
        reader: &Reader,
        address: u64,
        missed: &Missed,
        seen: Option<(Event, SiteId)>,
    ) {
        let missing = self.order.missing(reader, missed);
        self.report(reader, address, (missed, seen), missing, false);
    }

    /// Notes that a thread has seen a write which came after what follows the read in its program.
    pub fn report_late(&mut self, reader: &Reader, address: u64, later: &Missed) {
        let scope = self.order.needed(reader.actor.cta, later.event.cta);
        self.report(reader, address, (later, None), vec![Missing::Before { scope }], true);
    }

    /// Notes that a thread missed a write, and what is missing.
    pub fn report(
        &mut self,
        reader: &Reader,
        address: u64,
        (missed, seen): (&Missed, Option<(Event, SiteId)>),
        missing: Vec<Missing>,
        late: bool,
    ) {
        let actor = reader.actor;
        let sites = (actor.id, missed.site);
        let accessed = |event: Event, site: SiteId| self.order.named(event.first(), site);
        let stale = StaleRead {
            read: self.order.named(actor.entity(reader.lane), actor.id),
            missed: accessed(missed.event, missed.site),
            seen: seen.map(|(event, site)| accessed(event, site)),
            space: actor.space,
            address,
            strong: actor.site.is_strong(),
            late,
            missing,
            count: 0,
            caught_up: 0,
        };
        let who = (actor.entity(reader.lane), address);
        self.notes.note(sites, who, || stale);
    }
}
