//! Whether the unit is used: tests and benchmarks can have it that the host has none.

use std::cell::Cell;

use super::unit;
use crate::level::{Level, level};
use crate::meanwhile::meanwhile;

thread_local! {
    static FORBIDDEN: Cell<bool> = const { Cell::new(false) };
}

/// Whether fast products, and those of bytes, should be made here: if the host has the unit and lets this process use it.
#[must_use]
pub fn is_there() -> bool {
    !FORBIDDEN.get() && level() == Level::V4 && unit::is_there()
}

/// Runs `work` as on a host without the unit. Only tests that compare and benchmarks have a reason to ask.
pub fn without<T>(work: impl FnOnce() -> T) -> T {
    meanwhile(&FORBIDDEN, true, work)
}
