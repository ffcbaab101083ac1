//! `tex` (manual 9.7.10.3).

use ptxvm_num::convert::quick::f32_to_f16;
use ptxvm_texture::fit::fits;
use ptxvm_texture::warp::{Details, Warp, lookup_warp};
use ptxvm_texture::{Geometry, Image, Layout};

use super::handle::Handles;
use super::places::{Coordinates, Lanes, Offsets, Vector, Where, geometry};
use crate::context::Context;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::ops::operand::slot_of;
use crate::registers::{ALL, LANES, Slot, Value};

/// The bits of an offset: it is from -8 to 7.
const OFFSET_BITS: u32 = 4;

/// The operation of a `tex`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    let geometry = geometry(form)?;
    let integers = form.slot("ctype")? == "s32";
    let detail = match form.name() {
        "tex.level" => Level::Given(slot_of(form, "lod")?),
        "tex.grad" => Level::Gradients(Vector::of(form, "gradX")?, Vector::of(form, "gradY")?),
        _ => Level::Base,
    };
    Some(Box::new(Lookup {
        geometry,
        integers,
        handles: Handles { texture: slot_of(form, "a")?, sampler: slot_of(form, "b") },
        coordinates: Coordinates::of(form, geometry)?,
        detail,
        offsets: Offsets::of(form, geometry, OFFSET_BITS),
        results: Results::of(form)?,
    }))
}

/// The operand that says which level.
#[derive(Clone, Copy, Debug)]
enum Level {
    Base,
    Given(usize),
    Gradients(Vector, Vector),
}

struct Lookup {
    geometry: Geometry,
    integers: bool,
    handles: Handles,
    coordinates: Coordinates,
    detail: Level,
    offsets: Option<Offsets>,
    results: Results,
}

impl Lookup {
    /// The lanes that find something; the others get zeros.
    fn finding(&self, image: &Image, place: &Where, lanes: u32) -> u32 {
        if !fits(image, self.geometry, self.integers) {
            return 0;
        }
        if !self.integers || matches!(self.detail, Level::Given(_)) {
            return lanes;
        }
        // Only integers without a level are not led to the last layer. No image has several samples.
        let beyond = |values: &Option<Lanes>, count: u32| match values {
            Some(values) => mask_of(values, |value| value >= count),
            None => 0,
        };
        let layers = if image.layout == Layout::Linear { u32::MAX } else { image.shape.layers.max(1) };
        lanes & !beyond(&place.layer, layers) & !beyond(&place.sample, 1)
    }

    /// What the texture unit is asked: a row by floats is a plane at zero there.
    fn unit_geometry(&self) -> Geometry {
        match self.geometry {
            Geometry::D1 if !self.integers => Geometry::D2,
            geometry => geometry,
        }
    }
}

/// The lanes whose value is such a one.
fn mask_of(values: &Lanes, is: impl Fn(u32) -> bool) -> u32 {
    values.iter().enumerate().fold(0, |mask, (lane, &value)| mask | u32::from(is(value)) << lane)
}

impl Execute for Lookup {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let place = self.coordinates.read(context, slots);
        let offsets = self.offsets.map(|offsets| offsets.read(context, slots));
        let mut details: [[Lanes; 3]; 2] = [[[0; LANES]; 3]; 2];
        match self.detail {
            Level::Base => {}
            Level::Given(slot) => details[0][0] = u32::read(&context.bank, slots[slot]),
            Level::Gradients(x, y) => details = [x, y].map(|vector| vector.read(context, slots, 0)),
        }
        let warp = Warp {
            mask,
            integers: self.integers,
            at: place.at.each_ref(),
            layer: place.layer.as_ref(),
            sample: place.sample.as_ref(),
            detail: match self.detail {
                Level::Base => Details::Base,
                Level::Given(_) if self.integers => Details::IntegerLevel(&details[0][0]),
                Level::Given(_) => Details::Level(&details[0][0]),
                Level::Gradients(..) => Details::Gradients(details[0].each_ref(), details[1].each_ref()),
            },
            offset: offsets.as_ref().map(|offsets| offsets.each_ref()),
            compare: None,
        };
        let mut found = [[0; LANES]; 4];
        let looked = self.handles.each(context, slots, mask, |texture, sampler, view, lanes| {
            let lanes = self.finding(&texture.image, &place, lanes);
            if lanes != 0 {
                let values =
                    lookup_warp(&texture.image, sampler, view, self.unit_geometry(), &warp.of(lanes));
                merge(&mut found, values, lanes);
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

/// Takes what some lanes found.
pub fn merge(all: &mut [Lanes; 4], found: [Lanes; 4], lanes: u32) {
    if lanes == ALL {
        *all = found;
        return;
    }
    for (all, found) in all.iter_mut().zip(&found) {
        for lane in 0..LANES {
            all[lane] = if lanes >> lane & 1 != 0 { found[lane] } else { all[lane] };
        }
    }
}

/// What the four components become in registers.
#[derive(Clone, Copy, Debug)]
enum Type {
    /// Their bits: `.f32`, `.s32`, `.u32`.
    Word,
    /// `.f16`: four registers of a half each.
    Half,
    /// `.f16x2`: two registers of two halves each.
    HalfPair,
}

/// The destinations: `d`, whose elements come first among the slots, and the predicate that says whether the texels
/// are resident, which they always are here.
#[derive(Clone, Copy, Debug)]
pub struct Results {
    ty: Type,
    count: usize,
    resident: Option<usize>,
}

impl Results {
    /// The destinations of a lookup.
    #[must_use]
    pub fn of(form: &Form<'_>) -> Option<Self> {
        let ty = match form.slot("dtype")? {
            "f16" => Type::Half,
            "f16x2" => Type::HalfPair,
            _ => Type::Word,
        };
        Some(Self { ty, count: form.elements("d").count(), resident: slot_of(form, "p") })
    }

    /// Writes what a warp has found.
    pub fn write(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32, found: &[Lanes; 4]) {
        let destinations = &slots[..self.count];
        let half = |component: usize| found[component].map(f32_to_f16);
        match self.ty {
            Type::Word => {
                for (slot, values) in destinations.iter().zip(found) {
                    u32::write(&mut context.bank, *slot, mask, values);
                }
            }
            Type::Half => {
                for (component, slot) in destinations.iter().enumerate().take(found.len()) {
                    u16::write(&mut context.bank, *slot, mask, &half(component));
                }
            }
            Type::HalfPair => {
                for (pair, slot) in destinations.iter().enumerate().take(found.len() / 2) {
                    let (low, high) = (half(2 * pair), half(2 * pair + 1));
                    let both = std::array::from_fn(|lane| u32::from(high[lane]) << 16 | u32::from(low[lane]));
                    u32::write(&mut context.bank, *slot, mask, &both);
                }
            }
        }
        if let Some(resident) = self.resident {
            context.bank.set_mask(slots[resident], mask, mask);
        }
    }
}
