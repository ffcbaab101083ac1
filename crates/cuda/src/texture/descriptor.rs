//! The structures by which programs describe textures and surfaces, as C lays them out.

/// `CUDA_RESOURCE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceDescriptor {
    /// `CUresourcetype`
    pub kind: u32,
    /// What it is made of: the members of the kind, then bytes that mean nothing.
    pub members: [u64; 16],
    pub flags: u32,
}

/// `CUresourcetype`
pub mod kind {
    pub const ARRAY: u32 = 0;
    pub const MIPMAPPED_ARRAY: u32 = 1;
    pub const LINEAR: u32 = 2;
    pub const PITCH2D: u32 = 3;
}

/// `CUDA_TEXTURE_DESC` up to the colour of the border, which is as much as the driver tells of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// `CUaddress_mode` by dimension.
    pub address: [u32; 3],
    /// `CUfilter_mode`
    pub filter: u32,
    pub flags: u32,
    pub anisotropy: u32,
    /// `CUfilter_mode` between levels.
    pub level_filter: u32,
    pub bias: f32,
    pub min_level: f32,
    pub max_level: f32,
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureDescriptor {
    pub sampling: Sampling,
    pub border: [f32; 4],
    pub reserved: [u32; 12],
}

/// `CU_TRSF_…`
pub mod flag {
    pub const READ_AS_INTEGER: u32 = 1;
    pub const NORMALIZED_COORDINATES: u32 = 2;
    pub const SRGB: u32 = 0x10;
    pub const DISABLE_TRILINEAR_OPTIMIZATION: u32 = 0x20;
    pub const SEAMLESS_CUBEMAP: u32 = 0x40;
    /// Those that the driver takes, two that no header names among them; of cubes also the last one above.
    pub const TAKEN: u32 = 0x3f;
}

/// `CUDA_RESOURCE_VIEW_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewDescriptor {
    /// `CUresourceViewFormat`; 0 to leave the format as it is.
    pub format: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub first_level: u32,
    pub last_level: u32,
    pub first_layer: u32,
    pub last_layer: u32,
    pub reserved: [u32; 16],
}
