//! Tensor copies under way: what was checked when they were issued, and is done when they complete.
#![allow(unsafe_code)]

use std::ops::ControlFlow;

use ptxvm_memory::{TensorMemory, access};
use ptxvm_tensor::{TensorMap, Walk};
use smallvec::SmallVec;

use crate::asynchronous::queue::{Transfer, copying, reducing};
use crate::asynchronous::tensor::image::Image;
use crate::asynchronous::tensor::load::load;
use crate::asynchronous::tensor::reduce::{Combine, reduce};
use crate::asynchronous::tensor::store::{Edge, store};
use crate::ops::operand::Shared;

/// A box on its way into shared memory. Its rows and its images were checked when the copy was issued, and stay valid
/// until the cluster has ended.
#[derive(Debug)]
pub struct Load {
    pub walk: Walk,
    pub map: TensorMap,
    /// Where the box goes: one place in each CTA that it is for.
    pub to: SmallVec<[Shared; 1]>,
    /// The box, once it has been read.
    pub fetched: Option<Scratch>,
}

/// A box on its way to global memory.
#[derive(Debug)]
pub struct Store {
    pub walk: Walk,
    pub map: TensorMap,
    pub from: Shared,
    /// What is done to global memory, unless it is overwritten.
    pub combine: Option<Combine>,
    pub edge: Edge,
    /// The box, once it has been read.
    pub fetched: Option<Scratch>,
}

impl Transfer for Load {
    fn fetch(&mut self) {
        let mut scratch = Scratch::new(&self.walk);
        if let Some(to) = self.to.first() {
            // SAFETY: the rows were checked when the copy was issued; the scratch is as large as the box.
            unsafe { load(&self.walk, &self.map, scratch.image(&self.map, to.address)) };
        }
        self.fetched = Some(scratch);
    }

    fn kept(&self) -> u64 {
        self.walk.extent()
    }

    fn effort(&self) -> u64 {
        copying(self.walk.bytes()) * self.to.len() as u64
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {
        for to in &self.to {
            // SAFETY: the place was checked when the copy was issued.
            let image = unsafe { image(&self.map, *to) };
            match &mut self.fetched {
                // SAFETY: so were the rows.
                None => unsafe { load(&self.walk, &self.map, image) },
                Some(scratch) => {
                    let from = scratch.image(&self.map, to.address);
                    let written = self.map.element.packed() as usize;
                    let _ = self.walk.each(|row| {
                        for at in (row.at..row.at + self.walk.image).step_by(16) {
                            let mut bytes = [0; 16];
                            // SAFETY: both images have the chunk.
                            unsafe {
                                access::copy_out(from.chunk(at).0, &mut bytes);
                                access::copy_in(image.chunk(at).0, &bytes[..written]);
                            }
                        }
                        ControlFlow::<()>::Continue(())
                    });
                }
            }
        }
    }
}

impl Transfer for Store {
    fn fetch(&mut self) {
        let mut scratch = Scratch::new(&self.walk);
        let from = std::ptr::with_exposed_provenance(self.from.host as usize);
        // SAFETY: what the store reads was checked when it was issued, and the scratch is as large.
        unsafe { access::copy(scratch.pointer(), from, self.walk.extent_inside() as usize) };
        self.fetched = Some(scratch);
    }

    fn kept(&self) -> u64 {
        self.walk.extent()
    }

    fn effort(&self) -> u64 {
        match self.combine {
            None => copying(self.walk.bytes()),
            Some(_) => reducing(self.walk.bytes()),
        }
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {
        let image = match &mut self.fetched {
            Some(scratch) => scratch.image(&self.map, self.from.address),
            // SAFETY: the place was checked when the copy was issued.
            None => unsafe { image(&self.map, self.from) },
        };
        // SAFETY: so were the rows.
        unsafe {
            match &self.combine {
                None => store(&self.walk, &self.map, image, self.edge),
                Some(combine) => reduce(&self.walk, &self.map, image, combine, self.edge),
            }
        }
    }
}

/// The image at a place in shared memory.
///
/// # Safety
/// As for [`Image::new`].
unsafe fn image(map: &TensorMap, place: Shared) -> Image {
    // SAFETY: the caller's promise.
    unsafe { Image::new(map, std::ptr::with_exposed_provenance_mut(place.host as usize), place.address) }
}

/// A box that has been read and not been written.
#[derive(Debug)]
pub struct Scratch {
    lines: Vec<Line>,
}

/// A line of shared memory, for its alignment.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
struct Line([u8; 128]);

impl Scratch {
    fn new(walk: &Walk) -> Self {
        Self { lines: vec![Line([0; 128]); (walk.extent() as usize).div_ceil(128)] }
    }

    fn pointer(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// The scratch as the image that lies at an address.
    fn image(&mut self, map: &TensorMap, address: u32) -> Image {
        // SAFETY: the scratch has the walk's extent, and lives as long as the copy.
        unsafe { Image::new(map, self.pointer(), address) }
    }
}
