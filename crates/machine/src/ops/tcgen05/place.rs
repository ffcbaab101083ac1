//! What all tcgen05 instructions check: who executes them together, for which CTAs, and that columns are allocated.

use crate::context::Context;
use crate::explain::finding::Kind;
use crate::ops::mbarrier::misused;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::Flow;

/// A place in tensor memory, as its 32-bit address says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorPlace {
    /// The lane, in the upper half of the address.
    pub lane: u32,
    /// The column, in the lower half.
    pub column: u32,
}

impl TensorPlace {
    /// The place that an address names, which need not be there.
    #[must_use]
    pub fn of(address: u32) -> Self {
        Self { lane: address >> 16, column: address & 0xffff }
    }
}

/// The CTAs, as bits by rank, that an instruction of a `.cta_group` is for: its own, or the pair if that is there.
pub fn ctas_of(context: &mut Context<'_>, lane: usize, group: u32, name: &str) -> Result<u32, Flow> {
    let cluster = &mut *context.worker.cluster;
    if let Err(wrong) = cluster.tensor_memory.agree(group) {
        return Err(misused(context, lane, wrong));
    }
    let rank = context.cta.rank;
    if group == 1 {
        return Ok(1 << rank);
    }
    let peer = rank ^ 1;
    let message = match cluster.shared.get(peer as usize) {
        Some(other) if !other.ended => return Ok(1 << rank | 1 << peer),
        Some(_) => format!("{name}.cta_group::2 while the peer CTA {peer} has ended"),
        None => format!(
            "{name}.cta_group::2 in CTA {rank} of a cluster of {}, where it has no peer",
            cluster.shared.len()
        ),
    };
    let rule =
        "a CTA pair is two CTAs of a cluster whose ranks differ only in the last bit; both must be active";
    Err(context.fault(Kind::Misuse, lane, message, vec![rule.into()]))
}

/// Refuses a warp of which some lanes do not execute an instruction. Gives a lane that does.
pub fn whole(context: &mut Context<'_>, mask: u32, name: &str) -> Result<usize, Flow> {
    let lane = mask.trailing_zeros().min(31) as usize;
    let missing = context.warp.present & !mask;
    if missing == 0 {
        return Ok(lane);
    }
    let message = match missing & context.warp.exited {
        0 => format!("lanes {mask:#010x} execute {name}, lanes {missing:#010x} of their warp do not"),
        ended => format!("{name} in a warp whose lanes {ended:#010x} have ended"),
    };
    let rule =
        "it is `.sync.aligned`: all threads of the warp must execute it together, and none may have ended";
    Err(context.fault(Kind::Misuse, lane, message, vec![rule.into()]))
}

/// The value of an operand that all lanes of a warp must agree on.
pub fn uniform(
    context: &mut Context<'_>,
    values: impl Fn(&Context<'_>, usize) -> u32,
    mask: u32,
    name: &str,
    operand: &str,
) -> Result<u32, Flow> {
    let first = mask.trailing_zeros().min(31) as usize;
    let value = values(context, first);
    let Some(lane) = lanes_in(mask).find(|lane| values(context, *lane) != value) else { return Ok(value) };
    let other = values(context, lane);
    let message = format!("{name} with {operand} {value:#x} in lane {first} and {other:#x} in lane {lane}");
    let rule = format!("all threads of the warp must give the same {operand}");
    Err(context.fault(Kind::Misuse, lane, message, vec![rule]))
}

/// A 32-bit operand of one lane.
pub fn operand(slot: Slot) -> impl Fn(&Context<'_>, usize) -> u32 {
    move |context, lane| context.bank.lane(slot, lane) as u32
}
