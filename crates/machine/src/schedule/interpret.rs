//! The interpreter: runs a warp until it ends, waits, has spun, or has used up its turn.

use crate::code::{Block, Code, Converge, Terminator};
use crate::context::{Context, CtaState, Run, Worker};
use crate::event::What;
use crate::explain::finding::Kind;
use crate::registers::{LANES, Slot, Value};
use crate::schedule::arrive;
use crate::schedule::call;
use crate::schedule::meeting;
use crate::schedule::warp::{Awaited, Group, State, Warp};
use crate::vector::lanes::Flow;

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// All its lanes have ended.
    Ended,
    /// All its lanes that have not ended wait.
    Waiting,
    /// It waits for somebody in a loop.
    Spinning,
    /// Its turn is over.
    Turn,
    /// The worker says what happened, at this instruction.
    Fault(Fault),
}

/// Where a fault happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The instruction of the code, or the block whose end it is.
    pub at: At,
    /// The activation.
    pub activation: u32,
}

/// An instruction of linked code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    /// An instruction in a block.
    Instruction(u32),
    /// The end of a block.
    End(u32),
}

/// After so many looks at memory in a loop, a group is taken to be waiting for somebody.
const POLLS: u32 = 16;
/// After so many rounds of loops while others of the warp wait, they have their turn.
const ROUNDS: u32 = 1 << 20;

/// Runs a warp for about `fuel` of effort.
pub fn run(warp: &mut Warp, cta: &mut CtaState, worker: &mut Worker, run: &Run<'_>, fuel: u64) -> Leave {
    let code = run.code;
    let enough = worker.effort.saturating_add(fuel);
    loop {
        let Some(index) = warp.pick() else {
            if warp.release_converging(code) {
                continue;
            }
            return if warp.groups.is_empty() { Leave::Ended } else { Leave::Waiting };
        };
        let mut group = warp.groups.swap_remove(index);
        // Who has been let go does not wait again, and goes on after what has been run for all who met.
        let mut released = None;
        match group.state {
            State::Released(0) => match meeting::meet(&group, warp, cta, worker, run) {
                Ok(done) => released = Some(done),
                Err(number) => {
                    let at = At::Instruction(code.blocks[group.block as usize].start + number);
                    return fault(warp, group, at);
                }
            },
            State::Released(done) => released = Some(done),
            State::Again(number, kind) => match again(&mut group, (number, kind), warp, cta, worker, run) {
                Again::Done => released = Some(number + 1),
                Again::Ended(After::Go) => {}
                Again::Waits | Again::Ended(After::Switch) => continue,
                Again::Fault | Again::Ended(After::Fault) => {
                    return fault(warp, group, at_number(&group, number, code));
                }
            },
            _ => warp.join(&mut group),
        }
        group.state = State::Ready;
        let mut bank = warp.bank(group.activation, code);
        loop {
            let block = &code.blocks[group.block as usize];
            if let Some(converge) = block.converge
                && released.is_none()
            {
                let (together, wanted) = gathered(&bank, converge, group.mask, warp.state.alive());
                let waiting = group.mask & !together;
                if waiting != 0 {
                    let state = State::Converge(wanted);
                    warp.groups.push(Group { mask: waiting, state, deferred: false, ..group });
                    group.mask = together;
                }
                if together == 0 {
                    break;
                }
            }
            let first = block.start + released.take().unwrap_or(0);
            let count = &mut worker.blocks[group.block as usize];
            count.0 += 1;
            count.1 += u64::from(group.mask.count_ones());
            let mut context = Context { bank, active: group.mask, warp: &mut warp.state, cta, worker, run };
            let mut watches = context.watches_registers();
            for (offset, instruction) in
                code.instructions[first as usize..block.end as usize].iter().enumerate()
            {
                let mask = match instruction.guard {
                    None => group.mask,
                    Some(guard) => group.mask & context.bank.mask(guard),
                };
                if mask == 0 {
                    continue;
                }
                if watches && let Err(_) = context.before(instruction) {
                    return fault(warp, group, At::Instruction(first + offset as u32));
                }
                match instruction.op.run(&mut context, &instruction.slots, mask) {
                    Flow::Next => {}
                    Flow::Stop => return fault(warp, group, At::Instruction(first + offset as u32)),
                    Flow::Wait => {
                        part(&mut warp.groups, &mut group, mask, &mut context);
                        context.active = group.mask;
                        if group.mask == 0 {
                            break;
                        }
                    }
                    Flow::Issued => {
                        let at = first + offset as u32;
                        let done = context.issued(at, group.activation);
                        watches = context.watches_registers();
                        context.worker.tell(run);
                        if done == Flow::Stop {
                            return fault(warp, group, At::Instruction(at));
                        }
                    }
                }
            }
            let executed = u64::from(block.end - block.start) + 1;
            worker.instructions += executed;
            worker.effort += executed;
            if group.mask == 0 {
                break;
            }

            let from = group.block;
            match end(block, &mut group, warp, cta, worker, run, &bank) {
                After::Go => {}
                After::Switch => break,
                After::Fault => return fault(warp, group, At::End(from)),
            }
            if group.block <= from {
                // Counted in the group, since a turn may be shorter than either.
                group.rounds += u32::from(!warp.groups.is_empty());
                group.polls += u32::from(std::mem::take(&mut worker.polled));
                if group.polls >= POLLS || group.rounds >= ROUNDS {
                    let spinning = group.polls >= POLLS;
                    (group.deferred, group.polls, group.rounds) = (true, 0, 0);
                    warp.add(group);
                    let alone = warp.groups.iter().all(|g| g.deferred || !g.state.runs());
                    if alone && !warp.release_converging(code) && spinning {
                        return Leave::Spinning;
                    }
                    break;
                }
            }
            if worker.effort >= enough || run.halt.is_set() {
                warp.add(group);
                return Leave::Turn;
            }
            if !warp.groups.is_empty() {
                warp.join(&mut group);
                // Another group that is further behind, or deeper, runs first.
                let behind = |g: &Group| {
                    g.state.runs()
                        && !g.deferred
                        && (g.depth > group.depth || g.depth == group.depth && g.block < group.block)
                };
                if warp.groups.iter().any(behind) {
                    warp.add(group);
                    break;
                }
            }
            bank = warp.bank(group.activation, code);
        }
    }
}

