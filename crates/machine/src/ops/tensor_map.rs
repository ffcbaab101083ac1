//! `tensormap.replace` and `tensormap.cp_fenceproxy` (manual 9.7.9.26 and 9.7.13.16): tensor maps that a kernel makes
//! itself, in shared or global memory.
//!
//! The copy engine reads a map when a copy is issued, and all memory is one here, so that the proxy fence has nothing to
//! do.

use ptxvm_tensor::bits::BYTES;
use ptxvm_tensor::replace::replace;

use crate::context::Context;
use crate::door::follower::Ordering;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation::copy::TensorField;

/// What the address of a tensor map must be a multiple of.
const ALIGNMENT: u64 = 64;

/// `tensormap.replace`
pub fn replace_field(at: Address, field: TensorField, ord: u32, value: usize) -> Op {
    Box::new(Replace { at, field, ord, value })
}

/// `tensormap.cp_fenceproxy`
pub fn publish(to: Address, from: Address) -> Op {
    Box::new(Publish { to, from })
}

struct Replace {
    at: Address,
    field: TensorField,
    ord: u32,
    value: usize,
}

impl Replace {
    fn lane(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let address = context.addresses(self.at, slots)[lane];
        let place =
            context.resolve_lane(self.at.space, lane, address, BYTES as u64, ALIGNMENT, Wants::Update)?;
        let mut map = [0; BYTES];
        place.read(&mut map);
        let value = context.bank.lane(slots[self.value], lane);
        match replace(&map, self.field, self.ord, value) {
            Ok(map) => place.write(&map),
            Err(message) => return Err(context.fault(Kind::Misuse, lane, message, Vec::new())),
        }
        Ok(())
    }
}

impl Execute for Replace {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        for lane in lanes_in(mask) {
            if let Err(flow) = self.lane(context, slots, lane) {
                return flow;
            }
        }
        Flow::Next
    }
}

/// A map from shared to global memory. All lanes of the warp copy it together; they name the same places.
struct Publish {
    to: Address,
    from: Address,
}

impl Publish {
    fn lane(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let (to, from) = (context.addresses(self.to, slots)[lane], context.addresses(self.from, slots)[lane]);
        let from = context.resolve_shared(self.from, lane, from, BYTES as u64, ALIGNMENT, Wants::Read)?;
        let to = context.resolve_lane(self.to.space, lane, to, BYTES as u64, ALIGNMENT, Wants::Write)?;
        to.copy_from(&from.range());
        Ok(())
    }
}

impl Execute for Publish {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        for lane in lanes_in(mask) {
            if let Err(flow) = self.lane(context, slots, lane) {
                return flow;
            }
        }
        // It is `.sync`, and what the warp has copied is there for each of its lanes.
        context.orders(mask, Ordering::Exchanges { alive: context.warp.alive() });
        Flow::Next
    }
}
