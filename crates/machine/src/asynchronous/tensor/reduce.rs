//! From shared memory into global memory, element by element: each is one atomic step, all of them together are not.
#![allow(unsafe_code)]

use std::ops::ControlFlow;
use std::sync::Arc;

use ptxvm_ir::operation::access::Combination;
use ptxvm_isa::Type;
use ptxvm_num::float::atomic::AtomicUnit;
use ptxvm_tensor::{Element, TensorMap, Walk};

use crate::asynchronous::tensor::image::{Chunks, Image};
use crate::asynchronous::tensor::store::{Edge, chunk_of};
use crate::door::pointer::global;
use crate::ops::atomic;

/// What an operation does to elements: what `red` does to numbers of their type, by this unit.
#[derive(Clone, Debug)]
pub struct ElementReduction {
    numbers: Arc<atomic::Reduction>,
    unit: AtomicUnit,
}

/// What an operation does to elements of a type. The pairs are those that an H200 takes, which are not quite the
/// manual's: it adds `f64` too, and has no logic on `s64`.
///
/// # Errors
/// The two do not go together; the sentence says so.
pub fn combine(reduction: Combination, element: Element) -> Result<ElementReduction, String> {
    pair(reduction, element)
        .ok_or_else(|| format!("there is no {} of elements of the type {element:?}", reduction.name()))
}

fn pair(reduction: Combination, element: Element) -> Option<ElementReduction> {
    let ty = match element {
        Element::U32 => Type::U32,
        Element::S32 => Type::S32,
        Element::U64 => Type::U64,
        Element::S64 => Type::S64,
        Element::F16 => Type::F16,
        Element::Bf16 => Type::Bf16,
        Element::F32 | Element::F32Ftz | Element::Tf32 | Element::Tf32Ftz => Type::F32,
        Element::F64 => Type::F64,
        _ => return None,
    };
    let taken = match reduction {
        Combination::Add => ty != Type::S64,
        Combination::Min | Combination::Max => !matches!(ty, Type::F32 | Type::F64),
        Combination::Inc | Combination::Dec => ty == Type::U32,
        Combination::And | Combination::Or | Combination::Xor => {
            matches!(ty, Type::U32 | Type::S32 | Type::U64)
        }
    };
    // The copy engine flushes subnormal numbers only if the map says so.
    let flushed = matches!(element, Element::F32Ftz | Element::Tf32Ftz);
    let unit = if flushed { AtomicUnit::Global } else { AtomicUnit::Copy };
    let numbers = taken.then(|| atomic::Reduction::of(reduction, ty)).flatten()?;
    Some(ElementReduction { numbers, unit })
}

/// Combines the image's elements with those of the tensor, in whole chunks like a store.
///
/// # Safety
/// As for [`super::store::store`]; the operation is one of the elements' type.
pub unsafe fn reduce(walk: &Walk, map: &TensorMap, image: Image, combine: &ElementReduction, edge: Edge) {
    let chunks = Chunks::new(walk, map);
    let chunks = if edge == Edge::WholeChunk { chunks.rounded_up() } else { chunks };
    let _ = walk.each(|row| {
        let Some(address) = row.address else { return ControlFlow::<()>::Continue(()) };
        for chunk in 0..chunks.count {
            let Some((part, offset)) = chunks.part(chunk) else { continue };
            // SAFETY: the chunk is the row's.
            let value = unsafe { chunk_of(image, row, chunk) };
            let bytes = value.to_le_bytes();
            // SAFETY: the elements are in the tensor, whose rows are aligned if no rule is broken.
            unsafe {
                combine.numbers.apply(combine.unit, global(address).wrapping_add(offset), &bytes[part])
            };
        }
        ControlFlow::Continue(())
    });
}
