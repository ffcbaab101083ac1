//! Turns directions into places on a cube's faces, and finds the neighbours across a face's edges.

use ptxvm_num::mufu;

/// Where a direction meets a cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacePosition {
    /// The face: +x, -x, +y, -y, +z, -z.
    pub face: u32,
    /// Where on it, along its rows and its columns, from -1 to 1.
    pub at: [f32; 2],
}

/// A texel of a footprint that goes on over edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its face.
    pub face: u32,
    /// Its place in the row.
    pub x: u32,
    /// Its row.
    pub y: u32,
    /// How much it counts.
    pub weight: u32,
}

/// An axis and which way along it.
type SignedAxis = (usize, i64);

/// How a face lies: what it looks along, what its rows run along, and its columns.
struct Frame {
    normal: SignedAxis,
    along: [SignedAxis; 2],
}

const FRAMES: [Frame; 6] = [
    Frame { normal: (0, 1), along: [(2, -1), (1, -1)] },
    Frame { normal: (0, -1), along: [(2, 1), (1, -1)] },
    Frame { normal: (1, 1), along: [(0, 1), (2, 1)] },
    Frame { normal: (1, -1), along: [(0, 1), (2, -1)] },
    Frame { normal: (2, 1), along: [(0, 1), (1, -1)] },
    Frame { normal: (2, -1), along: [(0, -1), (1, -1)] },
];

/// How a face lies, of six.
fn frame(face: u32) -> &'static Frame {
    &FRAMES[face as usize % FRAMES.len()]
}

/// A direction's component along an axis.
fn component(direction: [f32; 3], (axis, sign): SignedAxis) -> f32 {
    if sign < 0 { -direction[axis] } else { direction[axis] }
}

/// A direction made about as long as the cube is wide. The unit does not divide: ptxas puts this before each lookup.
#[must_use]
pub fn scaled(direction: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = direction.map(f32::abs);
    let reciprocal = f32::from_bits(mufu::rcp(z.max(x.max(y)).to_bits()));
    direction.map(|component| component * reciprocal)
}

/// Where a scaled direction meets the cube. Of equal components z comes before y, and y before x; what is not a number is
/// less than any, and zero.
#[must_use]
pub fn meet(scaled: [f32; 3]) -> FacePosition {
    let [x, y, z] = scaled.map(|component| if component.is_nan() { -1.0 } else { component.abs() });
    let major = if z >= x && z >= y { 2 } else { usize::from(y >= x) };
    let face = 2 * major as u32 + u32::from(scaled[major] < 0.0);
    let numbers = scaled.map(|component| if component.is_nan() { 0.0 } else { component });
    FacePosition { face, at: frame(face).along.map(|axis| component(numbers, axis)) }
}

/// Where a direction meets the cube.
#[must_use]
pub fn place(direction: [f32; 3]) -> FacePosition {
    meet(scaled(direction))
}

/// The way from one place to another along the first one's rows and columns, each as the two parts to be added (the
/// second of which is zero within a face); whether an edge lies between. `None` if the places lie opposite each other.
#[must_use]
pub fn way(from: [f32; 3], to: [f32; 3]) -> Option<([[f64; 2]; 2], bool)> {
    let (start, end) = (meet(from), meet(to));
    if start.face ^ end.face == 1 {
        return None;
    }
    let numbers = to.map(|component| if component.is_nan() { 0.0 } else { component });
    let here = frame(start.face);
    let height = f64::from(component(numbers, here.normal));
    let (axis, sign) = frame(end.face).normal;
    let ways = [0, 1].map(|k| {
        let along = here.along[k];
        if along.0 == axis && start.face != end.face {
            // To the edge, and from there down the neighbour's side.
            let side = (sign * along.1) as f64;
            [side - f64::from(start.at[k]), side * (1.0 - height)]
        } else {
            [f64::from(component(numbers, along)) - f64::from(start.at[k]), 0.0]
        }
    });
    Some((ways, start.face != end.face))
}

/// The texel that lies at a place of a face, or beyond an edge, where the neighbour's begin. `None` beyond two edges, and
/// beyond the neighbour.
#[must_use]
pub fn texel(face: u32, at: [i64; 2], size: i64) -> Option<(u32, [u32; 2])> {
    let beyond = at.map(|place| !(0..size).contains(&place));
    if beyond == [true; 2] || at.iter().any(|place| !(-size..2 * size).contains(place)) {
        return None;
    }
    if !beyond[0] && !beyond[1] {
        return Some((face, at.map(|place| place as u32)));
    }
    // Half texels from the middle of the cube, whose faces are `size` of them away.
    let here = frame(face);
    let crossed = usize::from(beyond[1]);
    let mut along = at.map(|place| 2 * place + 1 - size);
    let height = 2 * size - along[crossed].abs();
    along[crossed] = size * along[crossed].signum();
    let mut point = [0; 3];
    for ((axis, sign), distance) in
        [(here.normal, height), (here.along[0], along[0]), (here.along[1], along[1])]
    {
        point[axis] = sign * distance;
    }
    let axis = here.along[crossed].0;
    let neighbour = 2 * axis as u32 + u32::from(point[axis] < 0);
    let place = frame(neighbour).along.map(|(axis, sign)| ((sign * point[axis] + size - 1) / 2) as u32);
    Some((neighbour, place))
}