/// Leaves a warp whose group has met a fault; the report still finds the group there.
fn fault(warp: &mut Warp, group: Group, at: At) -> Leave {
    let activation = group.activation;
    warp.groups.push(group);
    Leave::Fault(Fault { at, activation })
}

/// Puts lanes of a group away that wait for something outside of the warp: they come again, and the others of the group
/// go on without them.
fn part(groups: &mut Vec<Group>, group: &mut Group, waiting: u32, context: &mut Context<'_>) {
    let awaited = context.warp.awaited.take().unwrap_or(Awaited::ClusterBarrier);
    context.cta.asleep |= 1 << context.warp.index;
    groups.push(Group { mask: waiting, state: State::Wait(awaited), deferred: false, ..*group });
    group.mask &= !waiting;
}

/// What came of an instruction that was executed again.
enum Again {
    /// It has been executed.
    Done,
    /// It was the end of the block.
    Ended(After),
    /// All lanes wait.
    Waits,
    /// It has met another fault.
    Fault,
}

/// The instruction of this number of a group's block, or the block's end.
fn at_number(group: &Group, number: u32, code: &Code) -> At {
    let block = &code.blocks[group.block as usize];
    if number < block.end - block.start {
        At::Instruction(block.start + number)
    } else {
        At::End(group.block)
    }
}

