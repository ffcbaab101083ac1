//! A CTA: its warps take turns until all have ended, all wait, or all spin.

use ptxvm_memory::local::DEFAULT_LIMIT;
use ptxvm_memory::{LocalMemory, SharedMemory};

use crate::asynchronous::queue::Trouble;
use crate::code::Reduction;
use crate::context::Code;
use crate::context::{CtaState, Run, WarpState, Worker};
use crate::explain::finding::Stop;
use crate::explain::mistake::Findings;
use crate::explain::report;
use crate::registers::LANES;
use crate::schedule::barrier::{Barrier, Reduced};
use crate::schedule::cluster::barrier::Arrivals;
use crate::schedule::cluster::shared::OFFSET_BITS;
use crate::schedule::in_step::{self, Came};
use crate::schedule::interpret::{self, Fault, Leave};
use crate::schedule::warp::{Awaited, Group, State, Warp};
use crate::vector::value::Value;

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
    /// Room for a CTA of a launch; `None` if the host has no memory for it.
    pub fn new(run: &Run<'_>) -> Option<Self> {
        let budget = run.environment.memory.budget();
        let threads = run.launch.block.iter().product::<u32>();
        let warps = threads.div_ceil(32) as usize;
        let shared = SharedMemory::new(usize::try_from(run.all_shared_bytes()).ok()?, budget)?;
        let state = CtaState {
            ctaid: [0; 3],
            index: 0,
            smid: 0,
            shared,
            quick_shared: 0,
            barriers: std::array::from_fn(|_| Barrier::default()),
            busy: 0,
            unsettled: false,
            rank: 0,
            cluster_ctaid: [0; 3],
            shared_base: 0,
            released_dependents: false,
            saw_refusal: false,
            asleep: 0,
        };
        let warp = |index: u32| Warp {
            state: WarpState {
                index,
                present: 0,
                exited: 0,
                tid: lanes_of(index, run.launch.block),
                local: LocalMemory::new(DEFAULT_LIMIT, budget),
                stack: [0; LANES],
                quick_local: run.code.observed.is_none(),
                maxnreg: 0,
                awaited: None,
                expired: 0,
                asked: 0,
                arrivals: Arrivals::default(),
                closed: [[0; LANES]; 2],
                wgmma: crate::ops::wgmma::pending::Products::default(),
            },
            activations: Vec::new(),
            groups: Vec::new(),
            interrupted: false,
        };
        let warps: Vec<Warp> = (0..warps as u32).map(warp).collect();
        Some(Self {
            state,
            warps,
            block: run.launch.block,
            awake: 0,
            living: 0,
            turn: 0,
            seen: 0,
            interrupted: None,
            in_step: None,
            begun: false,
            clean: false,
        })
    }

    /// Whether a CTA of an earlier launch of the same code has the shape of this one; it gets this one's shared memory.
    pub fn fits(&mut self, run: &Run<'_>) -> bool {
        let shared = usize::try_from(run.all_shared_bytes());
        self.block == run.launch.block && shared.is_ok_and(|bytes| self.state.shared.resize(bytes))
    }

    /// The memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let registers = |warp: &Warp| warp.activations.iter().map(|a| a.registers.len()).sum::<usize>();
        let warps = self.warps.iter().map(|w| registers(w) + w.state.local.bytes_per_lane() * LANES);
        self.state.shared.bytes() + warps.sum::<usize>()
    }

    /// Makes it a CTA of the cluster.
    pub fn join(&mut self, rank: u32, cluster_ctaid: [u32; 3]) {
        self.state.rank = rank;
        self.state.cluster_ctaid = cluster_ctaid;
        self.state.shared_base = u64::from(rank) << OFFSET_BITS;
    }

    /// Makes it the CTA at this place in the grid, at its beginning. Gives whether the host had memory for its frames.
    pub fn start(&mut self, ctaid: [u32; 3], run: &Run<'_>, worker: &mut Worker) -> bool {
        let [x, y, z] = ctaid.map(u64::from);
        let [width, height, _] = run.launch.grid.map(u64::from);
        let index = x + width * (y + height * z);
        self.state.index = index;
        self.state.ctaid = ctaid;
        self.state.quick_shared = match run.code.observed {
            None => self.state.shared.bytes() as u64,
            Some(_) => 0,
        };
        self.state.smid = (index % u64::from(run.environment.profile.sms)) as u32;
        self.state.shared.reset(0);
        (self.state.unsettled, self.state.asleep, self.seen) = (false, 0, 0);
        self.interrupted = None;
        (self.state.released_dependents, self.state.saw_refusal) = (false, false);
        if self.state.busy != 0 {
            self.state.busy = 0;
            self.state.barriers.fill(Barrier::default());
        }
        let threads = run.launch.block.iter().product::<u32>();
        let Some(Some(entry)) = run.code.functions.get(run.code.entry.0 as usize) else { return true };
        if self.clean {
            // Nothing of the warps has changed but registers.
            self.clean = false;
        } else if self.begun && !run.code.keeps {
            self.warps.iter_mut().for_each(|warp| warp.begin_again(run.code, entry));
        } else {
            for warp in &mut self.warps {
                let first = warp.state.index * 32;
                let count = (threads - first).min(32);
                warp.state.present = u32::MAX >> (32 - count);
                warp.state.maxnreg = 0;
                (warp.state.awaited, warp.state.expired, warp.state.asked) = (None, 0, 0);
                warp.state.arrivals = Arrivals::default();
                warp.state.closed = [[0; LANES]; 2];
                warp.state.local.reset();
                if warp.state.local.grow_to(entry.frame_bytes).is_err()
                    || !warp.start(run.code, entry, run.environment.memory.budget())
                {
                    return false;
                }
            }
            self.begun = true;
        }
        self.in_step = in_step::may_begin(entry.block, worker, run).then_some(entry.block);
        if self.in_step.is_none() {
            let all = |warp: &mut Warp| {
                warp.groups.push(Group::at_beginning(entry.block, warp.state.present));
            };
            self.warps.iter_mut().for_each(all);
        }
        self.living = u32::MAX >> (32 - self.warps.len());
        self.awake = self.living;
        self.turn =
            if run.launch.settings.seed == 0 { 0 } else { worker.next_random() as usize % self.warps.len() };
        true
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
                    turn.spinning = 0;
                }
                Leave::Waiting => {
                    self.awake &= !(1 << index);
                    turn.spinning = 0;
                }
                Leave::Turn => turn.spinning = 0,
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
        if self.may_wake(worker) {
            self.wake(worker);
        }
        let index = self.next(run, worker)?;
        let fuel = if run.launch.settings.seed == 0 { TURN } else { 64 + worker.next_random() % 4096 };
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
            mistakes.note(at.at, kind, || report::finding(ctaid, warp, at, fault, run));
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

    /// Whether something has happened that a sleeping warp may have waited for.
    #[must_use]
    pub fn may_wake(&self, worker: &Worker) -> bool {
        self.state.asleep != 0 && self.seen != worker.cluster.events
    }

    /// Lets those who sleep execute again what they wait at.
    fn wake(&mut self, worker: &Worker) {
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

    /// The warps that have lanes which have not ended.
    #[must_use]
    pub fn living(&self) -> u32 {
        self.living
    }

    /// Runs the warps in step from the beginning of a block.
    #[inline(always)]
    fn run_in_step(&mut self, block: u32, worker: &mut Worker, run: &Run<'_>, enough: u64) -> Came {
        let mut warps = in_step::Warps { warps: &mut self.warps, living: &mut self.living };
        let came = in_step::run(block, &mut warps, &mut self.state, worker, run, enough);
        self.clean = matches!(came, Came::Ended) && in_step::leaves_clean(run);
        self.awake = self.living;
        came
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
    fn settle(&mut self, worker: &Worker, run: &Run<'_>) {
        self.state.unsettled = false;
        let mut busy = self.state.busy;
        while busy != 0 {
            let number = busy.trailing_zeros();
            busy &= busy - 1;
            let barrier = &mut self.state.barriers[number as usize];
            if let Some(reduced) = barrier.settle(self.living) {
                if !barrier.is_busy() {
                    self.state.busy &= !(1 << number);
                }
                self.release(number, reduced, run.code);
                self.fall_in(worker, run);
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

/// `%tid` of the lanes of a warp.
fn lanes_of(warp: u32, block: [u32; 3]) -> [[u32; LANES]; 3] {
    let mut tid = [[0; LANES]; 3];
    for lane in 0..LANES {
        let linear = warp * 32 + lane as u32;
        tid[0][lane] = linear % block[0].max(1);
        tid[1][lane] = linear / block[0].max(1) % block[1].max(1);
        tid[2][lane] = linear / block[0].max(1) / block[1].max(1);
    }
    tid
}
