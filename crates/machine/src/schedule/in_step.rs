//! Warps in step: where a kernel is compiled, the warps of a CTA run one after another from barrier to barrier.
//!
//! As long as all warps that live stand at the beginning of the same block, there are no groups, no turns and no
//! arrivals: each warp runs the compiled code of the block up to where that leaves it, and if all have come to the same
//! plain barrier or seam, all go on after it. Where one does something else, each warp gets the group that it would have had,
//! and the schedule goes on as usual.
//!
//! Warps run in the order of their numbers, as in the interpreter, but a turn may end elsewhere: compiled code has more
//! fuel, and pays for a look at what others may change ([`LOOK`](crate::schedule::compiled::LOOK)). So a kernel whose
//! result depends on an order that PTX leaves open may give another one of its results.

use crate::code::{Arrival, Terminator};
use crate::context::{CtaState, Run, Worker};
use crate::schedule::arrive;
use crate::schedule::compiled::{Compiled, LEAST_FUEL, Meeting, Stay, Visit};
use crate::schedule::interpret::{Leave, enter};
use crate::schedule::placing;
use crate::schedule::stack;
use crate::schedule::succession;
use crate::schedule::warp::{Group, State, Warp};

/// How far warps came in step.
pub(crate) enum Came {
    /// All have ended.
    Ended,
    /// To the beginning of this block, and their turn is over.
    To(u32),
    /// The same, and they look in vain for what others may change.
    Spinning(u32),
    /// They have parted, and each has groups. If one did not come to where the others are, it went on and has left.
    Parted(Option<(usize, Leave)>),
}

/// The warps of a CTA, and the bits of those that live.
pub(crate) struct Warps<'a> {
    pub warps: &'a mut [Warp],
    pub living: &'a mut u32,
    /// Whether the CTA may become the next one when it has ended.
    pub succeeds: bool,
}

/// Whether warps of a launch may run in step from the beginning of a block.
pub(crate) fn may_begin(block: u32, worker: &Worker, run: &Run<'_>) -> bool {
    run.launch.settings.seed == 0
        && !worker.single
        && run.code.observed.is_none()
        && run.compiled().is_some_and(|compiled| compiled.entry(block).is_some())
}

/// Whether warps that have ended in step can begin anew as they are: nobody has to be told of lanes that end, and
/// registers are written before they are read.
pub(crate) fn leaves_clean(run: &Run<'_>) -> bool {
    !run.code.keeps && run.code.entry_function().is_some_and(|entry| entry.unset.is_empty())
}

/// The block at whose beginning all warps stand that live, if they do.
pub(crate) fn common_block(warps: &[Warp], living: u32) -> Option<u32> {
    let mut common = None;
    for warp in warps.iter().filter(|warp| living >> warp.state.index & 1 != 0) {
        let [group] = warp.groups.as_slice() else { return None };
        let whole = group.mask == warp.state.alive() && group.number == 0 && group.activation == 0;
        if !whole || group.state != State::Ready {
            return None;
        }
        if *common.get_or_insert(group.block) != group.block {
            return None;
        }
    }
    common
}

