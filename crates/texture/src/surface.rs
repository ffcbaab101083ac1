//! Finds the place that a surface instruction accesses, in and out of range.
//!
//! An H200 counts a row in units of the access: for an access of 8 bytes a row of 28 bytes has three units, and the last 4
//! bytes cannot be reached. `.clamp` takes the nearest unit. A row shorter than one unit has none, so even `.clamp` finds
//! nothing there. The low 16 bits of a layer's number count. All of this was measured.

use crate::geometry::Geometry;
use crate::image::{Image, Shape};

/// What becomes of an access out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clamp {
    /// `.trap`: it is a fault.
    Trap,
    /// `.clamp`: it goes to the nearest place within.
    Clamp,
    /// `.zero`: it reads zeros and writes nothing.
    Zero,
}

impl Clamp {
    /// The mode of a modifier.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "trap" => Some(Self::Trap),
            "clamp" => Some(Self::Clamp),
            "zero" => Some(Self::Zero),
            _ => None,
        }
    }
}

/// Where a lane accesses a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// x in bytes, y and z; those that the geometry does not have are not looked at.
    pub coordinates: [i64; 3],
    /// The layer, of a geometry that has them.
    pub layer: u32,
}

/// A direction in which an access can be out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceAxis {
    /// Along the row.
    X,
    /// The row.
    Y,
    /// The slice.
    Z,
    /// The layer, or the face of a cube.
    Layer,
}

/// Where an access lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At this offset in the bytes of the image, all of it.
    Within(u64),
    /// Nowhere: it reads zeros and writes nothing.
    Nowhere,
    /// Out of range in this direction, which is a fault.
    Outside(SurfaceAxis),
    /// At an x that is no multiple of the access, which is a fault.
    Misaligned,
}

/// Places an access of so many bytes, a power of two, on a surface.
#[must_use]
#[inline]
pub fn place(image: &Image, geometry: Geometry, clamp: Clamp, at: &At, bytes: u32) -> Place {
    let level = &image.levels[0];
    let (own, named) = (dimensions(&image.shape), geometry.coordinates());
    // A plane of a volume is its first slice, whichever layer is named. No other geometry meets a foreign image.
    let slice = own == 3 && named == 2;
    if own != named && !slice {
        return Place::Nowhere;
    }
    let row = u64::from(level.size[0]) * u64::from(image.format.bytes());
    let unit = u64::from(bytes);
    let planes = if own == 3 { level.size[2] } else { image.shape.planes() };
    let limits = [row / unit, u64::from(level.size[1]), u64::from(level.size[2]), u64::from(planes)];
    let [x, y, z] = at.coordinates;
    let y = if named > 1 { y } else { 0 };
    let z = if named > 2 { z } else { 0 };
    let layer = if geometry.layered() { at.layer & 0xffff } else { 0 };
    let mut units = [x.div_euclid(i64::from(bytes)), y, z, i64::from(layer)];
    let misaligned = x & (i64::from(bytes) - 1) != 0;
    if misaligned && clamp != Clamp::Trap {
        return Place::Misaligned;
    }
    for ((unit, limit), axis) in
        units.iter_mut().zip(limits).zip([SurfaceAxis::X, SurfaceAxis::Y, SurfaceAxis::Z, SurfaceAxis::Layer])
    {
        if u64::try_from(*unit).is_ok_and(|unit| unit < limit) {
            continue;
        }
        match clamp {
            Clamp::Trap => return Place::Outside(axis),
            Clamp::Clamp if limit > 0 => *unit = (*unit).clamp(0, limit as i64 - 1),
            Clamp::Clamp | Clamp::Zero => return Place::Nowhere,
        }
    }
    if misaligned {
        return Place::Misaligned;
    }
    let [x, y, z, plane] = units.map(|unit| unit as u64);
    let plane = if slice { 0 } else { plane };
    Place::Within(plane * image.layer + level.offset + z * level.slice + y * level.row + x * unit)
}

