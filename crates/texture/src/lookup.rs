//! One lane's `tex`: from coordinates to four values.

use ptxvm_memory::View;

use crate::anisotropy::Samples;
use crate::coordinate::{Axis, Pair};
use crate::cube;
use crate::decode::Decoder;
use crate::filter::{Blend, weights};
use crate::geometry::Geometry;
use crate::gradient;
use crate::image::{Image, Level};
use crate::level;
use crate::sampler::{AddressMode, Filter, Sampler};
use crate::texel::Texel;

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
}

/// What a texture holds where a lane looks. The view holds the image's bytes, and the geometry [fits](crate::fit::fits).
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
    view: &'a View<'a>,
    decoder: Decoder,
}

impl Reader<'_> {
    /// A lookup with integers, which name a texel. No sampler is asked. What is not there reads as zero, unless a level is
    /// named too: then the nearest texel of that level is read.
    fn fetch(&self, geometry: Geometry, at: [i32; 3], request: &Request) -> Texel {
        let (number, clamped) = match request.detail {
            Detail::IntegerLevel(level) => (level::integer(level, self.image.levels.len() as u32), true),
            _ => (Some(0), false),
        };
        let Some(level) = number.and_then(|number| self.image.levels.get(number as usize)) else {
            return self.decoder.nothing();
        };
        let mut texel = [0; 3];
        for axis in 0..geometry.coordinates() {
            let place = i64::from(at[axis]) + i64::from(offset(request.offset[axis]));
            let last = i64::from(level.size[axis]) - 1;
            if !clamped && !(0..=last).contains(&place) {
                return self.decoder.nothing();
            }
            texel[axis] = place.clamp(0, last) as u32;
        }
        let last = self.image.shape.layers.max(1) - 1;
        let plane = match geometry.layered() {
            true if request.layer > last && !clamped => return self.decoder.nothing(),
            true => request.layer.min(last),
            false => 0,
        };
        self.decoder.texel(self.view, self.image, level, plane, texel)
    }

    /// A lookup with floats.
    fn sample(&self, geometry: Geometry, at: [f32; 3], request: &Request) -> Texel {
        let layer =
            if geometry.layered() { request.layer.min(self.image.shape.layers.max(1) - 1) } else { 0 };
        let place = Position::new(geometry, at, layer, request.offset.map(offset));
        let (lod, line) = match request.detail {
            Detail::Base => (level::BASE, None),
            Detail::Level(lod) => (level::fixed(lod), None),
            Detail::IntegerLevel(lod) => (lod.clamp(-64, 64) * 256, None),
            Detail::Gradients(right, down) => {
                let size = self.image.levels[0].size;
                let footprint = gradient::footprint(self.sampler, geometry, size, at, right, down);
                (footprint.lod, footprint.line)
            }
        };
        let count = self.image.levels.len();
        let chosen = level::choose(self.sampler, lod, count as u32);
        let finer = (chosen.finer as usize).min(count - 1);
        if self.sampler.filter == Filter::Point && chosen.weight == 0 && line.is_none() {
            return self.nearest(&self.image.levels[finer], &place);
        }
        let mut blend = Blend::new(self.decoder.domains());
        let samples = match line {
            Some(line) => [line.finer(chosen), line.coarser(chosen)],
            None => [Samples::one(256 - chosen.weight), Samples::one(chosen.weight)],
        };
        let numbers = [finer, (finer + 1).min(count - 1)];
        for (number, samples) in numbers.into_iter().zip(&samples).take(looked_at(chosen.weight)) {
            let level = &self.image.levels[number];
            for sample in samples.all() {
                let place = place.moved(sample.offset);
                match self.sampler.filter {
                    Filter::Point => {
                        let texel = self.operands(level, place.plane, self.corner(level, &place));
                        blend.finer_slice(&[(sample.weight, texel)], samples.bits);
                    }
                    Filter::Linear if place.cube && self.sampler.seamless => {
                        self.blend_over_edges(&mut blend, level, &place, sample.weight, samples.bits);
                    }
                    Filter::Linear => self.blend(&mut blend, level, &place, sample.weight, samples.bits),
                }
            }
            blend.end_level();
        }
        blend.finish()
    }

    /// The texel that holds a place.
    fn nearest(&self, level: &Level, place: &Position) -> Texel {
        match self.corner(level, place) {
            [Some(x), Some(y), Some(z)] => {
                self.decoder.texel(self.view, self.image, level, place.plane, [x, y, z])
            }
            _ => self.decoder.border(self.sampler.border),
        }
    }

    /// Where the texel that holds a place lies along each axis.
    fn corner(&self, level: &Level, place: &Position) -> [Option<u32>; 3] {
        let mut texel = [Some(0); 3];
        for (axis, texel) in texel.iter_mut().enumerate().take(place.axes) {
            *texel = self.axis(level, place, axis).nearest(place.at[axis], place.offset[axis]);
        }
        texel
    }

    /// Adds the texels around a place of a level, which weighs so much in all, in parts finer than 256ths by some bits.
    fn blend(&self, blend: &mut Blend, level: &Level, place: &Position, total: u32, bits: u32) {
        const FIRST: Pair = Pair { texels: [Some(0); 2], weight: 0 };
        let mut pairs = [FIRST; 3];
        for (axis, pair) in pairs.iter_mut().enumerate().take(place.axes) {
            *pair = self.axis(level, place, axis).pair(place.at[axis], place.offset[axis]);
        }
        let [x, y, z] = pairs;
        let behind = (total * z.weight + 127) >> 8;
        for (slice, total) in [total - behind, behind].into_iter().enumerate().take(looked_at(z.weight)) {
            let weights = weights(total, x.weight, y.weight);
            let mut texels = Slice::default();
            for row in 0..looked_at(y.weight) {
                for column in 0..looked_at(x.weight) {
                    let at = [x.texels[column], y.texels[row], z.texels[slice]];
                    texels.push(weights[2 * row + column], self.operands(level, place.plane, at));
                }
            }
            blend.finer_slice(texels.all(), bits);
        }
    }

    /// Adds the texels around a place of a cube's face, which may lie on its neighbours.
    fn blend_over_edges(&self, blend: &mut Blend, level: &Level, place: &Position, total: u32, bits: u32) {
        let along = [0, 1].map(|axis| {
            self.axis(level, place, axis).between(place.at[axis]) + i64::from(place.offset[axis])
        });
        let [x, y] = along.map(|place| (place & 255) as u32);
        let face = place.plane % 6;
        let parts = cube::footprint(face, along.map(|place| place >> 8), level.size[0], weights(total, x, y));
        let mut texels = Slice::default();
        for row in 0..looked_at(y) {
            for column in 0..looked_at(x) {
                let part = parts[2 * row + column];
                let at = [Some(part.x), Some(part.y), Some(0)];
                texels.push(part.weight, self.operands(level, place.plane - face + part.face, at));
            }
        }
        blend.finer_slice(texels.all(), bits);
    }

    fn axis(&self, level: &Level, place: &Position, axis: usize) -> Axis {
        let new = if place.cube { Axis::face } else { Axis::new };
        let axis = new(level.size[axis], self.sampler, axis);
        // Where faces go on over their edges no address mode is asked: the nearest texel is one of the face.
        let mode = if place.cube && self.sampler.seamless { AddressMode::Clamp } else { axis.mode };
        Axis { mode, ..axis }
    }

    /// The numbers of a texel, or of the border colour if an axis has none.
    fn operands(&self, level: &Level, plane: u32, at: [Option<u32>; 3]) -> [i64; 4] {
        match at {
            [Some(x), Some(y), Some(z)] => {
                self.decoder.operands(self.view, self.image, level, plane, [x, y, z])
            }
            _ => self.decoder.border_operands(self.sampler.border),
        }
    }
}

