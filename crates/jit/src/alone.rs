//! Stretches of a region through which lanes go alone, one after the other.
//!
//! Where lanes leave a loop at different times and access memory here and there, most of what a vector does is for nobody:
//! a gather takes as long as the loads that it stands for, and waits for the lane that stays longest. Code for one lane
//! does no more than it must. The code for all lanes stays beside it: which of them is faster shows when they run
//! (`emit/alone.rs`).

use std::collections::{BTreeMap, BTreeSet};

use ptxvm_ir::operation::access::Words;
use ptxvm_ir::operation::compute::{Comparing, Compute};
use ptxvm_ir::operation::{Access, AddressSpace, Operation, Order};
use ptxvm_isa::Kind;
use ptxvm_machine::code::{Meaning, Terminator};
use ptxvm_machine::context::Instruction;
use ptxvm_machine::registers::Slot;

use crate::analysis::{Analysis, HomeId, Shape};
use crate::region::{Region, varies};
use crate::tuning::GoAlone;

/// Longer stretches are not written twice.
const MOST_INSTRUCTIONS: u32 = 192;

/// So many instructions for each access without a pattern: with more, vectors pay.
const MOST_ARITHMETIC: u32 = 16;

/// Loops with so few instructions between them are one stretch.
const MOST_BETWEEN: u32 = 24;

/// Blocks that lanes run through alone, from the beginning of the first.
pub struct Alone {
    pub first: u32,
    pub last: u32,
    /// The blocks that they lead to.
    pub exits: BTreeSet<u32>,
    /// What lanes bring: the homes that are live at the beginning, and read or written here.
    pub inputs: Vec<(HomeId, Slot)>,
    /// The homes that are written here. All others are read where they are.
    pub written: BTreeSet<HomeId>,
    /// By exit: what lanes take there, of what is written here.
    pub outputs: BTreeMap<u32, Vec<(HomeId, Slot)>>,
    /// How many instructions it has, and how many of them access memory without a pattern.
    pub instructions: u32,
    pub irregular: u32,
    /// Whether it changes no memory: lanes can begin it again then, all at once.
    pub pure: bool,
    /// Whether lanes go alone even if they were slower before.
    pub always: bool,
}

impl Alone {
    /// Whether a block is one of them.
    pub fn has(&self, block: u32) -> bool {
        (self.first..=self.last).contains(&block)
    }
}

/// The stretches of a region for which that pays, in order; none is part of another.
pub fn alone(analysis: &Analysis<'_>, region: &Region, go_alone: GoAlone) -> Vec<Alone> {
    if analysis.carry.is_some() || !analysis.late.is_empty() || go_alone == GoAlone::Never {
        return Vec::new();
    }
    let stretch = |first: u32, last: u32| stretch(analysis, region, go_alone, (first, last));
    let mut found: Vec<Alone> = Vec::new();
    for (first, last) in loops(analysis, region) {
        if found.last().is_some_and(|before| before.has(first)) {
            continue;
        }
        if go_alone != GoAlone::Always && has_few_turns(analysis, first, last) {
            continue;
        }
        // Together with the one before it, if there is not much between them.
        let near = found.last().filter(|before| between(analysis, before.last, first) <= MOST_BETWEEN);
        let both = near.and_then(|before| stretch(before.first, last));
        if let Some(one) = both.or_else(|| stretch(first, last)) {
            found.retain(|before| !one.has(before.first) && !one.has(before.last));
            found.push(one);
        }
    }
    found
}

/// The first and the last block of each loop, outer ones before those in them.
fn loops(analysis: &Analysis<'_>, region: &Region) -> Vec<(u32, u32)> {
    let mut loops: BTreeMap<u32, u32> = BTreeMap::new();
    for block in region.waiting.keys() {
        let ends = &analysis.code.blocks[*block as usize].end_with;
        for head in ends.successors().into_iter().filter(|to| to <= block && region.has(*to)) {
            let last = loops.entry(head).or_insert(*block);
            *last = (*last).max(*block);
        }
    }
    loops.into_iter().collect()
}

