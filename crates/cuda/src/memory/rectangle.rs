//! The entry points that copy rectangles and boxes, and the structures in which programs describe them.

use super::transfer::copy;
use crate::abi::{Answer, CUdeviceptr, CUresult, Host, In};
use crate::array::{self, CUarray};
use crate::context::CUcontext;
use crate::entry::entry;
use crate::stream::CUstream;
use crate::work::{Copy, InArray, Place, Side};

/// One side of a `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RectangleSide {
    pub x_in_bytes: usize,
    pub y: usize,
    pub memory_type: u32,
    pub host: Host,
    pub device: CUdeviceptr,
    pub array: CUarray,
    pub pitch: usize,
}

/// `CUDA_MEMCPY2D`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Rectangle {
    pub from: RectangleSide,
    pub to: RectangleSide,
    pub width_in_bytes: usize,
    pub height: usize,
}

/// One side of a `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BoxSide {
    pub x_in_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub lod: usize,
    pub memory_type: u32,
    pub host: Host,
    pub device: CUdeviceptr,
    pub array: CUarray,
    /// Whose memory it is, in a copy between contexts.
    pub context: CUcontext,
    pub pitch: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D` and `CUDA_MEMCPY3D_PEER`, which are laid out alike.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Cuboid {
    pub from: BoxSide,
    pub to: BoxSide,
    pub width_in_bytes: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CU_MEMORYTYPE_HOST`, `_DEVICE`, `_ARRAY` and `_UNIFIED`
const HOST: u32 = 1;
const DEVICE: u32 = 2;
const ARRAY: u32 = 3;
const UNIFIED: u32 = 4;

entry! {
    fn cuMemcpy2D_v2 [cuMemcpy2D_v2_ptds] (rectangle: In<Rectangle>) {
        copy(|| rectangle.get()?.describe(), None)
    }

    fn cuMemcpy2DUnaligned_v2 [cuMemcpy2DUnaligned_v2_ptds] (rectangle: In<Rectangle>) {
        copy(|| rectangle.get()?.describe(), None)
    }

    fn cuMemcpy2DAsync_v2 [cuMemcpy2DAsync_v2_ptsz] (rectangle: In<Rectangle>, stream: CUstream) {
        copy(|| rectangle.get()?.describe(), Some(stream))
    }

    fn cuMemcpy3D_v2 [cuMemcpy3D_v2_ptds] (cuboid: In<Cuboid>) {
        copy(|| cuboid.get()?.describe(), None)
    }

    fn cuMemcpy3DAsync_v2 [cuMemcpy3DAsync_v2_ptsz] (cuboid: In<Cuboid>, stream: CUstream) {
        copy(|| cuboid.get()?.describe(), Some(stream))
    }

    fn cuMemcpy3DPeer [cuMemcpy3DPeer_ptds] (cuboid: In<Cuboid>) {
        copy(|| cuboid.get()?.between_contexts(), None)
    }

    fn cuMemcpy3DPeerAsync [cuMemcpy3DPeerAsync_ptsz] (cuboid: In<Cuboid>, stream: CUstream) {
        copy(|| cuboid.get()?.between_contexts(), Some(stream))
    }
}

impl Rectangle {
    /// The copy that it means.
    ///
    /// # Errors
    /// It means none.
    pub fn describe(&self) -> Answer<Copy> {
        let cuboid = |side: &RectangleSide| BoxSide {
            x_in_bytes: side.x_in_bytes,
            y: side.y,
            memory_type: side.memory_type,
            host: side.host,
            device: side.device,
            array: side.array,
            pitch: side.pitch,
            ..BoxSide::NOWHERE
        };
        let (from, to) = (cuboid(&self.from), cuboid(&self.to));
        Cuboid { from, to, width_in_bytes: self.width_in_bytes, height: self.height, depth: 1 }.describe()
    }
}

impl Cuboid {
    /// The copy that it means.
    ///
    /// # Errors
    /// It means none.
    pub fn describe(&self) -> Answer<Copy> {
        // A copy of nothing is looked at no further.
        if self.width_in_bytes == 0 || self.height == 0 || self.depth == 0 {
            return Ok(Copy::NOTHING);
        }
        Ok(Copy {
            to: self.to.describe(self)?,
            from: self.from.describe(self)?,
            width: self.width_in_bytes as u64,
            height: self.height as u64,
            depth: self.depth as u64,
        })
    }