/// Up to four texels with their weights.
#[derive(Default)]
struct Slice {
    texels: [(u32, [i64; 4]); 4],
    count: usize,
}

impl Slice {
    fn push(&mut self, weight: u32, operands: [i64; 4]) {
        self.texels[self.count] = (weight, operands);
        self.count += 1;
    }

    fn all(&self) -> &[(u32, [i64; 4])] {
        &self.texels[..self.count]
    }
}

/// How many texels of a pair are looked at, by the weight of the second.
const fn looked_at(weight: u32) -> usize {
    if weight == 0 { 1 } else { 2 }
}

/// How far a lookup goes on, in texels, of which the instruction has four bits.
const fn offset(operand: i32) -> i32 {
    operand << 28 >> 28
}

/// Where a lookup with floats looks.
#[derive(Clone, Copy)]
struct Position {
    /// How many of the coordinates count.
    axes: usize,
    at: [f32; 3],
    /// What is added along each axis, in 256ths of a texel.
    offset: [i32; 3],
    plane: u32,
    /// Whether the plane is a face, and the coordinates are places on it.
    cube: bool,
}

impl Position {
    fn new(geometry: Geometry, at: [f32; 3], layer: u32, offset: [i32; 3]) -> Self {
        if geometry.cube() {
            let cube::FacePosition { face, at: [x, y] } = cube::place(at);
            return Self { axes: 2, at: [x, y, 0.0], offset: [0; 3], plane: layer * 6 + face, cube: true };
        }
        let offset = offset.map(|texels| texels * 256);
        let plane = Self { axes: geometry.coordinates(), at, offset, plane: layer, cube: false };
        if geometry == Geometry::D1 {
            // It is looked up as two dimensions, at the upper edge of the first row: a border above that row is seen.
            return Self { axes: 2, at: [at[0], 0.0, 0.0], ..plane };
        }
        plane
    }

    /// A place so far away, in 256ths of a texel.
    const fn moved(self, [x, y]: [i32; 2]) -> Self {
        Self { offset: [self.offset[0] + x, self.offset[1] + y, self.offset[2]], ..self }
    }
}