/// Whether lanes leave a loop of one block after few turns. A lane that went through it alone would cost a branch that nobody
/// can foretell, as much as all of its turns.
fn has_few_turns(analysis: &Analysis<'_>, first: u32, last: u32) -> bool {
    let block = &analysis.code.blocks[last as usize];
    let Terminator::Branch { guard: Some(guard), .. } = block.end_with else { return false };
    let Some(guard) = analysis.register(guard).filter(|_| first == last) else { return false };
    let instructions = &analysis.code.instructions[block.start as usize..block.end as usize];
    let described =
        |linked: &Instruction| analysis.function.instructions.get(linked.source.instruction as usize);
    let makes = |instruction: &&ptxvm_ir::Instruction| {
        analysis.function.writes(instruction).any(|written| written.register.0 == guard)
    };
    let made = instructions.iter().rev().filter_map(described).find(makes);
    made.is_some_and(|made| {
        let compares = matches!(
            analysis.code.program.operation(made),
            Some(Operation::Compute(Compute::Comparing(Comparing::Setp(_))))
        );
        compares && analysis.function.reads(made).any(|read| analysis.counts_few(read.0))
    })
}

/// The instructions between two blocks.
fn between(analysis: &Analysis<'_>, last: u32, first: u32) -> u32 {
    let blocks = analysis.code.blocks.get(last as usize + 1..first as usize).unwrap_or_default();
    blocks.iter().map(|block| block.end - block.start + 1).sum()
}

/// The stretch from a block to another, or from an earlier one if others lead into it; `None` if lanes cannot go through it
/// alone, or it does not pay.
fn stretch(
    analysis: &Analysis<'_>,
    region: &Region,
    go_alone: GoAlone,
    (first, last): (u32, u32),
) -> Option<Alone> {
    let first = beginning(analysis, region, first, last);
    let mut alone = Alone {
        first,
        last,
        exits: BTreeSet::new(),
        inputs: Vec::new(),
        written: BTreeSet::new(),
        outputs: BTreeMap::new(),
        instructions: 0,
        irregular: 0,
        pure: true,
        always: go_alone == GoAlone::Always,
    };
    let (mut read, mut parts) = (BTreeSet::new(), false);
    for block in first..=last {
        let described = analysis.code.blocks.get(block as usize)?;
        if !region.has(block) || described.converge.is_some() {
            return None;
        }
        match described.end_with {
            Terminator::Next(_) | Terminator::Branch { guard: None, .. } => {}
            Terminator::Branch { guard: Some(guard), .. } => {
                read.extend(analysis.register(guard));
                parts |= varies(analysis, block, guard);
            }
            _ => return None,
        }
        let outside = described.end_with.successors().into_iter().filter(|to| !(first..=last).contains(to));
        alone.exits.extend(outside);
        alone.instructions += described.end - described.start + 1;
        if alone.instructions > MOST_INSTRUCTIONS {
            return None;
        }
        for instruction in &analysis.code.instructions[described.start as usize..described.end as usize] {
            let number = instruction.source.instruction;
            let written = &analysis.function.instructions[number as usize];
            let address = goes_alone(analysis, instruction)?;
            alone.pure &= !changes_memory(analysis, instruction);
            let irregular = |slot| {
                let wild = analysis.register(slot).is_some_and(|register| analysis.is_wild(register));
                wild || is_local(analysis, instruction) && varies(analysis, block, slot)
            };
            alone.irregular += u32::from(address.is_some_and(irregular));
            read.extend(analysis.function.reads(written).map(|register| register.0));
            for register in analysis.function.writes(written).map(|written| written.register.0) {
                read.insert(register);
                alone.written.extend(analysis.homes.written(number, register));
            }
        }
    }
    let pays = parts && alone.irregular > 0 && alone.instructions <= alone.irregular * MOST_ARITHMETIC;
    if !pays && !alone.always {
        return None;
    }
    let used = |register: u32, home: HomeId| read.contains(&register) || alone.written.contains(&home);
    let live = |block: u32| analysis.live_at(block).iter().map(|(register, home)| (*register, *home));
    let with_slot = |(register, home): (u32, HomeId)| Some((home, analysis.slot(register)?));
    alone.inputs =
        live(first).filter(|(register, home)| used(*register, *home)).filter_map(with_slot).collect();
    for exit in &alone.exits {
        let taken = live(*exit).filter(|(_, home)| alone.written.contains(home));
        alone.outputs.insert(*exit, taken.filter_map(with_slot).collect());
    }
    (leads_on(region, &alone) && keeps_lanes_apart(analysis, &alone)).then_some(alone)
}