/// Executes an instruction again that has met a mistake, and forgives it.
#[cold]
fn again(
    group: &mut Group,
    (number, kind): (u32, Kind),
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> Again {
    let block = &run.code.blocks[group.block as usize];
    let bank = warp.bank(group.activation, run.code);
    let place = at_number(group, number, run.code);
    (worker.forgiving, worker.forgiven) = (true, 0);
    let done = match place {
        At::End(_) => Again::Ended(end(block, group, warp, cta, worker, run, &bank)),
        At::Instruction(at) => {
            // The rest of the block counts as what it is: executed once.
            let count = &mut worker.blocks[group.block as usize];
            *count = (count.0.saturating_sub(1), count.1.saturating_sub(u64::from(group.mask.count_ones())));
            let mut context = Context { bank, active: group.mask, warp: &mut warp.state, cta, worker, run };
            let instruction = &run.code.instructions[at as usize];
            let mask = group.mask & guarded(&context.bank, instruction.guard);
            match instruction.op.run(&mut context, &instruction.slots, mask) {
                Flow::Next => Again::Done,
                Flow::Stop => Again::Fault,
                Flow::Issued => {
                    let issued = context.issued(at, group.activation);
                    context.worker.tell(run);
                    if issued == Flow::Stop { Again::Fault } else { Again::Done }
                }
                Flow::Wait => {
                    part(&mut warp.groups, group, mask, &mut context);
                    if group.mask == 0 { Again::Waits } else { Again::Done }
                }
            }
        }
    };
    worker.forgiving = false;
    if let Some(mistakes) = &run.launch.mistakes {
        mistakes.count(place, kind, worker.forgiven.max(1));
    }
    // What is not forgiven the second time is no mistake that silicon survives.
    if let Some(fault) = &mut worker.fault {
        fault.survived = false;
    }
    done
}

/// What comes after the end of a block.
pub(crate) enum After {
    /// The group goes on at its block.
    Go,
    /// The group has been put away.
    Switch,
    /// The worker's fault says what happened.
    Fault,
}

fn guarded(bank: &crate::registers::Bank, guard: Option<Slot>) -> u32 {
    guard.map_or(u32::MAX, |slot| bank.mask(slot))
}

/// The lanes of a group that have all with them whom they must wait for, and the lanes that the others wait for.
fn gathered(bank: &crate::registers::Bank, converge: Converge, lanes: u32, alive: u32) -> (u32, u32) {
    let absent = alive & !lanes;
    let asking = lanes & guarded(bank, converge.guard);
    let slot = match converge.members {
        _ if absent == 0 || asking == 0 => return (lanes, 0),
        None => return (lanes & !asking, u32::MAX),
        Some(slot) => slot,
    };
    let masks = <u32 as Value>::read(bank, slot);
    let lacking = |lane: &usize| asking >> lane & 1 != 0 && masks[*lane] & absent != 0;
    let waiting = (0..LANES)
        .filter(lacking)
        .fold((0, 0), |(waiting, wanted), lane| (waiting | 1 << lane, wanted | masks[lane]));
    (lanes & !waiting.0, waiting.1)
}

fn end(
    block: &Block,
    group: &mut Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
    bank: &crate::registers::Bank,
) -> After {
    match &block.end_with {
        Terminator::Next(next) => {
            group.block = *next;
            After::Go
        }
        Terminator::Branch { guard, target, next } => {
            let taken = group.mask & guarded(bank, *guard);
            split(group, warp, taken, *target, *next)
        }
        Terminator::Index { guard, index, targets, next } => {
            let taken = group.mask & guarded(bank, *guard);
            let mut to = [*next; LANES];
            for lane in (0..LANES).filter(|l| taken >> l & 1 != 0) {
                let at = bank.lane(*index, lane);
                let Some(target) = targets.get(at as usize) else {
                    let message = format!("index {at} is behind a list of {} branch targets", targets.len());
                    worker.fault =
                        Some(crate::context::Fault::new(Kind::BranchIndex, lane, message, Vec::new()));
                    return After::Fault;
                };
                to[lane] = *target;
            }
            let lanes = || (0..LANES).filter(|l| group.mask >> l & 1 != 0);
            let lowest = lanes().map(|lane| to[lane]).min().unwrap_or(*next);
            let stay = lanes().filter(|lane| to[*lane] == lowest).fold(0, |mask, lane| mask | 1 << lane);
            for lane in lanes().filter(|lane| to[*lane] != lowest) {
                warp.add(Group { block: to[lane], mask: 1 << lane, ..*group });
            }
            (group.block, group.mask) = (lowest, stay);
            After::Go
        }
        Terminator::Exit { guard, next } => {
            let gone = group.mask & guarded(bank, *guard);
            if worker.cluster.barrier.leave(&warp.state, gone) {
                worker.cluster.events += 1;
                worker.cluster.log.note_cta(cta.rank, || What::ClusterBarrier);
            }
            warp.state.exited |= gone;
            // Who waits for this warp at a barrier may have waited for these lanes alone.
            let mut busy = cta.busy;
            while busy != 0 {
                let number = busy.trailing_zeros() as usize;
                busy &= busy - 1;
                cta.barriers[number].gather(warp.state.index as usize, warp.state.alive());
                cta.unsettled = true;
            }
            warp.reconsider();
            leave(group, gone, *next)
        }
        Terminator::Return { guard, next } => {
            let gone = group.mask & guarded(bank, *guard);
            // What is under way may be about to write to the registers of this activation.
            if warp.state.wgmma.is_busy() && !warp.state.wgmma.finish(worker, run.halt) {
                return After::Fault;
            }
            worker.source = block.source;
            call::ret(group, warp, cta, worker, run, (gone, *next))
        }
        Terminator::Call(site) => {
            worker.source = block.source;
            call::call(site, group, warp, cta, worker, run)
        }
        Terminator::Barrier(arrival) => arrive::arrive(arrival, group, warp, cta, worker, bank),
    }
}

/// Takes lanes out of a group; the others go on.
fn leave(group: &mut Group, gone: u32, next: u32) -> After {
    group.mask &= !gone;
    group.block = next;
    if group.mask == 0 { After::Switch } else { After::Go }
}

/// Sends some lanes to one block and the others to another; the group goes on with the lower.
fn split(group: &mut Group, warp: &mut Warp, taken: u32, target: u32, next: u32) -> After {
    if taken == group.mask {
        group.block = target;
    } else if taken == 0 {
        group.block = next;
    } else {
        let (low, low_mask, high, high_mask) = if target < next {
            (target, taken, next, group.mask & !taken)
        } else {
            (next, group.mask & !taken, target, taken)
        };
        warp.add(Group { block: high, mask: high_mask, ..*group });
        (group.block, group.mask) = (low, low_mask);
    }
    After::Go
}

/// The code that a group runs, for reports.
#[must_use]
pub fn place(code: &Code, at: At) -> crate::code::Source {
    match at {
        At::Instruction(i) => code.instructions[i as usize].source,
        At::End(b) => code.blocks[b as usize].source,
    }
}
