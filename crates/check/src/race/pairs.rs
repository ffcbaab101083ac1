//! Compares what two launches touched that nothing orders, and what a launch touched with what the host copied or filled beside it.

use ptxvm_machine::door::touch::Space;
use ptxvm_machine::explain::source_lines;
use ptxvm_model::event::Scope;
use ptxvm_order::{Accessed, Site, SiteId, WORD};
use rustc_hash::FxHashMap;

use crate::race::footprint::{Footprint, Left, Stretch, Trace, Traces};
use crate::race::found::{Advice, Grids, Meeting, Part, Race, RaceKind};
use crate::race::record::Record;
use crate::race::unit::{Unit, cta_of};

impl Footprint {
    /// The races of a launch with the one before it, which both have ended, up to so many pairs of instructions.
    #[must_use]
    pub fn races_with(&self, before: &Footprint, limit: usize) -> Vec<Race> {
        match (before.left(), self.left()) {
            // A grid that lets nobody go has ended when others begin.
            (Some(first), Some(second)) if first.lets_go => {
                Pairs::new((first, second), Between::DependentGrids, limit).compare(&first.all, &second.early)
            }
            _ => Vec::new(),
        }
    }

    /// The races of a launch with one that nothing orders with it, which both have ended, up to so many pairs of instructions.
    #[must_use]
    pub fn races_beside(&self, other: &Footprint, limit: usize) -> Vec<Race> {
        match (other.left(), self.left()) {
            (Some(first), Some(second))
                if !first.speaks_with_the_host() && !second.speaks_with_the_host() =>
            {
                Pairs::new((first, second), Between::Streams, limit).compare(&first.all, &second.all)
            }
            _ => Vec::new(),
        }
    }

    /// Where a launch and the host, by a copy or a fill that nothing orders with it, touch the same bytes and one of them writes,
    /// up to so many instructions.
    #[must_use]
    pub fn meetings_with(&self, host: &[Stretch], limit: usize) -> Vec<Meeting> {
        match self.left() {
            Some(left) if !left.speaks_with_the_host() => meetings(left, host, limit),
            _ => Vec::new(),
        }
    }
}

/// Why nothing orders two launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    /// The second may begin before the first has ended.
    DependentGrids,
    /// They are of streams that run beside each other.
    Streams,
}

/// Two launches that are compared.
struct Pairs<'a> {
    first: &'a Left,
    second: &'a Left,
    between: Between,
    limit: usize,
    races: Vec<Race>,
    by_sites: FxHashMap<(SiteId, SiteId), usize>,
}

impl<'a> Pairs<'a> {
    /// Two launches, of which so many pairs of instructions are told, at most.
    fn new((first, second): (&'a Left, &'a Left), between: Between, limit: usize) -> Self {
        Self { first, second, between, limit, races: Vec::new(), by_sites: FxHashMap::default() }
    }

    /// The races of what the first launch touched with what the second did.
    fn compare(mut self, first: &Traces, second: &Traces) -> Vec<Race> {
        for (ours, second_writes) in second.lists() {
            for (theirs, first_writes) in first.lists() {
                if !self.compare_lists((theirs, first_writes), (ours, second_writes)) {
                    return Vec::new();
                }
            }
        }
        self.races
    }

    /// Compares what one launch touched with what another did, by address. Gives false if one of them heard of the other by
    /// strong operations: what comes after that may be ordered.
    fn compare_lists(&mut self, theirs: (&[Trace], bool), ours: (&[Trace], bool)) -> bool {
        let (mut a, mut b) = (theirs.0.iter().peekable(), ours.0.iter().peekable());
        while let (Some(&&one), Some(&&other)) = (a.peek(), b.peek()) {
            let (from, to) = (one.first.max(other.first), one.end.min(other.end));
            let mask = one.record.mask() & other.record.mask();
            if from < to && mask != 0 {
                let sites =
                    (self.first.sites.get(one.record.site()), self.second.sites.get(other.record.site()));
                let both_strong = is_strong(&sites.0) && is_strong(&sites.1);
                if both_strong && theirs.1 != ours.1 {
                    return false;
                }
                if (theirs.1 || ours.1) && !(both_strong && sites.0.element == sites.1.element) {
                    let address = from + u64::from(mask.trailing_zeros());
                    self.note(
                        (one.record, theirs.1),
                        (other.record, ours.1),
                        (address, mask),
                        (to - from) / WORD,
                    );
                }
            }
            if one.end <= other.end {
                a.next();
            } else {
                b.next();
            }
        }
        true
    }

