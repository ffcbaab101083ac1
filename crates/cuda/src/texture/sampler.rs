//! How a texture is sampled: from the program's description to the texture unit's state.

use ptxvm_texture::{AddressMode, Filter, Read, Sampler};

use super::descriptor::{TextureDescriptor, flag};
use crate::abi::{Answer, CUresult};

/// The greatest ratio of a footprint's axes that there are samples for.
const MOST_ANISOTROPY: u32 = 16;

impl TextureDescriptor {
    /// The sampler that it means.
    ///
    /// # Errors
    /// It means none.
    pub fn sampler(&self) -> Answer<Sampler> {
        let address = self.address.map(address_mode);
        let [Some(x), Some(y), Some(z)] = address else { return Err(CUresult::INVALID_VALUE) };
        let says = |flag| self.flags & flag != 0;
        if self.flags & !flag::ALL != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(Sampler {
            address: [x, y, z],
            filter: filter(self.filter)?,
            level_filter: filter(self.level_filter)?,
            normalized: says(flag::NORMALIZED_COORDINATES),
            read: if says(flag::READ_AS_INTEGER) { Read::Element } else { Read::NormalizedFloat },
            srgb: says(flag::SRGB),
            seamless: says(flag::SEAMLESS_CUBEMAP),
            exact_trilinear: says(flag::DISABLE_TRILINEAR_OPTIMIZATION),
            anisotropy: self.anisotropy.min(MOST_ANISOTROPY),
            bias: self.bias,
            min_level: self.min_level,
            max_level: self.max_level,
            border: self.border,
        })
    }
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
