//! Which blocks come after a barrier for good: every thread that has executed the barrier executes them later, and no
//! thread that executes them comes to the barrier again.

use crate::code::Terminator;
use crate::context::Code;

/// Whether a block is that, for a barrier at the end of another block of the same function.
pub fn comes_after(code: &Code, barrier: u32, block: u32) -> bool {
    let same_function =
        |a: u32, b: u32| code.blocks[a as usize].source.function == code.blocks[b as usize].source.function;
    let (start, end) = (code.blocks[block as usize].start, code.blocks[block as usize].end);
    let does_something =
        code.instructions[start as usize..end as usize].iter().any(|instruction| instruction.class.is_some());
    block != barrier
        && does_something
        && same_function(barrier, block)
        && !walk(code, block, None).contains(&barrier)
        && walk(code, barrier, None).contains(&block)
        && !walk(code, barrier, Some(block)).iter().any(|block| ends(&code.blocks[*block as usize].end_with))
}

/// Whether threads leave the function at the end of a block.
fn ends(end: &Terminator) -> bool {
    matches!(end, Terminator::Exit { .. } | Terminator::Return { .. })
}

/// The blocks that can be reached from the end of one, without going through another.
fn walk(code: &Code, from: u32, without: Option<u32>) -> Vec<u32> {
    let mut seen = vec![false; code.blocks.len()];
    let mut found = Vec::new();
    let mut next = code.blocks[from as usize].end_with.successors();
    while let Some(block) = next.pop() {
        let Some(seen) = seen.get_mut(block as usize) else { continue };
        if !std::mem::replace(seen, true) && Some(block) != without {
            found.push(block);
            next.extend(code.blocks[block as usize].end_with.successors());
        }
    }
    found
}
