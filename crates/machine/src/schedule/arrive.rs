//! What lanes do at `bar` and `barrier`: they are counted, and wait unless they only arrive.

use crate::code::Arrival;
use crate::context::{CtaState, Fault, Run, Worker};
use crate::door::follower::Ordering;
use crate::explain::finding::Kind;
use crate::registers::lanes_in;
use crate::rules;
use crate::rules::rounds::Coming;
use crate::schedule::after::After;
use crate::schedule::step::guarded;
use crate::schedule::warp::{Group, State, Warp};
use crate::settings::Check;

/// Ends a block with a barrier.
pub(crate) fn arrive(
    arrival: &Arrival,
    group: &mut Group,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
) -> After {
    let bank = warp.bank(group.activation, run.code);
    let mut here = group.mask & guarded(&bank, arrival.guard);
    if here == 0 {
        group.go(arrival.next);
        return After::Go;
    }
    let first = here.trailing_zeros() as usize;
    let number = bank.lane(arrival.barrier, first);
    let other = |lane: &usize| bank.lane(arrival.barrier, *lane) != number;
    let others = match arrival.barrier.is_constant() {
        true => 0,
        false => lanes_in(here).filter(other).fold(0, |mask, lane| mask | 1 << lane),
    };
    let count = arrival.count.map(|slot| bank.lane(slot, first) as u32);
    let plain = number < cta.barriers.len() as u64 && count.is_none() && arrival.reduction.is_none();
    if !plain && let Some(message) = complaint(number, count, arrival, cta) {
        worker.fault = Some(Fault::new(Kind::Misuse, first, message, Vec::new()));
        return After::Fault;
    }
    let reduction = arrival.reduction.map(|(_, predicate, how)| (bank.mask(predicate), how));
    // Lanes that name another barrier come again, and those whom the guard holds back go on.
    warp.add(Group { mask: others, ..*group });
    here &= !others;
    warp.add(group.of(arrival.next, group.mask & !here & !others));

    if run.looks_for(Check::Sync) {
        let coming = Coming {
            warp: warp.state.index,
            lanes: here,
            alive: warp.state.alive(),
            block: group.block,
            call: warp.call_by_entry(group.activation),
            source: run.code.blocks[group.block as usize].source,
            aligned: arrival.aligned,
            waits: arrival.wait,
            reduces: arrival.reduction.is_some(),
            count: count.filter(|count| *count != 0),
        };
        rules::barrier::comes(coming, number as usize, &warp.state.tid, cta, run);
    }
    let index = warp.state.index as usize;
    let barrier = &mut cta.barriers[number as usize];
    // A wait for no threads is one for all.
    barrier.arrive(index, here, count.filter(|count| *count != 0), reduction);
    barrier.gather(index, warp.state.alive());
    cta.busy |= 1 << number;
    cta.unsettled = true;
    if let Some(follower) = &run.launch.follower {
        let who = worker.who(cta.rank, cta.ctaid, warp.state.index, here);
        let source = run.code.blocks[group.block as usize].source;
        follower.ordered(who, source, Ordering::Arrives { barrier: number as u32, waits: arrival.wait });
    }
    let at = group.block;
    *group = group.of(arrival.next, here);
    if !arrival.wait {
        return After::Go;
    }
    let result = arrival.reduction.map(|(to, _, how)| (to, how));
    group.state = State::Barrier { number: number as u32, at, result };
    warp.groups.push(*group);
    After::Switch
}

/// What is wrong with a barrier's operands.
fn complaint(number: u64, count: Option<u32>, arrival: &Arrival, cta: &CtaState) -> Option<String> {
    let Some(barrier) = usize::try_from(number).ok().and_then(|number| cta.barriers.get(number)) else {
        return Some(format!("barrier {number}: a CTA has barriers 0 to 15"));
    };
    if let (Some((.., how)), Some(before)) = (arrival.reduction, barrier.reduction())
        && how != before
    {
        return Some(format!(
            "a reduction by .{} at barrier {number}, where others wait for one by .{}",
            how.name(),
            before.name()
        ));
    }
    let count = count?;
    if count % 32 != 0 {
        return Some(format!("{count} threads at a barrier: the count must be a multiple of 32"));
    }
    if count == 0 && !arrival.wait {
        return Some(format!(
            "an arrival at barrier {number} with a count of 0: it needs the number of threads"
        ));
    }
    let before = barrier.expected_threads().filter(|before| count != 0 && *before != count)?;
    Some(format!("barrier {number} of {count} threads, where others wait for {before}"))
}
