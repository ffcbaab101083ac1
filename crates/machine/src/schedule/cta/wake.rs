//! How warps of a CTA that wait go on: what they sleep for has happened, or a barrier is complete.

use super::Cta;
use crate::code::Reduction;
use crate::context::{Code, CtaState, Run, Worker};
use crate::door::follower::Ordering;
use crate::registers::LANES;
use crate::rules;
use crate::schedule::barrier::Reduced;
use crate::schedule::in_step;
use crate::schedule::warp::{Awaited, State};
use crate::settings::Check;
use crate::vector::value::Value;

impl Cta {
    /// Whether something has happened that a sleeping warp may have waited for.
    #[must_use]
    pub fn may_wake(&self, worker: &Worker) -> bool {
        self.state.asleep != 0 && self.seen != worker.cluster.events
    }

    /// Lets those who sleep execute again what they wait at.
    pub(super) fn wake(&mut self, worker: &Worker) {
        self.seen = worker.cluster.events;
        let mut asleep = std::mem::take(&mut self.state.asleep);
        self.awake |= asleep;
        while asleep != 0 {
            let warp = &mut self.warps[asleep.trailing_zeros() as usize];
            asleep &= asleep - 1;
            for group in warp.groups.iter_mut().filter(|g| matches!(g.state, State::Wait(_))) {
                (group.state, group.deferred) = (State::Ready, false);
            }
        }
    }

    /// Ends all waits at mbarriers in vain. Gives whether there were some.
    pub fn expire(&mut self) -> bool {
        let mut some = false;
        let mut asleep = self.state.asleep;
        while asleep != 0 {
            let index = asleep.trailing_zeros();
            asleep &= asleep - 1;
            let warp = &mut self.warps[index as usize];
            for group in &mut warp.groups {
                if matches!(group.state, State::Wait(Awaited::Mbarrier { .. })) {
                    (group.state, group.deferred) = (State::Ready, false);
                    warp.state.expired |= group.mask;
                    self.awake |= 1 << index;
                    some = true;
                }
            }
        }
        some
    }

    /// Has the warps go in step again if they can.
    fn fall_in(&mut self, worker: &Worker, run: &Run<'_>) {
        if run.tier.is_none() || self.state.busy != 0 || self.state.asleep != 0 {
            return;
        }
        let common = in_step::common_block(&self.warps, self.living);
        self.in_step = common.filter(|block| in_step::may_begin(*block, worker, run));
        if self.in_step.is_some() {
            self.warps.iter_mut().for_each(|warp| warp.groups.clear());
        }
    }

    /// Completes barriers that all have reached.
    pub(super) fn settle(&mut self, worker: &Worker, run: &Run<'_>) {
        self.state.unsettled = false;
        let mut busy = self.state.busy;
        while busy != 0 {
            let number = busy.trailing_zeros();
            busy &= busy - 1;
            let barrier = &mut self.state.barriers[number as usize];
            let all = barrier.is_for_all(self.warps.len());
            if let Some(reduced) = barrier.settle(self.living) {
                if !barrier.is_busy() {
                    self.state.busy &= !(1 << number);
                }
                self.order(number, all, worker, run);
                if run.looks_for(Check::Sync) {
                    rules::barrier::completes(number as usize, &self.warps, &mut self.state, run);
                }
                self.release(number, reduced, run.code);
                self.fall_in(worker, run);
            }
        }
    }

    /// Tells the follower of the launch, if it has one, that a barrier is complete and who goes on.
    fn order(&self, barrier: u32, all: bool, worker: &Worker, run: &Run<'_>) {
        let Some(follower) = &run.launch.follower else { return };
        let CtaState { rank, ctaid, .. } = self.state;
        follower.ordered(worker.who(rank, ctaid, 0, 0), worker.source, Ordering::Complete { barrier, all });
        for warp in &self.warps {
            let waits = |state: &State| matches!(state, State::Barrier { number, .. } if *number == barrier);
            let lanes = warp.groups.iter().filter(|g| waits(&g.state)).fold(0, |lanes, g| lanes | g.mask);
            if lanes != 0 {
                let who = worker.who(rank, ctaid, warp.state.index, lanes);
                follower.ordered(who, worker.source, Ordering::Passes { barrier, alive: warp.state.alive() });
            }
        }
    }

    fn release(&mut self, number: u32, reduced: Reduced, code: &Code) {
        for warp in &mut self.warps {
            for index in 0..warp.groups.len() {
                let group = warp.groups[index];
                let result = match group.state {
                    State::Barrier { number: at, result, .. } if at == number => result,
                    _ => continue,
                };
                warp.groups[index].state = State::Ready;
                warp.groups[index].deferred = false;
                self.awake |= 1 << warp.state.index;
                if let Some((to, how)) = result {
                    let mut bank = warp.bank(group.activation, code);
                    match how {
                        Reduction::Popc => u32::write(&mut bank, to, group.mask, &[reduced.popc; LANES]),
                        Reduction::And => bool::write(&mut bank, to, group.mask, &[reduced.and; LANES]),
                        Reduction::Or => bool::write(&mut bank, to, group.mask, &[reduced.or; LANES]),
                    }
                }
            }
        }
    }
}
