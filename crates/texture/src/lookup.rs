//! One lane's `tex`: from coordinates to four values.

use ptxvm_memory::View;

use crate::coordinate::texel;
use crate::geometry::Geometry;
use crate::image::Image;
use crate::sampler::Sampler;

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
    let level = &image.levels[0];
    let mut at = [0; 3];
    for (axis, at) in at.iter_mut().enumerate().take(geometry.coordinates()) {
        let whole = match request.at {
            Coordinates::Floats(floats) => floats[axis].floor() as i64,
            Coordinates::Integers(integers) => i64::from(integers[axis]),
        };
        let place = whole + i64::from(request.offset[axis]);
        let Some(place) = texel(place, level.size[axis], sampler.address[axis]) else {
            return sampler.border.map(f32::to_bits);
        };
        *at = place;
    }
    let plane = request.layer.min(image.shape.planes() - 1);
    let bytes: [u8; 4] = view.read(image.offset(level, plane, at));
    [u32::from_le_bytes(bytes), 0, 0, 0x3f80_0000]
}
