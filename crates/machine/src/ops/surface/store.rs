//! `sust.b` and `sust.p` (manual 9.7.11.2).

use super::access::{Access, Extent};
use crate::address::AddressSpace;
use crate::context::Context;
use crate::lanes::{Execute, Flow, Op};
use crate::ops::load_store::traffic;
use crate::registers::{LANES, Slot, Value};
use ptxvm_ir::operation::Form;

/// The operation of a `sust.b`.
pub fn select_bytes(form: &Form<'_>) -> Option<Op> {
    let element = form.main_type()?.bits() as usize / 8;
    let from = From::of(form)?;
    Some(Box::new(StoreBytes { access: Access::of(form, "a write of")?, from, element }))
}

/// The operation of a `sust.p`.
pub fn select_sample(form: &Form<'_>) -> Option<Op> {
    Some(Box::new(StoreSample { access: Access::of(form, "a write of")?, from: From::of(form)? }))
}

/// The registers that are stored.
#[derive(Clone, Copy)]
struct From {
    first: usize,
    given: usize,
    /// How many elements are stored.
    elements: usize,
}

impl From {
    /// Without `.vec` the first element of a vector is stored alone, and so it is with `.v8`, which only a single
    /// register can have. A single register with `.v2` or `.v4` is the first element; in an H200 the others are what
    /// happens to lie in the registers behind it, and here they are zero.
    fn of(form: &Form<'_>) -> Option<Self> {
        let elements = match form.slot("vec") {
            Some("v2") => 2,
            Some("v4") => 4,
            _ => 1,
        };
        Some(Self { first: form.position("c")?, given: form.elements("c").count(), elements })
    }

    /// The values of each element, as wide as `T`.
    fn read<T: Value>(&self, context: &Context<'_>, slots: &[Slot]) -> [[T; LANES]; 4] {
        let mut values = [[T::ZERO; LANES]; 4];
        let given = &slots[self.first..][..self.given];
        for (values, slot) in values.iter_mut().zip(given).take(self.elements) {
            *values = T::read(&context.bank, *slot);
        }
        values
    }
}

struct StoreBytes {
    access: Access,
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
    access: Access,
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
    if context.run.launch.statistics {
        let written = bytes * u64::from(mask.count_ones());
        context.worker.statistics.bytes_written[traffic(AddressSpace::Global)] += written;
    }
    Flow::Next
}
