//! The level of detail of a footprint, from the derivatives of its coordinates.
//!
//! The unit has no square roots. It estimates the length of a vector as its largest component plus parts of the others, and
//! the length of a footprint as the longest of its two sides and its two scaled diagonals.
//!
//! The unit takes derivatives only for one and two dimensions. For three, and for cubes, the driver has a routine that
//! looks at two neighbouring places, and the unit takes the differences.

use crate::anisotropy::{self, Line};
use crate::cube;
use crate::geometry::Geometry;
use crate::sampler::Sampler;
use crate::short;

/// A level of detail that no image has.
const COARSEST: i32 = 1 << 14;

/// What a footprint asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The level of detail, in 256ths.
    pub lod: i32,
    /// Along what line samples are taken, if the sampler is anisotropic and the footprint long.
    pub line: Option<Line>,
}

/// A vector in texels, as short numbers.
type Vector = [f64; 3];

/// The sides of a footprint, in texels.
#[derive(Clone, Copy, Debug)]
struct Sides {
    x: Vector,
    y: Vector,
    /// Whether an edge of a cube runs through it.
    folded: bool,
}

/// What a footprint asks for: the image's finest size, where its place is, and how the coordinates change to the right
/// and down.
#[must_use]
pub fn footprint(
    sampler: &Sampler,
    geometry: Geometry,
    size: [u32; 3],
    at: [f32; 3],
    right: [f32; 3],
    down: [f32; 3],
) -> Footprint {
    let sides = if geometry.cube() {
        let Some(sides) = on_cube(size[0], at, right, down) else {
            return Footprint { lod: COARSEST, line: None };
        };
        sides
    } else {
        let count = geometry.coordinates();
        let side = |derivatives: [f32; 3]| {
            let mut side = [0.0; 3];
            for axis in 0..count {
                let way = if count == 3 {
                    number(at[axis] + derivatives[axis]) - number(at[axis])
                } else {
                    number(derivatives[axis])
                };
                let whole = if sampler.normalized { f64::from(size[axis]) } else { 1.0 };
                side[axis] = short::product(short::cut(way), short::cut(whole));
            }
            side
        };
        Sides { x: side(right), y: side(down), folded: false }
    };
    measure(sampler, geometry, &sides)
}

/// An operand as the unit reads it: what is not a number is zero, and nothing is infinite.
fn number(value: f32) -> f64 {
    if value.is_nan() || value.is_subnormal() { 0.0 } else { f64::from(value.clamp(f32::MIN, f32::MAX)) }
}

/// A way on a cube: a direction too short to be scaled leads to places that are infinitely far, and from one such place to
/// another there is no number. Short numbers are finite.
fn finite(way: f64) -> f64 {
    const MOST: f64 = 4.0 * f32::MAX as f64;
    if way.is_nan() { 0.0 } else { way.clamp(-MOST, MOST) }
}

/// The sides of a footprint on a cube whose faces are `size` texels wide; `None` if it reaches to the opposite face.
fn on_cube(size: u32, at: [f32; 3], right: [f32; 3], down: [f32; 3]) -> Option<Sides> {
    let here = cube::scaled(at);
    let mut folded = false;
    let mut side = |derivatives: [f32; 3]| {
        let there = cube::scaled([0, 1, 2].map(|axis| at[axis] + derivatives[axis]));
        let (ways, over) = cube::way(here, there)?;
        folded |= over;
        let texels = |way: f64| short::product(short::cut(finite(way) / 2.0), short::cut(f64::from(size)));
        let [x, y] = ways.map(|[first, second]| short::sum(texels(first), texels(second)));
        Some([x, y, 0.0])
    };
    Some(Sides { x: side(right)?, y: side(down)?, folded })
}

/// The level of detail of a footprint, and its line.
fn measure(sampler: &Sampler, geometry: Geometry, sides: &Sides) -> Footprint {
    let (right, down) = (short::cut(length(sides.x)), short::cut(length(sides.y)));
    let diagonal = |sign: f64| {
        let diagonal = [0, 1, 2].map(|axis| short::sum(sides.x[axis], sign * sides.y[axis]));
        // An edge of a cube leaves no diagonals.
        let length = if sides.folded { 0.0 } else { short::cut(diagonal_length(diagonal)) };
        (length, diagonal.map(|part| short::eleven_sixteenths(part.abs()).copysign(part)))
    };
    let falling = match diagonal(-1.0) {
        longest if right > down => longest,
        (length, vector) => (length, vector.map(|part| -part)),
    };
    // Of equal ones the first counts.
    let mut longest = (right, sides.x);
    for other in [diagonal(1.0), (down, sides.y), falling] {
        if other.0 > longest.0 {
            longest = other;
        }
    }
    let major = short::log2(longest.0);
    if sampler.anisotropy < 2 || matches!(geometry, Geometry::D3 | Geometry::A1) || sides.folded {
        return Footprint { lod: major, line: None };
    }
    let area =
        short::sum(short::product(sides.x[0], sides.y[1]), -short::product(sides.x[1], sides.y[0])).abs();
    let minor = (short::log2(area) - major).min(major);
    let lod = minor.max(major - anisotropy::limit(sampler.anisotropy));
    Footprint { lod, line: Line::new(major, lod, [longest.1[0], longest.1[1]]) }
}

/// The absolute components of a vector, the greatest first.
fn sorted(vector: Vector) -> Vector {
    let mut parts = vector.map(f64::abs);
    parts.sort_by(|a, b| b.total_cmp(a));
    parts
}

/// About how long a vector is.
fn length(vector: Vector) -> f64 {
    let [greatest, middle, least] = sorted(vector);
    greatest + short::eleven_thirty_seconds(middle) + least / 4.0
}

