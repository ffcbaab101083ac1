//! The stacks of lanes that compiled code runs with.
//!
//! It knows one stack pointer for all lanes of a warp, and makes calls without asking for room: there must be enough of it
//! before it is entered.

use crate::context::WarpState;
use crate::registers::LANES;
use crate::schedule::barrier::WARPS;
use crate::state::frame::{Compiled, Frame, Stack};

/// Whether the lanes of a warp have the stack that compiled code needs: one stack pointer, and room for the calls that it
/// may make. Where there is not enough, that is the interpreter's to report.
#[inline(always)]
pub(crate) fn is_ready(warp: &mut WarpState, code: &dyn Compiled) -> bool {
    match code.stack() {
        None => true,
        Some(wanted) => make(warp, wanted),
    }
}

fn make(warp: &mut WarpState, wanted: Stack) -> bool {
    let alive = warp.alive();
    let first = pointer(warp);
    let end = first.saturating_add(wanted.bytes);
    let one = (0..LANES).all(|lane| alive >> lane & 1 == 0 || warp.stack[lane] == first);
    one && end <= warp.local.limit() as u64 && (!wanted.frames || warp.local.grow_to(end).is_ok())
}

/// The stack pointer of the first lane that has not ended.
fn pointer(warp: &WarpState) -> u64 {
    warp.stack[warp.alive().trailing_zeros() as usize % LANES]
}

/// Says to compiled code where the local memory of a warp lies, and where the stack of its lanes ends.
#[inline(always)]
pub(crate) fn show(frame: &mut Frame, warp: &WarpState) {
    let index = warp.index as usize % WARPS;
    frame.locals[index] = warp.local.pointer(0, 0);
    frame.strides[index] = warp.local.bytes_per_lane() as u64;
    frame.stacks[index] = pointer(warp);
}
