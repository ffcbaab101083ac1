//! Calls that compiled code has made itself and is left in: they become activations, as if the interpreter had made them.
//!
//! The code keeps the registers of such a call as it keeps its own, so there is no activation until it is left. The
//! innermost call is told of first, and only the last, the code that was entered, has an activation already: the stack is
//! taken when all are known.

use crate::context::{Run, Worker};
use crate::explain::finding::Limit;
use crate::registers::Block;
use crate::schedule::call::reserve;
use crate::schedule::warp::{Activating, Activation, Warp};
use crate::vector::value::Value;

/// An activation for a call that lanes are in. Its caller is not known yet.
pub(crate) fn begin(warp: &mut Warp, function: u32, lanes: u32, worker: &mut Worker, run: &Run<'_>) -> u32 {
    let Some(Some(code)) = run.code.functions.get(function as usize) else { return 0 };
    let wanted = Activating { function, code, parent: u32::MAX, site: u32::MAX };
    let budget = run.environment.memory.budget();
    if let Some(number) = warp.activate(&wanted, lanes, budget) {
        return number;
    }
    // The launch ends, but the code has somewhere to put its registers.
    let bytes = code.register_bytes;
    worker.limit = Some(Limit::Memory(budget.refusal(bytes.into())));
    let registers = Block::new(bytes as usize);
    warp.activations.push(Activation { function, registers, parent: u32::MAX, site: u32::MAX, lanes });
    warp.activations.len() as u32 - 1
}

/// Takes the stack for calls, the innermost of which stands first.
pub(crate) fn take_stack(warp: &mut Warp, calls: &[u32], worker: &mut Worker, run: &Run<'_>) {
    for number in calls.iter().rev() {
        let Some(Activation { function, lanes, .. }) = warp.activations.get(*number as usize) else {
            continue;
        };
        let lanes = *lanes;
        let Some(Some(function)) = run.code.functions.get(*function as usize) else { continue };
        match reserve(function, 0, warp, lanes) {
            Ok(frame) => {
                let mut bank = warp.bank(*number, run.code);
                u64::write(&mut bank, function.caller_stack, lanes, &frame.before);
                u64::write(&mut bank, function.frame, lanes, &frame.base);
            }
            // There is enough of the stack (`Compiled::stack`), so the host has refused.
            Err((_, error)) => {
                let refusal = run.environment.memory.budget().refusal(error.requested * 32);
                worker.limit = Some(Limit::Memory(refusal));
            }
        }
    }
}
