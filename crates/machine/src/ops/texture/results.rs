//! What becomes of the four components that a warp has found.

use ptxvm_num::convert::quick::f32_to_f16;

use super::places::LaneWords;
use crate::context::Context;
use crate::registers::{ALL, LANES, Slot};
use crate::vector::value::Value;
use ptxvm_ir::operation::texture::Sampling;

/// What the lanes of a warp have found so far: zeros.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    values: [LaneWords; 4],
    /// The lanes that looked where there is no memory.
    absent: u32,
}

impl Found {
    /// Nothing yet.
    pub const NOTHING: Self = Self { values: [[0; LANES]; 4], absent: 0 };

    /// Some lanes looked where there is no memory.
    pub fn miss(&mut self, lanes: u32) {
        self.absent |= lanes;
    }

    /// Takes what some lanes found.
    pub fn take(&mut self, values: [LaneWords; 4], lanes: u32) {
        if lanes == ALL {
            self.values = values;
            return;
        }
        for (all, values) in self.values.iter_mut().zip(&values) {
            for lane in 0..LANES {
                all[lane] = if lanes >> lane & 1 != 0 { values[lane] } else { all[lane] };
            }
        }
    }
}

/// What the four components become in registers.
#[derive(Clone, Copy, Debug)]
enum Type {
    /// Their bits: `.f32`, `.s32`, `.u32`.
    Word,
    /// `.f16`: four registers of a half each.
    Half,
    /// `.f16x2`: two registers of two halves each.
    HalfPair,
}

/// The destinations: `d`, whose elements come first among the slots, and the predicate that says whether the texels
/// are resident.
#[derive(Clone, Copy, Debug)]
pub struct Results {
    ty: Type,
    count: usize,
    resident: Option<usize>,
}

impl Results {
    /// The destinations of a lookup.
    #[must_use]
    pub fn of(sampling: Sampling) -> Self {
        let ty = match sampling.result {
            ptxvm_isa::Type::F16 => Type::Half,
            ptxvm_isa::Type::F16x2 => Type::HalfPair,
            _ => Type::Word,
        };
        Self { ty, count: sampling.results, resident: sampling.resident }
    }

    /// Writes what a warp has found.
    pub fn write(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32, found: &Found) {
        let Found { values: found, absent } = found;
        let destinations = &slots[..self.count];
        let half = |component: usize| found[component].map(f32_to_f16);
        match self.ty {
            Type::Word => {
                for (slot, values) in destinations.iter().zip(found) {
                    u32::write(&mut context.bank, *slot, mask, values);
                }
            }
            Type::Half => {
                for (component, slot) in destinations.iter().enumerate().take(found.len()) {
                    u16::write(&mut context.bank, *slot, mask, &half(component));
                }
            }
            Type::HalfPair => {
                for (pair, slot) in destinations.iter().enumerate().take(found.len() / 2) {
                    let (low, high) = (half(2 * pair), half(2 * pair + 1));
                    let both = std::array::from_fn(|lane| u32::from(high[lane]) << 16 | u32::from(low[lane]));
                    u32::write(&mut context.bank, *slot, mask, &both);
                }
            }
        }
        if let Some(resident) = self.resident {
            context.bank.set_mask(slots[resident], mask, !absent);
        }
    }
}
