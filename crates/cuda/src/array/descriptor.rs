//! The structures by which programs describe arrays, as C lays them out.

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayDescriptor {
    pub width: usize,
    /// 0 if there is one dimension.
    pub height: usize,
    /// Slices, layers or faces; 0 if there are none.
    pub depth: usize,
    /// `CUarray_format`
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

/// `CUDA_ARRAY_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PlaneDescriptor {
    pub width: usize,
    pub height: usize,
    pub format: u32,
    pub channels: u32,
}

/// `CUDA_ARRAY_DESCRIPTOR_v1`, whose sizes have 32 bits.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PlaneDescriptor1 {
    pub width: u32,
    pub height: u32,
    pub format: u32,
    pub channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR_v1`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArrayDescriptor1 {
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

/// `CUDA_ARRAY3D_…`: what an array is for.
pub mod flag {
    pub const LAYERED: u32 = 1;
    pub const SURFACE_LDST: u32 = 2;
    pub const CUBEMAP: u32 = 4;
    pub const TEXTURE_GATHER: u32 = 8;
    pub const SPARSE: u32 = 0x40;
    pub const DEFERRED_MAPPING: u32 = 0x80;
    pub const VIDEO_ENCODE_DECODE: u32 = 0x100;
    /// Those that the driver takes: all but depth textures and colour attachments, and one that no header names.
    pub const TAKEN: u32 = 0x8000_01cf;
}

impl ArrayDescriptor {
    /// Whether a flag is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

impl From<PlaneDescriptor> for ArrayDescriptor {
    fn from(plane: PlaneDescriptor) -> Self {
        let PlaneDescriptor { width, height, format, channels } = plane;
        Self { width, height, depth: 0, format, channels, flags: 0 }
    }
}

impl From<PlaneDescriptor1> for ArrayDescriptor {
    fn from(plane: PlaneDescriptor1) -> Self {
        let PlaneDescriptor1 { width, height, format, channels } = plane;
        Self { width: width as usize, height: height as usize, depth: 0, format, channels, flags: 0 }
    }
}

impl From<ArrayDescriptor1> for ArrayDescriptor {
    fn from(array: ArrayDescriptor1) -> Self {
        let ArrayDescriptor1 { width, height, depth, format, channels, flags } = array;
        let (width, height, depth) = (width as usize, height as usize, depth as usize);
        Self { width, height, depth, format, channels, flags }
    }
}

impl From<ArrayDescriptor> for ArrayDescriptor1 {
    fn from(array: ArrayDescriptor) -> Self {
        let ArrayDescriptor { width, height, depth, format, channels, flags } = array;
        let (width, height, depth) = (width as u32, height as u32, depth as u32);
        Self { width, height, depth, format, channels, flags }
    }
}

impl From<ArrayDescriptor> for PlaneDescriptor {
    fn from(array: ArrayDescriptor) -> Self {
        let ArrayDescriptor { width, height, format, channels, .. } = array;
        Self { width, height, format, channels }
    }
}

impl From<ArrayDescriptor> for PlaneDescriptor1 {
    fn from(array: ArrayDescriptor) -> Self {
        let ArrayDescriptor { width, height, format, channels, .. } = array;
        Self { width: width as u32, height: height as u32, format, channels }
    }
}
