//! `st.bulk` (manual 9.7.9.13): zeros for a region of the CTA's shared memory.

use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::ops::load_store::traffic;
use crate::ops::operand::Address;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};

/// What sizes and addresses are multiples of.
const UNIT: u64 = 8;
/// The most bytes that the manual allows.
const MOST: u64 = 16_777_216;

/// The operation of `st.bulk`.
pub fn executor(to: Address, size: usize) -> Op {
    Box::new(StoreBulk { to, size })
}

struct StoreBulk {
    to: Address,
    /// The slot of the size.
    size: usize,
}

impl Execute for StoreBulk {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let to = context.addresses(self.to, slots);
        for lane in lanes_in(mask) {
            let bytes = context.bank.lane(slots[self.size], lane);
            let rule = match bytes {
                _ if !bytes.is_multiple_of(UNIT) => Some("the size must be a multiple of 8"),
                _ if bytes > MOST => Some("the size must not be above 16777216"),
                _ => None,
            };
            if let Some(rule) = rule {
                let message = format!("a bulk store of {bytes} bytes");
                return context.fault(Kind::Misuse, lane, message, vec![rule.into()]);
            }
            if bytes == 0 {
                continue;
            }
            let place = match context.resolve_shared(self.to, lane, to[lane], bytes, UNIT, Wants::Write) {
                Ok(place) => place,
                Err(flow) => return flow,
            };
            place.range().fill(0);
            if let Err(flow) = context.spend_bytes(bytes) {
                return flow;
            }
            if context.run.launch.settings.statistics {
                context.worker.statistics.bytes_written[traffic(AddressSpace::Shared)] += bytes;
            }
        }
        Flow::Next
    }
}
