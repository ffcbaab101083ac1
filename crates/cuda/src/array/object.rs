//! An array: what its program said of it, and where its texels lie.

use std::sync::Arc;

use ptxvm_memory::AllocationKind;
use ptxvm_texture::{Format, Image, Level, Shape};

use super::check;
use super::descriptor::{ArrayDescriptor, flag};
use crate::abi::{Answer, CUresult};
use crate::context::{CUcontext, Context};
use crate::handles::{Handle, Object};
use crate::memory::{self, Kind};

/// A handle of an array.
pub type CUarray = Handle<Array>;

/// Arrays begin at multiples of this, as the device attribute `SURFACE_ALIGNMENT` says.
const ALIGNMENT: u64 = 512;

/// One level of texels that a program has a handle of.
pub struct Array {
    /// The context that it was made in.
    pub context: CUcontext,
    /// What programs are told of it.
    pub described: ArrayDescriptor,
    /// Its texels.
    pub image: Image,
    /// Whether it is a part of another array, whose memory it lies in.
    pub part: bool,
}

impl Object for Array {}

impl Array {
    /// Makes an array with memory of its own.
    ///
    /// # Errors
    /// What the driver refuses, or that there is not as much memory.
    pub fn create(context: &Arc<Context>, described: ArrayDescriptor) -> Answer<CUarray> {
        let format = check::array(&described)?;
        let image = allocate(context, &described, format, 1)?;
        Ok(Self::insert(context, described, image, false))
    }

    /// Gives an array a handle.
    pub fn insert(context: &Arc<Context>, described: ArrayDescriptor, image: Image, part: bool) -> CUarray {
        let array = Self { context: context.handle, described, image, part };
        let handle = Handle::insert(Arc::new(array));
        if !part {
            context.arrays.add(handle);
        }
        handle
    }

    /// Destroys an array, after all work that may use it.
    ///
    /// # Errors
    /// It is not there, or is a part of another one.
    pub fn destroy(handle: CUarray) -> Answer {
        let array = handle.get()?;
        if array.part {
            return Err(CUresult::INVALID_HANDLE);
        }
        let context = array.context.get()?;
        handle.remove()?;
        context.arrays.forget(handle);
        release(&context, array.image.address)
    }

    /// The level of detail that it is.
    pub fn level(&self) -> &Level {
        &self.image.levels[0]
    }
}

/// Gives an image memory.
///
/// # Errors
/// There is not as much.
pub fn allocate(
    context: &Arc<Context>,
    described: &ArrayDescriptor,
    format: Format,
    levels: u32,
) -> Answer<Image> {
    let shape = shape(described, levels);
    let image = Image::array(0, format, shape).ok_or(CUresult::OUT_OF_MEMORY)?;
    let address = memory::give(context, image.bytes.max(1), ALIGNMENT, AllocationKind::Device, Kind::Array)?;
    Ok(Image { address, ..image })
}

/// Takes the memory of an image back.
///
/// # Errors
/// What keeps the work that may use it from being waited for.
pub fn release(context: &Arc<Context>, address: u64) -> Answer {
    memory::take_back(context, address, |record| matches!(record.kind, Kind::Array), CUresult::INVALID_HANDLE)
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
