//! The `tex` of a whole warp: 32 lanes that look into one texture side by side.
//!
//! Each lane gets what [`lookup`] gives it alone.

mod asked;
mod axis;
mod quick;
mod sum;
mod words;

use ptxvm_memory::View;

use crate::geometry::Geometry;
use crate::image::Image;
use crate::lookup::lookup;
use crate::sampler::Sampler;

pub use asked::{Details, LANES, Lanes, Warp};

/// What a texture holds where the lanes of a warp look: the four components of each. The view holds the image's bytes.
#[must_use]
pub fn lookup_warp(
    image: &Image,
    sampler: &Sampler,
    view: &View,
    geometry: Geometry,
    warp: &Warp<'_>,
) -> [Lanes; 4] {
    let mut found = [[0; LANES]; 4];
    let mut left = quick::lookup(image, sampler, view, geometry, warp, &mut found);
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        let texel = lookup(image, sampler, view, geometry, &warp.request(lane));
        for (component, value) in found.iter_mut().zip(texel) {
            component[lane] = value;
        }
    }
    found
}
