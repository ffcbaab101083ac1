//! The part of an array that a texture shows, and the format in which it shows it.

use ptxvm_texture::{Format, Image, Level, Shape};

use super::descriptor::ViewDescriptor;
use crate::abi::{Answer, CUresult};

impl ViewDescriptor {
    /// The image that is seen of another.
    ///
    /// # Errors
    /// The view does not fit the image.
    pub fn apply(&self, image: &Image) -> Answer<Image> {
        self.look(image).ok_or(CUresult::INVALID_VALUE)
    }

    fn look(&self, image: &Image) -> Option<Image> {
        let format = match self.format {
            0 => image.format,
            number => Format::of_view(number)?,
        };
        if format.bytes() != image.format.bytes() {
            return None;
        }
        // A texel of an array without compression can hold a block.
        let grown = format.block_side() / image.format.block_side().min(format.block_side());
        let (first, last) = (self.first_level as usize, self.last_level as usize);
        if last < first {
            return None;
        }
        let seen = image.levels.get(first..=last)?;
        let (first, last) = (self.first_layer, self.last_layer);
        if last < first || last >= image.shape.planes() {
            return None;
        }
        let begins = seen[0].offset;
        let levels: Vec<Level> = seen
            .iter()
            .map(|level| Level {
                offset: level.offset - begins,
                size: [level.size[0] * grown, level.size[1] * grown, level.size[2]],
                ..*level
            })
            .collect();
        let planes = last - first + 1;
        let shape = Shape {
            width: levels[0].size[0],
            height: if image.shape.height == 0 { 0 } else { levels[0].size[1] },
            depth: if image.shape.depth == 0 { 0 } else { levels[0].size[2] },
            layers: match image.shape {
                Shape { layers: 0, .. } => 0,
                Shape { cube: true, .. } => planes / 6,
                _ => planes,
            },
            levels: levels.len() as u32,
            ..image.shape
        };
        Some(Image {
            address: image.address + begins + u64::from(first) * image.layer,
            bytes: image.bytes - begins - u64::from(first) * image.layer,
            format,
            shape,
            levels: levels.into(),
            ..image.clone()
        })
    }
}
