//! The resource of a texture or surface: an array, a mipmapped array, or memory.

use std::mem::offset_of;
use std::sync::Arc;

use ptxvm_texture::Image;

use super::descriptor::{ResourceDescriptor, kind};
use crate::abi::{Answer, CUresult, Out};
use crate::array::{Array, CUarray, CUmipmappedArray, Mipmapped, in_memory};

/// A resource that is there.
pub enum Resource {
    /// An array.
    Array(Arc<Array>),
    /// An array with levels.
    Mipmapped(Arc<Mipmapped>),
    /// Texels in memory: a row, or rows at a pitch.
    Memory(Image),
}

/// Addresses of texels in memory are multiples of this, as the device attribute `TEXTURE_ALIGNMENT` says.
pub const ALIGNMENT: u64 = 512;
/// Pitches are multiples of this: `TEXTURE_PITCH_ALIGNMENT`.
const PITCH: u64 = 32;
/// The most bytes and texels of a row in memory.
const LINEAR_BYTES: u64 = 1 << 32;
const LINEAR_WIDTH: u64 = 1 << 30;
/// `MAXIMUM_TEXTURE2D_LINEAR_WIDTH`, `_HEIGHT` and `_PITCH`
const PITCHED: [u64; 3] = [131_072, 65_000, 2_097_120];

impl ResourceDescriptor {
    /// Tells a program what it said: the driver writes the members of the kind, and nothing between them.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn tell(&self, place: Out<Self>) -> Answer {
        let members = match self.kind {
            kind::LINEAR => 3,
            kind::PITCH2D => 5,
            _ => 1,
        };
        place.member(offset_of!(Self, kind)).set(self.kind)?;
        for (index, member) in self.members.iter().take(members).enumerate() {
            place.member(offset_of!(Self, members) + size_of::<u64>() * index).set(*member)?;
        }
        place.member(offset_of!(Self, flags)).set(self.flags)
    }
}

impl Resource {
    /// The resource that a program describes.
    ///
    /// # Errors
    /// There is none.
    pub fn of(described: &ResourceDescriptor) -> Answer<Self> {
        if described.flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let members = &described.members;
        match described.kind {
            kind::ARRAY => {
                let array = CUarray::new(members[0]).find();
                array.map(Resource::Array).ok_or(CUresult::INVALID_VALUE)
            }
            kind::MIPMAPPED_ARRAY => {
                let mipmapped = CUmipmappedArray::new(members[0]).find();
                mipmapped.map(Resource::Mipmapped).ok_or(CUresult::INVALID_VALUE)
            }
            kind::LINEAR => linear(members).map(Resource::Memory),
            kind::PITCH2D => pitched(members).map(Resource::Memory),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    /// Whether it holds planes, or pixels packed as video has them.
    pub fn is_video(&self) -> bool {
        match self {
            Resource::Array(array) => array.is_video(),
            Resource::Mipmapped(mipmapped) => mipmapped.is_video(),
            Resource::Memory(_) => false,
        }
    }

    /// Whether it holds planes.
    pub fn is_planar(&self) -> bool {
        matches!(self, Resource::Array(array) if array.is_planar())
    }

    /// Its texels.
    pub fn image(&self) -> &Image {
        match self {
            Resource::Array(array) => &array.image,
            Resource::Mipmapped(mipmapped) => &mipmapped.image,
            Resource::Memory(image) => image,
        }
    }
}

/// Address, format and channels, bytes. Whether there is memory is seen when a kernel looks.
fn linear(members: &[u64; 16]) -> Answer<Image> {
    let [address, texels, bytes, ..] = *members;
    let format = in_memory(texels as u32, (texels >> 32) as u32)?;
    let width = bytes / u64::from(format.bytes());
    if address == 0 || !address.is_multiple_of(ALIGNMENT) || bytes > LINEAR_BYTES || width > LINEAR_WIDTH {
        return Err(CUresult::INVALID_VALUE);
    }
    // The driver takes a row without a texel; an image has one.
    Image::linear(address, format, width.max(1) as u32).ok_or(CUresult::INVALID_VALUE)
}

/// Whether a texture reference can be bound to rows of texels: of its sizes the driver asks more than of an object's,
/// of its format nothing.
pub fn is_pitched(address: u64, sizes: [u64; 3], format: u32, channels: u32) -> bool {
    let texel = in_memory(format, channels).map_or(1, |format| u64::from(format.bytes()));
    fit(address, sizes) && sizes[2] >= sizes[0] * texel
}

/// Whether an address, and a width, height and pitch, are such as the texture unit takes.
fn fit(address: u64, sizes: [u64; 3]) -> bool {
    let within = sizes.iter().zip(PITCHED).all(|(&size, most)| size <= most);
    within && address.is_multiple_of(ALIGNMENT) && sizes[2].is_multiple_of(PITCH)
}

/// Address, format and channels, width, height, pitch. Rows may overlap.
fn pitched(members: &[u64; 16]) -> Answer<Image> {
    let [address, texels, width, height, pitch, ..] = *members;
    let format = in_memory(texels as u32, (texels >> 32) as u32)?;
    if address == 0 || !fit(address, [width, height, pitch]) {
        return Err(CUresult::INVALID_VALUE);
    }
    // As above.
    let (width, height) = (width.max(1) as u32, height.max(1) as u32);
    Image::pitched(address, format, width, height, pitch).ok_or(CUresult::INVALID_VALUE)
}
