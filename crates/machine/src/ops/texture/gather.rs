//! `tld4` (manual 9.7.10.4).

use ptxvm_texture::fit::fits;
use ptxvm_texture::gather::gather_warp;
use ptxvm_texture::warp::{Details, Warp};
use ptxvm_texture::{Geometry, Layout};

use super::handle::Handles;
use super::places::{Coordinates, Offsets};
use super::results::{Found, Results};
use crate::context::Context;
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation::texture as operation;

/// The bits of an offset: it is from -32 to 31, more than the manual says.
const OFFSET_BITS: u32 = 6;

/// The operation of a `tld4`.
pub fn executor(operation::Gather { sampling, component }: operation::Gather) -> Op {
    Box::new(Gather {
        geometry: sampling.geometry,
        component,
        handles: Handles::of(sampling),
        coordinates: Coordinates::of(sampling),
        offsets: Offsets::of(sampling, OFFSET_BITS),
        results: Results::of(sampling),
    })
}

struct Gather {
    geometry: Geometry,
    component: usize,
    handles: Handles,
    coordinates: Coordinates,
    offsets: Option<Offsets>,
    results: Results,
}

impl Execute for Gather {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let place = self.coordinates.read(context, slots);
        let offsets = self.offsets.map(|offsets| offsets.read(context, slots));
        let warp = Warp {
            mask,
            integers: false,
            at: place.at.each_ref(),
            layer: place.layer.as_ref(),
            sample: None,
            detail: Details::Base,
            offset: offsets.as_ref().map(|offsets| offsets.each_ref()),
        };
        let mut found = Found::NOTHING;
        let looked = self.handles.each(context, slots, mask, |texture, sampler, view, lanes| {
            let image = &texture.image;
            if image.layout == Layout::Sparse {
                found.miss(lanes);
            } else if fits(image, self.geometry, false) {
                let warp = warp.of(lanes);
                found.take(gather_warp(image, sampler, view, self.geometry, self.component, &warp), lanes);
            }
        });
        match looked {
            Ok(()) => {
                self.results.write(context, slots, mask, &found);
                Flow::Next
            }
            Err(flow) => flow,
        }
    }
}
