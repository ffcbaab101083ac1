//! What a launch has touched of global memory, for launches that nothing orders with it: the one after it may begin before this
//! one has ended, and until it has waited nothing orders the two (`griddepcontrol`, 9.7.13.13); and what other streams do is
//! ordered with it only by events and by waiting.
//!
//! It is made at the end of the launch of the last accesses of each word, and is short where neighbouring words were touched
//! by the same instruction. A write stands for what its launch has read of the same word before.

use std::sync::{Arc, OnceLock};

use ptxvm_ir::Program;
use ptxvm_model::event::Scope;
use ptxvm_order::{Shadow, Shape, SiteId, Sites, WORD};
use rustc_hash::FxHashMap;

use crate::race::record::{Entry, Record};
use crate::race::unit::Unit;

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
    /// All that it touched.
    pub all: Traces,
    /// Whether it may let the grid after it go before it has ended.
    pub lets_go: bool,
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
pub(crate) struct Trace {
    pub first: u64,
    /// After the last.
    pub end: u64,
    /// That of the first word.
    pub record: Record,
}

/// Bytes that the host reads or writes by a copy or a fill: from the first to after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first byte.
    pub first: u64,
    /// After the last.
    pub end: u64,
    /// Whether they are written.
    pub writes: bool,
}

impl Traces {
    /// The lists, each with whether it holds writes.
    pub fn lists(&self) -> impl Iterator<Item = (&[Trace], bool)> {
        self.lists.iter().map(Vec::as_slice).zip(WRITES)
    }

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

    /// What the launch has left, if it has ended.
    pub(crate) fn left(&self) -> Option<&Left> {
        self.ended.get()
    }

    /// What it takes of the host's memory, in stretches of words.
    #[must_use]
    pub fn size(&self) -> usize {
        self.ended.get().map_or(0, |left| left.all.lists.iter().map(Vec::len).sum())
    }
}

impl Left {
    /// Whether it has strong writes for the whole system: the host may have seen one of them, and may have launched what comes
    /// after that.
    pub fn speaks_with_the_host(&self) -> bool {
        let writes = self.all.lists().filter(|(_, writes)| *writes);
        let mut sites = writes.flat_map(|(list, _)| list).map(|trace| self.sites.get(trace.record.site()));
        sites.any(|site| site.is_strong() && site.scope >= Scope::Sys)
    }
}
