//! The lanes that an instruction works on together.

use ptxvm_ir::operation::Warp;

use crate::context::Context;
use crate::door::follower::Ordering;
use crate::explain::finding::Kind;
use crate::registers::{LANES, Slot, lanes_in};
use crate::settings::Check;
use crate::vector::lanes::Flow;
use crate::vector::value::Value;

/// The lanes that an instruction works on together.
#[derive(Clone, Copy, Debug)]
pub enum Members {
    /// All that execute it.
    Active,
    /// Those that the last source names in each lane; the instruction's name is for the report.
    Named(&'static str),
}

impl Members {
    /// Those of an instruction.
    pub fn of(warp: Warp) -> Self {
        if warp.named { Self::Named(warp.name()) } else { Self::Active }
    }

    /// By lane: the executing lanes that belong together. A lane that its own mask does not name is a finding.
    pub fn lanes(self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<[u32; LANES], Flow> {
        let (Self::Named(name), Some(slot)) = (self, slots.last()) else { return Ok([mask; LANES]) };
        let named = u32::read(&context.bank, *slot);
        for lane in lanes_in(mask) {
            if named[lane] >> lane & 1 == 0 {
                let message = format!(
                    "lane {lane} executes `{name}` but its member mask {:#010x} leaves it out",
                    named[lane]
                );
                let note = "a thread must be in the mask of every warp-wide instruction that it executes";
                return Err(context.fault(Kind::Misuse, lane, message, vec![note.into()]));
            }
        }
        if context.run.looks_for(Check::Sync) {
            context.checks_masks(name, &named, mask);
        }
        let lanes = named.map(|members| members & mask);
        let (alive, mut rest) = (context.warp.alive(), mask);
        while rest != 0 && context.run.launch.follower.is_some() {
            let together = lanes[rest.trailing_zeros() as usize];
            context.orders(together, Ordering::Exchanges { alive });
            rest &= !(together | rest & rest.wrapping_neg());
        }
        Ok(lanes)
    }
}
