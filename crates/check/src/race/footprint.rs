//! What a launch has touched of global memory, for the launch after it: that may begin before this one has ended, and until it
//! has waited nothing orders the two (`griddepcontrol`, 9.7.13.13).
//!
//! It is made at the end of the launch of the last accesses of each word, and is short where neighbouring words were touched
//! by the same instruction. A write stands for what its launch has read of the same word before.

use std::sync::{Arc, OnceLock};

use ptxvm_ir::Program;
use ptxvm_machine::door::touch::Space;
use ptxvm_machine::explain::source_lines;
use ptxvm_model::event::Scope;
use ptxvm_order::{Accessed, Shadow, Shape, Site, SiteId, Sites, WORD};
use rustc_hash::FxHashMap;

use crate::race::found::{Advice, Grids, Part, Race, RaceKind};
use crate::race::record::{Entry, Record};
use crate::race::unit::{Unit, cta_of};

/// What a launch leaves behind when it has ended, for who asks whether it raced with another one.
#[derive(Debug, Default)]
pub struct Footprint {
    /// Whether the launch may begin before the one before it has ended.
    begins_early: bool,
    ended: OnceLock<Left>,
}

/// What a launch has touched, and who it was.
#[derive(Debug)]
pub(crate) struct Left {
    pub program: Arc<Program>,
    pub kernel: String,
    pub sites: Arc<Sites>,
    pub shape: Shape,
    /// All that it touched. Of a grid that lets nobody go it is nothing: that has ended when others begin.
    pub all: Traces,
    /// What its threads touched before they had waited for the grids before.
    pub early: Traces,
    /// Whether some thread has waited for the grids before.
    pub waits: bool,
    /// By instruction: the warp and the lane that last issued what tells an mbarrier object.
    pub issuers: FxHashMap<SiteId, (u32, u32)>,
}

/// So many stretches of words are kept of a launch, at most.
const MOST: usize = 1 << 20;

/// Accesses by the words that they touched: the last write of each, and two reads, or a weak write before a strong one.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    lists: [Vec<Trace>; 4],
}

/// Which of the lists hold writes.
const WRITES: [bool; 4] = [true, false, false, true];

/// Neighbouring words that one instruction touched alike.
#[derive(Clone, Copy, Debug)]
struct Trace {
    first: u64,
    /// After the last.
    end: u64,
    /// That of the first word.
    record: Record,
}

impl Traces {
    /// Those of the words of a memory.
    pub fn of(shadow: &Shadow<Entry>) -> Self {
        let mut traces = Self::default();
        for (address, entry) in shadow.words() {
            let (mut reads, mut weaker) = ([Record::default(); 2], Record::default());
            for (at, read) in entry.reads.iter().enumerate() {
                *(if read.is_weaker() { &mut weaker } else { &mut reads[at] }) = *read;
            }
            for (list, record) in traces.lists.iter_mut().zip([entry.write, reads[0], reads[1], weaker]) {
                note(list, address, record);
            }
        }
        traces
    }
}

/// A word has been touched after those before it in the list.
fn note(list: &mut Vec<Trace>, address: u64, record: Record) {
    if record.is_none() {
        return;
    }
    if let Some(last) = list.last_mut()
        && last.end == address
        && (last.record.site(), last.record.mask()) == (record.site(), record.mask())
        && Unit::of(last.record.cta()) == Unit::of(record.cta())
    {
        last.end += WORD;
    } else if list.len() < MOST {
        list.push(Trace { first: address, end: address + WORD, record });
    }
}

impl Footprint {
    /// That of a launch, which may begin before the one before it has ended.
    #[must_use]
    pub fn new(begins_early: bool) -> Self {
        Self { begins_early, ended: OnceLock::new() }
    }

    /// Whether the launch may begin before the one before it has ended.
    pub(crate) fn begins_early(&self) -> bool {
        self.begins_early
    }

    /// The launch has ended.
    pub(crate) fn end(&self, left: Left) {
        let _ = self.ended.set(left);
    }

    /// The races of a launch with the one before it, which both have ended, up to so many pairs of instructions.
    #[must_use]
    pub fn races_with(&self, before: &Footprint, limit: usize) -> Vec<Race> {
        let (Some(first), Some(second)) = (before.ended.get(), self.ended.get()) else { return Vec::new() };
        let mut pairs = Pairs { first, second, limit, races: Vec::new(), by_sites: FxHashMap::default() };
        for (ours, second_writes) in second.early.lists.iter().zip(WRITES) {
            for (theirs, first_writes) in first.all.lists.iter().zip(WRITES) {
                if !pairs.compare((&theirs[..], first_writes), (&ours[..], second_writes)) {
                    return Vec::new();
                }
            }
        }
        pairs.races
    }
}

/// Two launches that are compared.
struct Pairs<'a> {
    first: &'a Left,
    second: &'a Left,
    limit: usize,
    races: Vec<Race>,
    by_sites: FxHashMap<(SiteId, SiteId), usize>,
}

impl Pairs<'_> {
    /// Compares what one launch touched with what another did, by address. Gives false if one of them heard of the other by
    /// strong operations: what comes after that may be ordered.
    fn compare(&mut self, theirs: (&[Trace], bool), ours: (&[Trace], bool)) -> bool {
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
        let advice = if self.second.waits { Advice::GridWaitsLate } else { Advice::GridWait };
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
