//! Which registers of a function are live: those that it may read before it has written them, and how many are at
//! once.
//!
//! PTX leaves the value of the former open; here it is zero, so that runs can be repeated. Only these are cleared when
//! an activation begins: clearing all would cost more than many a short kernel does. The latter is what a compiler
//! would have to find room for.

use std::collections::VecDeque;

use ptxvm_ir::{Argument, Base, BlockId, Callee, Function, Instruction, OperandKind, RegisterId};

use smallvec::SmallVec;

use super::frame::width;

/// More bits of liveness than this are not worth computing: then every register is taken to be read first.
const MOST: usize = 1 << 28;

/// The registers that may be read first, by number.
pub fn read_first(function: &Function, leaves: impl Fn(&Instruction) -> bool) -> Vec<RegisterId> {
    let registers = (0..function.registers.len() as u32).map(RegisterId);
    let Some(blocks) = flows(function, leaves) else { return registers.collect() };
    let Some(first) = blocks.first() else { return Vec::new() };
    let is_live = |register: &RegisterId| first.live[register.0 as usize / 64] >> (register.0 % 64) & 1 != 0;
    registers.filter(is_live).collect()
}

/// The 32-bit registers that are live at once at most; predicates have registers of their own.
pub fn most(function: &Function, leaves: impl Fn(&Instruction) -> bool) -> u32 {
    let words = |id: usize| u32::from(width(function.registers[id])).div_ceil(4);
    let Some(blocks) = flows(function, leaves) else {
        return (0..function.registers.len()).map(words).fold(0, u32::saturating_add);
    };
    let mut most = 0;
    for (flow, block) in blocks.iter().zip(&function.blocks) {
        let mut live = vec![0u64; function.registers.len().div_ceil(64)];
        for next in flow.next.iter().filter_map(|next| blocks.get(*next as usize)) {
            live.iter_mut().zip(&next.live).for_each(|(bits, more)| *bits |= more);
        }
        let set = |live: &[u64], id: usize| live[id / 64] >> (id % 64) & 1 != 0;
        let mut count: u32 = (0..function.registers.len()).filter(|id| set(&live, *id)).map(words).sum();
        most = most.max(count);
        for instruction in function.instructions[block.start as usize..block.end as usize].iter().rev() {
            let mut alone = Flow::new(live.len());
            alone.instruction(function, instruction);
            for word in 0..live.len() {
                let ended = live[word] & alone.written[word] & !alone.read[word];
                let begun = alone.read[word] & !live[word];
                count -= bits(ended).map(|bit| words(word * 64 + bit)).sum::<u32>();
                count += bits(begun).map(|bit| words(word * 64 + bit)).sum::<u32>();
                live[word] = live[word] & !ended | begun;
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
fn flows(function: &Function, leaves: impl Fn(&Instruction) -> bool) -> Option<Vec<Flow>> {
    let registers = function.registers.len();
    if registers.saturating_mul(function.blocks.len()) > MOST {
        return None;
    }
    let words = registers.div_ceil(64);
    let mut blocks: Vec<Flow> = Vec::with_capacity(function.blocks.len());
    for (number, block) in function.blocks.iter().enumerate() {
        let mut flow = Flow::new(words);
        let instructions = &function.instructions[block.start as usize..block.end as usize];
        for instruction in instructions {
            flow.instruction(function, instruction);
        }
        flow.successors(function, instructions.last(), number as u32, &leaves);
        blocks.push(flow);
    }
    let mut before: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); blocks.len()];
    for (number, block) in blocks.iter().enumerate() {
        for next in &block.next {
            if let Some(list) = before.get_mut(*next as usize) {
                list.push(number as u32);
            }
        }
    }
    // Backwards until nothing changes: whoever leads to a block that has changed looks again. Code mostly runs downwards,
    // so that most blocks are looked at once, the last first.
    let mut waiting: VecDeque<u32> = (0..blocks.len() as u32).rev().collect();
    let mut waits = vec![true; blocks.len()];
    let mut left = MOST;
    while let Some(number) = waiting.pop_front() {
        let number = number as usize;
        waits[number] = false;
        left = left.checked_sub(words * (1 + blocks[number].next.len()))?;
        let mut live = blocks[number].read.clone();
        for next in &blocks[number].next {
            let Some(next) = blocks.get(*next as usize) else { continue };
            for (word, bits) in live.iter_mut().enumerate() {
                *bits |= next.live[word] & !blocks[number].written[word];
            }
        }
        if live != blocks[number].live {
            blocks[number].live = live;
            let again =
                before[number].iter().filter(|from| !std::mem::replace(&mut waits[**from as usize], true));
            waiting.extend(again.copied());
        }
    }
    Some(blocks)
}

/// What a block does to registers, and where it leads.
struct Flow {
    read: Vec<u64>,
    written: Vec<u64>,
    live: Vec<u64>,
    next: Vec<u32>,
}

impl Flow {
    fn new(words: usize) -> Self {
        Self { read: vec![0; words], written: vec![0; words], live: vec![0; words], next: Vec::new() }
    }

    fn instruction(&mut self, function: &Function, instruction: &Instruction) {
        if let Some(guard) = instruction.guard {
            self.reads(guard.register);
        }
        let operands = function.operands_of(instruction);
        for operand in operands.iter().filter(|o| !o.written) {
            match operand.kind {
                OperandKind::Register { register, .. }
                | OperandKind::Address { base: Base::Register(register), .. } => self.reads(register),
                OperandKind::Call(call) => {
                    if let Some(call) = function.calls.get(call as usize) {
                        if let Callee::Indirect(register) = call.callee {
                            self.reads(register);
                        }
                        for argument in &call.arguments {
                            if let Argument::Register(register) = argument {
                                self.reads(*register);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        // A guarded write leaves some lanes as they were, and so does one of a part of a register.
        if instruction.guard.is_none() {
            for operand in operands {
                match operand.kind {
                    OperandKind::Register { register, selector: 0, .. } if operand.written => {
                        self.writes(register);
                    }
                    OperandKind::Call(call) => {
                        let returns = function.calls.get(call as usize).map(|call| &call.returns);
                        for result in returns.into_iter().flatten() {
                            if let Argument::Register(register) = result {
                                self.writes(*register);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
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

    fn successors(
        &mut self,
        function: &Function,
        last: Option<&Instruction>,
        number: u32,
        leaves: impl Fn(&Instruction) -> bool,
    ) {
        let mut falls = true;
        if let Some(last) = last {
            falls = last.guard.is_some() || !leaves(last);
            for operand in function.operands_of(last) {
                match operand.kind {
                    OperandKind::Block(BlockId(block)) => self.next.push(block),
                    OperandKind::BranchList(list) => {
                        let list = function.branch_lists.get(list as usize);
                        self.next.extend(list.into_iter().flatten().map(|b| b.0));
                    }
                    _ => {}
                }
            }
        }
        if falls {
            self.next.push(number + 1);
        }
    }
}
