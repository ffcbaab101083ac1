//! One lane's `tex`: from coordinates to four values.

use ptxvm_memory::View;

use crate::coordinate::{Axis, Pair};
use crate::decode::Decoder;
use crate::filter::{Blend, weights};
use crate::geometry::Geometry;
use crate::image::{Image, Layout, Level};
use crate::sampler::{Filter, Sampler};

/// Where a lane looks: as many as the geometry has, the rest is not looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinates {
    /// `.f32`
    Floats([f32; 3]),
    /// `.s32`
    Integers([i32; 3]),
}

/// Which level of detail a lane wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// The finest one: `tex` and `tex.base`.
    Base,
    /// `tex.level` with a float.
    Level(f32),
    /// `tex.level` with an integer.
    IntegerLevel(i32),
    /// `tex.grad`: the derivatives of the coordinates by x and by y.
    Gradients([f32; 3], [f32; 3]),
}

/// What a lane asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Where.
    pub at: Coordinates,
    /// The layer, of a geometry that has them.
    pub layer: u32,
    /// The sample, of a geometry that has them.
    pub sample: u32,
    /// Which level.
    pub detail: Detail,
    /// What is added to the texel's place.
    pub offset: [i32; 3],
    /// The value that a depth is compared with.
    pub compare: Option<f32>,
}

/// Four values, as bits: integers of 32 bits or floats.
pub type Texel = [u32; 4];

/// What a texture holds where a lane looks. The view holds the image's bytes.
#[must_use]
pub fn lookup(image: &Image, sampler: &Sampler, view: &View, geometry: Geometry, request: &Request) -> Texel {
    let reader = Reader { image, sampler, view, decoder: Decoder::new(image.format, sampler) };
    match request.at {
        Coordinates::Integers(at) => reader.fetch(geometry, at, request),
        Coordinates::Floats(at) => reader.sample(geometry, at, request),
    }
}

/// A texture with what reading it needs.
struct Reader<'a> {
    image: &'a Image,
    sampler: &'a Sampler,
    view: &'a View,
    decoder: Decoder,
}

/// A place that a texel is missing from: outside of the image.
const NOTHING: Texel = [0; 4];

impl Reader<'_> {
    /// A lookup with integers, which name a texel. No sampler is asked; what is not there reads as zero.
    fn fetch(&self, geometry: Geometry, at: [i32; 3], request: &Request) -> Texel {
        let number = match request.detail {
            Detail::IntegerLevel(level) => level as u32 as usize,
            _ => 0,
        };
        let Some(level) = self.image.levels.get(number) else { return NOTHING };
        // One dimension is that of linear memory, and nothing else is there.
        if (geometry == Geometry::D1) != (self.image.layout == Layout::Linear) {
            return NOTHING;
        }
        if geometry.layered() && request.layer >= self.image.shape.layers.max(1) {
            return NOTHING;
        }
        let mut texel = [0; 3];
        for axis in 0..geometry.coordinates() {
            let place = i64::from(at[axis]) + i64::from(offset(request.offset[axis]));
            match u32::try_from(place) {
                Ok(place) if place < level.size[axis] => texel[axis] = place,
                _ => return NOTHING,
            }
        }
        let plane = if geometry.layered() { request.layer } else { 0 };
        self.decoder.texel(self.view, self.image, level, plane, texel)
    }

    /// A lookup with floats.
    fn sample(&self, geometry: Geometry, at: [f32; 3], request: &Request) -> Texel {
        if self.image.layout == Layout::Linear {
            return NOTHING;
        }
        let plane =
            if geometry.layered() { request.layer.min(self.image.shape.layers.max(1) - 1) } else { 0 };
        let place = Place { geometry, at, offset: request.offset.map(offset), plane };
        let level = &self.image.levels[0];
        if self.sampler.filter == Filter::Point {
            return self.nearest(level, &place);
        }
        let mut blend = Blend::new(self.decoder.domains());
        self.blend(&mut blend, level, &place, 256);
        blend.finish()
    }

    /// The texel that holds a place.
    fn nearest(&self, level: &Level, place: &Place) -> Texel {
        let mut texel = [0; 3];
        for (axis, texel) in texel.iter_mut().enumerate().take(place.axes()) {
            let along = Axis::new(level.size[axis], self.sampler, axis);
            match along.nearest(place.at(axis), place.offset[axis]) {
                Some(found) => *texel = found,
                None => return self.decoder.border(self.sampler.border),
            }
        }
        self.decoder.texel(self.view, self.image, level, place.plane, texel)
    }

    /// Adds the texels around a place of a level, which weighs so much in all.
    fn blend(&self, blend: &mut Blend, level: &Level, place: &Place, total: u32) {
        const FIRST: Pair = Pair { texels: [Some(0); 2], weight: 0 };
        let mut pairs = [FIRST; 3];
        for (axis, pair) in pairs.iter_mut().enumerate().take(place.axes()) {
            let along = Axis::new(level.size[axis], self.sampler, axis);
            *pair = along.pair(place.at(axis), place.offset[axis]);
        }
        let [x, y, z] = pairs;
        let behind = (total * z.weight + 128) >> 8;
        for (slice, total) in [total - behind, behind].into_iter().enumerate().take(looked_at(z)) {
            let weights = weights(total, x.weight, y.weight);
            let mut texels = [(0, [0; 4]); 4];
            let mut count = 0;
            for row in 0..looked_at(y) {
                for column in 0..looked_at(x) {
                    let at = [x.texels[column], y.texels[row], z.texels[slice]];
                    texels[count] = (weights[2 * row + column], self.numbers(level, place.plane, at));
                    count += 1;
                }
            }
            blend.slice(&texels[..count]);
        }
    }

    /// The numbers of a texel, or of the border colour if an axis has none.
    fn numbers(&self, level: &Level, plane: u32, at: [Option<u32>; 3]) -> [i64; 4] {
        match at {
            [Some(x), Some(y), Some(z)] => {
                self.decoder.operands(self.view, self.image, level, plane, [x, y, z])
            }
            _ => self.decoder.enter(self.decoder.border(self.sampler.border)),
        }
    }
}

/// How many texels of a pair are looked at.
const fn looked_at(pair: Pair) -> usize {
    if pair.weight == 0 { 1 } else { 2 }
}

/// The texels that a lookup goes on, of which the instruction has four bits.
const fn offset(operand: i32) -> i32 {
    operand << 28 >> 28
}

/// Where a lookup with floats looks.
struct Place {
    geometry: Geometry,
    at: [f32; 3],
    offset: [i32; 3],
    plane: u32,
}

impl Place {
    /// How many axes there are. One dimension is looked up as two, at the upper edge of the first row: a border above
    /// that row is seen.
    const fn axes(&self) -> usize {
        match self.geometry {
            Geometry::D1 => 2,
            geometry => geometry.coordinates(),
        }
    }

    /// The coordinate along an axis.
    const fn at(&self, axis: usize) -> f32 {
        if axis < self.geometry.coordinates() { self.at[axis] } else { 0.0 }
    }
}
