//! Issuing a `wgmma.mma_async`: what the manual asks of descriptors and threads is checked here, before anything waits.

use std::sync::{Arc, OnceLock};

use super::pending::UnderWay;
use super::product::{A, AsyncProduct, OperandA, PendingProduct};
use super::warpgroup::warpgroup;
use crate::context::Context;
use crate::door::matrix::Beyond;
use crate::door::observer::Stage;
use crate::explain::finding::Kind;
use crate::matrix::descriptor::{Descriptor, Major};
use crate::matrix::units::Units;
use crate::registers::{ALL, Bank, Slot};
use crate::vector::lanes::{Execute, Flow};
use crate::vector::value::{Converted, Value};

/// The instruction as it is executed.
pub struct MmaAsync {
    pub product: Arc<AsyncProduct>,
    /// The slot of the predicate that says whether D is added.
    pub scale_d: usize,
    /// The slots that it is executed with, always the same, which its products share.
    pub slots: OnceLock<Arc<[Slot]>>,
}

impl Execute for MmaAsync {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        match self.issue(context, slots, mask) {
            Ok(()) => {
                context.wgmma_goes_on();
                Flow::Issued
            }
            Err(flow) => flow,
        }
    }
}

impl MmaAsync {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<(), Flow> {
        const NAME: &str = "wgmma.mma_async";
        warpgroup(context, mask, NAME)?;
        if !context.warp.wgmma.fenced {
            let message = format!("{NAME} without a wgmma.fence before the first of them");
            let rule = "wgmma.fence orders the warpgroup's accesses to the registers before those of wgmma";
            return Err(context.fault(Kind::Misuse, 0, message, vec![rule.into()]));
        }
        let product = &*self.product;
        let a = match product.a {
            OperandA::Registers { slot } => (A::Registers { slot }, 0),
            OperandA::Shared { slot, major } => {
                let (units, bits) = self.units(context, slots, "a-desc", (slot, major, 64, 32))?;
                (A::Shared(units), bits)
            }
        };
        let b_bytes = if product.sparse.is_some() { 64 } else { 32 };
        let b = (product.b, product.b_major, product.columns as u32, b_bytes);
        let b = self.units(context, slots, "b-desc", b)?;
        let adds = mask_of(&context.bank, slots[self.scale_d]);
        let add = adds & 1 != 0;
        if adds != 0 && adds != ALL {
            let lane = if add { adds.trailing_ones() } else { adds.trailing_zeros() } as usize;
            let message = format!("lane {lane} and lane 0 give {NAME} different values of scale-d");
            return Err(context.fault(Kind::Misuse, lane, message, vec![SAME.into()]));
        }
        let belongs = product.belongs(context, slots)?;
        context.count_products(16 * product.columns * product.depth);
        let cores = context.cores();
        let shared = context.worker.cluster.shared[context.cta.rank as usize];
        let warp = context.warp.index % 4;
        let origin = context.origin(context.warp.wgmma.issued().0.into());
        let pending = PendingProduct {
            forgiven: context.worker.forgiving,
            product: Arc::clone(&self.product),
            slots: Arc::clone(self.slots.get_or_init(|| slots.into())),
            bank: context.bank.keep(),
            cores,
            shared,
            warp,
            add,
            a: a.0,
            b: b.0,
            belongs,
            origin,
        };
        if let Some(follower) = context.run.launch.follower.as_ref().filter(|_| add) {
            follower.accumulates(context.who(mask), context.worker.source);
        }
        pending.tell(context.worker, Stage::Issued);
        if context.warp.wgmma.used.are_followed() {
            context.checks_product(pending.registers(), context.worker.source);
        }
        let instruction = Arc::as_ptr(&self.product).addr() as u64;
        context.warp.wgmma.push(Box::new(pending), instruction, [a.1, b.1]);
        Ok(())
    }

    /// The units of a matrix of so many rows or columns and so many bytes along K, and the descriptor that says where
    /// they lie.
    fn units(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        name: &str,
        (slot, major, count, bytes): (usize, Major, u32, u32),
    ) -> Result<(Units, u64), Flow> {
        let mut converted = Converted::uninit();
        let all = u64::source(&context.bank, slots[slot], &mut converted);
        let bits = all[0];
        if all.iter().fold(0, |differences, other| differences | (other ^ bits)) != 0 {
            let lane = all.iter().position(|other| *other != bits).unwrap_or(0);
            let message = format!("lane {lane} gives {name} {:#018x}, lane 0 {bits:#018x}", all[lane]);
            return Err(context.fault(Kind::Misuse, lane, message, vec![SAME.into()]));
        }
        let descriptor = Descriptor::wgmma(bits);
        // Only elements of 16 bits can be MN-major: eight of them are a unit, and K is 16 or 32 of them.
        let (along, across) = match major {
            Major::K => (bytes / 16, count),
            Major::Mn => (count / 8, bytes / 2),
        };
        let rank = context.cta.rank;
        context.matrix(descriptor, major, (along, across), [rank]).map(|units| (units, bits)).map_err(|beyond| {
            let Beyond { end, size: shared, .. } = beyond;
            let message = format!(
                "{name} describes a matrix that reaches to byte {end:#x} of shared memory, which has {shared:#x}"
            );
            let note = format!(
                "start address {:#x}, leading dimension byte offset {}, stride dimension byte offset {}, {}",
                descriptor.start,
                descriptor.leading,
                descriptor.stride,
                descriptor.swizzle_name()
            );
            context.fault(Kind::OutOfBounds, 0, message, vec![note])
        })
    }
}

/// The lanes in which a predicate is set.
fn mask_of(bank: &Bank<'_>, slot: Slot) -> u32 {
    match slot.width() {
        0 => bank.mask(slot),
        _ => bool::read(bank, slot).iter().rev().fold(0, |mask, set| mask << 1 | u32::from(*set)),
    }
}

const SAME: &str = "all threads of the warpgroup must give the same value";
