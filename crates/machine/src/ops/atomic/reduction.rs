//! The reductions of asynchronous operations: the same as `red`, on arrays of elements and at a later time.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_ir::operation::access::Combination;
use ptxvm_isa::Type;
use ptxvm_memory::atomic;
use ptxvm_num::float::atomic::AtomicUnit;

use super::combine::{Combine, Memorable, combine};
use super::update::exclusively;

type Apply = dyn Fn(AtomicUnit, *mut u8, &[u8]) + Send + Sync;

/// An operation that combines elements in memory with others, each in one step.
pub struct Reduction {
    /// What is done.
    pub combination: Combination,
    /// To numbers of which type.
    pub ty: Type,
    /// What an element takes in bytes.
    pub element: usize,
    apply: Box<Apply>,
}

impl std::fmt::Debug for Reduction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.combination.name(), self.ty.name())
    }
}

impl Reduction {
    /// The operation on numbers of a type; `None` if there is none.
    #[must_use]
    pub fn of(combination: Combination, ty: Type) -> Option<Arc<Self>> {
        let (element, apply) = combine(Elements, combination, ty)?;
        Some(Arc::new(Self { combination, ty, element, apply }))
    }

    /// Combines the elements at `to`, the first operand, with as many of the host's own. A rest that is no whole
    /// element is left alone.
    ///
    /// # Safety
    /// `to` is a multiple of an element's size, and the `from.len()` bytes there are as for
    /// [`atomic::compare_exchange`]; those of shared memory are touched by no other host thread.
    pub unsafe fn apply(&self, unit: AtomicUnit, to: *mut u8, from: &[u8]) {
        (self.apply)(unit, to, from);
    }
}

/// Makes a loop over elements of an operation.
struct Elements;

impl Combine for Elements {
    type Output = (usize, Box<Apply>);

    fn binary<T: Memorable>(self, f: impl Fn(AtomicUnit, T, T) -> T + Send + Sync + 'static) -> Self::Output {
        let size = size_of::<T>();
        let apply = move |unit, to: *mut u8, from: &[u8]| {
            for (index, bytes) in from.chunks_exact(size).enumerate() {
                // SAFETY: the chunk has the bytes of a `T`, and any bits are one: an unsigned integer.
                let operand = unsafe { bytes.as_ptr().cast::<T>().read_unaligned() };
                let to = to.wrapping_add(index * size);
                // SAFETY: `Reduction::apply` is the only way here, and its caller has promised it for every element.
                unsafe {
                    match unit {
                        AtomicUnit::Global | AtomicUnit::Copy => {
                            let _ = atomic::update(to, |word| f(unit, word, operand));
                        }
                        AtomicUnit::Shared => exclusively(to, |word| f(unit, word, operand)),
                    }
                }
            }
        };
        (size, Box::new(apply))
    }
}
