//! `suld.b` (manual 9.7.11.1).

use ptxvm_memory::View;

use super::access::{Extent, ImageAccess};
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::touch::Wants;
use crate::ops::load_store::traffic;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::surface::SurfaceAccess;

/// The operation of a `suld.b`. Without `.vec` one element is loaded, and every register of a vector gets it.
pub fn executor(access: SurfaceAccess, element: usize, elements: usize, registers: usize) -> Op {
    Box::new(Load { access: ImageAccess::of(access, Wants::Read), element, elements, registers })
}

struct Load {
    access: ImageAccess,
    /// The bytes of an element.
    element: usize,
    elements: usize,
    registers: usize,
}

impl Execute for Load {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let bytes = self.element * self.elements;
        let mut found = [[0; 16]; LANES];
        let extent = Extent::at_byte(bytes as u32);
        let read = self.access.each(
            context,
            slots,
            mask,
            |_| extent,
            |lane, _, view, offset| {
                read(view, offset, &mut found[lane][..bytes]);
            },
        );
        if let Err(flow) = read {
            return flow;
        }
        for (register, slot) in slots.iter().enumerate().take(self.registers) {
            let at = if self.elements == 1 { 0 } else { register * self.element };
            match self.element {
                1 => write::<u8, 1>(context, *slot, mask, &found, at, u8::from_le_bytes),
                2 => write::<u16, 2>(context, *slot, mask, &found, at, u16::from_le_bytes),
                4 => write::<u32, 4>(context, *slot, mask, &found, at, u32::from_le_bytes),
                _ => write::<u64, 8>(context, *slot, mask, &found, at, u64::from_le_bytes),
            }
        }
        if context.run.launch.settings.statistics {
            let read = bytes as u64 * u64::from(mask.count_ones());
            context.worker.statistics.bytes_read[traffic(AddressSpace::Global)] += read;
        }
        Flow::Next
    }
}

/// Reads as many bytes as `to` has: 1, 2, 4, 8 or 16.
#[inline]
fn read(view: &View, offset: u64, to: &mut [u8]) {
    match to.len() {
        1 => to.copy_from_slice(&view.read::<1>(offset)),
        2 => to.copy_from_slice(&view.read::<2>(offset)),
        4 => to.copy_from_slice(&view.read::<4>(offset)),
        8 => to.copy_from_slice(&view.read::<8>(offset)),
        16 => to.copy_from_slice(&view.read::<16>(offset)),
        _ => {}
    }
}

/// Writes one element of every lane to a register.
#[inline]
fn write<T: Value, const N: usize>(
    context: &mut Context<'_>,
    slot: Slot,
    mask: u32,
    found: &[[u8; 16]; LANES],
    at: usize,
    number: fn([u8; N]) -> T,
) {
    let mut values = [T::ZERO; LANES];
    for (value, bytes) in values.iter_mut().zip(found) {
        let mut element = [0; N];
        element.copy_from_slice(&bytes[at..at + N]);
        *value = number(element);
    }
    T::write(&mut context.bank, slot, mask, &values);
}
