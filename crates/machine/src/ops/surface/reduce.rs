//! `sured.b` and `sured.p` (manual 9.7.11.3): the operations of `red`, at surface coordinates.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_isa::Type;
use ptxvm_memory::View;
use ptxvm_num::float::atomic::AtomicUnit;
use ptxvm_texture::{Channel, Format};

use super::access::{Extent, ImageAccess};
use crate::context::Context;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::ops::atomic::Reduction;
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::access::Combination;
use ptxvm_ir::operation::surface::SurfaceAccess;

/// The operation of a `sured.b`.
pub fn of_bytes(access: SurfaceAccess, combination: Combination, ty: Type, value: usize) -> Option<Op> {
    let combine = Reduction::of(combination, ty)?;
    Some(reduce(access, value, combine.clone(), combine, false))
}

/// The operation of a `sured.p`, whose numbers are signed if those of the surface are.
pub fn of_samples(access: SurfaceAccess, combination: Combination, ty: Type, value: usize) -> Option<Op> {
    let (signed, unsigned) = match (combination, ty.bits() == 64) {
        (Combination::And | Combination::Or, _) => (Type::B32, Type::B32),
        (_, false) => (Type::S32, Type::U32),
        (_, true) => (Type::S64, Type::U64),
    };
    let (signed, unsigned) = (Reduction::of(combination, signed)?, Reduction::of(combination, unsigned)?);
    Some(reduce(access, value, signed, unsigned, true))
}

fn reduce(
    access: SurfaceAccess,
    value: usize,
    signed: Arc<Reduction>,
    unsigned: Arc<Reduction>,
    sample: bool,
) -> Op {
    Box::new(Reduce { access: ImageAccess::of(access, Wants::Update), value, signed, unsigned, sample })
}

struct Reduce {
    access: ImageAccess,
    value: usize,
    /// On surfaces of signed numbers, floats apart.
    signed: Arc<Reduction>,
    /// On all others.
    unsigned: Arc<Reduction>,
    /// Whether x counts numbers, not bytes.
    sample: bool,
}

impl Execute for Reduce {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let bytes = self.unsigned.element;
        let values = u64::read(&context.bank, slots[self.value]);
        let extent =
            if self.sample { Extent::at_sample(bytes as u32) } else { Extent::at_byte(bytes as u32) };
        let mut unaligned = None;
        let reduced = self.access.each(
            context,
            slots,
            mask,
            |_| extent,
            |lane, image, view, offset| {
                let combine = if is_signed(image.format) { &self.signed } else { &self.unsigned };
                if !apply(combine, view, offset, &values[lane].to_le_bytes()[..bytes]) {
                    unaligned = Some(lane);
                }
            },
        );
        match (reduced, unaligned) {
            (Err(flow), _) => flow,
            (Ok(()), None) => Flow::Next,
            (Ok(()), Some(lane)) => {
                let message = "a reduction on a surface whose rows do not begin at a multiple of 16 bytes";
                context.fault(Kind::Misaligned, lane, message, Vec::new())
            }
        }
    }
}

fn is_signed(format: Format) -> bool {
    use Channel::{S8, S16, S32, Snorm8, Snorm16};
    matches!(format.channel, S8 | S16 | S32 | Snorm8 | Snorm16)
}

/// Combines a word of the view with a value of its size. Gives whether it is aligned on the host, which only an image that
/// lies in a buffer may fail to be.
fn apply(combine: &Reduction, view: &View, offset: u64, value: &[u8]) -> bool {
    let within = offset.checked_add(value.len() as u64).is_some_and(|end| end <= view.bytes());
    let word = view.start().wrapping_add(offset as usize);
    let aligned = (word as usize).is_multiple_of(value.len());
    if within && aligned {
        // SAFETY: the word is aligned and lies in the view, whose maker vouches for its bytes.
        unsafe { combine.apply(AtomicUnit::Global, word, value) };
    }
    aligned
}
