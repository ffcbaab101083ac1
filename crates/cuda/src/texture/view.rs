//! The part of an array that a texture shows, and the format in which it shows it.

use ptxvm_texture::{Channel, Format, Image, Level, Shape};

use super::descriptor::ViewDescriptor;
use super::resource::Resource;
use crate::abi::{Answer, CUresult};

impl ViewDescriptor {
    /// The image that is seen of a resource.
    ///
    /// # Errors
    /// The view does not fit the resource.
    pub fn apply(&self, resource: &Resource) -> Answer<Image> {
        let (described, mipmapped) = match resource {
            Resource::Array(array) => (&array.described, false),
            Resource::Mipmapped(mipmapped) => (&mipmapped.described, true),
            // Nobody looks at a view of memory.
            Resource::Memory(image) => return Ok(image.clone()),
        };
        let image = resource.image();
        let (format, grown) = self.seen_as(image.format).ok_or(CUresult::INVALID_VALUE)?;
        let whole = [described.width * grown, described.height * grown, described.depth];
        let levels_fit = self.first_level <= self.last_level && (mipmapped || self.last_level == 0);
        let layered = image.shape.layers > 0;
        let layers_fit = self.first_layer <= self.last_layer && (layered || self.last_layer == 0);
        let fits = [self.width, self.height, self.depth] == whole && levels_fit && layers_fit;
        if !fits || self.reserved != [0; 16] {
            return Err(CUresult::INVALID_VALUE);
        }
        let levels = part(image.levels.len() as u32, self.first_level, self.last_level);
        let (first, last) = (self.first_layer, self.last_layer);
        let layers = match (image.shape.planes(), image.shape.cube) {
            (planes, false) if layered => part(planes, first, last),
            (planes, true) if layered => cubes(planes, first, last),
            (planes, _) => (0, planes),
        };
        Ok(cut(image, format, grown as u32, levels, layers))
    }

    /// The format that is seen, and by how much texels are more than in the array: a texel of integers can hold a
    /// block.
    fn seen_as(&self, held: Format) -> Option<(Format, usize)> {
        let format = Format::of_view(self.format)?;
        let is_block = |format: Format| format.block_side() > 1;
        let can_hold = held.channel == Channel::U32 && held.channels > 1;
        if format.bytes() != held.bytes() || is_block(held) || (is_block(format) && !can_hold) {
            return None;
        }
        Some((format, format.block_side() as usize))
    }
}

/// A range of levels or layers, as far as it is there: the first one and how many.
fn part(all: u32, first: u32, last: u32) -> (u32, u32) {
    let first = first.min(all - 1);
    (first, last.min(all - 1) - first + 1)
}

/// A range of cubes, as far as it is there: the first face and how many faces. The first layer counts faces, the
/// number of layers cubes.
fn cubes(planes: u32, first: u32, last: u32) -> (u32, u32) {
    let most = (last - first).saturating_add(1);
    let first = first.min(planes - 6);
    (first, 6 * most.min((planes - first) / 6))
}

/// A part of an image, seen in another format.
fn cut(image: &Image, format: Format, grown: u32, levels: (u32, u32), layers: (u32, u32)) -> Image {
    let seen = &image.levels[levels.0 as usize..][..levels.1 as usize];
    let begins = seen[0].offset + u64::from(layers.0) * image.layer;
    let grow = |[width, height, depth]: [u32; 3]| [width * grown, height * grown, depth];
    let cut: Vec<Level> = seen
        .iter()
        .map(|level| Level { offset: level.offset - seen[0].offset, size: grow(level.size), ..*level })
        .collect();
    let [width, height, depth] = cut[0].size;
    let shape = Shape {
        width,
        height: if image.shape.height == 0 { 0 } else { height },
        depth: if image.shape.depth == 0 { 0 } else { depth },
        layers: match image.shape {
            Shape { layers: 0, .. } => 0,
            Shape { cube: true, .. } => layers.1 / 6,
            _ => layers.1,
        },
        levels: levels.1,
        ..image.shape
    };
    Image {
        address: image.address + begins,
        bytes: image.bytes - begins,
        format,
        shape,
        levels: cut.into(),
        ..image.clone()
    }
}
