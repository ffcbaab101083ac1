//! Compares an access with the last ones of its bytes, and becomes one of them.

use std::sync::Arc;

use ptxvm_machine::Thread;
use ptxvm_machine::door::observer::Access;
use ptxvm_machine::door::touch::{Proxy, Space};
use ptxvm_model::event::Scope;
use ptxvm_order::{
    Carrier, Clock, Event, Manner, Missed, Reader, Site, SiteId, WORD, is_morally_strong, words,
};

use crate::race::deed::{Deed, Kind, Pass, Place};
use crate::race::found::{Advice, Part, Race, RaceKind};
use crate::race::more::Kept;
use crate::race::record::{Entry, Record, Whose};
use crate::race::state::{Doubt, State};
use crate::race::unit::{Unit, cta_of};

impl State {
    /// An access of some bytes is made: it is compared with those before it, and kept.
    pub fn touch(&mut self, deed: &Deed, (space, address, bytes): Place, pass: Pass) {
        // A column of tensor memory has four bytes, and one address.
        let scale = if space == Space::Tensor { WORD } else { 1 };
        let strict = self.strict;
        let Some(record) = deed.record else { return };
        let shadow = self.shadow(space, deed.actor.cluster);
        for (word, mask) in words(address * scale, bytes) {
            let new = record.with_mask(mask);
            if self.early.is_some() && space == Space::Global && pass != Pass::Compare {
                self.note_early(deed, word, new);
            }
            let Some(entry) = self.entry(shadow, word) else { return };
            let races = pass != Pass::Keep && entry.races_with(deed, &new, strict);
            let before = races.then_some(*entry);
            let write = entry.write;
            let gives_way = if pass == Pass::Compare { None } else { entry.take(deed, new, strict) };
            let mut raced = Vec::new();
            if pass != Pass::Keep {
                let more = self.more.of(shadow, word).iter();
                raced.extend(more.filter(|kept| conflicts(kept, deed, &new, strict)));
            }
            if pass != Pass::Compare && deed.kind.writes() {
                self.more.written((shadow, word), mask, deed.strong.is_some());
            }
            if let Some(scope) = deed.strong
                && deed.kind.writes()
                && pass != Pass::Compare
            {
                self.keep_weaker(shadow, word, &write, scope);
            }
            if space == Space::Shared && deed.kind.writes() {
                self.look_at_readers(deed, shadow, (word, mask), pass);
            }
            if let Some(kept) = gives_way
                && !(space == Space::Shared && self.note_reader(shadow, word, &kept, deed.settled))
            {
                self.more.keep((shadow, word), kept, &self.budget);
            }
            if let Some(before) = before {
                raced.extend(before.all().filter(|kept| conflicts(kept, deed, &new, strict)));
            }
            for kept in raced {
                self.look(deed, (space, word / scale, mask), &kept);
            }
        }
    }

    /// A strong write has come after another one. Strong operations that do not race with it may race with that, if it was
    /// weak or of a narrower scope.
    fn keep_weaker(&mut self, shadow: usize, word: u64, before: &Record, scope: Scope) {
        if before.is_none() || Unit::of(before.cta()).is_some() {
            return;
        }
        let site = self.order.sites.get(before.site());
        if site.is_strong() && site.scope >= scope.min(Scope::Gpu) {
            return;
        }
        let Some(entry) = self.entry(shadow, word) else { return };
        if !entry.reads[0].is_weaker() {
            entry.reads[1] = entry.reads[0];
        }
        entry.reads[0] = before.as_weaker();
    }

    /// Nothing orders an access after one before it: is it a race?
    #[cold]
    fn look(&mut self, deed: &Deed, (space, word, mask): (Space, u64, u8), before: &Kept) {
        let Kept { record, mask: of_it, writes } = before;
        if self.is_excused(record, *writes, deed) {
            return;
        }
        let both = of_it & mask;
        let written = (record.event(both), record.site());
        if *writes && self.follows_by_observation(deed, written, (space, word, mask)) {
            return;
        }
        let address = word + u64::from(both.trailing_zeros());
        let place = (space, address, both.count_ones().into());
        // What an atomic operation leaves is a result: that it is the same is chance.
        let computed = matches!(self.order.sites.get(record.site()).manner, Manner::Atomic { .. });
        match *writes && deed.may_repeat && !computed && !self.strict {
            true => self.doubts.push(Doubt { deed: deed.clone(), record: *record, place, old: [0; 4] }),
            false => self.found(deed, record, *writes, place),
        }
    }

