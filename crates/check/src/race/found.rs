//! Races as they are reported: the two accesses, what they do, and what would order them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use ptxvm_machine::SourceLine;
use ptxvm_machine::door::touch::Space;
use ptxvm_order::{Accessed, Missing, SiteId};
use ptxvm_syntax::ast::Span;
use rustc_hash::FxHashMap;

use crate::race::unit::Unit;

/// Which of two accesses writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RaceKind {
    /// The later one reads what the earlier one writes.
    ReadAfterWrite,
    /// The later one writes what the earlier one reads.
    WriteAfterRead,
    /// Both write.
    WriteAfterWrite,
    /// The later one uses the mbarrier object that the earlier one initialises.
    UseAfterInit,
}

/// One of two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The instruction and the thread; of an asynchronous operation, the thread that issued it.
    pub accessed: Accessed,
    /// Who carries it out, if not the thread.
    pub unit: Option<Unit>,
    /// Whether it writes.
    pub writes: bool,
    /// The lines that the instruction was made from: its own, and where that was inlined.
    pub sources: Vec<SourceLine>,
}

/// What would order two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// A part of the order between two threads.
    Missing(Missing),
    /// A fence or a barrier after `mbarrier.init`.
    AfterInit,
    /// Nobody may write what a texture or `ld.global.nc` reads for as long as the kernel runs.
    NotWritten,
    /// Only one lane may write: both execute the instruction together.
    OneLane,
    /// `bar.warp.sync`: both are lanes of a warp.
    WarpBarrier,
    /// Somebody must wait for the earlier one, which is asynchronous.
    Wait(Unit),
    /// A fence of the async proxy after the earlier one, before the later one is issued.
    ProxyFence,
    /// A fence of the proxy of tensor maps.
    TensormapFence,
    /// `tcgen05.fence` in both threads, before and after what orders them.
    TensorFence,
    /// `griddepcontrol.wait` in the second kernel, which has none.
    GridWait,
    /// The second kernel executes it, but not before.
    GridWaitsLate,
    /// Something between two streams.
    Streams,
    /// Both are strong operations, but of different sizes (8.7.2).
    Sizes,
    /// Both are strong operations, but one has too narrow a scope.
    Narrow(Span),
    /// One is a strong operation, and this one is not: two that are would not race.
    Weak(Span),
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// Which of them writes.
    pub kind: RaceKind,
    /// The one that was executed first.
    pub first: Part,
    /// The other.
    pub second: Part,
    /// The memory.
    pub space: Space,
    /// Where the bytes begin that both touch.
    pub address: u64,
    /// How many they are, within a word of four.
    pub bytes: u64,
    /// What would order them.
    pub advice: Vec<Advice>,
    /// How often these two instructions raced; of two launches, for how many words.
    pub count: u64,
    /// If they are of two launches, which.
    pub grids: Option<Grids>,
}

/// The launches of two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grids {
    /// The kernels, the one before first.
    pub kernels: [String; 2],
    /// Where the first access is, if it is in another text than the second.
    pub elsewhere: Option<Elsewhere>,
}

/// A launch and the host, by a copy or a fill, touch the same bytes, one of them writes, and nothing orders the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The access of the launch.
    pub part: Part,
    /// Whether the host writes.
    pub host_writes: bool,
    /// Where the bytes begin that both touch.
    pub address: u64,
    /// How many they are, within a word of four.
    pub bytes: u64,
    /// How many words both touch by this instruction.
    pub count: u64,
}

/// A line of another text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// What the text is called.
    pub file: String,
    /// The number of the line, from one on.
    pub line: u32,
    /// What stands there.
    pub text: String,
}

impl Race {
    /// Moves all its places.
    pub fn change_spans(&mut self, change: impl Fn(Span) -> Span) {
        for part in [&mut self.first, &mut self.second] {
            part.accessed.span = change(part.accessed.span);
        }
        for advice in &mut self.advice {
            match advice {
                Advice::Missing(missing) => missing.change_spans(&change),
                Advice::Narrow(span) | Advice::Weak(span) => *span = change(*span),
                Advice::AfterInit
                | Advice::NotWritten
                | Advice::OneLane
                | Advice::WarpBarrier
                | Advice::Wait(_)
                | Advice::ProxyFence
                | Advice::TensorFence
                | Advice::TensormapFence
                | Advice::GridWait
                | Advice::GridWaitsLate
                | Advice::Streams
                | Advice::Sizes => {}
            }
        }
    }
}

/// The races of a launch so far.
#[derive(Debug, Default)]
pub struct Found {
    all: Vec<Race>,
    by_sites: FxHashMap<(SiteId, SiteId), usize>,
    /// As many are told apart.
    pub limit: usize,
    /// Whether there were more.
    left_out: bool,
}

impl Found {
    /// Two instructions race that have not before.
    pub fn note(&mut self, (a, b): (SiteId, SiteId), race: Race) {
        self.by_sites.insert((a.min(b), a.max(b)), self.all.len());
        self.all.push(race);
    }

    /// Counts a race of two instructions; gives whether it is to be described, which is done once.
    pub fn is_to_be_told(&mut self, (a, b): (SiteId, SiteId)) -> bool {
        if let Some(number) = self.by_sites.get(&(a.min(b), a.max(b))) {
            self.all[*number].count += 1;
            return false;
        }
        let is_told = self.all.len() < self.limit;
        self.left_out |= !is_told;
        is_told
    }
}

/// The races of launches, for who reports them.
#[derive(Debug, Default)]
pub struct Races {
    found: Mutex<Vec<Race>>,
    /// Whether a launch was not looked at to its end.
    incomplete: AtomicBool,
    /// Whether there were more than are told.
    left_out: AtomicBool,
}

impl Races {
    /// All, in the order in which they were found.
    #[must_use]
    pub fn take(&self) -> Vec<Race> {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether nothing more was looked for at some time: the memory for it was used up.
    #[must_use]
    pub fn are_incomplete(&self) -> bool {
        self.incomplete.load(Ordering::Relaxed)
    }

    /// Whether there were more pairs of instructions than are told.
    #[must_use]
    pub fn have_left_out(&self) -> bool {
        self.left_out.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, found: &mut Found, incomplete: bool) {
        self.left_out.fetch_or(found.left_out, Ordering::Relaxed);
        self.incomplete.fetch_or(incomplete, Ordering::Relaxed);
        self.found.lock().unwrap_or_else(PoisonError::into_inner).append(&mut found.all);
    }
}
