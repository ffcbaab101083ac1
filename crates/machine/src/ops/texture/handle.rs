//! The textures and samplers that the lanes of a warp name.
//!
//! Nearly always all lanes hold the same handle, so that what it stands for is looked up once for the warp.

use ptxvm_memory::View;
use ptxvm_texture::{Kind, Object, Sampler, Texture};

use crate::context::Context;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::Flow;
use crate::vector::value::Value;
use ptxvm_ir::operation::texture::Sampling;

/// The lanes of a mask that hold the same handle as its first lane, and that handle.
#[must_use]
pub fn same_handle(handles: &[u64; LANES], mask: u32) -> (u64, u32) {
    let first = handles[mask.trailing_zeros() as usize % LANES];
    let same =
        handles.iter().enumerate().fold(0, |same, (lane, &handle)| same | u32::from(handle == first) << lane);
    (first, same & mask)
}

/// Where the handles of a lookup stand among the slots.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    texture: usize,
    /// Only in independent mode.
    sampler: Option<usize>,
}

impl Handles {
    /// Those of an instruction.
    #[must_use]
    pub fn of(sampling: Sampling) -> Self {
        Self { texture: sampling.texture, sampler: sampling.sampler }
    }

    /// Calls `look` for each texture and sampler that lanes of the mask name, with those lanes.
    pub fn each(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        mask: u32,
        mut look: impl FnMut(&Texture, &Sampler, &View<'_>, u32),
    ) -> Result<(), Flow> {
        let textures = u64::read(&context.bank, slots[self.texture]);
        let samplers = self.sampler.map(|slot| u64::read(&context.bank, slots[slot]));
        let mut left = mask;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            let (handle, mut lanes) = same_handle(&textures, left);
            let sampler = match &samplers {
                None => None,
                Some(samplers) => {
                    let (handle, same) = same_handle(samplers, lanes);
                    lanes = same;
                    Some(sampler_of(context, lane, handle)?)
                }
            };
            let index = context.look_up(lane, handle, Kind::Texture)?;
            let known = context.worker.opaque.known(index);
            if let (Object::Texture(texture), Some(view)) = (&*known.object, &known.view) {
                let combined = sampler.map(|sampler| combined(texture, &sampler));
                let sampler = combined.as_ref().unwrap_or(&texture.sampler);
                context
                    .look_at(&texture.image, view, lanes, |view, lanes| look(texture, sampler, view, lanes));
            }
            left &= !lanes;
        }
        Ok(())
    }
}

/// The state of a sampler.
fn sampler_of(context: &mut Context<'_>, lane: usize, handle: u64) -> Result<Sampler, Flow> {
    let index = context.look_up(lane, handle, Kind::Sampler)?;
    Ok(match &*context.worker.opaque.known(index).object {
        Object::Sampler(sampler) => *sampler,
        _ => Sampler::default(),
    })
}

/// A texture's own state with that of a sampler of independent mode, which can only take normalised coordinates away
/// (manual 5.3.2). What the texels mean is the texture's affair.
fn combined(texture: &Texture, sampler: &Sampler) -> Sampler {
    let own = &texture.sampler;
    Sampler {
        normalized: own.normalized && sampler.normalized,
        read: own.read,
        srgb: own.srgb,
        seamless: own.seamless,
        ..*sampler
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_grouped_by_handle() {
        let handles = std::array::from_fn(|lane| lane as u64 % 3);
        assert_eq!(same_handle(&handles, 0b1111_1110), (1, 0b1001_0010));
        assert_eq!(same_handle(&[7; LANES], u32::MAX), (7, u32::MAX));
    }
}
