//! An array: its description by the program, and where its texels are.

use std::sync::{Arc, Mutex, PoisonError};

use ptxvm_memory::AllocationKind;
use ptxvm_texture::{Format, Image, Layout, Level, Shape};

use super::check;
use super::descriptor::{ArrayDescriptor, flag};
use super::format::{self, Plane};
use super::mipmapped::CUmipmappedArray;
use crate::abi::{Answer, CUresult};
use crate::context::{CUcontext, Context};
use crate::handles::{Handle, Object};
use crate::memory::{self, MemoryKind};
use crate::stream::capture::refuse_unsafe;
use crate::texture;

/// A handle of an array.
pub type CUarray = Handle<Array>;

/// Arrays begin at multiples of this, as the device attribute `SURFACE_ALIGNMENT` says.
const ALIGNMENT: u64 = 512;

/// An image with what programs are told of it.
type Described = (ArrayDescriptor, Image);

/// One level of texels that a program has a handle of.
pub struct Array {
    /// The context that it was made in.
    pub context: CUcontext,
    /// What programs are told of it.
    pub described: ArrayDescriptor,
    /// Its texels; of video, those of the first plane.
    pub image: Image,
    /// Where its memory starts; nothing if it is a part of another array, or has none.
    memory: Option<u64>,
    /// The arrays that are its planes, if it is one of video.
    planes: Mutex<Vec<CUarray>>,
}

impl Object for Array {}

impl Array {
    /// Makes an array with memory of its own.
    ///
    /// # Errors
    /// What the driver refuses, or that there is not as much memory.
    pub fn create(context: &Arc<Context>, described: ArrayDescriptor) -> Answer<CUarray> {
        let format = check::array(&described)?;
        let layouts: &[Plane] =
            if described.has(flag::VIDEO_ENCODE_DECODE) { format::planes(described.format) } else { &[] };
        if layouts.is_empty() {
            let image = allocate(context, &described, format, 1)?;
            let memory = Some(image.address).filter(|_| !described.has(flag::DEFERRED_MAPPING));
            return Ok(Self::insert(context, described, image, memory, Vec::new()));
        }
        let (images, memory) = allocate_planes(context, &described, layouts)?;
        let parts = images
            .iter()
            .map(|(described, image)| Self::insert(context, *described, image.clone(), None, Vec::new()))
            .collect();
        Ok(Self::insert(context, described, images[0].1.clone(), memory, parts))
    }

    /// A part of another array, which lies in that one's memory.
    pub fn part(context: &Arc<Context>, described: ArrayDescriptor, image: Image) -> CUarray {
        Self::insert(context, described, image, None, Vec::new())
    }

    fn insert(
        context: &Arc<Context>,
        described: ArrayDescriptor,
        image: Image,
        memory: Option<u64>,
        planes: Vec<CUarray>,
    ) -> CUarray {
        let planes = Mutex::new(planes);
        let array = Self { context: context.handle, described, image, memory, planes };
        let handle = Handle::insert(Arc::new(array));
        context.arrays.add(handle);
        handle
    }

    /// Destroys an array, after all work that may use it. Destroying a part of another one takes its handle away.
    ///
    /// # Errors
    /// It is not there.
    pub fn destroy(handle: CUarray) -> Answer {
        let array = handle.get()?;
        let context = array.context.get()?;
        context.check()?;
        refuse_unsafe()?;
        forget(&context, handle)?;
        for plane in std::mem::take(&mut *array.planes.lock().unwrap_or_else(PoisonError::into_inner)) {
            // The program may have destroyed it.
            let _ = forget(&context, plane);
        }
        texture::unbind(handle, CUmipmappedArray::NULL);
        array.memory.map_or(Ok(()), |memory| release(&context, memory))
    }

