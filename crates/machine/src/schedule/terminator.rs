//! How a group of lanes leaves a block: branches, exits, calls, returns, barriers. The last step of a block.

use crate::code::{Block, Callee, Terminator};
use crate::context::{Context, CtaState, Fault, Run, WarpState, Worker};
use crate::door::executed::Decides;
use crate::door::values;
use crate::event::What;
use crate::explain::finding::Kind;
use crate::registers::{LANES, Slot, lanes_in};
use crate::schedule::after::After;
use crate::schedule::step::guarded;
use crate::schedule::warp::{Group, Warp, bank_of};
use crate::schedule::{arrive, call};

/// Ends a block for a group that stands at its end.
#[inline(always)]
pub(crate) fn end(
    block: &Block,
    group: &mut Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> After {
    if warp.state.wgmma.is_busy() && !settle(block, group, warp, cta, worker, run) {
        return After::Fault;
    }
    if !warp.state.late.all.is_empty() && !make_late(block, group, warp, cta, worker, run) {
        return After::Fault;
    }
    if warp.state.values {
        tell_values(block, group, warp, cta, worker, run);
    }
    let taken = |group: &Group, warp: &mut Warp, guard: Option<Slot>| {
        group.mask & guarded(&warp.bank(group.activation, run.code), guard)
    };
    match &block.end_with {
        Terminator::Next(next) => {
            group.go(*next);
            After::Go
        }
        Terminator::Branch { guard, target, next } => {
            let taken = taken(group, warp, *guard);
            split(group, warp, taken, *target, *next)
        }
        Terminator::Index { guard, index, targets, next } => {
            let taken = taken(group, warp, *guard);
            match index_targets(taken, group, warp, (*index, targets, *next), run) {
                Ok(to) => scatter(group, warp, &to),
                Err(fault) => {
                    worker.fault = Some(fault);
                    After::Fault
                }
            }
        }
        Terminator::Exit { guard, next } => {
            let gone = taken(group, warp, *guard);
            exit(gone, warp, cta, worker);
            group.mask &= !gone;
            group.go(*next);
            if group.mask == 0 { After::Switch } else { After::Go }
        }
        Terminator::Return { guard, next } => {
            let gone = taken(group, warp, *guard);
            worker.source = block.source;
            call::ret(group, warp, cta, worker, run, (gone, *next))
        }
        Terminator::Call(site) => {
            worker.source = block.source;
            call::call(site, group, warp, cta, worker, run)
        }
        Terminator::Barrier(arrival) => arrive::arrive(arrival, group, warp, cta, worker, run),
    }
}

/// Completes the products that the end of a block must not pass: those whose registers it uses, and at a return all, since
/// the registers of the activation are about to go. Gives whether it has.
#[cold]
fn settle(
    block: &Block,
    group: &Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> bool {
    if matches!(block.end_with, Terminator::Return { .. }) {
        return warp.state.wgmma.finish(worker, run.halt);
    }
    let bank = bank_of(&mut warp.activations, group.activation, run.code);
    let mut context = Context { bank, active: group.mask, warp: &mut warp.state, cta, worker, run };
    !context.watches_registers() || context.before_use_of(&block.end_with.slots()).is_ok()
}

/// Executes what was put off and must come before the end of the block: what its registers wait for, and all where lanes
/// leave the function or meet others. Gives whether it has.
#[cold]
fn make_late(
    block: &Block,
    group: &Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> bool {
    let bank = bank_of(&mut warp.activations, group.activation, run.code);
    let mut context = Context { bank, active: group.mask, warp: &mut warp.state, cta, worker, run };
    let made = match &block.end_with {
        Terminator::Next(_) => Ok(()),
        Terminator::Branch { guard, .. } => context.make_late_for(&[], *guard),
        Terminator::Index { guard, index, .. } => context.make_late_for(&[*index], *guard),
        Terminator::Call(_)
        | Terminator::Return { .. }
        | Terminator::Exit { .. }
        | Terminator::Barrier(_) => context.make_late(),
    };
    made.is_ok()
}

/// Tells who follows values which registers decide where the group goes.
#[cold]
fn tell_values(
    block: &Block,
    group: &Group,
    warp: &mut Warp,
    cta: &CtaState,
    worker: &Worker,
    run: &Run<'_>,
) {
    let guard = match &block.end_with {
        Terminator::Next(_) => None,
        Terminator::Branch { guard, .. }
        | Terminator::Index { guard, .. }
        | Terminator::Exit { guard, .. }
        | Terminator::Return { guard, .. } => *guard,
        Terminator::Call(site) => site.guard,
        Terminator::Barrier(arrival) => arrival.guard,
    };
    let mut registers: Vec<_> = guard.map(|slot| (slot, Decides::Way)).into_iter().collect();
    match &block.end_with {
        Terminator::Index { index, .. } => registers.push((*index, Decides::Way)),
        Terminator::Call(site) => {
            if let Callee::Address(slot) = site.callee {
                registers.push((slot, Decides::Callee));
            }
        }
        Terminator::Barrier(arrival) => {
            let named = [arrival.barrier].into_iter().chain(arrival.count);
            registers.extend(named.map(|slot| (slot, Decides::Barrier)));
        }
        _ => {}
    }
    let place = (block.source, group.activation, group.mask);
    values::decides(warp, (cta, worker, run), place, &registers);
}

/// Sends some lanes to one block and the others to another; the group goes on with the lower.
#[inline(always)]
fn split(group: &mut Group, warp: &mut Warp, taken: u32, target: u32, next: u32) -> After {
    if taken == group.mask {
        group.go(target);
    } else if taken == 0 {
        group.go(next);
    } else {
        let (low, low_mask, high, high_mask) = if target < next {
            (target, taken, next, group.mask & !taken)
        } else {
            (next, group.mask & !taken, target, taken)
        };
        warp.add(group.of(high, high_mask));
        *group = group.of(low, low_mask);
    }
    After::Go
}

/// Where `brx.idx` sends each lane.
fn index_targets(
    taken: u32,
    group: &Group,
    warp: &mut Warp,
    (index, targets, next): (Slot, &[u32], u32),
    run: &Run<'_>,
) -> Result<[u32; LANES], Fault> {
    let bank = warp.bank(group.activation, run.code);
    let mut to = [next; LANES];
    for lane in lanes_in(taken) {
        let at = bank.lane(index, lane);
        let Some(target) = usize::try_from(at).ok().and_then(|at| targets.get(at)) else {
            let message = format!("index {at} is past the end of a list of {} branch targets", targets.len());
            return Err(Fault::new(Kind::BranchIndex, lane, message, Vec::new()));
        };
        to[lane] = *target;
    }
    Ok(to)
}

/// Sends each lane to a block of its own; the group goes on with the lowest.
fn scatter(group: &mut Group, warp: &mut Warp, to: &[u32; LANES]) -> After {
    let lowest = lanes_in(group.mask).map(|lane| to[lane]).min().unwrap_or(group.block);
    let stay = lanes_in(group.mask).filter(|lane| to[*lane] == lowest).fold(0, |mask, lane| mask | 1 << lane);
    for lane in lanes_in(group.mask & !stay) {
        warp.add(group.of(to[lane], 1 << lane));
    }
    *group = group.of(lowest, stay);
    After::Go
}

/// Lanes end, and others of their warp look whether they still wait for them.
fn exit(gone: u32, warp: &mut Warp, cta: &mut CtaState, worker: &mut Worker) {
    exit_lanes(gone, &mut warp.state, cta, worker);
    warp.reconsider();
}

/// Lanes end.
pub(crate) fn exit_lanes(gone: u32, warp: &mut WarpState, cta: &mut CtaState, worker: &mut Worker) {
    if worker.cluster.barrier.leave(&warp.arrivals, gone) {
        worker.cluster.events += 1;
        worker.cluster.log.note_cta(cta.rank, || What::ClusterBarrier);
    }
    warp.exited |= gone;
    // Who waits for this warp at a barrier may have waited for these lanes alone.
    let mut busy = cta.busy;
    while busy != 0 {
        let number = busy.trailing_zeros() as usize;
        busy &= busy - 1;
        cta.barriers[number].gather(warp.index as usize, warp.alive());
        cta.unsettled = true;
    }
}
