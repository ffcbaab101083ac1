//! A CTA: its warps take turns until all have ended, all wait, or all spin.

mod begin;
mod products;
mod wake;

use crate::asynchronous::queue::Trouble;
use crate::context::{CtaState, Run, Worker};
use crate::explain::finding::Stop;
use crate::explain::mistake::Findings;
use crate::explain::report;
use crate::registers::LANES;
use crate::schedule::in_step::{self, Came};
use crate::schedule::interpret::{self, Fault, Leave};
use crate::schedule::warp::{State, Warp};

/// A CTA with its warps.
#[derive(Debug)]
pub struct Cta {
    /// What operations may use.
    pub state: CtaState,
    /// Its warps.
    pub warps: Vec<Warp>,
    /// Its threads in each dimension.
    block: [u32; 3],
    /// The warps that can run.
    awake: u32,
    /// The warps that have lanes which have not ended.
    living: u32,
    /// The warp whose turn it is.
    turn: usize,
    /// What had happened in the cluster when its sleeping warps last looked.
    seen: u64,
    /// The turn that goes on with the next call.
    interrupted: Option<Turn>,
    /// The block at whose beginning all warps stand, in step: then they have no groups.
    in_step: Option<u32>,
    /// Whether its warps have begun before, in this launch or an earlier one.
    begun: bool,
    /// Whether they stand as they did before they ran: they ran in step to their end, and the code keeps nothing.
    clean: bool,
    /// Whether it may become the next CTA when it has ended.
    pub succeeds: bool,
}

/// A turn of a CTA.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// The effort at which it is over.
    enough: u64,
    /// How many warps in a row were found to wait in a loop.
    spinning: u32,
    /// The warp whose turn it is, and the effort at which that is over.
    warp: Option<(usize, u64)>,
}

/// How far a CTA got.
pub enum Progress {
    /// All threads have ended.
    Ended,
    /// Its threads wait for somebody outside.
    Spinning,
    /// Its threads wait for something in their cluster.
    Waiting,
    /// Its turn is over.
    Turn,
    /// Its turn is not over, but an instruction has been executed and somebody looks on.
    Interrupted,
    /// An asynchronous operation went wrong when it completed.
    Trouble(Box<Trouble>),
    /// It cannot go on.
    Stopped(Stop),
}

/// The instructions of a warp's turn, before the others come.
const TURN: u64 = 1 << 15;

