//! A region: the blocks that a warp can reach from one block before it must leave to the schedule, and which of them may
//! have lanes waiting while another runs.
//!
//! As in the interpreter, of the lanes of a warp those at the lowest block run first. So code is written block after
//! block, and where lanes part, those with the higher block wait there.

use std::collections::{BTreeMap, BTreeSet};

use ptxvm_machine::code::{Block, Terminator};
use ptxvm_machine::registers::Slot;

use crate::analysis::{Analysis, Shape};
use crate::callee::{Callees, callee};

/// Larger regions are left to the interpreter: compile time stays in proportion, and so does the host's stack, on which
/// LLVM keeps the values that find no register.
pub const MOST_INSTRUCTIONS: usize = 4_000;

/// The blocks that a warp can reach from one.
pub struct Region {
    /// Where it begins.
    pub entry: u32,
    /// By block: the blocks where lanes may wait while it runs.
    pub waiting: BTreeMap<u32, BTreeSet<u32>>,
    /// The blocks that it leads to and that begin a stretch of their own.
    pub seams: BTreeSet<u32>,
    /// The registers that it writes: the others stay in the activation as they are.
    written: BTreeSet<u32>,
    /// The registers that it reads.
    read: BTreeSet<u32>,
}

impl Region {
    /// The region that begins with a block, in a function that is entered; `None` if it is too large. It ends at the latest where other stretches begin.
    pub fn of(analysis: &Analysis<'_>, entry: u32, callees: &Callees, seams: &BTreeSet<u32>) -> Option<Self> {
        Self::find(analysis, entry, callees, Some(seams))
    }

    /// All of a function that others of the code call, as far as they can.
    pub fn of_called(analysis: &Analysis<'_>, callees: &Callees) -> Option<Self> {
        Self::find(analysis, analysis.linked.block, callees, None)
    }

    fn find(
        analysis: &Analysis<'_>,
        entry: u32,
        callees: &Callees,
        seams: Option<&BTreeSet<u32>>,
    ) -> Option<Self> {
        let (called, others) = (seams.is_none(), seams.cloned().unwrap_or_default());
        let others = others.into_iter().filter(|seam| *seam != entry).collect();
        let (waiting, open, seams) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        let mut finder = Finder { analysis, callees, called, others, waiting, seams, open };
        finder.arrive(entry, BTreeSet::new());
        let mut looks = 0;
        while let Some(block) = finder.open.pop() {
            looks += 1;
            if looks > MOST_INSTRUCTIONS {
                return None;
            }
            finder.leave(block);
        }
        let Finder { waiting, seams, .. } = finder;
        let blocks = waiting.keys().map(|block| &analysis.code.blocks[*block as usize]);
        let instructions: usize = blocks.map(|block| (block.end - block.start) as usize + 1).sum();
        let mut region = Self { entry, waiting, seams, written: BTreeSet::new(), read: BTreeSet::new() };
        region.find_registers(analysis);
        (instructions <= MOST_INSTRUCTIONS).then_some(region)
    }

    fn find_registers(&mut self, analysis: &Analysis<'_>) {
        let function = analysis.function;
        for block in self.waiting.keys() {
            let Some(of) = analysis.code.blocks[*block as usize].of else { continue };
            let of = &function.blocks[of.0 as usize];
            for instruction in &function.instructions[of.start as usize..of.end as usize] {
                self.read.extend(function.reads(instruction).map(|register| register.0));
                self.written.extend(function.writes(instruction).map(|written| written.register.0));
            }
        }
        // The carry flag follows the registers.
        self.written.extend(analysis.carry.map(|_| function.registers.len() as u32));
    }

    /// Whether it writes a register.
    pub fn writes(&self, register: u32) -> bool {
        self.written.contains(&register)
    }

    /// Whether it reads or writes a register.
    pub fn uses(&self, register: u32) -> bool {
        self.written.contains(&register) || self.read.contains(&register)
    }

    /// What some of its blocks cost, in instructions. A warp pays for all of them when it begins, and for those of a loop
    /// again whenever it goes back, so nothing is counted between.
    pub fn cost(&self, analysis: &Analysis<'_>, counts: impl Fn(u32) -> bool) -> u64 {
        let blocks = self.waiting.keys().filter(|block| counts(**block));
        let blocks = blocks.map(|block| &analysis.code.blocks[*block as usize]);
        blocks.map(|block| u64::from(block.end - block.start + 1)).sum()
    }

