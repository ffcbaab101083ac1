//! One lane's `tld4`: one component of each of the four texels that a bilinear lookup would blend.
//!
//! The texels are those of the finest level, whatever levels and filters the sampler has. Each has the value that blending
//! gives it alone, with the full weight.

use ptxvm_memory::View;

use crate::coordinate::{Axis, texel};
use crate::cube;
use crate::decode::Decoder;
use crate::filter::Blend;
use crate::geometry::Geometry;
use crate::image::Image;
use crate::lookup::{Coordinates, Request};
use crate::sampler::Sampler;
use crate::texel::Texel;
use crate::warp::{LANES, Lanes, Warp};

/// The order of the four: counter-clockwise from the lower left, where y grows downward.
const CORNERS: [[i64; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];

/// A component (0 to 3) of the four texels where a lane looks. The view holds the image's bytes.
#[must_use]
pub fn gather(
    image: &Image,
    sampler: &Sampler,
    view: &View,
    geometry: Geometry,
    component: usize,
    request: &Request,
) -> Texel {
    let decoder = Decoder::new(image.format, sampler);
    let level = &image.levels[0];
    let floats = match request.at {
        Coordinates::Floats(floats) => floats,
        Coordinates::Integers(integers) => integers.map(|integer| integer as f32),
    };
    let layer = request.layer.min(image.shape.layers.max(1) - 1);
    let (face, plane, at) = if geometry.cube() {
        let place = cube::place(floats);
        (place.face, 6 * layer, place.at)
    } else {
        (0, layer, [floats[0], floats[1]])
    };
    let axes = [0, 1].map(|dimension| {
        let new = if geometry.cube() { Axis::face } else { Axis::new };
        new(level.size[dimension], sampler, dimension)
    });
    let first = [0, 1].map(|axis| (axes[axis].between(at[axis]) >> 8) + i64::from(request.offset[axis]));
    let numbers = CORNERS.map(|corner| {
        let at = [0, 1].map(|axis| first[axis] + corner[axis]);
        let (face, at) = if geometry.cube() && sampler.seamless {
            cube::texel(face, at, i64::from(level.size[0]))?
        } else {
            let [Some(x), Some(y)] = [0, 1].map(|axis| texel(at[axis], axes[axis].size, axes[axis].mode))
            else {
                return Some(decoder.border_operands(sampler.border));
            };
            (face, [x, y])
        };
        Some(decoder.operands(view, image, level, plane + face, [at[0], at[1], 0]))
    });
    let domain = decoder.domains()[component];
    [0, 1, 2, 3].map(|corner| match numbers[corner] {
        Some(numbers) => domain.alone(numbers[component]),
        None => third(&decoder, numbers, corner)[component],
    })
}

/// What stands for the texel that is missing where three faces of a cube meet: the other three, each with a third of the
/// weight.
fn third(decoder: &Decoder, numbers: [Option<[i64; 4]>; 4], missing: usize) -> Texel {
    let mut blend = Blend::new(decoder.domains());
    let others = [1, 2, 3].map(|further| {
        // The one across has what is left.
        let weight = if further == 2 { 86 } else { 85 };
        (weight, numbers[(missing + further) % 4].unwrap_or_default())
    });
    blend.slice(&others);
    blend.finish()
}

/// A component of the four texels where each lane of a warp looks.
#[must_use]
pub fn gather_warp(
    image: &Image,
    sampler: &Sampler,
    view: &View,
    geometry: Geometry,
    component: usize,
    warp: &Warp<'_>,
) -> [Lanes; 4] {
    let mut found = [[0; LANES]; 4];
    let mut left = warp.mask;
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        let texels = gather(image, sampler, view, geometry, component, &warp.request(lane));
        for (element, value) in found.iter_mut().zip(texels) {
            element[lane] = value;
        }
    }
    found
}
