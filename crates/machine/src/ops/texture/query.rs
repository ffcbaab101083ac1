//! `txq` (manual 9.7.10.5).

use ptxvm_texture::{Kind, Object, Query};

use super::handle::same_handle;
use crate::context::Context;
use crate::registers::{LANES, Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// The operation of a `txq`.
pub fn executor(query: Query, handle: usize, level: Option<usize>) -> Op {
    Box::new(Ask { query, handle, level })
}

struct Ask {
    query: Query,
    handle: usize,
    level: Option<usize>,
}

impl Ask {
    /// What lanes with the same handle are answered.
    fn lanes(
        &self,
        context: &mut Context<'_>,
        handle: u64,
        lanes: u32,
        levels: &[u32; LANES],
        answers: &mut [u32; LANES],
    ) -> Result<(), Flow> {
        let lane = lanes.trailing_zeros() as usize;
        // What is asked of samplers is asked of a texture in unified mode.
        let objects = context.run.environment.objects;
        let alone = self.query.of_sampler() && objects.get(handle).is_ok_and(|o| o.kind() == Kind::Sampler);
        let kind = if alone { Kind::Sampler } else { Kind::Texture };
        let index = context.look_up(lane, handle, kind)?;
        let object = &context.worker.opaque.known(index).object;
        for lane in lanes_in(lanes) {
            answers[lane] = match &**object {
                Object::Texture(texture) => self.query.texture(texture, levels[lane]),
                Object::Sampler(sampler) => self.query.sampler(sampler),
                Object::Surface(_) => 0,
            };
        }
        Ok(())
    }
}

impl Execute for Ask {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let handles = u64::read(&context.bank, slots[self.handle]);
        let levels = self.level.map_or([0; LANES], |slot| u32::read(&context.bank, slots[slot]));
        let mut answers = [0; LANES];
        let mut left = mask;
        while left != 0 {
            let (handle, lanes) = same_handle(&handles, left);
            if let Err(flow) = self.lanes(context, handle, lanes, &levels, &mut answers) {
                return flow;
            }
            left &= !lanes;
        }
        u32::write(&mut context.bank, slots[0], mask, &answers);
        Flow::Next
    }
}
