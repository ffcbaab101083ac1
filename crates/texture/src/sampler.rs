//! How a texture is sampled: what happens to coordinates out of range, and how texels and levels are blended.

/// What happens to a coordinate out of range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// It comes in again at the other side.
    Wrap,
    /// It goes to the nearest texel within.
    #[default]
    Clamp,
    /// It is reflected at the side.
    Mirror,
    /// It meets the border colour.
    Border,
}

/// How values between texels or levels are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest one.
    #[default]
    Point,
    /// A weighted sum.
    Linear,
}

/// What integers are read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Read {
    /// What they are.
    #[default]
    Element,
    /// Floats from 0 or -1 to 1.
    NormalizedFloat,
}

/// A sampler's state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampler {
    /// By dimension.
    pub address: [AddressMode; 3],
    /// Between texels.
    pub filter: Filter,
    /// Between levels.
    pub level_filter: Filter,
    /// Whether coordinates run from 0 to 1 over the image.
    pub normalized: bool,
    /// How integers are read.
    pub read: Read,
    /// Whether 8-bit channels are decoded from sRGB.
    pub srgb: bool,
    /// Whether filtering goes on over the edges of a cube's faces.
    pub seamless: bool,
    /// Whether the device must blend levels exactly as it is told.
    pub exact_trilinear: bool,
    /// The most samples along the longer axis of a footprint: 0 and 1 for none.
    pub anisotropy: u32,
    /// What is added to the level of detail.
    pub bias: f32,
    /// The least level of detail.
    pub min_level: f32,
    /// The greatest level of detail.
    pub max_level: f32,
    /// What lies beyond the border.
    pub border: [f32; 4],
}