    /// Two accesses race.
    pub fn found(&mut self, deed: &Deed, record: &Record, writes: bool, place: Place) {
        let sites = (record.site(), deed.actor.id);
        if self.found.is_to_be_told(sites) {
            let race = self.describe(deed, record, writes, place);
            self.found.note(sites, race);
        }
    }

    /// Whether two accesses are no race although nothing orders them: strong operations of the same bytes whose scopes
    /// include each other (8.7), or what lanes of a warp do together.
    fn is_excused(&self, record: &Record, writes: bool, deed: &Deed) -> bool {
        let site = self.order.sites.get(record.site());
        let event = record.event(0xf);
        let beside = (event.cta, event.warp) == (deed.actor.cta, deed.actor.warp);
        if beside && site.manner == Manner::Together && !self.strict {
            return true;
        }
        // ptxas has a warp wait for what it loads from tensor memory before it uses the registers.
        let own_load =
            record.cta() == Unit::TensorLoads.of_cta(deed.actor.cta) && event.warp == deed.actor.warp;
        if own_load && !self.strict {
            return true;
        }
        // What `tcgen05.alloc` has written Triton has copies overwrite after a barrier alone.
        let allocates = site.carrier == Carrier::Tensor && Unit::of(record.cta()).is_none();
        if allocates && !self.strict && deed.clock.knows(&event) {
            return true;
        }
        if writes && deed.reduces && site.reduces {
            return true;
        }
        let places = (self.order.shape.place(cta_of(record.cta())), self.order.shape.place(deed.actor.cta));
        // What `atom.cas` looks at again may be read by a weak load before, in the scope of the atomic operations.
        let guessed = match (site.manner, deed.actor.site.manner) {
            (Manner::Atomic { .. }, Manner::Load) => deed.actor.site.guesses.then_some(site.scope),
            (Manner::Load, Manner::Atomic { .. }) => site.guesses.then_some(deed.actor.site.scope),
            _ => None,
        };
        if let Some(scope) = guessed
            && !self.strict
        {
            return is_morally_strong((scope, places.0), (scope, places.1));
        }
        let Some(scope) = deed.strong else { return false };
        Unit::of(record.cta()).is_none_or(|unit| unit == Unit::Weaker)
            && site.is_strong()
            && is_morally_strong((site.scope, places.0), (scope, places.1))
            && (site.element == deed.actor.site.element
                || !self.strict && are_parts_of_a_cas(&site, &deed.actor.site))
    }

    /// Two lanes write different values to the same bytes by one instruction.
    pub fn found_collision(&mut self, access: &Access<'_>, id: SiteId, (earlier, lane): (usize, usize)) {
        if !self.found.is_to_be_told((id, id)) {
            return;
        }
        let actor = self.order.actor(&access.who, id, access.space);
        let sources = self.source_lines(id);
        let part = |lane| Part {
            accessed: self.order.named(actor.entity(lane), id),
            unit: None,
            writes: true,
            sources: sources.clone(),
        };
        let race = Race {
            kind: RaceKind::WriteAfterWrite,
            first: part(earlier),
            second: part(lane),
            space: access.space,
            address: access.addresses[lane],
            bytes: access.bytes,
            advice: vec![Advice::OneLane],
            count: 1,
            grids: None,
        };
        self.found.note((id, id), race);
    }