/// The four texels of a linear lookup that goes on over edges. `first` is the one with the lesser coordinates, `weights`
/// are those of it, of the next in its row, and of the two in the row below.
///
/// At a corner of the cube one of them does not exist: the others share its weight by thirds, and it stands for the
/// opposite one with no weight. Samples along a line may lie further around a corner, where more than one is missing; what
/// the unit looks at then is not known, and the face's nearest is taken.
#[must_use]
pub fn footprint(face: u32, first: [i64; 2], size: u32, weights: [u32; 4]) -> [Part; 4] {
    let mut weights = weights;
    let size = i64::from(size);
    let places = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, y]| [first[0] + x, first[1] + y]);
    let mut found = places.map(|place| texel(face, place, size));
    let missing = [0, 1, 2, 3].map(|k| found[k].is_none());
    if let Some(corner) = missing.iter().position(|missing| *missing)
        && missing.iter().filter(|missing| **missing).count() == 1
    {
        let weight = weights[corner];
        let third = (weight + 1) / 3;
        weights[corner ^ 1] += third;
        weights[corner ^ 2] += third;
        weights[corner ^ 3] += weight - 2 * third;
        weights[corner] = 0;
        found[corner] = found[corner ^ 3];
    }
    [0, 1, 2, 3].map(|k| {
        let nearest = places[k].map(|place| place.clamp(0, size - 1) as u32);
        let (face, [x, y]) = found[k].unwrap_or((face, nearest));
        Part { face, x, y, weight: weights[k] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // What an H200 answered.

    #[test]
    fn faces_of_ties_and_of_what_is_no_number() {
        for (direction, face) in [
            ([1.0, 1.0, 1.0], 4),
            ([1.0, 1.0, -1.0], 5),
            ([-1.0, -1.0, 0.5], 3),
            ([-1.0, 0.5, 0.5], 1),
            ([0.0, 0.0, 0.0], 4),
            ([0.0, 0.0, -0.0], 4),
            ([0.0, 0.0, f32::INFINITY], 2),
            ([0.0, 1e-40, 0.0], 2),
            ([0.0, 0.0, f32::NAN], 4),
        ] {
            assert_eq!(place(direction).face, face, "{direction:?}");
        }
    }

    #[test]
    fn texels_beyond_an_edge_are_the_neighbours() {
        // Each face, the texel left of its first row's first and above it.
        for (face, left, above) in [
            (0, (4, [2, 0]), (2, [2, 2])),
            (1, (5, [2, 0]), (2, [0, 0])),
            (2, (1, [0, 0]), (5, [2, 0])),
            (3, (1, [2, 2]), (4, [0, 2])),
            (4, (1, [2, 0]), (2, [0, 2])),
            (5, (0, [2, 0]), (2, [2, 0])),
        ] {
            assert_eq!(texel(face, [-1, 0], 3), Some(left), "left of {face}");
            assert_eq!(texel(face, [0, -1], 3), Some(above), "above {face}");
            assert_eq!(texel(face, [-1, -1], 3), None);
        }
    }

    #[test]
    fn a_corner_is_shared_by_thirds() {
        // Weights 2, 9, 36, 209 with the first missing, and 166 | 63 with the last.
        let parts = footprint(0, [-1, -1], 2, [2, 9, 36, 209]);
        assert_eq!(parts.map(|part| part.weight), [0, 10, 37, 209]);
        assert_eq!(parts.map(|part| part.face), [0, 2, 4, 0]);
        let parts = footprint(2, [1, 1], 2, [66, 65, 62, 63]);
        assert_eq!(parts.map(|part| part.weight), [87, 86, 83, 0]);
        let parts = footprint(2, [1, 1], 2, [224, 27, 4, 1]);
        assert_eq!(parts.map(|part| part.weight), [225, 27, 4, 0]);
    }

    #[test]
    fn a_line_goes_on_over_an_edge_and_never_leaves_the_cube() {
        assert_eq!(texel(0, [-3, 1], 4), Some((4, [1, 1])));
        assert_eq!(texel(0, [-5, 1], 4), None);
        for face in 0..6 {
            for size in [1, 2, 5] {
                for x in -40..40 {
                    for y in [-40, -3, -2, -1, 0, 1, 3, 5, 40] {
                        let parts = footprint(face, [x, y], size, [10, 20, 30, 196]);
                        assert!(parts.iter().all(|part| part.face < 6 && part.x < size && part.y < size));
                        assert_eq!(parts.iter().map(|part| part.weight).sum::<u32>(), 256);
                    }
                }
            }
        }
    }
}