    /// Whether code for a block is part of it.
    pub fn has(&self, block: u32) -> bool {
        self.waiting.contains_key(&block)
    }
}

/// Whether a block begins with an instruction that may have to wait for somebody outside of the warp.
pub fn waits(analysis: &Analysis<'_>, block: &Block) -> bool {
    let code = &analysis.code.instructions[block.start as usize..block.end as usize];
    let first = code.first().map(|first| first.source.instruction as usize);
    let first = first.and_then(|first| analysis.function.instructions.get(first));
    first.is_some_and(|first| analysis.waits(first))
}

/// The blocks that `brx.idx` at the end of a block may go to; `None` if it may go back, where a loop would count.
pub fn ways(block: u32, guard: Option<Slot>, targets: &[u32], next: u32) -> Option<BTreeSet<u32>> {
    let all: BTreeSet<u32> = targets.iter().copied().chain(guard.map(|_| next)).collect();
    all.first().is_some_and(|lowest| *lowest > block).then_some(all)
}

/// Whether lanes may differ in what the guard at the end of a block says.
pub fn varies(analysis: &Analysis<'_>, block: u32, guard: Slot) -> bool {
    let Some(register) = analysis.register(guard) else { return true };
    analysis.shape_at_end(block, register) != Shape::Uniform
}

struct Finder<'a> {
    analysis: &'a Analysis<'a>,
    callees: &'a Callees,
    called: bool,
    /// The blocks that begin other stretches, and those of them that were found.
    others: BTreeSet<u32>,
    seams: BTreeSet<u32>,
    waiting: BTreeMap<u32, BTreeSet<u32>>,
    open: Vec<u32>,
}

impl Finder<'_> {
    /// Lanes come to a block while others wait.
    fn arrive(&mut self, block: u32, waiting: BTreeSet<u32>) {
        if self.others.contains(&block) {
            self.seams.insert(block);
            return;
        }
        match self.waiting.get_mut(&block) {
            Some(known) => {
                let before = known.len();
                known.extend(waiting);
                if known.len() > before {
                    self.open.push(block);
                }
            }
            None => {
                self.waiting.insert(block, waiting);
                self.open.push(block);
            }
        }
    }

    fn leave(&mut self, block: u32) {
        let waiting = self.waiting.get(&block).cloned().unwrap_or_default();
        match &self.analysis.code.blocks[block as usize].end_with {
            Terminator::Next(next) => self.go(block, *next, &waiting),
            Terminator::Branch { guard, target, next } => match guard {
                None => self.go(block, *target, &waiting),
                Some(guard) if varies(self.analysis, block, *guard) => {
                    let (low, high) = ((*target).min(*next), (*target).max(*next));
                    let mut waiting = waiting;
                    waiting.insert(high);
                    self.go(block, low, &waiting);
                    self.next_of(&waiting);
                }
                Some(_) => {
                    self.go(block, *target, &waiting);
                    self.go(block, *next, &waiting);
                }
            },
            Terminator::Index { guard, index, targets, next } => {
                let Some(all) = ways(block, *guard, targets, *next) else { return };
                let varies = |slot: &Slot| varies(self.analysis, block, *slot);
                if varies(index) || guard.as_ref().is_some_and(varies) {
                    self.next_of(&waiting.union(&all).copied().collect());
                } else {
                    all.iter().for_each(|to| self.go(block, *to, &waiting));
                }
            }
            Terminator::Return { .. } if !self.called => {}
            Terminator::Exit { guard, next } | Terminator::Return { guard, next } => {
                if guard.is_some() {
                    self.go(block, *next, &waiting);
                }
                self.next_of(&waiting);
            }
            Terminator::Call(call) => {
                if callee(call, self.callees).is_some() {
                    self.go(block, call.next, &waiting);
                    self.next_of(&waiting);
                }
            }
            Terminator::Barrier(_) => {}
        }
    }

    fn go(&mut self, from: u32, to: u32, waiting: &BTreeSet<u32>) {
        let mut waiting = waiting.clone();
        if to > from && waiting.first().is_some_and(|lowest| *lowest < to) {
            waiting.insert(to);
            return self.next_of(&waiting);
        }
        waiting.remove(&to);
        self.arrive(to, waiting);
    }

    /// The lowest of those who wait is next, whichever that is.
    fn next_of(&mut self, waiting: &BTreeSet<u32>) {
        for block in waiting {
            self.arrive(*block, waiting.range(block + 1..).copied().collect());
        }
    }
}
