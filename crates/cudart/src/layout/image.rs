//! Arrays, textures and surfaces, which the two APIs describe in different ways.

use super::types::ChannelFormatDesc;

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct ArrayDescriptor {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    /// `CUarray_format`
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

/// The kinds of resources, the same in both APIs.
pub mod resource {
    pub const ARRAY: u32 = 0;
    pub const MIPMAPPED: u32 = 1;
    pub const LINEAR: u32 = 2;
    pub const PITCHED: u32 = 3;
}

/// `cudaResourceDesc`: its kind, and sixteen longs of which the kind says what they are. CUDA 12's has no flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RuntimeResource {
    pub kind: u32,
    pub what: RuntimeMemory,
    rest: [u64; 9],
    pub flags: u32,
}

/// An array's handle in the first field, linear memory, or pitched memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RuntimeMemory {
    pub object: u64,
    pub format: ChannelFormatDesc,
    /// Bytes of linear memory, or elements of a row.
    pub width: usize,
    pub height: usize,
    pub pitch: usize,
}

/// `CUDA_RESOURCE_DESC`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ResourceDescriptor {
    pub kind: u32,
    pub what: DriverMemory,
    rest: [u64; 11],
    pub flags: u32,
}

/// As [`RuntimeMemory`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DriverMemory {
    pub object: u64,
    pub format: u32,
    pub channels: u32,
    pub width: usize,
    pub height: usize,
    pub pitch: usize,
}

impl RuntimeResource {
    pub const fn new(kind: u32, what: RuntimeMemory, flags: u32) -> Self {
        Self { kind, what, rest: [0; 9], flags }
    }
}

impl ResourceDescriptor {
    pub const fn new(kind: u32, what: DriverMemory, flags: u32) -> Self {
        Self { kind, what, rest: [0; 11], flags }
    }
}

/// `cudaTextureDesc`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct RuntimeTexture {
    pub address_modes: [u32; 3],
    pub filter: u32,
    pub read_mode: u32,
    pub srgb: i32,
    pub border: [f32; 4],
    pub normalized: i32,
    pub anisotropy: u32,
    pub mipmap_filter: u32,
    pub bias: f32,
    pub least_level: f32,
    pub most_level: f32,
    pub no_trilinear_optimization: i32,
    pub seamless: i32,
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct TextureDescriptor {
    pub address_modes: [u32; 3],
    pub filter: u32,
    pub flags: u32,
    pub anisotropy: u32,
    pub mipmap_filter: u32,
    pub bias: f32,
    pub least_level: f32,
    pub most_level: f32,
    pub border: [f32; 4],
    pub reserved: [i32; 12],
}

/// `cudaResourceViewDesc`; CUDA 12's ends before what is reserved.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct RuntimeView {
    pub format: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub first_level: u32,
    pub last_level: u32,
    pub first_layer: u32,
    pub last_layer: u32,
}

/// `CUDA_RESOURCE_VIEW_DESC`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct ViewDescriptor {
    pub view: RuntimeView,
    pub reserved: [u32; 16],
}

/// `cudaGraphicsResource_t`
pub type GraphicsResource = u64;

const _: () = assert!(size_of::<ArrayDescriptor>() == 40);
const _: () = assert!(size_of::<RuntimeResource>() == 144);
const _: () = assert!(size_of::<ResourceDescriptor>() == 144);
const _: () = assert!(size_of::<RuntimeTexture>() == 72);
const _: () = assert!(size_of::<TextureDescriptor>() == 104);
const _: () = assert!(size_of::<RuntimeView>() == 48);
const _: () = assert!(size_of::<ViewDescriptor>() == 112);
