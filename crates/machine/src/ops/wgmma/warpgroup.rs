//! Who must execute a `wgmma` instruction: a whole warp of a whole warpgroup.

use crate::context::Context;
use crate::explain::finding::Kind;
use crate::registers::ALL;
use crate::vector::lanes::Flow;

/// Checks that a whole warp of a whole warpgroup executes an instruction.
pub fn warpgroup(context: &mut Context<'_>, mask: u32, name: &str) -> Result<(), Flow> {
    let threads: u32 = context.run.launch.block.iter().product();
    let (warp, group) = (context.warp.index, context.warp.index / 4);
    let lane = mask.trailing_zeros() as usize;
    if (group + 1) * 128 > threads {
        let message = format!("{name} in warpgroup {group}, which does not have four whole warps");
        let note = format!(
            "the CTA has {threads} threads; a warpgroup is 128 threads, the first at a multiple of 128"
        );
        return Err(context.fault(Kind::Misuse, lane, message, vec![note]));
    }
    if mask != ALL {
        let missing = (!mask).trailing_zeros();
        let message = format!("{name} without lane {missing} of warp {warp}");
        let rule = "all threads of the warpgroup must execute the same instruction".to_owned();
        return Err(context.fault(Kind::Misuse, lane, message, vec![rule]));
    }
    Ok(())
}