/// How many dimensions an image has, its layers not counted.
fn dimensions(shape: &Shape) -> usize {
    match shape {
        Shape { depth: 1.., .. } => 3,
        Shape { height: 1.., .. } => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Channel, Format};

    const SHAPE: Shape = Shape { width: 7, height: 3, depth: 0, layers: 0, cube: false, levels: 1 };

    fn image(shape: Shape) -> Image {
        Image::array(0, Format { channel: Channel::U32, channels: 1 }, shape).expect("it is small")
    }

    fn at(x: i64, y: i64, z: i64, layer: u32) -> At {
        At { coordinates: [x, y, z], layer }
    }

    #[test]
    fn a_row_is_counted_in_units_of_the_access() {
        let image = image(SHAPE);
        let row = image.levels[0].row;
        // Seven texels of four bytes hold three accesses of eight; the fourth would straddle the end.
        let wide = |clamp, x| place(&image, Geometry::D2, clamp, &at(x, 1, 0, 0), 8);
        assert_eq!(wide(Clamp::Zero, 16), Place::Within(row + 16));
        assert_eq!(wide(Clamp::Zero, 24), Place::Nowhere);
        assert_eq!(wide(Clamp::Clamp, 24), Place::Within(row + 16));
        assert_eq!(wide(Clamp::Clamp, -8), Place::Within(row));
        assert_eq!(wide(Clamp::Trap, 24), Place::Outside(SurfaceAxis::X));
        // No access of 32 bytes fits, so that there is no nearest one.
        assert_eq!(place(&image, Geometry::D2, Clamp::Clamp, &at(0, 0, 0, 0), 32), Place::Nowhere);
    }

    #[test]
    fn misaligned_accesses_fault_unless_a_trap_comes_first() {
        let image = image(SHAPE);
        for clamp in [Clamp::Clamp, Clamp::Zero] {
            for x in [2, -2, 1 << 20 | 1] {
                let place = place(&image, Geometry::D2, clamp, &at(x, 9, 0, 0), 4);
                assert_eq!(place, Place::Misaligned, "{clamp:?} {x}");
            }
        }
        assert_eq!(place(&image, Geometry::D2, Clamp::Trap, &at(2, 0, 0, 0), 4), Place::Misaligned);
        assert_eq!(
            place(&image, Geometry::D2, Clamp::Trap, &at(-2, 0, 0, 0), 4),
            Place::Outside(SurfaceAxis::X)
        );
    }

    #[test]
    fn layers_have_sixteen_bits() {
        let image = image(Shape { layers: 2, ..SHAPE });
        let layer = |clamp, layer| place(&image, Geometry::A2, clamp, &at(4, 0, 0, layer), 4);
        assert_eq!(layer(Clamp::Zero, 0x1_0001), Place::Within(image.layer + 4));
        assert_eq!(layer(Clamp::Clamp, u32::MAX), Place::Within(image.layer + 4));
        assert_eq!(layer(Clamp::Zero, 2), Place::Nowhere);
        assert_eq!(layer(Clamp::Trap, 2), Place::Outside(SurfaceAxis::Layer));
        // A geometry without layers sees the first one.
        assert_eq!(place(&image, Geometry::D2, Clamp::Trap, &at(4, 0, 0, 9), 4), Place::Within(4));
    }

    #[test]
    fn a_foreign_geometry_finds_nothing_but_the_first_slice() {
        let volume = image(Shape { depth: 3, ..SHAPE });
        let of = |geometry, layer| place(&volume, geometry, Clamp::Trap, &at(4, 1, 1, layer), 4);
        let row = volume.levels[0].row;
        assert_eq!(of(Geometry::D2, 0), Place::Within(row + 4));
        assert_eq!(of(Geometry::A2, 2), Place::Within(row + 4));
        assert_eq!(of(Geometry::A2, 3), Place::Outside(SurfaceAxis::Layer));
        assert_eq!(of(Geometry::D1, 0), Place::Nowhere);
        let plane = image(SHAPE);
        assert_eq!(place(&plane, Geometry::D3, Clamp::Trap, &at(0, 0, 0, 0), 4), Place::Nowhere);
    }
}
