//! From shared memory into global memory, element by element: each is one atomic step, all of them together are not.
#![allow(unsafe_code)]

use std::ops::ControlFlow;

use ptxvm_memory::atomic;
use ptxvm_num::float::atomic::{Unit, add_f32, add_f64};
use ptxvm_num::float::half::{self, Finish};
use ptxvm_num::float::minmax::{self, Extreme, Modifiers};
use ptxvm_num::int::{arithmetic, atomic as counters};

use super::image::{Chunks, Image};
use super::load::host;
use super::map::{Element, TensorMap};
use super::store::{Edge, chunk_of};
use super::walk::Walk;

/// What is done to an element of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
}

impl Reduction {
    /// The operation of a modifier.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "add" => Self::Add,
            "min" => Self::Min,
            "max" => Self::Max,
            "inc" => Self::Inc,
            "dec" => Self::Dec,
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            _ => return None,
        })
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Min => "min",
            Self::Max => "max",
            Self::Inc => "inc",
            Self::Dec => "dec",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
        }
    }
}

/// An operation on words: what is in memory, then the operand.
#[derive(Clone, Copy, Debug)]
pub enum Combine {
    B16(fn(u16, u16) -> u16),
    B32(fn(u32, u32) -> u32),
    B64(fn(u64, u64) -> u64),
}

/// What an operation does to elements of a type; nothing if the two do not go together. The pairs are those that an H200
/// takes, which are not quite the manual's: it adds `f64` too, and has no logic on `s64`.
#[must_use]
pub fn combine(reduction: Reduction, element: Element) -> Option<Combine> {
    use Combine::{B16, B32, B64};
    use Reduction::{Add, And, Dec, Inc, Max, Min, Or, Xor};
    Some(match (reduction, element) {
        (Add, Element::U32 | Element::S32) => B32(arithmetic::add::<u32>),
        (Add, Element::U64) => B64(arithmetic::add::<u64>),
        // The copy engine flushes subnormal numbers only if the map says so, unlike `red` on global memory.
        (Add, Element::F32 | Element::Tf32) => B32(|old, b| add_f32(Unit::Shared, old, b)),
        (Add, Element::F32Ftz | Element::Tf32Ftz) => B32(|old, b| add_f32(Unit::Global, old, b)),
        (Add, Element::F64) => B64(|old, b| add_f64(Unit::Global, old, b)),
        (Add, Element::F16) => B16(|old, b| half::f16::add(old, b, Finish::default())),
        (Add, Element::Bf16) => B16(half::bf16::add),
        (Min, Element::U32) => B32(|old, b| old.min(b)),
        (Max, Element::U32) => B32(|old, b| old.max(b)),
        (Min, Element::S32) => B32(|old, b| (old as i32).min(b as i32) as u32),
        (Max, Element::S32) => B32(|old, b| (old as i32).max(b as i32) as u32),
        (Min, Element::U64) => B64(|old, b| old.min(b)),
        (Max, Element::U64) => B64(|old, b| old.max(b)),
        (Min, Element::S64) => B64(|old, b| (old as i64).min(b as i64) as u64),
        (Max, Element::S64) => B64(|old, b| (old as i64).max(b as i64) as u64),
        (Min, Element::F16) => B16(|old, b| minmax::f16(old, b, Extreme::Min, Modifiers::default())),
        (Max, Element::F16) => B16(|old, b| minmax::f16(old, b, Extreme::Max, Modifiers::default())),
        (Min, Element::Bf16) => B16(|old, b| minmax::bf16(old, b, Extreme::Min, Modifiers::default())),
        (Max, Element::Bf16) => B16(|old, b| minmax::bf16(old, b, Extreme::Max, Modifiers::default())),
        (Inc, Element::U32) => B32(counters::inc),
        (Dec, Element::U32) => B32(counters::dec),
        (And, Element::U32 | Element::S32) => B32(|old, b| old & b),
        (Or, Element::U32 | Element::S32) => B32(|old, b| old | b),
        (Xor, Element::U32 | Element::S32) => B32(|old, b| old ^ b),
        (And, Element::U64) => B64(|old, b| old & b),
        (Or, Element::U64) => B64(|old, b| old | b),
        (Xor, Element::U64) => B64(|old, b| old ^ b),
        _ => return None,
    })
}

/// Combines the image's elements with those of the tensor, in whole chunks like a store.
///
/// # Safety
/// As for [`super::store::store`]; the operation is one of the elements' type.
pub unsafe fn reduce(walk: &Walk, map: &TensorMap, image: Image, combine: Combine, edge: Edge) {
    let chunks = Chunks::new(walk, map);
    let chunks = if edge == Edge::WholeChunk { chunks.rounded_up() } else { chunks };
    let _ = walk.each(|row| {
        let Some(address) = row.address else { return ControlFlow::<()>::Continue(()) };
        for chunk in 0..chunks.count {
            let Some((part, offset)) = chunks.part(chunk) else { continue };
            // SAFETY: the chunk is the row's.
            let value = unsafe { chunk_of(image, row, chunk) };
            for at in part.clone().step_by(map.element.bits() as usize / 8) {
                let to = host(address).wrapping_add(offset + at - part.start);
                let operand = value >> (8 * at);
                // SAFETY: the element is in the tensor, whose rows are aligned if no rule is broken.
                unsafe {
                    match combine {
                        Combine::B16(f) => {
                            atomic::update(to, |old| f(old, operand as u16));
                        }
                        Combine::B32(f) => {
                            atomic::update(to, |old| f(old, operand as u32));
                        }
                        Combine::B64(f) => {
                            atomic::update(to, |old| f(old, operand as u64));
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    });
}
