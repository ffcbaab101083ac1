//! The step: one instruction of one group of lanes. Every run consists of steps.
//!
//! The interpreter runs all steps of a block, or one of them and stops. Lanes that meet from different places share one
//! (`meeting.rs`). A forgiven mistake is executed again as a step of its own. The end of a block is a step too
//! (`terminator.rs`).

use crate::context::{Context, Instruction, Worker};
use crate::registers::{Bank, Slot};
use crate::schedule::warp::{Awaited, Group, State};
use crate::vector::lanes::Flow;

/// What came of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It has been executed.
    Done,
    /// It has been executed, and others have their turn now.
    GivesWay,
    /// These lanes wait, and execute it again then; for the others of the group it has been executed.
    Waits(u32),
    /// It has stopped the warp; the worker says why.
    Stopped,
}

/// Executes an instruction for the active lanes of the context that its guard lets through. `watches` says whether
/// somebody must look ([`Context::watches`]).
#[inline(always)]
pub(crate) fn step(
    context: &mut Context<'_>,
    instruction: &Instruction,
    (at, activation): (u32, u32),
    watches: &mut bool,
) -> Step {
    if *watches {
        return watched(context, instruction, (at, activation), watches);
    }
    let mask = context.active & guarded(&context.bank, instruction.guard);
    if mask == 0 {
        return Step::Done;
    }
    execute(context, instruction, &instruction.slots, mask, (at, activation), watches)
}

/// The same where somebody must look: products that use its registers are completed first, and under weak memory
/// instructions are put off and others have their turn.
#[inline(never)]
fn watched(
    context: &mut Context<'_>,
    instruction: &Instruction,
    (at, activation): (u32, u32),
    watches: &mut bool,
) -> Step {
    if !context.warp.late.all.is_empty() {
        if context.puts_off_with(instruction, at) {
            return Step::Done;
        }
        if context.make_late_before(instruction).is_err() {
            return Step::Stopped;
        }
    }
    let mask = context.active & guarded(&context.bank, instruction.guard);
    if context.warp.values {
        context.before_values(instruction, mask, activation);
        // A guard that is not defined may let lanes through that it does not let through here.
        if mask == 0 {
            context.after_values(instruction, mask, activation);
        }
    }
    if mask == 0 {
        return Step::Done;
    }
    if context.warp.wgmma.used.are_followed() {
        context.checks_registers(instruction, mask);
    }
    if context.watches_registers() && context.before(instruction).is_err() {
        return Step::Stopped;
    }
    if context.puts_off(instruction, at, mask) {
        return Step::Done;
    }
    match execute(context, instruction, &instruction.slots, mask, (at, activation), watches) {
        Step::Done => {
            if context.warp.values {
                context.after_values(instruction, mask, activation);
            }
            context.asks_later(instruction, at, mask);
            if context.gives_way(instruction) { Step::GivesWay } else { Step::Done }
        }
        step => step,
    }
}

/// Executes an instruction in some lanes, with operands that need not be its own.
#[inline(always)]
pub(crate) fn execute(
    context: &mut Context<'_>,
    instruction: &Instruction,
    slots: &[Slot],
    mask: u32,
    place: (u32, u32),
    watches: &mut bool,
) -> Step {
    match instruction.op.run(context, slots, mask) {
        Flow::Next => Step::Done,
        Flow::Stop => Step::Stopped,
        Flow::Wait => Step::Waits(mask),
        Flow::Issued => issued(context, place, watches),
        Flow::Undefined => {
            context.warp.values = true;
            Step::Done
        }
    }
}

/// The instruction has handed work to the asynchronous units.
fn issued(context: &mut Context<'_>, (at, activation): (u32, u32), watches: &mut bool) -> Step {
    let done = context.issued(at, activation);
    *watches = context.watches();
    context.worker.tell(context.run);
    if done == Flow::Stop { Step::Stopped } else { Step::Done }
}

/// Puts lanes of a group away that wait for something outside of the warp: they come again, and the others of the group
/// go on without them.
#[cold]
pub(crate) fn part(groups: &mut Vec<Group>, group: &mut Group, waiting: u32, context: &mut Context<'_>) {
    let awaited = context.warp.awaited.take().unwrap_or(Awaited::ClusterBarrier);
    context.cta.asleep |= 1 << context.warp.index;
    groups.push(Group { state: State::Wait(awaited), deferred: false, ..group.of(group.block, waiting) });
    group.mask &= !waiting;
    context.active = group.mask;
    context.worker.uncount_block(group, waiting);
}

impl Worker {
    /// Counts the block that a group is about to run.
    #[inline(always)]
    pub(crate) fn count_block(&mut self, group: &Group) {
        let count = &mut self.blocks[group.block as usize];
        count.0 += 1;
        count.1 += u64::from(group.mask.count_ones());
    }

    /// Lanes of a block that has been counted wait at the first instruction of it that counts, and the rest of the group,
    /// if there is one, goes on.
    fn uncount_block(&mut self, rest: &Group, waiting: u32) {
        let count = &mut self.blocks[rest.block as usize];
        count.0 -= u64::from(rest.mask == 0);
        count.1 -= u64::from(waiting.count_ones());
    }
}

/// The lanes that a guard lets through.
#[inline(always)]
pub(crate) fn guarded(bank: &Bank<'_>, guard: Option<Slot>) -> u32 {
    guard.map_or(u32::MAX, |slot| bank.mask(slot))
}