    fn describe(
        &mut self,
        deed: &Deed,
        record: &Record,
        writes: bool,
        (space, address, bytes): Place,
    ) -> Race {
        let kind = match (writes, deed.kind.writes()) {
            _ if deed.kind == Kind::Mbarrier => RaceKind::UseAfterInit,
            (true, true) => RaceKind::WriteAfterWrite,
            (true, false) => RaceKind::ReadAfterWrite,
            (false, _) => RaceKind::WriteAfterRead,
        };
        let mask = match space {
            Space::Tensor => 0xf,
            _ => ((1u32 << bytes) - 1) << (address % WORD),
        };
        let part = |event: &Event, site, writes| {
            let unit = Unit::of(event.cta).filter(|unit| *unit != Unit::Constant);
            // Units stand at the places of the threads that they work for, or of mbarrier objects.
            let event = Event { cta: cta_of(event.cta), warp: event.warp & 31, ..*event };
            Part {
                accessed: self.order.named(event.first(), site),
                unit,
                writes,
                sources: self.source_lines(site),
            }
        };
        let mut first = part(&record.event(mask as u8), record.site(), writes);
        let mut second = part(&deed.event, deed.actor.id, deed.kind.writes());
        second.accessed.thread = self
            .order
            .named(deed.actor.entity(deed.own.trailing_zeros() as usize % 32), deed.actor.id)
            .thread;
        if matches!(first.unit, Some(Unit::Signalled | Unit::Stores)) {
            first.accessed.thread = self.issuer(record);
        }
        let advice = self.advice(deed, record, writes);
        Race { kind, first, second, space, address, bytes, advice, count: 1, grids: None }
    }

    /// The thread that issued what tells an mbarrier object: the last one of its CTA that executed the instruction.
    fn issuer(&self, record: &Record) -> Thread {
        let cta = cta_of(record.cta());
        let (warp, lane) = self.issuers.get(&(cta, record.site())).copied().unwrap_or_default();
        self.order.shape.thread(cta, warp, lane)
    }

    /// What would order two accesses.
    fn advice(&mut self, deed: &Deed, record: &Record, writes: bool) -> Vec<Advice> {
        if deed.kind == Kind::Mbarrier {
            return vec![Advice::AfterInit];
        }
        let unit = Unit::of(record.cta()).filter(|unit| *unit != Unit::Weaker);
        let read_only = Unit::of(record.cta()) == Some(Unit::Constant);
        if read_only || writes && (deed.actor.site.constant || deed.proxy == Proxy::Texture) {
            return vec![Advice::NotWritten];
        }
        if let Some(unit) = unit {
            let event = Event { lanes: u32::MAX, ..record.event(0xf) };
            if deed.clock.knows(&event) {
                return vec![if deed.proxy == Proxy::Tensor {
                    Advice::TensorFence
                } else {
                    Advice::ProxyFence
                }];
            }
            return vec![Advice::Wait(unit)];
        }
        let event = record.event(0xf);
        let own = (event.cta, event.warp) == (deed.actor.cta, deed.actor.warp);
        if deed.proxy == Proxy::Tensor && deed.clock.knows(&event) {
            return vec![Advice::TensorFence];
        }
        if deed.proxy == Proxy::Tensormap && deed.clock.knows(&event) {
            return vec![Advice::TensormapFence];
        }
        let is_known = own && event.lanes & deed.own != 0 || deed.clock.knows(&event);
        if deed.proxy == Proxy::Async && is_known {
            return vec![Advice::ProxyFence];
        }
        let site = self.order.sites.get(record.site());
        if let Some(scope) = deed.strong
            && site.is_strong()
        {
            let needed = self.order.needed(deed.actor.cta, event.cta);
            let narrow =
                [(site, site.scope), (deed.actor.site, scope)].into_iter().filter(|(_, has)| *has < needed);
            let narrow: Vec<Advice> = narrow.map(|(site, _)| Advice::Narrow(site.span)).collect();
            return match narrow[..] {
                [] => vec![Advice::Sizes],
                [Advice::Narrow(a), Advice::Narrow(b)] if a == b => vec![Advice::Narrow(a)],
                _ => narrow,
            };
        }
        if own {
            return vec![Advice::WarpBarrier];
        }
        let lane = deed.own.trailing_zeros() as usize % 32;
        let reader = Reader { actor: deed.actor, lane, clock: Arc::clone(&deed.clock) };
        let missed = Missed { event, site: record.site(), key: 0 };
        let missing = self.order.missing(&reader, &missed);
        let mut advice: Vec<Advice> = Vec::new();
        let is_plain =
            |site: &Site| matches!(site.manner, Manner::Load | Manner::Store | Manner::Atomic { .. });
        if deed.strong.is_some() != site.is_strong() && is_plain(&site) && is_plain(&deed.actor.site) {
            let weak = if site.is_strong() { deed.actor.site.span } else { site.span };
            advice.push(Advice::Weak(weak));
        }
        for missing in missing.into_iter().map(Advice::Missing) {
            if !advice.contains(&missing) {
                advice.push(missing);
            }
        }
        if deed.proxy == Proxy::Async && writes {
            advice.push(Advice::ProxyFence);
        }
        advice
    }
}

