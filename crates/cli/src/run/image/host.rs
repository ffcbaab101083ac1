//! An image on the host: turns elements with a shape into texels with a geometry, and computes levels of detail.

use ptxvm_vm::{Format, Shape};

use super::{ImageDescription, Levels, TexelSource, format};
use crate::run::contents::HostBuffer;
use crate::run::element::Element;
use crate::run::host_memory::{COPIES, HostMemory};
use crate::run::picture;
use crate::run::specification::Specification;

/// The most levels that a chain has: a side of 2³¹ texels halves so often.
const MOST_LEVELS: u32 = 32;

/// Texels with a geometry.
#[derive(Clone, Debug, PartialEq)]
pub struct HostImage {
    /// What a texel is.
    pub format: Format,
    /// How many there are in each direction.
    pub shape: Shape,
    /// The elements of each level, all planes of them, the finest first.
    pub levels: Vec<HostBuffer>,
}

impl HostImage {
    /// The dimensions of a level, as they stand in a type.
    pub fn level_shape(&self, level: u32) -> Vec<u64> {
        level_shape(&self.shape, self.format, level)
    }
}

impl ImageDescription {
    /// The image of its own source; `None` if the texels are another argument's.
    pub fn host(&self, salt: u64, memory: &HostMemory) -> Result<Option<HostImage>, String> {
        let TexelSource::Own(own) = &self.source else { return Ok(None) };
        let finest = elements(own, salt, memory)?;
        let (format, shape) = self.geometry(&finest, own)?;
        let mut levels = vec![finest];
        match &self.levels {
            Levels::Given(given) => {
                for (number, own) in given.iter().enumerate() {
                    levels.push(elements(own, salt.wrapping_add(1 + number as u64), memory)?);
                }
            }
            Levels::Count(0) => return Err("there is one level at least".to_owned()),
            Levels::Count(count) => {
                extend(&mut levels, &shape, format, (*count).min(MOST_LEVELS), memory)?;
            }
            Levels::All => extend(&mut levels, &shape, format, most_levels(&shape), memory)?,
        }
        let shape = Shape { levels: levels.len() as u32, ..shape };
        for (number, level) in levels.iter().enumerate().skip(1) {
            let wanted = element_count(&shape, format, number as u32);
            let has = (level.bytes.len() / level.element.bytes()) as u64;
            if level.element != levels[0].element || has != wanted {
                let name = levels[0].element.name();
                return Err(format!(
                    "level {number} has {wanted} elements of {name}, not {}",
                    level.type_name()
                ));
            }
        }
        Ok(Some(HostImage { format, shape, levels }))
    }

    /// What elements are as texels: their format, and how they lie.
    fn geometry(&self, elements: &HostBuffer, own: &Specification) -> Result<(Format, Shape), String> {
        let is_picture = matches!(own, Specification::File(path) if picture::is_named(path));
        let format = match self.format {
            Some(format) => format,
            None if is_picture => {
                let channels = elements.shape.get(2).map_or(1, |&channels| channels as u8);
                format::of_elements(elements.element, channels)?
            }
            None => format::of_elements(elements.element, 1)?,
        };
        Ok((format, self.shape(format, elements)?))
    }

    /// The format and the shape of the elements of a buffer, as an image that lies in it.
    pub fn in_buffer(&self, elements: &HostBuffer) -> Result<(Format, Shape), String> {
        let format = self.format.map_or_else(|| format::of_elements(elements.element, 1), Ok)?;
        let shape = self.shape(format, elements)?;
        if shape.depth > 0 || shape.layers > 0 || shape.cube || self.levels != Levels::Count(1) {
            return Err(
                "a buffer holds a row or a plane of texels, without layers, faces or levels".to_owned()
            );
        }
        Ok((format, shape))
    }

