//! Floating-point addition as atomics do it, where that is not what `add` does.
//!
//! An atomic on global memory is done by the memory's own unit, one on shared memory by a loop of the
//! multiprocessor that compares and swaps. The two agree for `.f16` and `.bf16`, where both are `add`. What the copy
//! engine reduces in global memory it does as the memory's unit, but for subnormal numbers (measured on an H200; the
//! manual says that it flushes them).

use super::{f32, f64};
use crate::Rounding;

/// Who does an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The unit in front of global memory.
    Global,
    /// The multiprocessor, on shared memory.
    Shared,
    /// The copy engine, on global memory.
    Copy,
}

/// `atom.add.f32`: the unit of global memory flushes subnormal numbers, the others do not.
#[must_use]
pub fn add_f32(unit: Unit, memory: u32, operand: u32) -> u32 {
    f32::add(memory, operand, Rounding::Rn, unit == Unit::Global, false)
}

/// `atom.add.f64`: the unit of global memory prefers the operand's NaN and does not make it quiet; the
/// multiprocessor prefers the NaN in memory.
#[must_use]
pub fn add_f64(unit: Unit, memory: u64, operand: u64) -> u64 {
    match unit {
        Unit::Shared => f64::add(operand, memory, Rounding::Rn),
        Unit::Global | Unit::Copy if f64::is_nan(operand) => operand,
        Unit::Global | Unit::Copy if f64::is_nan(memory) => memory,
        Unit::Global | Unit::Copy => f64::add(memory, operand, Rounding::Rn),
    }
}
