//! Floating-point addition as atomics do it, where that is not what `add` does.
//!
//! The memory's own unit performs an atomic on global memory. On shared memory, the multiprocessor performs it with a
//! compare-and-swap loop. The two agree for `.f16` and `.bf16`, where both do the same as `add`. The copy engine reduces in
//! global memory as the memory's unit does, except for subnormal numbers (measured on an H200; the manual says that it
//! flushes them).

use super::{f32, f64};
use crate::Rounding;

/// Who does an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicUnit {
    /// The unit in front of global memory.
    Global,
    /// The multiprocessor, on shared memory.
    Shared,
    /// The copy engine, on global memory.
    Copy,
}

/// `atom.add.f32`: the unit of global memory flushes subnormal numbers, the others do not.
#[must_use]
pub fn add_f32(unit: AtomicUnit, memory: u32, operand: u32) -> u32 {
    f32::add(memory, operand, Rounding::Rn, unit == AtomicUnit::Global, false)
}

/// `atom.add.f64`: the unit of global memory prefers the operand's NaN and does not make it quiet; the
/// multiprocessor prefers the NaN in memory.
#[must_use]
pub fn add_f64(unit: AtomicUnit, memory: u64, operand: u64) -> u64 {
    match unit {
        AtomicUnit::Shared => f64::add(operand, memory, Rounding::Rn),
        AtomicUnit::Global | AtomicUnit::Copy if f64::is_nan(operand) => operand,
        AtomicUnit::Global | AtomicUnit::Copy if f64::is_nan(memory) => memory,
        AtomicUnit::Global | AtomicUnit::Copy => f64::add(memory, operand, Rounding::Rn),
    }
}