    /// The copy between contexts that it means: a context that is not said is the current one.
    fn between_contexts(&self) -> Answer<Copy> {
        for context in [self.from.context, self.to.context] {
            if !context.is_null() {
                context.get()?;
            }
        }
        self.describe()
    }

    /// A copy as programs are told of it.
    pub fn show(copy: &Copy) -> Self {
        Self {
            from: BoxSide::show(&copy.from, copy),
            to: BoxSide::show(&copy.to, copy),
            width_in_bytes: copy.width as usize,
            height: copy.height as usize,
            depth: copy.depth as usize,
        }
    }
}

impl BoxSide {
    /// A side that is nowhere yet.
    pub const NOWHERE: Self = Self {
        x_in_bytes: 0,
        y: 0,
        z: 0,
        lod: 0,
        memory_type: HOST,
        host: Host::NULL,
        device: 0,
        array: CUarray::NULL,
        context: CUcontext::NULL,
        pitch: 0,
        height: 0,
    };

    /// A side of unified memory.
    pub fn unified(device: CUdeviceptr, pitch: usize, height: usize) -> Self {
        Self { memory_type: UNIFIED, device, pitch, height, ..Self::NOWHERE }
    }

    /// A side in an array.
    pub fn array(place: InArray) -> Self {
        Self {
            x_in_bytes: place.x as usize,
            y: place.y as usize,
            z: place.z as usize,
            lod: place.lod as usize,
            memory_type: ARRAY,
            array: place.array,
            ..Self::NOWHERE
        }
    }

    fn show(side: &Side, copy: &Copy) -> Self {
        if let Some(place) = side.array {
            return Self::array(place);
        }
        // What has one row has nothing to say of where the next would be, and clients tell plain copies by that.
        let plain = copy.height == 1 && copy.depth == 1;
        let pitch = side.pitch.max(copy.width);
        let height = side.slice / pitch.max(1);
        let (pitch, height) = if plain { (0, 0) } else { (pitch as usize, height as usize) };
        match side.place {
            Place::Host(host) | Place::Foreign(host) => Self { host, pitch, height, ..Self::NOWHERE },
            Place::Device(device) => Self { memory_type: DEVICE, device, pitch, height, ..Self::NOWHERE },
            Place::Unified(address) | Place::Void(address) | Place::Missing(address) => {
                Self::unified(address, pitch, height)
            }
        }
    }

    fn describe(&self, cuboid: &Cuboid) -> Answer<Side> {
        let base = match self.memory_type {
            HOST => Place::Host(self.host),
            DEVICE => Place::Device(self.device),
            UNIFIED => Place::Unified(self.device),
            ARRAY => return self.in_array(cuboid),
            _ => return Err(CUresult::INVALID_VALUE),
        };
        self.arrange(base, cuboid).ok_or(CUresult::INVALID_VALUE)
    }

    fn in_array(&self, cuboid: &Cuboid) -> Answer<Side> {
        let place = InArray {
            array: self.array,
            x: self.x_in_bytes as u64,
            y: self.y as u64,
            z: self.z as u64,
            lod: self.lod as u64,
        };
        let extent = [cuboid.width_in_bytes, cuboid.height, cuboid.depth].map(|size| size as u64);
        array::side(place, extent)
    }

    /// Finds the first byte and the steps; nothing if rows or slices would overlap, or no address is as high.
    fn arrange(&self, base: Place, cuboid: &Cuboid) -> Option<Side> {
        let row = self.x_in_bytes.checked_add(cuboid.width_in_bytes)?;
        let rows = self.y.checked_add(cuboid.height)?;
        // What is not said is as small as it can be.
        let pitch = if self.pitch == 0 { row } else { self.pitch };
        let height = if self.height == 0 { rows } else { self.height };
        if pitch < row || height < rows {
            return None;
        }
        // One slice alone has no next one.
        let slice = if cuboid.depth == 1 && self.z == 0 && self.height == 0 {
            0
        } else {
            pitch.checked_mul(height)?
        };
        let offset = self.z.checked_mul(slice)?.checked_add(self.y.checked_mul(pitch)?)?;
        let offset = offset.checked_add(self.x_in_bytes)? as u64;
        base.unified().checked_add(offset)?;
        // A null pointer stays one, wherever in it the copy begins.
        let place = if base.unified() == 0 { base } else { base.offset(offset) };
        Some(Side { place, pitch: pitch as u64, slice: slice as u64, array: None })
    }
}