impl Entry {
    /// The accesses.
    fn all(&self) -> impl Iterator<Item = Kept> {
        let reads = self.reads.iter().map(|read| (read, read.is_weaker()));
        let all = std::iter::once((&self.write, true)).chain(reads).filter(|(record, _)| !record.is_none());
        all.map(|(record, writes)| Kept { record: *record, mask: record.mask(), writes })
    }

    /// Whether an access may race with one of those before it.
    #[inline]
    fn races_with(&self, deed: &Deed, new: &Record, strict: bool) -> bool {
        self.all().any(|kept| conflicts(&kept, deed, new, strict))
    }

    /// An access becomes one of those that later ones are compared with. Gives what had to give way to it: a read, or a write of
    /// other bytes.
    #[inline]
    pub fn take(&mut self, deed: &Deed, new: Record, strict: bool) -> Option<Kept> {
        if deed.kind.writes() {
            let record = self.write;
            let mut gives_way = None;
            if record.is_none() || !self.write.merge(&new) {
                self.write = new;
                let mask = record.mask() & !new.mask();
                gives_way = (mask != 0).then_some(Kept { record, mask, writes: true });
            }
            // Who comes after a weak write, or races with it, need not be compared with what that has come after. Strong
            // operations do not race with a strong write, and may with what it has come after.
            for read in &mut self.reads {
                if deed.strong.is_none() && !read.is_none() && read.mask() & !new.mask() == 0 {
                    *read = Record::default();
                }
            }
            return gives_way;
        }
        // A read that comes after another stands for it: a write that races with the first races with this one, or comes
        // after it, and so after the first.
        let replaced = |record: &Record| {
            record.is_none()
                || !record.is_weaker()
                    && record.mask() & !new.mask() == 0
                    && (record.is_alike(&new)
                        || record.cta() == new.cta() && deed.follows(record, record.mask(), false, strict))
        };
        // Of lanes that read together the first and the last are kept apart, if there is room.
        let alike = self.reads.map(|read| !read.is_none() && read.is_alike(&new));
        match (alike, self.reads.map(|read| replaced(&read))) {
            ([true, false], [_, true]) if self.reads[0].mask() == new.mask() => {
                self.reads[1] = new;
                return None;
            }
            _ => {}
        }
        for read in self.reads.iter_mut().rev() {
            if !read.is_none() && read.merge(&new) {
                return None;
            }
        }
        if let Some(at) = self.reads.iter().position(replaced) {
            self.reads[at] = new;
            return None;
        }
        // One of another CTA is worth more than one of a CTA that has one already.
        let at = usize::from(self.reads[0].cta() != new.cta());
        let record = std::mem::replace(&mut self.reads[at], new);
        Some(Kept { record, mask: record.mask(), writes: record.is_weaker() })
    }
}

/// Whether one of two strong accesses changes a word by `atom.cas` of which the other touches a part. That is how libcu++
/// changes bytes and halves of words, which no atomic operation does.
pub fn are_parts_of_a_cas(a: &Site, b: &Site) -> bool {
    let is_part = |whole: &Site, part: &Site| whole.compares && whole.element == 4 && part.element < 4;
    is_part(a, b) || is_part(b, a)
}

/// Whether an access conflicts with one before it, and nothing orders it after that.
#[inline]
fn conflicts(before: &Kept, deed: &Deed, new: &Record, strict: bool) -> bool {
    let Kept { record, mask, writes } = before;
    (*writes || deed.kind.writes())
        && mask & new.mask() != 0
        && !(deed.is_one_with_alike() && record.is_alike(new))
        && !deed.follows(record, mask & new.mask(), *writes, strict)
}

