//! Where the lanes of a warp are all there, or none of them is: a lane that ends while others go on is rare, and code that need
//! not ask which lanes run is shorter. The code compares once, so what is said here is only a guess at what is usual.

use ptxvm_ir::flow::{Graph, UniformOver, Uniformity};
use ptxvm_ir::{BlockId, Function, Terminator};

/// Whether lanes of a warp that come to a block have lost none: nowhere do some go to the end, past the block, while others
/// may come to it.
pub fn is_whole(function: &Function, graph: &Graph, uniformity: &Uniformity, block: BlockId) -> bool {
    let calls = |terminator: &Terminator| matches!(terminator, Terminator::Call { .. });
    if !function.entry || function.blocks.iter().any(|block| calls(&block.terminator)) {
        return false;
    }
    let ends: Vec<u32> = (0u32..)
        .zip(&function.blocks)
        .filter(|(_, block)| matches!(block.terminator, Terminator::Exit { .. }))
        .map(|(number, _)| number)
        .collect();
    let to_end = leading_to(graph, &ends, Some(block.0));
    let to_block = leading_to(graph, &[block.0], None);
    (0u32..).zip(&function.blocks).all(|(number, described)| {
        let after = graph.after(number);
        let comes = after.iter().any(|next| to_block[*next as usize]);
        let past = after.iter().any(|next| *next != block.0 && to_end[*next as usize]);
        let exits = matches!(described.terminator, Terminator::Exit { .. });
        !comes || !exits && (!past || uniformity.branch(number) <= UniformOver::Warp)
    })
}

/// The blocks from which ways lead to one of some, without passing another.
fn leading_to(graph: &Graph, targets: &[u32], past: Option<u32>) -> Vec<bool> {
    let mut leads = vec![false; graph.len()];
    let mut open = targets.to_vec();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut leads[block as usize], true) && Some(block) != past {
            open.extend(graph.before(block));
        }
    }
    leads
}
