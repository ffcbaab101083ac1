//! `suq` (manual 9.7.11.4): what a surface says about itself.
//!
//! Sizes are told as an H200 tells them: those of the level that the surface is made of, with layers in the place of the
//! first dimension that the image does not have.

use ptxvm_texture::{Image, Kind, Layout, Object};

use crate::context::Context;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::ops::operand::slot_of;
use crate::registers::{LANES, Slot, Value, lanes_in};

/// The operation of a `suq`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    let answer: fn(&Image) -> u32 = match form.slot("query")? {
        "width" => |image| image.levels[0].size[0],
        "height" => height,
        "depth" => depth,
        "array_size" => layers,
        "memory_layout" => |image| u32::from(image.layout != Layout::Array),
        _ => return None,
    };
    Some(Box::new(Ask { answer, handle: slot_of(form, "a")? }))
}

fn layers(image: &Image) -> u32 {
    let layered = image.shape.layers > 0 || image.shape.cube;
    if layered { image.shape.planes() } else { 0 }
}

fn height(image: &Image) -> u32 {
    if image.shape.height > 0 { image.levels[0].size[1] } else { layers(image) }
}

fn depth(image: &Image) -> u32 {
    match (image.shape.depth, image.shape.height) {
        (1.., _) => image.levels[0].size[2],
        (0, 1..) => layers(image),
        (0, 0) => 0,
    }
}

struct Ask {
    answer: fn(&Image) -> u32,
    handle: usize,
}

impl Execute for Ask {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let handles = u64::read(&context.bank, slots[self.handle]);
        let mut answers = [0; LANES];
        for lane in lanes_in(mask) {
            let known = match context.opaque(lane, handles[lane], Kind::Surface) {
                Ok(known) => known,
                Err(flow) => return flow,
            };
            if let Object::Surface(surface) = &*known.object {
                answers[lane] = (self.answer)(&surface.image);
            }
        }
        u32::write(&mut context.bank, slots[0], mask, &answers);
        Flow::Next
    }
}