/// Runs warps that stand at the beginning of a block, until the effort is spent or they part.
pub(crate) fn run(
    mut block: u32,
    warps: &mut Warps<'_>,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
    enough: u64,
) -> Came {
    let has_stack = |compiled: &&dyn Compiled| {
        warps.warps.iter_mut().all(|warp| stack::is_ready(&mut warp.state, *compiled))
    };
    let Some(compiled) = run.compiled().filter(has_stack) else {
        part(block, *warps.living, warps);
        return Came::Parted(None);
    };
    let clean = leaves_clean(run);
    let (succeeds, first) =
        (warps.succeeds && clean, run.code.entry_function().map_or(0, |entry| entry.block));
    let mut visit = Visit::begin(compiled, cta, worker, run);
    warps.warps.iter_mut().for_each(|warp| visit.admit(warp, 0));
    let came = loop {
        let Some(enter) = compiled.entry(block).filter(|_| visit.has_room(compiled, worker)) else {
            break None;
        };
        let ctas = if succeeds { succession::left_to_code(cta, worker, run) } else { 0 };
        visit.begin_together(block);
        let stay = visit.enter(enter, (warps.warps, 0), cta, worker, run, (LEAST_FUEL, ctas));
        block = visit.began();
        if stay.parted.is_some() {
            break Some(Round::Parted(stay));
        }
        worker.instructions += stay.effort;
        worker.effort += stay.effort;
        match (stay.meeting, arrival(&stay, run)) {
            (Meeting::Barrier(_), Some(arrival)) => block = arrival.next,
            (Meeting::Seam(next), _) => block = next,
            _ if succeeds && succession::next(cta, worker, run, enough) => {
                visit.begin_again(warps.warps);
                // Some may have ended before the others ran in step.
                *warps.living = u32::MAX >> (u32::BITS - warps.warps.len() as u32);
                block = first;
                continue;
            }
            _ => break Some(Round::Ended),
        }
        if stay.spun {
            break Some(Round::Spinning);
        }
        if worker.effort >= enough || run.halt.is_set() {
            break Some(Round::Over);
        }
    };
    if matches!(came, Some(Round::Ended)) && clean {
        visit.begin_again(warps.warps);
        *warps.living = 0;
        visit.end(worker);
        return Came::Ended;
    }
    for warp in &mut *warps.warps {
        placing::place(warp, cta, worker, run);
        if run.code.keeps {
            visit.dismiss(warp, cta, worker);
        } else {
            visit.dismiss_uncounted(warp);
        }
        if warp.state.alive() == 0 {
            *warps.living &= !(1 << warp.state.index);
        }
    }
    visit.end(worker);
    match came {
        Some(Round::Ended) => Came::Ended,
        Some(Round::Over) => Came::To(block),
        Some(Round::Spinning) => Came::Spinning(block),
        Some(Round::Parted(stay)) => {
            let index = stay.parted.unwrap_or(0);
            Came::Parted(Some((index, go_apart(block, &stay, warps, cta, worker, run, enough))))
        }
        None => {
            part(block, *warps.living, warps);
            Came::Parted(None)
        }
    }
}

/// What came of one run of all warps.
enum Round {
    /// All have ended.
    Ended,
    /// Their turn is over.
    Over,
    /// The same, because the last looks in vain for what others may change.
    Spinning,
    /// One has come elsewhere than those before it.
    Parted(Stay),
}

/// The barrier that warps have come to, at which each waits for all others and nothing more.
fn arrival<'a>(stay: &Stay, run: &Run<'a>) -> Option<&'a Arrival> {
    let Meeting::Barrier(block) = stay.meeting else { return None };
    match &run.code.blocks.get(block as usize)?.end_with {
        Terminator::Barrier(arrival) if arrival.plain => Some(arrival),
        _ => None,
    }
}

/// Places some warps at the beginning of a block.
fn part(block: u32, which: u32, warps: &mut Warps<'_>) {
    for warp in warps.warps.iter_mut().filter(|warp| which >> warp.state.index & 1 != 0) {
        warp.groups.push(Group::at_beginning(block, warp.state.alive()));
    }
}

/// Places each warp where it is: those before the one that parted where they met, those after it at the beginning of the
/// block, and that one goes on from where compiled code has left it.
#[cold]
fn go_apart(
    block: u32,
    stay: &Stay,
    warps: &mut Warps<'_>,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
    enough: u64,
) -> Leave {
    let index = stay.parted.unwrap_or(0);
    let before = (1 << index) - 1;
    let came = *warps.living & before;
    part(block, *warps.living & !before & !(1 << index), warps);
    match (stay.meeting, arrival(stay, run)) {
        (Meeting::Barrier(block), Some(arrival)) => {
            for warp in warps.warps.iter_mut().filter(|warp| came >> warp.state.index & 1 != 0) {
                let mut group = Group::at_beginning(block, warp.state.alive());
                // A plain barrier of all warps cannot be refused.
                let _ = arrive::arrive(arrival, &mut group, warp, cta, worker, run);
            }
        }
        (Meeting::Seam(block), _) => part(block, came, warps),
        _ => {}
    }
    let fuel = enough.saturating_sub(worker.effort);
    enter::go_on_after(stay, &mut warps.warps[index], cta, worker, run, fuel)
}