    fn note(
        &mut self,
        (one, first_writes): (Record, bool),
        (other, second_writes): (Record, bool),
        (address, mask): (u64, u8),
        words: u64,
    ) {
        let next = self.races.len();
        let at = *self.by_sites.entry((one.site(), other.site())).or_insert(next);
        if let Some(race) = self.races.get_mut(at) {
            race.count += words;
            return;
        }
        if self.races.len() >= self.limit {
            return;
        }
        let kind = match (first_writes, second_writes) {
            (true, true) => RaceKind::WriteAfterWrite,
            (true, false) => RaceKind::ReadAfterWrite,
            (false, _) => RaceKind::WriteAfterRead,
        };
        let advice = match self.between {
            Between::Streams => Advice::Streams,
            Between::DependentGrids if self.second.waits => Advice::GridWaitsLate,
            Between::DependentGrids => Advice::GridWait,
        };
        self.races.push(Race {
            kind,
            first: part(self.first, &one, first_writes),
            second: part(self.second, &other, second_writes),
            space: Space::Global,
            address,
            bytes: mask.count_ones().into(),
            advice: vec![advice],
            count: words,
            grids: Some(Grids {
                kernels: [self.first.kernel.clone(), self.second.kernel.clone()],
                elsewhere: None,
            }),
        });
    }
}

/// Where the host and a launch touch the same bytes and one of them writes, each instruction once.
fn meetings(left: &Left, host: &[Stretch], limit: usize) -> Vec<Meeting> {
    let mut found: Vec<Meeting> = Vec::new();
    let mut by_site = FxHashMap::default();
    for (list, writes) in left.all.lists() {
        for stretch in host.iter().filter(|stretch| writes || stretch.writes) {
            let from = list.partition_point(|trace| trace.end <= stretch.first);
            for trace in list[from..].iter().take_while(|trace| trace.first < stretch.end) {
                let Some((address, bytes)) = shared_bytes(trace, stretch) else { continue };
                let words = (trace.end.min(stretch.end) - trace.first.max(stretch.first)).div_ceil(WORD);
                let next = found.len();
                let at = *by_site.entry((trace.record.site(), stretch.writes)).or_insert(next);
                match found.get_mut(at) {
                    Some(meeting) => meeting.count += words,
                    None if at < limit => found.push(Meeting {
                        part: part(left, &trace.record, writes),
                        host_writes: stretch.writes,
                        address,
                        bytes,
                        count: words,
                    }),
                    None => {}
                }
            }
        }
    }
    found
}

/// The first bytes of a word that both touch, and how many.
fn shared_bytes(trace: &Trace, stretch: &Stretch) -> Option<(u64, u64)> {
    let word = trace.first.max(stretch.first / WORD * WORD);
    // Of the words of a stretch only the first and the last may be in part the host's.
    let ends = [word, (stretch.end - 1) / WORD * WORD];
    [word, word + WORD, ends[1]].into_iter().filter(|word| (trace.first..trace.end).contains(word)).find_map(
        |word| {
            let inside = |byte: &u64| (stretch.first..stretch.end).contains(&(word + byte));
            let mut bytes = (0..WORD).filter(inside).filter(|byte| trace.record.mask() >> byte & 1 != 0);
            let first = bytes.next()?;
            Some((word + first, 1 + bytes.count() as u64))
        },
    )
}

/// Whether an instruction is a strong operation that threads of other grids are in the scope of.
fn is_strong(site: &Site) -> bool {
    site.is_strong() && site.scope >= Scope::Gpu
}

fn part(left: &Left, record: &Record, writes: bool) -> Part {
    let site = left.sites.get(record.site());
    let event = record.event(record.mask());
    let unit = Unit::of(event.cta).filter(|unit| !matches!(unit, Unit::Constant | Unit::Weaker));
    let (warp, lane) = match unit {
        // These stand at the places of mbarrier objects.
        Some(Unit::Signalled | Unit::Stores) => left.issuers.get(&record.site()).copied().unwrap_or_default(),
        _ => (event.warp & 31, event.lanes.trailing_zeros().min(31)),
    };
    Part {
        accessed: Accessed { span: site.span, thread: left.shape.thread(cta_of(event.cta), warp, lane) },
        unit,
        writes,
        sources: source_lines(&left.program, site.location),
    }
}
