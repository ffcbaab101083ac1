//! `tex` (manual 9.7.10.3).

use ptxvm_texture::fit::fits;
use ptxvm_texture::warp::{Details, Warp, lookup_warp};
use ptxvm_texture::{Geometry, Image, Layout};

use super::handle::Handles;
use super::places::{CoordinateLanes, Coordinates, LaneWords, Offsets, read};
use super::results::{Found, Results};
use crate::context::Context;
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::texture::{self as operation, Level};

/// The bits of an offset: it is from -8 to 7.
const OFFSET_BITS: u32 = 4;

/// What a filtered sample takes, in instructions.
const SAMPLE: u64 = 4;

/// The operation of a `tex`.
pub fn executor(operation::Lookup { sampling, integers: s32, level }: operation::Lookup) -> Op {
    // Gradients take the coordinates for floats, whatever their type, but know a row then.
    let integers = s32 && !matches!(level, Level::Gradients(..));
    let (fitted, asked) = match sampling.geometry {
        Geometry::D1 if s32 && !integers => (Geometry::A1, Geometry::A1),
        Geometry::D1 if !s32 => (Geometry::D1, Geometry::D2),
        geometry => (geometry, geometry),
    };
    Box::new(Lookup {
        fitted,
        asked,
        integers,
        handles: Handles::of(sampling),
        coordinates: Coordinates::of(sampling),
        detail: level,
        offsets: Offsets::of(sampling, OFFSET_BITS),
        results: Results::of(sampling),
    })
}

struct Lookup {
    /// What an image must fit.
    fitted: Geometry,
    /// What the texture unit is asked: a row by floats is a plane at zero there.
    asked: Geometry,
    /// Whether the coordinates are integers.
    integers: bool,
    handles: Handles,
    coordinates: Coordinates,
    detail: Level,
    offsets: Option<Offsets>,
    results: Results,
}

impl Lookup {
    /// The lanes that find something; the others get zeros.
    fn finding(&self, image: &Image, place: &CoordinateLanes, lanes: u32) -> u32 {
        if !fits(image, self.fitted, self.integers) {
            return 0;
        }
        if !self.integers || matches!(self.detail, Level::Given(_)) {
            return lanes;
        }
        // Only integers without a level are not led to the last layer. No image has several samples.
        let beyond = |values: &Option<LaneWords>, count: u32| match values {
            Some(values) => mask_of(values, |value| value >= count),
            None => 0,
        };
        let layers = if image.layout == Layout::Linear { u32::MAX } else { image.shape.layers.max(1) };
        lanes & !beyond(&place.layer, layers) & !beyond(&place.sample, 1)
    }
}

/// The lanes whose value is such a one.
fn mask_of(values: &LaneWords, is: impl Fn(u32) -> bool) -> u32 {
    values.iter().enumerate().fold(0, |mask, (lane, &value)| mask | u32::from(is(value)) << lane)
}

impl Execute for Lookup {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let place = self.coordinates.read(context, slots);
        let offsets = self.offsets.map(|offsets| offsets.read(context, slots));
        let (mut level, mut gradients): (Option<LaneWords>, Option<[[LaneWords; 3]; 2]>) = (None, None);
        match self.detail {
            Level::Base => {}
            Level::Given(slot) => level = Some(u32::read(&context.bank, slots[slot])),
            Level::Gradients(x, y) => gradients = Some([x, y].map(|vector| read(vector, context, slots, 0))),
        }
        let warp = Warp {
            mask,
            integers: self.integers,
            at: place.at.each_ref(),
            layer: place.layer.as_ref(),
            sample: place.sample.as_ref(),
            detail: match (&level, &gradients) {
                (Some(level), _) if self.integers => Details::IntegerLevel(level),
                (Some(level), _) => Details::Level(level),
                (_, Some([x, y])) => Details::Gradients(x.each_ref(), y.each_ref()),
                (None, None) => Details::Base,
            },
            offset: offsets.as_ref().map(|offsets| offsets.each_ref()),
        };
        let mut found = Found::NOTHING;
        let mut effort = 0;
        let looked = self.handles.each(context, slots, mask, |texture, sampler, view, lanes| {
            let image = &texture.image;
            if image.layout == Layout::Sparse {
                return found.miss(lanes);
            }
            let lanes = self.finding(image, &place, lanes);
            if lanes != 0 {
                let warp = warp.of(lanes);
                let samples = if gradients.is_some() { sampler.anisotropy.clamp(1, 16) } else { 1 };
                effort += u64::from(lanes.count_ones() * samples) * SAMPLE;
                found.take(lookup_warp(image, sampler, view, self.asked, &warp), lanes);
            }
        });
        match looked {
            Ok(()) => {
                self.results.write(context, slots, mask, &found);
                context.spend(effort).err().unwrap_or(Flow::Next)
            }
            Err(flow) => flow,
        }
    }
}