    /// The dimensions stand as NumPy has them: layers or slices, rows, texels, and, if there are several, channels.
    fn shape(&self, format: Format, elements: &HostBuffer) -> Result<Shape, String> {
        format::check(format, elements.element)?;
        let mut sizes = elements.shape.clone();
        let channels = u64::from(format.channels);
        if channels > 1 && sizes.pop() != Some(channels) {
            return Err(format!(
                "texels of {channels} channels need them as the last dimension, [h,w,{channels}], not {}",
                elements.type_name(),
            ));
        }
        let mut numbers = Vec::new();
        for size in sizes {
            numbers.push(u32::try_from(size).map_err(|_| format!("{size} is too large for an image"))?);
        }
        let row = |width| Shape { width, ..Shape::default() };
        Ok(match (numbers[..].as_ref(), self.layered, self.cube) {
            (&[width], false, false) => row(width),
            (&[height, width], false, false) => Shape { height, ..row(width) },
            (&[depth, height, width], false, false) => Shape { height, depth, ..row(width) },
            (&[layers, width], true, false) => Shape { layers, ..row(width) },
            (&[layers, height, width], true, false) => Shape { height, layers, ..row(width) },
            (&[6, height, width], false, true) => Shape { height, cube: true, ..row(width) },
            (&[faces, height, width], true, true) if faces.is_multiple_of(6) => {
                Shape { height, layers: faces / 6, cube: true, ..row(width) }
            }
            (_, _, true) => {
                return Err(format!("a cube is [6,w,w], with `layered` [6n,w,w], not {numbers:?}"));
            }
            (_, true, _) => return Err(format!("layers are [n,w] or [n,h,w], not {numbers:?}")),
            _ => return Err(format!("an image is [w], [h,w] or [d,h,w], not {numbers:?}")),
        })
    }

    /// The distance of rows in a buffer: as given, or without gaps.
    pub fn pitch(&self, format: Format, shape: &Shape) -> u64 {
        self.pitch.unwrap_or_else(|| u64::from(shape.width) * u64::from(format.bytes()))
    }

    /// The level that a surface is of.
    pub fn at_level(&self) -> u32 {
        self.at_level
    }
}

/// The elements of a source; pictures are rows of pixels.
fn elements(own: &Specification, salt: u64, memory: &HostMemory) -> Result<HostBuffer, String> {
    match own {
        Specification::Buffer { element, shape, contents } => {
            HostBuffer::new(*element, shape.as_deref(), contents, salt, memory)
        }
        Specification::File(path) if picture::is_named(path) => {
            picture::decode(&memory.read(path)?, memory).map_err(|why| format!("{path}: {why}"))
        }
        Specification::File(path) => HostBuffer::from_file(path, None, None, memory),
        _ => Err("that is not a source of texels".to_owned()),
    }
}

fn most_levels(shape: &Shape) -> u32 {
    shape.width.max(shape.height).max(shape.depth).max(1).ilog2() + 1
}

/// A level's width, height and depth, each at least 1.
fn sizes(shape: &Shape, level: u32) -> [u64; 3] {
    [shape.width, shape.height, shape.depth].map(|n| u64::from(n.checked_shr(level).unwrap_or(0).max(1)))
}

fn element_count(shape: &Shape, format: Format, level: u32) -> u64 {
    let texels: u64 = sizes(shape, level).iter().product();
    texels * u64::from(shape.planes()) * u64::from(format.channels)
}

/// Appends levels until there are so many, each texel the mean of those that it covers in the level before.
fn extend(
    levels: &mut Vec<HostBuffer>,
    shape: &Shape,
    format: Format,
    count: u32,
    memory: &HostMemory,
) -> Result<(), String> {
    while (levels.len() as u32) < count {
        let Some(finer) = levels.last() else { break };
        let number = levels.len() as u32;
        let elements = element_count(shape, format, number);
        let bytes = elements.saturating_mul(finer.element.bytes() as u64 * COPIES);
        memory.take(bytes, "a level of detail")?;
        levels.push(halved(finer, shape, format, number));
    }
    Ok(())
}

fn halved(finer: &HostBuffer, shape: &Shape, format: Format, level: u32) -> HostBuffer {
    let (from, to) = (sizes(shape, level - 1), sizes(shape, level));
    let channels = u64::from(format.channels);
    let element = finer.element;
    let at = |plane: u64, [x, y, z]: [u64; 3], channel: u64| {
        let texel = ((plane * from[2] + z) * from[1] + y) * from[0] + x;
        let offset = (texel * channels + channel) as usize * element.bytes();
        element.number(element.load(&finer.bytes[offset..])).as_f64()
    };
    // A texel covers two in each direction that is halved.
    let covered = |axis: usize, n: u64| if from[axis] > 1 { 2 * n..2 * n + 2 } else { 0..1 };
    let mut bytes = Vec::new();
    for plane in 0..u64::from(shape.planes()) {
        for z in 0..to[2] {
            for y in 0..to[1] {
                for x in 0..to[0] {
                    for channel in 0..channels {
                        let (mut sum, mut count) = (0.0, 0.0);
                        for z in covered(2, z) {
                            for y in covered(1, y) {
                                for x in covered(0, x) {
                                    sum += at(plane, [x, y, z], channel);
                                    count += 1.0;
                                }
                            }
                        }
                        element.store(mean(element, sum / count), &mut bytes);
                    }
                }
            }
        }
    }
    HostBuffer { element, shape: level_shape(shape, format, level), bytes, is_unwritten: false }
}

