//! Results that nobody reads: a compiler asks an atomic for what was there before, and the program does not look at it.

use ptxvm_ir::{Block, Function, Terminator};

use super::id::is_in;

/// By instruction: whether nobody reads what it writes, by the registers that are live where blocks begin.
pub fn unread(function: &Function, live: &[Vec<u64>]) -> Vec<bool> {
    let mut unread = vec![false; function.instructions.len()];
    for block in &function.blocks {
        let mut live = live_at_end(function, live, block);
        for at in (block.start..block.end).rev() {
            unread[at as usize] = step_back(function, at, &mut live);
        }
    }
    unread
}

/// The registers that are live at the end of a block, by those that are where blocks begin.
pub fn live_at_end(function: &Function, live: &[Vec<u64>], block: &Block) -> Vec<u64> {
    let mut all = vec![0; function.registers.len().div_ceil(64)];
    if let Terminator::Return { .. } = block.terminator {
        function.returned().for_each(|register| all[register.0 as usize / 64] |= 1 << (register.0 % 64));
    }
    for next in block.terminator.successors(&function.branch_lists) {
        all.iter_mut().zip(&live[next.0 as usize]).for_each(|(bits, more)| *bits |= more);
    }
    all
}

/// Makes of the registers that are live after an instruction those that are before it. Gives whether none that it writes was
/// live after it.
pub fn step_back(function: &Function, at: u32, live: &mut [u64]) -> bool {
    let instruction = &function.instructions[at as usize];
    let unread = function.writes(instruction).all(|written| !is_in(live, written.register.0));
    for written in function.writes(instruction).filter(|written| written.whole) {
        live[written.register.0 as usize / 64] &= !(1 << (written.register.0 % 64));
    }
    for read in function.reads(instruction) {
        live[read.0 as usize / 64] |= 1 << (read.0 % 64);
    }
    unread
}
