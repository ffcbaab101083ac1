//! Answers queries about textures, samplers and surfaces: `txq` and `suq`.
//!
//! Sizes are those that an H200 gives. It cannot load the other queries, so their answers follow the manual: numbers of
//! OpenCL for formats (5.3.3), and the positions in the manual's lists for the rest (9.7.10.5).

use crate::format::{Channel, Format};
use crate::image::{Image, Layout};
use crate::objects::{Surface, Texture};
use crate::sampler::{AddressMode, Filter, Read, Sampler};

/// What is asked of a texture or a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// Texels of a row.
    Width,
    /// Rows.
    Height,
    /// Slices.
    Depth,
    /// The type of its channels.
    ChannelDataType,
    /// Which channels there are.
    ChannelOrder,
    /// Whether coordinates run from 0 to 1.
    NormalizedCoords,
    /// Layers.
    ArraySize,
    /// Levels of detail.
    NumMipmapLevels,
    /// Samples of a texel.
    NumSamples,
    /// Whether it lies in linear memory.
    MemoryLayout,
    /// Whether the sampler takes normalised coordinates away.
    ForceUnnormalizedCoords,
    /// How texels are blended.
    FilterMode,
    /// What becomes of a coordinate out of range, by dimension.
    AddrMode(u8),
}

impl Query {
    /// The query of a modifier.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "width" => Self::Width,
            "height" => Self::Height,
            "depth" => Self::Depth,
            "channel_data_type" => Self::ChannelDataType,
            "channel_order" => Self::ChannelOrder,
            "normalized_coords" => Self::NormalizedCoords,
            "array_size" => Self::ArraySize,
            "num_mipmap_levels" => Self::NumMipmapLevels,
            "num_samples" => Self::NumSamples,
            "memory_layout" => Self::MemoryLayout,
            "force_unnormalized_coords" => Self::ForceUnnormalizedCoords,
            "filter_mode" => Self::FilterMode,
            "addr_mode_0" => Self::AddrMode(0),
            "addr_mode_1" => Self::AddrMode(1),
            "addr_mode_2" => Self::AddrMode(2),
            _ => return None,
        })
    }

    /// Whether a sampler has the answer.
    #[must_use]
    pub const fn of_sampler(self) -> bool {
        matches!(self, Self::ForceUnnormalizedCoords | Self::FilterMode | Self::AddrMode(_))
    }

    /// What a texture answers; sizes are those of a level, and zero if there is no such level.
    #[must_use]
    pub fn texture(self, texture: &Texture, level: u32) -> u32 {
        let (image, sampler) = (&texture.image, &texture.sampler);
        let shape = &image.shape;
        match self {
            Self::Width | Self::Height | Self::Depth if level as usize >= image.levels.len() => 0,
            Self::Width => halved(shape.width, level),
            Self::Height => height(image, level),
            Self::Depth if shape.depth > 0 => halved(shape.depth, level),
            Self::Depth if shape.height > 0 => shape.layers,
            Self::Depth => 0,
            Self::ChannelDataType => data_type(image.format, sampler.read),
            Self::ChannelOrder => order(image.format),
            Self::NormalizedCoords => u32::from(sampler.normalized),
            Self::ArraySize => shape.layers,
            Self::NumMipmapLevels => {
                if image.levels.len() > 1 {
                    image.levels.len() as u32
                } else {
                    0
                }
            }
            Self::NumSamples => 0,
            Self::MemoryLayout => u32::from(matches!(image.layout, Layout::Pitched | Layout::Linear)),
            // Unified mode has no such field.
            Self::ForceUnnormalizedCoords => 0,
            Self::FilterMode | Self::AddrMode(_) => self.sampler(sampler),
        }
    }

    /// What a sampler of independent mode answers; zero to what is asked of textures.
    #[must_use]
    pub fn sampler(self, sampler: &Sampler) -> u32 {
        match self {
            Self::ForceUnnormalizedCoords => u32::from(!sampler.normalized),
            Self::FilterMode => u32::from(sampler.filter == Filter::Linear),
            Self::AddrMode(axis) => match sampler.address[usize::from(axis).min(2)] {
                AddressMode::Wrap => 0,
                AddressMode::Mirror => 1,
                AddressMode::Clamp => 3,
                AddressMode::Border => 4,
            },
            _ => 0,
        }
    }

    /// What a surface answers, of the level that it is made of; zero to what is asked of textures and samplers alone.
    /// Layers stand in the place of the first dimension that the image does not have.
    #[must_use]
    pub fn surface(self, surface: &Surface) -> u32 {
        let image = &surface.image;
        let (shape, [width, height, depth]) = (&image.shape, image.levels[0].size);
        let layers = if shape.layers > 0 || shape.cube { shape.planes() } else { 0 };
        match self {
            Self::Width => width,
            Self::Height if shape.height > 0 => height,
            Self::Height => layers,
            Self::Depth if shape.depth > 0 => depth,
            Self::Depth if shape.height > 0 => layers,
            Self::ChannelDataType => data_type(image.format, Read::Element),
            Self::ChannelOrder => order(image.format),
            Self::ArraySize => layers,
            Self::MemoryLayout => u32::from(matches!(image.layout, Layout::Pitched | Layout::Linear)),
            _ => 0,
        }
    }
}

fn halved(size: u32, level: u32) -> u32 {
    size.checked_shr(level).unwrap_or(0).max(1)
}

/// A row of an array has one row, and an array of rows has as many as it has layers; a row in linear memory has none.
fn height(image: &Image, level: u32) -> u32 {
    let shape = &image.shape;
    match (shape.height, shape.layers, image.layout) {
        (0, _, Layout::Linear) => 0,
        (0, 0, _) => 1,
        (0, layers, _) => layers,
        (height, ..) => halved(height, level),
    }
}

/// `CL_SIGNED_INT8` and its kin.
fn data_type(format: Format, read: Read) -> u32 {
    let normalized = read == Read::NormalizedFloat;
    match format.channel {
        Channel::S8 if normalized => 0x10d0,
        Channel::S16 if normalized => 0x10d1,
        Channel::U8 if normalized => 0x10d2,
        Channel::U16 if normalized => 0x10d3,
        Channel::S8 => 0x10d7,
        Channel::S16 => 0x10d8,
        Channel::S32 => 0x10d9,
        Channel::U8 => 0x10da,
        Channel::U16 => 0x10db,
        Channel::U32 => 0x10dc,
        Channel::F16 => 0x10dd,
        Channel::F32 => 0x10de,
        Channel::Snorm8 => 0x10d0,
        Channel::Snorm16 => 0x10d1,
        Channel::Unorm8 => 0x10d2,
        Channel::Unorm16 => 0x10d3,
        Channel::Unorm1010102 => 0x10d6,
        // OpenCL has no numbers for blocks; they are read as floats.
        Channel::Block(_) | Channel::BlockView(_) => 0x10de,
    }
}

/// `CL_R` and its kin.
fn order(format: Format) -> u32 {
    match format.channels {
        1 => 0x10b0,
        2 => 0x10b2,
        3 => 0x10b4,
        _ => 0x10b5,
    }
}
