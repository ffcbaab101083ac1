//! What a texture or surface is made of: an array, levels of one, or memory.

use std::sync::Arc;

use ptxvm_texture::Image;

use super::descriptor::{ResourceDescriptor, kind};
use crate::abi::{Answer, CUresult};
use crate::array::{Array, CUarray, CUmipmappedArray, Mipmapped, format};
use crate::context::Context;

/// A resource that is there.
pub enum Resource {
    /// An array.
    Array(Arc<Array>),
    /// An array with levels.
    Mipmapped(Arc<Mipmapped>),
    /// A row of texels in memory.
    Linear(Image),
    /// Rows of texels in memory.
    Pitch(Image),
}

/// Addresses of linear and pitched textures are multiples of this, as the device attribute `TEXTURE_ALIGNMENT` says.
const ALIGNMENT: u64 = 512;
/// Pitches are multiples of this: `TEXTURE_PITCH_ALIGNMENT`.
const PITCH: u64 = 32;
/// `MAXIMUM_TEXTURE1D_LINEAR_WIDTH`
const LINEAR_WIDTH: u64 = 1 << 28;
/// `MAXIMUM_TEXTURE2D_LINEAR_WIDTH`, `_HEIGHT` and `_PITCH`
const PITCHED: [u64; 3] = [131_072, 65_000, 2_097_120];

impl Resource {
    /// The resource that a program describes.
    ///
    /// # Errors
    /// There is none.
    pub fn of(described: &ResourceDescriptor, context: &Context) -> Answer<Self> {
        if described.flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let members = &described.members;
        match described.kind {
            kind::ARRAY => {
                Ok(Resource::Array(CUarray::new(members[0]).find().ok_or(CUresult::INVALID_VALUE)?))
            }
            kind::MIPMAPPED_ARRAY => Ok(Resource::Mipmapped(
                CUmipmappedArray::new(members[0]).find().ok_or(CUresult::INVALID_VALUE)?,
            )),
            kind::LINEAR => linear(members, context).map(Resource::Linear),
            kind::PITCH2D => pitched(members, context).map(Resource::Pitch),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    /// Its texels.
    pub fn image(&self) -> &Image {
        match self {
            Resource::Array(array) => &array.image,
            Resource::Mipmapped(mipmapped) => &mipmapped.image,
            Resource::Linear(image) | Resource::Pitch(image) => image,
        }
    }

    /// What its array is for; memory is for nothing special.
    pub fn flags(&self) -> u32 {
        match self {
            Resource::Array(array) => array.described.flags,
            Resource::Mipmapped(mipmapped) => mipmapped.described.flags,
            Resource::Linear(_) | Resource::Pitch(_) => 0,
        }
    }
}

/// Address, format and channels, bytes.
fn linear(members: &[u64; 16], context: &Context) -> Answer<Image> {
    let [address, texels, bytes, ..] = *members;
    let format = format(texels as u32, (texels >> 32) as u32)?;
    let width = bytes / u64::from(format.bytes());
    let fits = address.is_multiple_of(ALIGNMENT) && width > 0 && width <= LINEAR_WIDTH;
    if !fits || address == 0 || format.block_side() != 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    let image = Image::linear(address, format, width as u32).ok_or(CUresult::INVALID_VALUE)?;
    there(image, context)
}

/// Address, format and channels, width, height, pitch.
fn pitched(members: &[u64; 16], context: &Context) -> Answer<Image> {
    let [address, texels, width, height, pitch, ..] = *members;
    let format = format(texels as u32, (texels >> 32) as u32)?;
    let within = [width, height, pitch].iter().zip(PITCHED).all(|(&size, most)| (1..=most).contains(&size));
    let aligned = address.is_multiple_of(ALIGNMENT) && pitch.is_multiple_of(PITCH);
    if !within
        || !aligned
        || address == 0
        || pitch < width * u64::from(format.bytes())
        || format.block_side() != 1
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let image =
        Image::pitched(address, format, width as u32, height as u32, pitch).ok_or(CUresult::INVALID_VALUE)?;
    there(image, context)
}

/// Memory of the device's that holds an image.
fn there(image: Image, context: &Context) -> Answer<Image> {
    if context.device.memory().owns(image.address) { Ok(image) } else { Err(CUresult::INVALID_VALUE) }
}
