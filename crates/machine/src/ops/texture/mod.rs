//! Texture instructions (manual 9.7.10): operands are gathered here, and what a texture unit does with them is in
//! `ptxvm_texture`.

use ptxvm_texture::lookup::lookup;
use ptxvm_texture::{Coordinates, Detail, Geometry, Kind, Object, Request};

use crate::context::Context;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::ops::operand::slot_of;
use crate::registers::{LANES, Slot, Value, lanes_in};

/// The operation of a texture instruction.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if form.name() != "tex" || form.slot("dtype") != Some("f32") || form.slot("ctype") != Some("f32") {
        return None;
    }
    let geometry = Geometry::from_name(form.slot("geom").unwrap_or("1d"))?;
    (geometry == Geometry::D2).then_some(())?;
    Some(Box::new(Lookup { geometry, handle: slot_of(form, "a")?, coordinates: slot_of(form, "c")? }))
}

struct Lookup {
    geometry: Geometry,
    handle: usize,
    coordinates: usize,
}

impl Execute for Lookup {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let handles = u64::read(&context.bank, slots[self.handle]);
        let x = u32::read(&context.bank, slots[self.coordinates]).map(f32::from_bits);
        let y = u32::read(&context.bank, slots[self.coordinates + 1]).map(f32::from_bits);
        let mut results = [[0; LANES]; 4];
        for lane in lanes_in(mask) {
            let known = match context.opaque(lane, handles[lane], Kind::Texture) {
                Ok(known) => known,
                Err(flow) => return flow,
            };
            let (Object::Texture(texture), Some(view)) = (&*known.object, known.view) else { continue };
            let request = Request {
                at: Coordinates::Floats([x[lane], y[lane], 0.0]),
                layer: 0,
                sample: 0,
                detail: Detail::Base,
                offset: [0; 3],
                compare: None,
            };
            let texel = lookup(&texture.image, &texture.sampler, &view, self.geometry, &request);
            for (result, value) in results.iter_mut().zip(texel) {
                result[lane] = value;
            }
        }
        for (slot, result) in slots.iter().zip(&results) {
            u32::write(&mut context.bank, *slot, mask, result);
        }
        Flow::Next
    }
}
