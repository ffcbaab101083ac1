//! `suq` (manual 9.7.11.4).

use ptxvm_texture::{Kind, Object, Query};

use crate::context::Context;
use crate::registers::{LANES, Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// The operation of a `suq`.
pub fn executor(query: Query, handle: usize) -> Op {
    Box::new(Ask { query, handle })
}

struct Ask {
    query: Query,
    handle: usize,
}

impl Execute for Ask {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let handles = u64::read(&context.bank, slots[self.handle]);
        let mut answers = [0; LANES];
        for lane in lanes_in(mask) {
            let index = match context.look_up(lane, handles[lane], Kind::Surface) {
                Ok(index) => index,
                Err(flow) => return flow,
            };
            if let Object::Surface(surface) = &*context.worker.opaque.known(index).object {
                answers[lane] = self.query.surface(surface);
            }
        }
        u32::write(&mut context.bank, slots[0], mask, &answers);
        Flow::Next
    }
}
