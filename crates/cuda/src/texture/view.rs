//! The part of an array that a texture shows, and the format in which it shows it.

use ptxvm_texture::{Channel, Format, Image};

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
        let (levels, layers) = ((self.first_level, self.last_level), (self.first_layer, self.last_layer));
        Ok(image.seen(format, levels, layers))
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
