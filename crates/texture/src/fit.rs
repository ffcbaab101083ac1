//! Which geometries fit which images.
//!
//! A lookup names a geometry, and a handle can name any image. The manual does not say what happens if the two do not fit;
//! an H200 gives zeros. It distinguishes five classes of images, and treats a row as a plane of height one.

use crate::geometry::Geometry;
use crate::image::{Image, Layout};

/// The classes of images that a texture unit tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// A row, a plane, or an array of planes.
    Plane,
    /// An array of rows.
    Rows,
    /// Slices.
    Solid,
    /// Cubes.
    Cube,
    /// A row in linear memory.
    Linear,
}

impl Class {
    fn of(image: &Image) -> Self {
        let shape = &image.shape;
        if shape.cube {
            Self::Cube
        } else if shape.depth > 0 {
            Self::Solid
        } else if image.layout == Layout::Linear {
            Self::Linear
        } else if shape.height == 0 && shape.layers > 0 {
            Self::Rows
        } else {
            Self::Plane
        }
    }
}

/// Whether a lookup of this geometry finds anything in an image; integer coordinates are looked up in another way than
/// floats, which knows rows.
#[must_use]
pub fn fits(image: &Image, geometry: Geometry, integers: bool) -> bool {
    match Class::of(image) {
        Class::Plane => match geometry {
            Geometry::D1 => !integers,
            Geometry::D2 | Geometry::A2 | Geometry::D2ms | Geometry::A2ms => true,
            _ => false,
        },
        Class::Rows => geometry == Geometry::A1 || geometry == Geometry::D1 && integers,
        Class::Solid => geometry == Geometry::D3,
        Class::Cube => geometry.cube(),
        Class::Linear => integers && matches!(geometry, Geometry::D1 | Geometry::A1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Channel, Format};
    use crate::image::Shape;

    fn image(height: u32, depth: u32, layers: u32, cube: bool) -> Image {
        let shape = Shape { width: 4, height, depth, layers, cube, levels: 1 };
        let format = Format { channel: Channel::F32, channels: 1 };
        Image::array(0, format, shape).expect("it is small")
    }

    fn fitting(image: &Image, integers: bool) -> Vec<&'static str> {
        let all = Geometry::ALL.into_iter().filter(|&geometry| fits(image, geometry, integers));
        all.map(Geometry::name).collect()
    }

    /// As measured on an H200 with images of each kind and every geometry.
    #[test]
    fn images_take_the_geometries_of_their_class() {
        let plane = ["1d", "2d", "a2d", "2dms", "a2dms"];
        for image in [image(0, 0, 0, false), image(4, 0, 0, false), image(4, 0, 3, false)] {
            assert_eq!(fitting(&image, false), plane);
            assert_eq!(fitting(&image, true), plane[1..]);
        }
        let rows = image(0, 0, 3, false);
        assert_eq!(fitting(&rows, false), ["a1d"]);
        assert_eq!(fitting(&rows, true), ["1d", "a1d"]);
        assert_eq!(fitting(&image(4, 4, 0, false), false), ["3d"]);
        assert_eq!(fitting(&image(4, 0, 0, true), false), ["cube", "acube"]);
        let linear = Image::linear(0, rows.format, 4).expect("it is small");
        assert_eq!(fitting(&linear, true), ["1d", "a1d"]);
        assert!(fitting(&linear, false).is_empty());
    }
}