    /// One of the planes of an array of video.
    ///
    /// # Errors
    /// There is no such plane.
    pub fn plane(&self, number: u32) -> Answer<CUarray> {
        let planes = self.planes.lock().unwrap_or_else(PoisonError::into_inner);
        planes.get(number as usize).copied().ok_or(CUresult::INVALID_VALUE)
    }

    /// Whether it has a format of video, which no texture reads.
    pub fn is_video(&self) -> bool {
        format::is_video(self.described.format)
    }

    /// Whether it is a container of planes, which are copied and looked at one by one.
    pub fn is_planar(&self) -> bool {
        self.described.has(flag::VIDEO_ENCODE_DECODE) && !format::planes(self.described.format).is_empty()
    }

    /// The level of detail that it is.
    pub fn level(&self) -> &Level {
        &self.image.levels[0]
    }
}

/// Makes the handle of an array stale.
///
/// # Errors
/// It is already.
pub fn forget(context: &Context, handle: CUarray) -> Answer {
    handle.remove()?;
    context.arrays.forget(handle);
    Ok(())
}

/// Gives an image memory, unless its program is to map some later.
///
/// # Errors
/// There is not as much.
pub fn allocate(
    context: &Arc<Context>,
    described: &ArrayDescriptor,
    format: Format,
    levels: u32,
) -> Answer<Image> {
    let mut image = Image::array(0, format, shape(described, levels)).ok_or(CUresult::OUT_OF_MEMORY)?;
    if described.has(flag::SPARSE) {
        image.layout = Layout::Sparse;
    }
    if described.has(flag::DEFERRED_MAPPING) {
        return Ok(image);
    }
    let address = memory_for(context, image.bytes)?;
    Ok(Image { address, ..image })
}

/// Gives the planes of an array of video memory, one after the other.
fn allocate_planes(
    context: &Arc<Context>,
    described: &ArrayDescriptor,
    planes: &[Plane],
) -> Answer<(Vec<Described>, Option<u64>)> {
    let mut images = Vec::new();
    let mut bytes = 0u64;
    for plane in planes {
        let described = ArrayDescriptor {
            width: described.width / plane.across,
            height: described.height / plane.down,
            format: plane.format,
            channels: plane.channels,
            ..*described
        };
        let format = format::of(plane.format, plane.channels)?;
        let image = Image::array(bytes, format, shape(&described, 1)).ok_or(CUresult::OUT_OF_MEMORY)?;
        bytes = bytes.checked_add(image.bytes).ok_or(CUresult::OUT_OF_MEMORY)?;
        images.push((described, image));
    }
    if described.has(flag::DEFERRED_MAPPING) {
        return Ok((images, None));
    }
    let start = memory_for(context, bytes)?;
    images.iter_mut().for_each(|(_, image)| image.address += start);
    Ok((images, Some(start)))
}

fn memory_for(context: &Arc<Context>, bytes: u64) -> Answer<u64> {
    memory::give(context, bytes.max(1), ALIGNMENT, AllocationKind::Device, MemoryKind::Array)
}

/// Takes the memory of an image back.
///
/// # Errors
/// What keeps the work that may use it from being waited for.
pub fn release(context: &Arc<Context>, address: u64) -> Answer {
    let is_array = |record: &memory::Record| matches!(record.kind, MemoryKind::Array);
    memory::take_back(context, address, is_array, CUresult::INVALID_HANDLE)
}

/// The sizes of an image as its program described it; those have been checked, so they fit.
pub fn shape(described: &ArrayDescriptor, levels: u32) -> Shape {
    let ArrayDescriptor { width, height, depth, .. } = *described;
    let (layered, cube) = (described.has(flag::LAYERED), described.has(flag::CUBEMAP));
    let depth = depth as u32;
    Shape {
        width: width as u32,
        height: height as u32,
        depth: if layered || cube { 0 } else { depth },
        layers: match (layered, cube) {
            (true, true) => depth / 6,
            (true, false) => depth,
            _ => 0,
        },
        cube,
        levels,
    }
}
