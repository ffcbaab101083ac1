//! Tensor copies under way: what was checked when they were issued, and is done when they complete.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use ptxvm_memory::chunk::CHUNK;
use ptxvm_memory::{TensorMemory, access};
use ptxvm_tensor::{TensorMap, Walk};
use smallvec::SmallVec;

use crate::asynchronous::queue::{Transfer, copying, reducing};
use crate::asynchronous::tensor::image::{Chunks, Image};
use crate::asynchronous::tensor::load::load;
use crate::asynchronous::tensor::reduce::{ElementReduction, reduce};
use crate::asynchronous::tensor::store::{Edge, store};
use crate::door::peer::Shared;
use crate::door::tensor_box::Reached;
use crate::door::touch::{Proxy, Touch, Wants, When};

/// A box on its way into shared memory. Its rows and its images were checked when the copy was issued, and stay valid
/// until the cluster has ended.
#[derive(Debug)]
pub struct Load {
    pub rows: Reached,
    pub map: TensorMap,
    /// Where the box goes: one place in each CTA that it is for.
    pub to: SmallVec<[Shared; 1]>,
    /// The box, once it has been read.
    pub fetched: Option<Scratch>,
}

/// A box on its way to global memory.
#[derive(Debug)]
pub struct Store {
    pub rows: Reached,
    pub map: TensorMap,
    pub from: Shared,
    /// What is done to global memory, unless it is overwritten.
    pub combine: Option<ElementReduction>,
    pub edge: Edge,
    /// The box, once it has been read.
    pub fetched: Option<Scratch>,
}

/// Names the chunks of rows that an image has at a place: those of each row, or of the rows that are in the tensor.
fn chunks(
    (walk, map): (&Walk, &TensorMap),
    place: &Shared,
    inside_only: bool,
    touch: Touch,
    visit: &mut dyn FnMut(Touch),
) {
    let pattern = map.swizzle.pattern();
    let written = u64::from(map.element.packed()).min(16);
    let chunks = Chunks::new(walk, map);
    let first = place.address();
    let _ = walk.each(|row| {
        for chunk in 0..chunks.count {
            if inside_only && (row.address.is_none() || chunks.rounded_up().part(chunk).is_none()) {
                continue;
            }
            let at = pattern.place(first.wrapping_add(row.at).wrapping_add(16 * chunk));
            let bytes = if inside_only { 16 } else { written };
            visit(Touch { address: at.into(), bytes, ..touch });
        }
        ControlFlow::<()>::Continue(())
    });
}

impl Transfer for Load {
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        self.rows.footprint(Wants::Read, When::Fetch, visit);
        for to in &self.to {
            let touch = to.range().touch(Wants::Write, When::Deliver, Proxy::Async);
            chunks((self.rows.walk(), &self.map), to, false, touch, visit);
        }
    }

    fn fetch(&mut self) {
        // What is not written whole is not read whole either, but looks so.
        let mut scratch = match self.map.element.packed() as usize {
            CHUNK => Scratch::uninit(self.rows.walk()),
            _ => Scratch::new(self.rows.walk()),
        };
        if let Some(to) = self.to.first() {
            // SAFETY: the rows were checked when the copy was issued; the scratch is as large as the box.
            unsafe { load(self.rows.walk(), &self.map, scratch.image(&self.map, to.address())) };
        }
        self.fetched = Some(scratch);
    }

    fn kept(&self) -> u64 {
        self.rows.walk().extent()
    }

    fn effort(&self) -> u64 {
        copying(self.rows.walk().bytes()) * self.to.len() as u64
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {
        for to in &self.to {
            // SAFETY: the place was checked when the copy was issued.
            let image = unsafe { image(&self.map, *to) };
            match &mut self.fetched {
                // SAFETY: so were the rows.
                None => unsafe { load(self.rows.walk(), &self.map, image) },
                Some(scratch) => {
                    let from = scratch.image(&self.map, to.address());
                    let written = self.map.element.packed() as usize;
                    if written == CHUNK {
                        let row = self.rows.walk().image;
                        let _ = self.rows.walk().stretches(|stretch| {
                            // SAFETY: both images have the rows.
                            unsafe { image.copy_image(&from, stretch, row) };
                            ControlFlow::<()>::Continue(())
                        });
                        continue;
                    }
                    let _ = self.rows.walk().each(|row| {
                        for at in (row.at..row.at + self.rows.walk().image).step_by(16) {
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
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        let touch = self.from.range().touch(Wants::Read, When::Fetch, Proxy::Async);
        chunks((self.rows.walk(), &self.map), &self.from, true, touch, visit);
        let wants = if self.combine.is_some() { Wants::Update } else { Wants::Write };
        self.rows.footprint(wants, When::Deliver, visit);
    }

    fn fetch(&mut self) {
        let mut scratch = Scratch::new(self.rows.walk());
        let bytes = self.from.range().bytes().min(self.rows.walk().extent()) as usize;
        // SAFETY: what the store reads was checked when it was issued, and the scratch is as large as the walk's extent.
        unsafe { access::copy(scratch.pointer(), self.from.range().pointer(), bytes) };
        self.fetched = Some(scratch);
    }

    fn kept(&self) -> u64 {
        self.rows.walk().extent()
    }

    fn effort(&self) -> u64 {
        match self.combine {
            None => copying(self.rows.walk().bytes()),
            Some(_) => reducing(self.rows.walk().bytes()),
        }
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {
        let image = match &mut self.fetched {
            Some(scratch) => scratch.image(&self.map, self.from.address()),
            // SAFETY: the place was checked when the copy was issued.
            None => unsafe { image(&self.map, self.from) },
        };
        // SAFETY: so were the rows.
        unsafe {
            match &self.combine {
                None => store(self.rows.walk(), &self.map, image, self.edge),
                Some(combine) => reduce(self.rows.walk(), &self.map, image, combine, self.edge),
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
    unsafe { Image::new(map, place.range().pointer(), place.address()) }
}

/// A box that has been read and not been written.
#[derive(Debug)]
pub struct Scratch {
    lines: Box<[MaybeUninit<SharedLine>]>,
}

/// A line of shared memory, for its alignment.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
struct SharedLine([u8; 128]);

impl Scratch {
    fn new(walk: &Walk) -> Self {
        Self { lines: Box::new_zeroed_slice((walk.extent() as usize).div_ceil(128)) }
    }

    /// A scratch of which nothing is read that has not been written before.
    fn uninit(walk: &Walk) -> Self {
        Self { lines: Box::new_uninit_slice((walk.extent() as usize).div_ceil(128)) }
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
