//! Which registers of a function are live: those that it may read before it has written them, and how many are at
//! once.
//!
//! PTX leaves the value of the former open; here it is zero, so that runs can be repeated. Only these are cleared when
//! an activation begins: clearing all would cost more than many a short kernel does. The latter is what a compiler
//! would have to find room for.

use std::collections::VecDeque;

use ptxvm_isa::Type;

use super::graph::Graph;
use crate::block::Terminator;
use crate::id::RegisterId;
use crate::instruction::Instruction;
use crate::program::Function;

/// More bits of liveness than this are not worth computing: then every register is taken to be read first.
const MOST: usize = 1 << 28;

/// The registers that may be read first, by number.
#[must_use]
pub fn read_first(function: &Function) -> Vec<RegisterId> {
    let registers = (0..function.registers.len() as u32).map(RegisterId);
    let Some(blocks) = flows(function) else { return registers.collect() };
    let Some(first) = blocks.first() else { return Vec::new() };
    let is_live = |register: &RegisterId| first.live[register.0 as usize / 64] >> (register.0 % 64) & 1 != 0;
    registers.filter(is_live).collect()
}

/// By block: the registers that are live at its beginning, 64 to a word. `None` if that is too much to compute.
#[must_use]
pub fn live_in(function: &Function) -> Option<Vec<Vec<u64>>> {
    Some(flows(function)?.into_iter().map(|block| block.live).collect())
}

/// The 32-bit registers that are live at once at most; predicates have registers of their own.
#[must_use]
pub fn most_live(function: &Function) -> u32 {
    let words = |id: usize| match function.registers[id] {
        Type::Pred => 0,
        ty => ty.bits().div_ceil(32),
    };
    let Some(blocks) = flows(function) else {
        return (0..function.registers.len()).map(words).fold(0, u32::saturating_add);
    };
    let mut most = 0;
    for block in &function.blocks {
        let mut live = vec![0u64; function.registers.len().div_ceil(64)];
        if let Terminator::Return { .. } = block.terminator {
            function.returned().for_each(|register| live[register.0 as usize / 64] |= 1 << (register.0 % 64));
        }
        for next in block.terminator.successors(&function.branch_lists) {
            live.iter_mut().zip(&blocks[next.0 as usize].live).for_each(|(bits, more)| *bits |= more);
        }
        let set = |live: &[u64], id: usize| live[id / 64] >> (id % 64) & 1 != 0;
        let mut count: u32 = (0..function.registers.len()).filter(|id| set(&live, *id)).map(words).sum();
        most = most.max(count);
        for instruction in function.instructions[block.start as usize..block.end as usize].iter().rev() {
            let mut alone = BlockRegisters::new(live.len());
            alone.instruction(function, instruction);
            for (at, live) in live.iter_mut().enumerate() {
                let ended = *live & alone.written[at] & !alone.read[at];
                let begun = alone.read[at] & !*live;
                count -= bits(ended).map(|bit| words(at * 64 + bit)).sum::<u32>();
                count += bits(begun).map(|bit| words(at * 64 + bit)).sum::<u32>();
                *live = *live & !ended | begun;
            }
            most = most.max(count);
        }
    }
    most
}

/// The numbers of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.checked_ilog2()?;
        word &= !(1 << bit);
        Some(bit as usize)
    })
}

/// What each block does, and what is live at its beginning; `None` if that is too much to compute.
fn flows(function: &Function) -> Option<Vec<BlockRegisters>> {
    let registers = function.registers.len();
    if registers.saturating_mul(function.blocks.len()) > MOST {
        return None;
    }
    let words = registers.div_ceil(64);
    let mut blocks: Vec<BlockRegisters> = Vec::with_capacity(function.blocks.len());
    for block in &function.blocks {
        let mut flow = BlockRegisters::new(words);
        for instruction in &function.instructions[block.start as usize..block.end as usize] {
            flow.instruction(function, instruction);
        }
        if let Terminator::Return { .. } = block.terminator {
            function.returned().for_each(|register| flow.reads(register));
        }
        blocks.push(flow);
    }
    let graph = Graph::of(function);
    // Backwards until nothing changes: whoever leads to a block that has changed looks again. Code mostly runs downwards,
    // so that most blocks are looked at once, the last first.
    let mut waiting: VecDeque<u32> = (0..blocks.len() as u32).rev().collect();
    let mut waits = vec![true; blocks.len()];
    let mut left = MOST;
    while let Some(number) = waiting.pop_front() {
        let number = number as usize;
        waits[number] = false;
        left = left.checked_sub(words * (1 + graph.after(number as u32).len()))?;
        let mut live = blocks[number].read.clone();
        for next in graph.after(number as u32) {
            for (word, bits) in live.iter_mut().enumerate() {
                *bits |= blocks[*next as usize].live[word] & !blocks[number].written[word];
            }
        }
        if live != blocks[number].live {
            blocks[number].live = live;
            let before = graph.before(number as u32).iter();
            waiting.extend(before.filter(|from| !std::mem::replace(&mut waits[**from as usize], true)));
        }
    }
    Some(blocks)
}

/// What a block does to registers.
struct BlockRegisters {
    read: Vec<u64>,
    written: Vec<u64>,
    live: Vec<u64>,
}

impl BlockRegisters {
    fn new(words: usize) -> Self {
        Self { read: vec![0; words], written: vec![0; words], live: vec![0; words] }
    }

    fn instruction(&mut self, function: &Function, instruction: &Instruction) {
        function.reads(instruction).for_each(|register| self.reads(register));
        let whole = function.writes(instruction).filter(|written| written.whole);
        whole.for_each(|written| self.writes(written.register));
    }

    fn writes(&mut self, register: RegisterId) {
        self.written[register.0 as usize / 64] |= 1 << (register.0 % 64);
    }

    fn reads(&mut self, register: RegisterId) {
        let (word, bit) = (register.0 as usize / 64, 1 << (register.0 % 64));
        if self.written[word] & bit == 0 {
            self.read[word] |= bit;
        }
    }
}