/// Where a stretch must begin so that nobody comes into its middle from before it.
fn beginning(analysis: &Analysis<'_>, region: &Region, first: u32, last: u32) -> u32 {
    let mut first = first;
    let leads_in = |from: u32, first: u32| {
        let ends = analysis.code.blocks[from as usize].end_with.successors();
        ends.into_iter().any(|to| to > first && to <= last)
    };
    while let Some(before) =
        region.waiting.range(..first).map(|(block, _)| *block).find(|from| leads_in(*from, first))
    {
        first = before;
    }
    first
}

/// Whether lanes leave it for blocks after it, nobody waits in its middle, and where lanes wait after it others are known to
/// wait.
fn leads_on(region: &Region, alone: &Alone) -> bool {
    let Some(waiting) = region.waiting.get(&alone.first) else { return false };
    let all: BTreeSet<u32> = waiting.union(&alone.exits).copied().collect();
    let known = |block: &u32| match region.waiting.get(block) {
        Some(others) => all.range(block + 1..).all(|other| others.contains(other)),
        None => true,
    };
    alone.exits.first().is_some_and(|first| *first > alone.last)
        && waiting.range(alone.first..=alone.last).next().is_none()
        && alone.exits.iter().chain(waiting).all(known)
}

/// Whether what lanes take out of it may differ between them.
fn keeps_lanes_apart(analysis: &Analysis<'_>, alone: &Alone) -> bool {
    alone.outputs.values().flatten().all(|(home, _)| analysis.homes.shape(*home) == Shape::Varying)
}

/// Whether one lane can execute an instruction: it computes, or accesses memory in a way that others do not wait for. Gives
/// the slot of the address then, if it has one.
fn goes_alone(analysis: &Analysis<'_>, instruction: &Instruction) -> Option<Option<Slot>> {
    if let Meaning::Prepared(_) = instruction.meaning {
        return Some(None);
    }
    let described = &analysis.function.instructions[instruction.source.instruction as usize];
    match analysis.code.program.operation(described)? {
        Operation::Compute(_) | Operation::Generic(_) | Operation::Access(Access::LoadParameter(_)) => {
            Some(None)
        }
        Operation::Access(Access::Load(words) | Access::Store(words)) => address(words, instruction),
        // The sum of floats depends on who adds first.
        Operation::Access(Access::Atomic(atomic)) if atomic.ty.kind() != Kind::Float => {
            instruction.slots.get(atomic.address.operand).map(|slot| Some(*slot))
        }
        _ => None,
    }
}

/// Whether it accesses local memory, in which no two lanes' words lie side by side.
fn is_local(analysis: &Analysis<'_>, instruction: &Instruction) -> bool {
    let described = &analysis.function.instructions[instruction.source.instruction as usize];
    match analysis.code.program.operation(described) {
        Some(Operation::Access(Access::Load(words) | Access::Store(words))) => {
            words.address.space == AddressSpace::Local
        }
        _ => false,
    }
}

fn changes_memory(analysis: &Analysis<'_>, instruction: &Instruction) -> bool {
    let described = &analysis.function.instructions[instruction.source.instruction as usize];
    let operation = analysis.code.program.operation(described);
    let changes = matches!(operation, Some(Operation::Access(Access::Store(_) | Access::Atomic(_))));
    changes && matches!(instruction.meaning, Meaning::Program)
}

fn address(words: &Words, instruction: &Instruction) -> Option<Option<Slot>> {
    let plain = matches!(
        words.address.space,
        AddressSpace::Global
            | AddressSpace::Const
            | AddressSpace::Generic
            | AddressSpace::Shared
            | AddressSpace::SharedVariable
            | AddressSpace::Local
    );
    let slot = *instruction.slots.get(words.address.operand)?;
    (plain && words.order == Order::Weak && words.bits <= 64).then_some(Some(slot))
}
