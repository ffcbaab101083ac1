//! The state of one host thread: what it has found and counted, what it remembers, and the cluster whose turn it is.

use std::collections::VecDeque;
use std::ops::Range;

use ptxvm_ir::FunctionId;
use ptxvm_ir::operation::AddressSpace;
use ptxvm_memory::Region;

use crate::asynchronous::queue::pending::Pending;
use crate::asynchronous::trouble::Trouble;
use crate::code::{Source, Stepped};
use crate::door::executed::Without;
use crate::door::follower::{Again, OldBytes};
use crate::explain::finding::{Kind, Limit, Related};
use crate::matrix::operands::Operands;
use crate::random::splitmix64;
use crate::registers::LANES;
use crate::schedule::cluster::state::ClusterState;
use crate::state::frame::{Frame, Site, Weight};
use crate::state::opaque::Opaque;
use crate::statistics::Statistics;

/// The state of one host thread.
#[derive(Debug)]
pub struct Worker {
    /// Why the warp stopped.
    pub fault: Option<Fault>,
    /// The instruction that runs, if somebody observes.
    pub source: Source,
    /// Whether an instruction is executed again that has met a mistake, to do what silicon does.
    pub forgiving: bool,
    /// How many threads it has forgiven.
    pub forgiven: u64,
    /// What an asynchronous operation came to when it completed, if that is why.
    pub trouble: Option<Box<Trouble>>,
    /// The instruction that the machine does not have, if that is why.
    pub unsupported: Option<String>,
    /// An operation has stopped in its middle because the launch is to end: nothing may run any more.
    pub halted: bool,
    /// Global regions that accesses fell into lately.
    pub regions: [Region; REGIONS],
    /// The same, where every access must be told of: another list, so that the quick way of `resolve` finds nothing.
    pub watched: [Region; REGIONS],
    /// What lanes find instead of memory, if the launch has a follower.
    pub old_bytes: Box<OldBytes>,
    /// Whether the running instruction has read what nobody has defined, if values are followed.
    pub undefined: bool,
    /// The lanes for whom it has no defined value, if somebody looks for that.
    pub without: Option<Without>,
    /// What is to be looked at once more after the running instruction.
    pub(crate) again: Option<Box<Again>>,
    /// The one to be replaced next.
    pub oldest: usize,
    /// The generation of the memory that they belong to.
    pub generation: u64,
    /// The regions that the places of compiled code accessed last, and the generation that they belong to.
    pub sites: Vec<Site>,
    /// By the same numbers: what compiled code has found out about stretches through which lanes may go alone.
    pub weights: Vec<Weight>,
    /// The generation of the memory that those belong to.
    pub sites_generation: u64,
    /// What compiled code works with, when it does not run.
    pub frame: Option<Box<Frame>>,
    /// The limit that a fault stands for which is nobody's mistake.
    pub limit: Option<Limit>,
    /// Set by operations that look at what other threads may change, or that sleep: a loop of them may be waiting.
    pub polled: bool,
    /// Set by such operations when a lane has seen something else than the last time.
    pub news: bool,
    /// What has been counted.
    pub statistics: Statistics,
    /// Executions of each block, and lanes in them.
    pub blocks: Vec<(u64, u64)>,
    /// Warp instructions executed.
    pub instructions: u64,
    /// Looks at the clock.
    pub looks: u64,
    /// How often groups have gone round a loop, where there may be compiled code of it.
    pub rounds: u64,
    /// The same and what else took time, in about the time of an instruction: what turns and limits go by, so that
    /// a guest that prints megabytes can be stopped too.
    pub effort: u64,
    /// Whether somebody looks on: then it is interrupted after each instruction.
    pub single: bool,
    /// The instruction that it has been interrupted after.
    pub stepped: Option<Stepped>,
    /// Random numbers of this worker.
    pub random: u64,
    /// The clusters of the grid that are its own and have not begun.
    pub claimed: Range<u64>,
    /// How many instructions were put off under weak memory.
    pub put_off: u64,
    /// How many turns ended in the middle of a block under weak memory.
    pub gave_way: u64,
    /// The cluster whose turn it is.
    pub cluster: Box<ClusterState>,
    /// What clusters that have ended left to be written.
    pub held_back: HeldBack,
    /// Buffers of matrix products.
    pub operands: Operands,
    /// The textures, samplers and surfaces that were used last.
    pub opaque: Opaque,
}

/// How many regions a worker remembers: a kernel's usual handful of buffers.
pub const REGIONS: usize = 6;

impl Worker {
    /// Lanes look at something that others may change. If one sees what it saw the last time, the loop around it may be waiting
    /// for another answer.
    #[inline(always)]
    pub fn look(&mut self, lanes: u32, is_same: impl Fn(usize) -> bool) {
        let same = (0..LANES).fold(0, |same, lane| same | u32::from(is_same(lane)) << lane) & lanes;
        self.polled |= same != 0;
        self.news |= same != lanes;
    }

    /// The worker of this number of a launch of an entry with a seed, with a count of zero for each block.
    #[inline(always)]
    #[must_use]
    pub fn new(number: u64, entry: FunctionId, seed: u64, blocks: Vec<(u64, u64)>) -> Self {
        Self {
            fault: None,
            source: Source { function: entry, instruction: 0 },
            forgiving: false,
            forgiven: 0,
            trouble: None,
            unsupported: None,
            halted: false,
            regions: [Region::EMPTY; REGIONS],
            watched: [Region::EMPTY; REGIONS],
            old_bytes: Box::default(),
            undefined: false,
            without: None,
            again: None,
            oldest: 0,
            generation: 0,
            sites: Vec::new(),
            weights: Vec::new(),
            sites_generation: 0,
            frame: None,
            limit: None,
            polled: false,
            news: false,
            statistics: Statistics::default(),
            blocks,
            instructions: 0,
            looks: 0,
            rounds: 0,
            effort: 0,
            single: false,
            stepped: None,
            claimed: 0..0,
            put_off: 0,
            gave_way: 0,
            cluster: Box::default(),
            held_back: HeldBack::default(),
            operands: Operands::default(),
            opaque: Opaque::default(),
            random: seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }

    /// The next random number (splitmix64).
    pub fn next_random(&mut self) -> u64 {
        splitmix64(&mut self.random)
    }
}

/// A finding in the making.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What kind of wrong.
    pub kind: Kind,
    /// Who did it.
    pub lane: usize,
    /// One sentence.
    pub message: String,
    /// More sentences.
    pub notes: Vec<String>,
    /// The shared or local memory that was missed: the report names the variable that was meant.
    pub missed: Option<Missed>,
    /// Whether an H200 goes on after it.
    pub survived: bool,
    /// Other places that belong to it.
    pub related: Vec<Related>,
}

impl Fault {
    /// One that misses no memory, and that ends the kernel on an H200.
    #[must_use]
    pub fn new(kind: Kind, lane: usize, message: String, notes: Vec<String>) -> Self {
        Self { kind, lane, message, notes, missed: None, survived: false, related: Vec::new() }
    }
}

/// An access outside of shared or local memory.
#[derive(Clone, Copy, Debug)]
pub struct Missed {
    /// Which of the two.
    pub space: AddressSpace,
    /// Where it began.
    pub offset: u64,
    /// How long it was.
    pub bytes: u64,
}

/// Writes to global memory that clusters left when they ended, the oldest first, each with the number and place of its
/// cluster.
#[derive(Debug, Default)]
pub struct HeldBack(pub(crate) VecDeque<(u64, [u32; 3], Box<Pending>)>);
