//! Turns a program's description of a sampler into the texture unit's [`Sampler`](ptxvm_texture::Sampler).

use ptxvm_texture::{AddressMode, Block, Channel, Filter, Image, Read, Sampler};

use super::descriptor::{Sampling, TextureDescriptor, flag};
use crate::abi::{Answer, CUresult};

/// The greatest ratio of a footprint's axes that there are samples for.
const MOST_ANISOTROPY: u32 = 16;

impl TextureDescriptor {
    /// How an image is sampled.
    ///
    /// # Errors
    /// What the driver answers to it.
    pub fn sampler(&self, image: &Image) -> Answer<Sampler> {
        if self.reserved != [0; 12] {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(Sampler { border: self.border, ..self.sampling.sampler(image)? })
    }
}

impl Sampling {
    fn sampler(&self, image: &Image) -> Answer<Sampler> {
        let says = |flag| self.flags & flag != 0;
        let taken = flag::TAKEN | if image.shape.cube { flag::SEAMLESS_CUBEMAP } else { 0 };
        let srgb = says(flag::SRGB);
        if self.flags & !taken != 0 || (is_srgb(image) && !srgb) {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(Sampler {
            address: self.address(image)?,
            filter: filter(self.filter)?,
            level_filter: filter(self.level_filter)?,
            normalized: says(flag::NORMALIZED_COORDINATES),
            read: if says(flag::READ_AS_INTEGER) { Read::Element } else { Read::NormalizedFloat },
            srgb,
            seamless: says(flag::SEAMLESS_CUBEMAP),
            exact_trilinear: says(flag::DISABLE_TRILINEAR_OPTIMIZATION),
            anisotropy: self.anisotropy.min(MOST_ANISOTROPY),
            bias: self.bias,
            min_level: self.min_level,
            max_level: self.max_level,
            border: [0.0; 4],
        })
    }

    /// The modes of the dimensions that an image has; nobody looks at the others.
    fn address(&self, image: &Image) -> Answer<[AddressMode; 3]> {
        let dimensions = match image.shape {
            shape if shape.depth > 0 => 3,
            shape if shape.height > 0 => 2,
            _ => 1,
        };
        let mut modes = [AddressMode::default(); 3];
        for (axis, (mode, &number)) in modes.iter_mut().zip(&self.address).enumerate() {
            match address_mode(number) {
                Some(known) => *mode = known,
                None if axis < dimensions => return Err(CUresult::INVALID_VALUE),
                None => {}
            }
        }
        Ok(modes)
    }
}

/// Whether colours are stored in sRGB, which a program has to know.
fn is_srgb(image: &Image) -> bool {
    let srgb = [Block::Bc1Srgb, Block::Bc2Srgb, Block::Bc3Srgb, Block::Bc7Srgb];
    matches!(image.format.channel, Channel::Block(block) if srgb.contains(&block))
}

/// `CUaddress_mode`
pub fn address_mode(number: u32) -> Option<AddressMode> {
    Some(match number {
        0 => AddressMode::Wrap,
        1 => AddressMode::Clamp,
        2 => AddressMode::Mirror,
        3 => AddressMode::Border,
        _ => return None,
    })
}

/// `CUfilter_mode`
///
/// # Errors
/// There is no such mode.
pub fn filter(number: u32) -> Answer<Filter> {
    match number {
        0 => Ok(Filter::Point),
        1 => Ok(Filter::Linear),
        _ => Err(CUresult::INVALID_VALUE),
    }
}
