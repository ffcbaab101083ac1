//! `sust.b` and `sust.p` (manual 9.7.11.2).

use super::access::{Extent, ImageAccess};
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::touch::Wants;
use crate::ops::load_store::traffic;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::surface::SurfaceAccess;
use ptxvm_ir::operation::texture::Vector;

/// The operation of a `sust`: of bytes, or without a size of an element, of texels.
pub fn executor(access: SurfaceAccess, values: Vector, elements: usize, element: Option<usize>) -> Op {
    let (access, from) = (ImageAccess::of(access, Wants::Write), From { values, elements });
    match element {
        Some(element) => Box::new(StoreBytes { access, from, element }),
        None => Box::new(StoreSample { access, from }),
    }
}

/// The registers that are stored.
#[derive(Clone, Copy)]
struct From {
    values: Vector,
    /// How many of them are written.
    elements: usize,
}

impl From {
    /// The values of each element, as wide as `T`.
    fn read<T: Value>(&self, context: &Context<'_>, slots: &[Slot]) -> [[T; LANES]; 4] {
        let mut values = [[T::ZERO; LANES]; 4];
        let given = &slots[self.values.first..][..self.values.count];
        for (values, slot) in values.iter_mut().zip(given).take(self.elements) {
            *values = T::read(&context.bank, *slot);
        }
        values
    }
}

struct StoreBytes {
    access: ImageAccess,
    from: From,
    /// The bytes of an element.
    element: usize,
}

impl Execute for StoreBytes {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let bytes = self.element * self.from.elements;
        let values = self.from.read::<u64>(context, slots);
        let extent = Extent::at_byte(bytes as u32);
        let stored = self.access.each(
            context,
            slots,
            mask,
            |_| extent,
            |lane, _, view, offset| {
                let mut raw = [0; 32];
                for (element, values) in raw.chunks_exact_mut(self.element).zip(&values) {
                    element.copy_from_slice(&values[lane].to_le_bytes()[..self.element]);
                }
                view.write(offset, &raw[..bytes]);
            },
        );
        ended(context, stored, bytes as u64, mask)
    }
}

struct StoreSample {
    access: ImageAccess,
    from: From,
}

impl Execute for StoreSample {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let values = self.from.read::<u32>(context, slots);
        let mut bytes = 0;
        let stored = self.access.each(
            context,
            slots,
            mask,
            |image| Extent::at_sample(image.format.bytes()),
            |lane, image, view, offset| {
                bytes = image.format.bytes() as usize;
                let texel = image.format.encode([0, 1, 2, 3].map(|channel| values[channel][lane]));
                view.write(offset, &texel[..bytes]);
            },
        );
        ended(context, stored, bytes as u64, mask)
    }
}

fn ended(context: &mut Context<'_>, stored: Result<(), Flow>, bytes: u64, mask: u32) -> Flow {
    if let Err(flow) = stored {
        return flow;
    }
    if context.run.launch.settings.statistics {
        let written = bytes * u64::from(mask.count_ones());
        context.worker.statistics.bytes_written[traffic(AddressSpace::Global)] += written;
    }
    Flow::Next
}
