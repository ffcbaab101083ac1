//! Registers that compiled code makes again wherever a warp enters it, and does not put back where it leaves: they say where a
//! thread is, and what follows from that. Most warps never need them in place. For one that does, the interpreter makes them,
//! once until its CTA has ended: each is written by one instruction only, which gives the same at any time.

use crate::context::{Context, CtaState, Run, Worker};
use crate::schedule::warp::{Warp, bank_of};

/// Puts them in place for a warp that the interpreter goes on with.
#[inline]
pub(crate) fn place(warp: &mut Warp, cta: &mut CtaState, worker: &mut Worker, run: &Run<'_>) {
    if !warp.state.placed {
        let bank = bank_of(&mut warp.activations, 0, run.code);
        place_in(&mut Context { bank, active: 0, warp: &mut warp.state, cta, worker, run });
    }
}

/// The same in a context with the registers of the kernel itself, not of a function that it calls.
#[cold]
pub(crate) fn place_in(context: &mut Context<'_>) {
    context.warp.placed = true;
    let (run, lanes) = (context.run, context.warp.alive());
    let Some(compiled) = run.compiled() else { return };
    let active = std::mem::replace(&mut context.active, lanes);
    for at in compiled.remade() {
        if let Some(instruction) = run.code.instructions.get(*at as usize) {
            // They compute and nothing else: there is nothing to wait for.
            let _ = instruction.op.run(context, &instruction.slots, lanes);
        }
    }
    context.active = active;
}