/// Whether a clock knows what each of the lanes did.
#[inline]
fn knows_all(clock: &Clock, event: Event) -> bool {
    if event.lanes.is_power_of_two() {
        return clock.knows(&event);
    }
    let mut lanes = (0..32).filter(|lane| event.lanes >> lane & 1 != 0);
    lanes.all(|lane| clock.knows(&Event { lanes: 1 << lane, ..event }))
}

impl Deed {
    /// Whether an earlier access by the same instruction of the warp may be a part of this one, which is not compared with
    /// itself. Lanes that store are all compared before one of them is kept, so that one found there stored before.
    #[inline]
    fn is_one_with_alike(&self) -> bool {
        self.kind != Kind::Write || self.actor.site.manner != Manner::Store
    }

    /// Whether it comes after some bytes of another access.
    #[inline]
    fn follows(&self, record: &Record, mask: u8, writes: bool, strict: bool) -> bool {
        // What a texture or `ld.global.nc` reads is not written while the kernel runs, in whichever order.
        if writes && (self.actor.site.constant || self.proxy == Proxy::Texture) {
            return false;
        }
        if self.proxy == Proxy::Generic && record.is_settled(self.actor.cta, self.settled) {
            return true;
        }
        self.follows_by_its_clock(record, mask, writes, strict)
    }

    /// The same, where not all threads of the CTA know each other.
    fn follows_by_its_clock(&self, record: &Record, mask: u8, writes: bool, strict: bool) -> bool {
        let mut event = record.event(mask);
        let unit = Unit::of(event.cta);
        // Copies signal an mbarrier object through the generic proxy, but beside their thread: something must have released
        // it to them since it was made. Triton relies on a barrier alone.
        if self.kind == Kind::Mbarrier && self.proxy == Proxy::Async {
            let fenced = [self.clock.fenced(self.actor.space), self.clock.initialised()];
            return match strict {
                false => self.clock.knows(&event),
                true => fenced.into_iter().flatten().any(|fenced| knows_all(fenced, event)),
            };
        }
        // What others have done through the generic proxy an access of the async proxy sees only after a fence (8.9.5).
        if self.proxy == Proxy::Async && (writes || strict) && unit.is_none_or(Unit::is_generic) {
            return self.clock.fenced(self.actor.space).is_some_and(|fenced| knows_all(fenced, event));
        }
        if self.proxy == Proxy::Tensormap && writes && unit.is_none() {
            // Who acquires a map acquires it for its CTA.
            let cta = self.actor.cta;
            return self.clock.mapped().is_some_and(|mapped| mapped.has(cta) && knows_all(mapped, event));
        }
        if self.proxy == Proxy::Tensor {
            return self.follows_in_tensor_memory(&event, strict);
        }
        let beside = (event.cta, event.warp) == (self.actor.cta, self.actor.warp);
        match record.whose() {
            // Lanes that write a word together write the same, as a rule: it is enough to know of one.
            Whose::Several if beside && (writes || event.lanes & self.own != 0) => event.lanes = !self.own,
            Whose::Several if writes => event.lanes = u32::MAX,
            Whose::Several => {}
            _ => {
                let others = if beside { event.lanes & !self.own } else { event.lanes };
                return knows_all(&self.clock, Event { lanes: others, ..event });
            }
        }
        event.lanes == 0 || self.clock.knows(&event)
    }

    /// The same in tensor memory. The manual has threads need fences of their own there (`tcgen05.fence`), which Triton
    /// leaves out.
    fn follows_in_tensor_memory(&self, event: &Event, strict: bool) -> bool {
        let event = Event { lanes: u32::MAX, ..*event };
        // The tensor cores of an SM do one thing after another.
        if Unit::of(event.cta) == Some(Unit::Tensor) && self.event.cta == event.cta {
            return true;
        }
        if !strict || (cta_of(event.cta), event.warp) == (self.actor.cta, self.actor.warp) {
            return self.clock.knows(&event);
        }
        self.clock.tensor().is_some_and(|ordered| ordered.knows(&event))
    }
}