/// About 11/16 of how long a diagonal is.
fn diagonal_length(vector: Vector) -> f64 {
    let [greatest, middle, least] = sorted(vector);
    short::eleven_sixteenths(greatest) + short::eleven_eleven(middle) + short::eleven_sixty_fourths(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The level of detail of operands given as bits: a place, and the derivatives to the right and down.
    fn lod(anisotropy: u32, geometry: Geometry, size: [u32; 3], operands: [[u32; 3]; 3]) -> i32 {
        let sampler = Sampler { normalized: true, anisotropy, ..Sampler::default() };
        let [at, right, down] = operands.map(|vector| vector.map(f32::from_bits));
        footprint(&sampler, geometry, size, at, right, down).lod
    }

    const MIDDLE: [u32; 3] = [0x3f00_0000, 0x3f00_0000, 0];

    // What an H200 answered for images each of whose levels holds its own number.

    #[test]
    fn planes() {
        for (size, right, down, wanted) in [
            ([256, 256, 1], [0xbd0f_b0de, 0xbd06_a4e1, 0], [0xbcfb_ffe5, 0xbd24_d5a5, 0], 1043),
            ([256, 256, 1], [0x3b0f_ca46, 0x3b97_d97e, 0], [0x3a98_078c, 0x3c76_1ab1, 0], 507),
            ([256, 256, 1], [0x3e0e_135c, 0xbc81_3def, 0], [0x3e0c_6ee7, 0xbc1d_2820, 0], 1445),
            ([683, 1365, 1], [0xbc8f_1250, 0x3d86_ec57, 0], [0xbcc3_e5ab, 0xbba5_809b, 0], 1677),
            ([683, 1365, 1], [0x3bab_86a7, 0xbb65_941a, 0], [0x3b28_905c, 0x3b80_0cd3, 0], 738),
        ] {
            assert_eq!(lod(0, Geometry::D2, size, [MIDDLE, right, down]), wanted);
        }
    }

    #[test]
    fn what_is_no_number_is_zero_and_nothing_is_infinite() {
        let nan = 0x7fc0_0000;
        let eighth = 0x3e00_0000;
        let sides = [MIDDLE, [nan, eighth, 0], [nan, eighth, 0]];
        assert_eq!(lod(0, Geometry::D2, [256, 256, 1], sides), 1398);
        let infinite = [MIDDLE, [0xff80_0000, 0, 0], [0; 3]];
        assert!(lod(0, Geometry::D2, [256, 256, 1], infinite) > 16 * 256);
        assert!(lod(0, Geometry::D2, [256, 256, 1], [MIDDLE, [0; 3], [0; 3]]) < -16 * 256);
    }

    #[test]
    fn volumes_take_differences() {
        for (at, right, down, wanted) in [
            (
                [0x4080_dd08, 0x3e92_0777, 0x4080_dd08],
                [0x3baa_571b, 0x3e15_109e, 0x3d3d_21f4],
                [0x3cc6_8e52, 0xbd91_9a12, 0x3de6_d3fb],
                555,
            ),
            (
                [0x409c_fdc4, 0xc0a5_c729, 0x409c_fdc4],
                [0x3cb1_66ca, 0x3e77_64b4, 0x3ddd_fc09],
                [0xbd9d_3c2d, 0x3c82_d590, 0x3c47_84dc],
                681,
            ),
        ] {
            // An anisotropic sampler measures volumes no other way.
            assert_eq!(lod(16, Geometry::D3, [48, 20, 33], [at, right, down]), wanted);
        }
    }

    #[test]
    fn cubes_within_a_face_over_an_edge_and_to_the_opposite_one() {
        for (at, right, down, wanted) in [
            (
                [0x3ddc_ec5c, 0x3fbc_aa61, 0xbf68_37a7],
                [0x3d0d_a1ed, 0xbb38_3789, 0x3cd0_32d5],
                [0xbd25_df0e, 0x3cea_2b3d, 0x3d0d_a1ed],
                295,
            ),
            (
                [0x3d63_afed, 0x3f68_a4f6, 0x3fde_7332],
                [0xbf16_b467, 0xbdd0_b917, 0xbf0c_92be],
                [0x3ee7_bf99, 0x3f1f_be2b, 0xbf16_b467],
                1375,
            ),
            (
                [0xbf4b_cc94, 0xbf6c_5e5f, 0x3eb3_0bf2],
                [0xbda9_dfe5, 0x3de9_ada9, 0x3e36_4767],
                [0x3e82_40c8, 0xbf0a_72cb, 0xbda9_dfe5],
                1230,
            ),
        ] {
            assert_eq!(lod(0, Geometry::Cube, [100, 100, 1], [at, right, down]), wanted);
        }
        let one = 0x3f80_0000;
        let through = [[one, 0, 0], [0xc040_0000, 0, 0], [0; 3]];
        assert!(lod(0, Geometry::Cube, [100, 100, 1], through) > 16 * 256);
    }

    #[test]
    fn anisotropic_samplers_measure_the_shorter_side() {
        let size = [256, 256, 1];
        let long = [MIDDLE, [0x3c6d_8971, 0xbc3c_8e12, 0], [0xbc0a_7118, 0x3bbd_d9f4, 0]];
        assert_eq!(lod(4, Geometry::D2, size, long), 88);
        assert!(lod(16, Geometry::D2, size, long) <= 0);
        let longer = [MIDDLE, [0x3c72_3df3, 0xbe44_180a, 0], [0xbcd2_9ff9, 0x3e44_4867, 0]];
        assert_eq!(lod(16, Geometry::D2, size, longer), 544);
    }
}
