//! Seams: where the code of a function is cut into stretches that are compiled by themselves.
//!
//! Time and memory that LLVM takes grow faster than a function, and one function is compiled by one thread. So a long
//! stretch from barrier to barrier is cut at blocks where all lanes of a warp are together whatever they did before. The
//! warps of a CTA meet there as they do at a barrier: registers go back to the activation, and the function that begins
//! with the block goes on.

use std::collections::BTreeSet;

use ptxvm_ir::FunctionId;
use ptxvm_machine::code::Block;

use crate::analysis::Analysis;
use crate::tuning::Tuning;

/// A block at which a stretch may end.
struct Candidate {
    block: u32,
    /// How many registers are live there.
    live: usize,
    /// How long the stretch is up to there.
    length: usize,
}

/// The blocks of a function that begin a stretch, besides those that the schedule enters anyway.
pub fn seams(
    analysis: &Analysis<'_>,
    id: FunctionId,
    entries: &BTreeSet<u32>,
    tuning: Tuning,
) -> BTreeSet<u32> {
    let code = analysis.code;
    let blocks: Vec<(u32, &Block)> =
        (0..).zip(&code.blocks).filter(|(_, block)| block.source.function == id).collect();
    let narrow = narrow_places(&blocks);
    let mut seams = BTreeSet::new();
    let (mut length, mut best): (usize, Option<Candidate>) = (0, None);
    for ((number, block), narrow) in blocks.iter().zip(narrow) {
        if entries.contains(number) {
            (length, best) = (0, None);
        }
        if narrow && length >= tuning.least.max(1) {
            let live = analysis.live_at(*number).len();
            if best.as_ref().is_none_or(|best| live < best.live) {
                best = Some(Candidate { block: *number, live, length });
            }
        }
        length += (block.end - block.start) as usize + 1;
        if length > tuning.most
            && let Some(best) = best.take()
        {
            seams.insert(best.block);
            length -= best.length;
        }
    }
    seams
}

/// By block: whether every way from those before it to those after it leads to its beginning, and none goes back, not even
/// to itself. All lanes come there then before one goes on, since those at the lowest block run first.
fn narrow_places(blocks: &[(u32, &Block)]) -> Vec<bool> {
    // The highest block that those before one lead to, and the lowest that it and those after it do.
    let mut furthest = 0;
    let mut narrow: Vec<bool> = Vec::with_capacity(blocks.len());
    for (number, block) in blocks {
        narrow.push(furthest <= *number);
        furthest = block.end_with.successors().into_iter().fold(furthest, u32::max);
    }
    let mut lowest = u32::MAX;
    for ((number, block), narrow) in blocks.iter().zip(&mut narrow).rev() {
        lowest = block.end_with.successors().into_iter().fold(lowest, u32::min);
        *narrow &= lowest > *number;
    }
    narrow
}