impl Cta {
    /// The memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let registers = |warp: &Warp| warp.activations.iter().map(|a| a.registers.len()).sum::<usize>();
        let warps = self.warps.iter().map(|w| registers(w) + w.state.local.bytes_per_lane() * LANES);
        self.state.shared.bytes() + warps.sum::<usize>()
    }

    /// Runs the warps in turn, for about `fuel` of effort, or goes on with a turn that was interrupted.
    pub fn run(&mut self, worker: &mut Worker, run: &Run<'_>, fuel: u64) -> Progress {
        let fresh = || Turn { enough: worker.effort.saturating_add(fuel), spinning: 0, warp: None };
        let mut turn = self.interrupted.take().unwrap_or_else(fresh);
        loop {
            let parted = match self.in_step.take() {
                Some(block) => match self.run_in_step(block, worker, run, turn.enough) {
                    Came::Ended => return Progress::Ended,
                    Came::To(block) => {
                        self.in_step = Some(block);
                        return Progress::Turn;
                    }
                    Came::Spinning(block) => {
                        self.in_step = Some(block);
                        return Progress::Spinning;
                    }
                    Came::Parted(first) => first.map(|(index, leave)| (index, turn.enough, leave)),
                },
                None => None,
            };
            let (index, enough, leave) = match parted {
                Some(parted) => parted,
                None => {
                    let Some((index, enough)) =
                        turn.warp.take().or_else(|| self.give_turn(&turn, worker, run))
                    else {
                        // Those who sleep are the cluster's to wake.
                        let ended = self.warps.iter().all(|w| w.groups.is_empty());
                        return if ended { Progress::Ended } else { Progress::Waiting };
                    };
                    let fuel = enough.saturating_sub(worker.effort);
                    let leave = interpret::run(&mut self.warps[index], &mut self.state, worker, run, fuel);
                    (index, enough, leave)
                }
            };
            match leave {
                Leave::Interrupted => {
                    turn.warp = Some((index, enough));
                    return self.interrupt(turn);
                }
                Leave::Ended => {
                    self.awake &= !(1 << index);
                    self.living &= !(1 << index);
                    self.left_warpgroup(index, worker);
                    turn.spinning = 0;
                }
                Leave::Waiting => {
                    self.awake &= !(1 << index);
                    turn.spinning = 0;
                }
                Leave::Turn => turn.spinning = 0,
                // It may be spinning all the same.
                Leave::GivesWay => {}
                Leave::Spinning => turn.spinning += 1,
                // Nothing is wrong with what the end of the launch has interrupted.
                Leave::Fault(_) if worker.halted => return Progress::Turn,
                Leave::Fault(at) if self.survives(index, at, worker, run) => continue,
                Leave::Fault(at) => return self.stopped(index, at, worker, run),
            }
            self.turn = index + 1;
            if self.state.unsettled {
                self.settle(worker, run);
            }
            if self.may_wake(worker) {
                turn.spinning = 0;
            }
            if turn.spinning > 0 && turn.spinning >= self.awake.count_ones() {
                return Progress::Spinning;
            }
            if worker.effort >= turn.enough || run.halt.is_set() {
                return Progress::Turn;
            }
            if worker.stepped.is_some() {
                return self.interrupt(turn);
            }
        }
    }

    /// Has a lane's group run first when the CTA goes on; gives whether it can.
    pub fn choose(&mut self, warp: u32, lane: u32) -> bool {
        let chosen = self.warps.get_mut(warp as usize).is_some_and(|warp| warp.choose(lane));
        if chosen {
            let fresh = Turn { enough: 0, spinning: 0, warp: None };
            let turn = self.interrupted.get_or_insert(fresh);
            turn.warp = Some((warp as usize, turn.enough));
        }
        chosen
    }

    /// Stops where it is; the next call goes on from there.
    #[cold]
    fn interrupt(&mut self, turn: Turn) -> Progress {
        self.interrupted = Some(turn);
        Progress::Interrupted
    }

    /// Chooses the next warp and the effort at which its turn is over; `None` if none can run.
    fn give_turn(&mut self, turn: &Turn, worker: &mut Worker, run: &Run<'_>) -> Option<(usize, u64)> {
        self.complete_products(worker, run);
        if self.may_wake(worker) {
            self.wake(worker);
        }
        let index = self.next(run, worker)?;
        let fuel = match run.launch.settings.seed {
            0 => TURN,
            seed => 64 + worker.next_random() % (4096 << (seed >> 32).min(20)),
        };
        Some((index, worker.effort.saturating_add(fuel).min(turn.enough)))
    }

    /// Why a warp that met a fault cannot go on.
    #[cold]
    fn stopped(&mut self, warp: usize, at: Fault, worker: &mut Worker, run: &Run<'_>) -> Progress {
        match (worker.trouble.take(), worker.limit.take()) {
            (Some(trouble), _) => Progress::Trouble(trouble),
            (None, Some(limit)) => Progress::Stopped(Stop::Limit(limit)),
            (None, None) => {
                Progress::Stopped(report::fault(self.state.ctaid, &mut self.warps[warp], at, worker, run))
            }
        }
    }

    /// Whether a warp goes on after a fault: an H200 does, and the launch is to do as it. The finding is noted.
    fn survives(&mut self, warp: usize, at: Fault, worker: &mut Worker, run: &Run<'_>) -> bool {
        let findings = run.launch.settings.findings;
        if findings == Findings::Stop || worker.trouble.is_some() || worker.limit.is_some() {
            return false;
        }
        let Some(fault) = worker.fault.take_if(|fault| fault.survived) else { return false };
        let kind = fault.kind;
        if let (Findings::Report, Some(mistakes)) = (findings, &run.launch.mistakes) {
            let (ctaid, warp) = (self.state.ctaid, &mut self.warps[warp]);
            mistakes.note(interpret::place(run.code, at.at), kind, || {
                report::finding(ctaid, warp, at, fault, run)
            });
        }
        let Some(group) = self.warps[warp].groups.last_mut() else { return false };
        group.state = State::Again(kind);
        true
    }

    /// The next warp that can run.
    fn next(&mut self, run: &Run<'_>, worker: &mut Worker) -> Option<usize> {
        if self.awake == 0 {
            return None;
        }
        let start = if run.launch.settings.seed == 0 {
            self.turn
        } else {
            worker.next_random() as usize % self.warps.len()
        };
        // The first from there on, or else the first of all.
        let later = self.awake & u32::MAX.checked_shl(start as u32).unwrap_or(0);
        let from = if later != 0 { later } else { self.awake };
        Some(from.trailing_zeros() as usize)
    }

    /// The warps that have lanes which have not ended.
    #[must_use]
    pub fn living(&self) -> u32 {
        self.living
    }

    /// Runs the warps in step from the beginning of a block.
    #[inline(always)]
    fn run_in_step(&mut self, block: u32, worker: &mut Worker, run: &Run<'_>, enough: u64) -> Came {
        let Self { warps, living, succeeds, .. } = self;
        let mut warps = in_step::Warps { warps, living, succeeds: *succeeds };
        let came = in_step::run(block, &mut warps, &mut self.state, worker, run, enough);
        self.clean = matches!(came, Came::Ended) && in_step::leaves_clean(run);
        self.awake = self.living;
        came
    }
}