/// The element nearest to a mean; halves of integers go up.
fn mean(element: Element, value: f64) -> u64 {
    element.nearest(if element.is_float() { value } else { (value + 0.5).floor() })
}

/// The dimensions of a level, as they stand in a type: layers or slices, rows, texels, channels.
pub fn level_shape(shape: &Shape, format: Format, level: u32) -> Vec<u64> {
    let [width, height, depth] = sizes(shape, level);
    let mut dimensions = Vec::new();
    if shape.layers > 0 || shape.cube {
        dimensions.push(shape.planes().into());
    }
    if shape.depth > 0 {
        dimensions.push(depth);
    }
    if shape.height > 0 {
        dimensions.push(height);
    }
    dimensions.push(width);
    if format.channels > 1 {
        dimensions.push(format.channels.into());
    }
    dimensions
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    fn image(text: &str) -> Result<HostImage, String> {
        let image = ImageDescription::parse(Role::Texture, text)?.host(0, &HostMemory::default())?;
        Ok(image.expect("it has a source of its own"))
    }

    fn numbers(buffer: &HostBuffer) -> Vec<f64> {
        let chunks = buffer.bytes.chunks_exact(buffer.element.bytes());
        chunks.map(|b| buffer.element.number(buffer.element.load(b)).as_f64()).collect()
    }

    #[test]
    fn dimensions_become_a_geometry() {
        for (text, expected) in [
            ("f32[5]", [5, 0, 0, 0]),
            ("f32[3,5]", [5, 3, 0, 0]),
            ("f32[2,3,5]", [5, 3, 2, 0]),
            ("u8[3,5,4], u8x4", [5, 3, 0, 0]),
            ("f32[2,5], layered", [5, 0, 0, 2]),
            ("f32[2,3,5], layered", [5, 3, 0, 2]),
            ("f16[6,4,4], cube", [4, 4, 0, 0]),
            ("f16[12,4,4,2], f16x2, cube, layered", [4, 4, 0, 2]),
        ] {
            let shape = image(text).expect(text).shape;
            assert_eq!([shape.width, shape.height, shape.depth, shape.layers], expected, "{text}");
            assert_eq!(shape.cube, text.contains("cube"), "{text}");
        }
    }

    #[test]
    fn levels_are_means_of_what_they_cover() {
        let chain = image("f32[2,4]=1,2,3,4,5,6,7,8, levels all").expect("it is right");
        assert_eq!(chain.levels.iter().map(numbers).collect::<Vec<_>>()[1..], [vec![3.5, 5.5], vec![4.5]]);
        // An odd side loses its last texel, and integers are rounded.
        let odd = image("u8[3]=1,2,9, levels 2").expect("it is right");
        assert_eq!(numbers(&odd.levels[1]), [2.0]);
        let colours = image("u8[2,2]=0,10,4,30, u8x2, levels 2").expect("it is right");
        assert_eq!(
            (numbers(&colours.levels[1]), &colours.levels[1].shape[..]),
            (vec![2.0, 20.0], &[1, 2][..])
        );
        let layers = image("f32[2,2]=1,3,5,9, layered, levels 2").expect("it is right");
        assert_eq!(numbers(&layers.levels[1]), [2.0, 7.0]);
        let given = image("f32[4]=iota, level f32[2]=7,8, level f32[1]=9").expect("it is right");
        assert_eq!(given.shape.levels, 3);
        assert_eq!(numbers(&given.levels[1]), [7.0, 8.0]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, wrong) in [
            ("f64[4]", "no channels of type f64"),
            ("f32[4], u8", "made of u8, not of f32"),
            ("u8[4,4,3], u8x4", "as the last dimension"),
            ("f32[2,2,2,2]", "[w], [h,w] or [d,h,w]"),
            ("f32[5,4,4], cube", "a cube is [6,w,w]"),
            ("f32[7,4,4], cube, layered", "a cube is [6,w,w]"),
            ("f32[4], layered", "layers are"),
            ("f32[4], levels 0", "one level at least"),
            ("f32[4], level f32[3]", "level 1 has 2 elements of f32, not f32[3]"),
            ("f32[4], level u32[2]", "not u32[2]"),
        ] {
            let error = image(text).expect_err(text);
            assert!(error.contains(wrong), "{text}: {error}");
        }
    }
}
