//! Where the lanes of a warp access surfaces: handles and coordinates become places in the bytes of images.

use ptxvm_memory::View;
use ptxvm_texture::surface::{At, Place, SurfaceAxis, place};
use ptxvm_texture::{Image, Kind as ObjectKind, Object};

use crate::context::Context;
use crate::door::touch::{Proxy, Wants};
use crate::explain::finding::Kind;
use crate::ops::load_store::Turns;
use crate::registers::{LANES, Slot, lanes_in};
use crate::vector::lanes::Flow;
use crate::vector::value::Value;
use ptxvm_ir::operation::surface::SurfaceAccess;

/// What an instruction says about its access.
#[derive(Clone, Copy, Debug)]
pub struct ImageAccess {
    access: SurfaceAccess,
    wants: Wants,
}

/// How much of an image an access touches.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Its bytes, a power of two.
    pub bytes: u32,
    /// The bytes that x counts.
    pub x: u32,
}

impl Extent {
    /// An access at a byte.
    pub fn at_byte(bytes: u32) -> Self {
        Self { bytes, x: 1 }
    }

    /// An access at a sample of so many bytes, all of it.
    pub fn at_sample(bytes: u32) -> Self {
        Self { bytes, x: bytes }
    }
}

impl ImageAccess {
    /// An access that reads, writes or combines.
    pub fn of(access: SurfaceAccess, wants: Wants) -> Self {
        Self { access, wants }
    }

    /// What it is called in reports.
    fn verb(&self) -> &'static str {
        match self.wants {
            Wants::Update => "a reduction of",
            Wants::Write => "a write of",
            _ => "a read of",
        }
    }

    /// Calls `touch` with each lane whose access lies within its surface, in the order in which lanes store.
    pub fn each(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        mask: u32,
        extent: impl Fn(&Image) -> Extent,
        mut touch: impl FnMut(usize, &Image, &View<'_>, u64),
    ) -> Result<(), Flow> {
        let handles = u64::read(&context.bank, slots[self.access.handle]);
        let numbers = self.numbers(context, slots);
        let mut left = mask;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let known = context.opaque(first, handles[first], ObjectKind::Surface)?;
            let same = lanes_in(left).filter(|lane| handles[*lane] == handles[first]);
            let same = same.fold(0, |same, lane| same | 1 << lane);
            left &= !same;
            let (Object::Surface(surface), Some(view)) = (&*known.object, known.view) else { continue };
            let extent = extent(&surface.image);
            let mut places = [0; LANES];
            let mut within = 0u32;
            for lane in lanes_in(same) {
                let at = self.at(&numbers, lane, extent);
                match place(&surface.image, self.access.geometry, self.access.clamp, &at, extent.bytes) {
                    Place::Within(offset) => {
                        places[lane] = offset;
                        within |= 1 << lane;
                    }
                    Place::Nowhere => {}
                    Place::Outside(axis) => {
                        return Err(self.outside(context, lane, &surface.image, &at, extent, axis));
                    }
                    Place::Misaligned => return Err(self.misaligned(context, lane, &at, extent)),
                }
            }
            let bytes = extent.bytes.into();
            context.tell_image(&surface.image, Proxy::Surface, (within, &places), bytes, self.wants);
            for lane in Turns::of(extent.bytes.into()).lanes(within) {
                touch(lane, &surface.image, &view, places[lane]);
            }
        }
        Ok(())
    }

    fn numbers(&self, context: &Context<'_>, slots: &[Slot]) -> [[u32; LANES]; 4] {
        let mut numbers = [[0; LANES]; 4];
        for (numbers, slot) in
            numbers.iter_mut().zip(&slots[self.access.coordinates.first..][..self.access.coordinates.count])
        {
            *numbers = u32::read(&context.bank, *slot);
        }
        numbers
    }

    fn at(&self, numbers: &[[u32; LANES]; 4], lane: usize, extent: Extent) -> At {
        let layered = usize::from(self.access.geometry.layered());
        let number = |index: usize| i64::from(numbers.get(layered + index).map_or(0, |n| n[lane]) as i32);
        At { coordinates: [number(0) * i64::from(extent.x), number(1), number(2)], layer: numbers[0][lane] }
    }

    #[cold]
    fn outside(
        &self,
        context: &mut Context<'_>,
        lane: usize,
        image: &Image,
        at: &At,
        extent: Extent,
        axis: SurfaceAxis,
    ) -> Flow {
        let size = image.levels[0].size;
        let [x, y, z] = at.coordinates;
        let (found, has) = match axis {
            SurfaceAxis::X => {
                let row = u64::from(size[0]) * u64::from(image.format.bytes());
                (format!("x is byte {x}"), format!("its rows have {row} bytes"))
            }
            SurfaceAxis::Y => (format!("y is {y}"), format!("it has {} rows", size[1])),
            SurfaceAxis::Z => (format!("z is {z}"), format!("it has {} slices", size[2])),
            SurfaceAxis::Layer => {
                let layers = if image.shape.depth > 0 { size[2] } else { image.shape.planes() };
                (format!("the layer is {}", at.layer & 0xffff), format!("it has {layers}"))
            }
        };
        let message = format!("{} {} bytes out of a surface's bounds", self.verb(), extent.bytes);
        context.fault(Kind::OutOfBounds, lane, message, vec![format!("{found}; {has}")])
    }

    #[cold]
    fn misaligned(&self, context: &mut Context<'_>, lane: usize, at: &At, extent: Extent) -> Flow {
        let message = format!("{} {} bytes of a surface at a misaligned place", self.verb(), extent.bytes);
        let note = format!("x is byte {}, not a multiple of {}", at.coordinates[0], extent.bytes);
        context.fault(Kind::Misaligned, lane, message, vec![note])
    }
}
