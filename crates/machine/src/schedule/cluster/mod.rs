//! A cluster: CTAs that run together on one host thread, so that they can use each other's shared memory.
//!
//! In a launch without clusters every CTA is a cluster of its own. When no thread of a cluster can go on, its
//! asynchronous units are asked to complete something. Only when they have nothing left is it a deadlock.

pub mod barrier;
pub mod claims;
mod columns;
mod repetition;
pub mod shared;
pub mod state;
pub mod tensor_memory;
mod warpgroup;

use smallvec::SmallVec;

use crate::asynchronous::queue::{Queue, Trouble};
use crate::context::{Run, Worker};
use crate::door::peer::Peer;
use crate::door::watch::Watch;
use crate::explain::deadlock;
use crate::explain::finding::Stop;
use crate::explain::report;
use crate::rules;
use crate::schedule::cta::{Cta, Progress};
use crate::schedule::succession;
use crate::schedule::warp::{Awaited, State};
use crate::settings::{Asynchrony, Check};

pub use barrier::{Arrivals, ClusterBarrier};
pub use claims::Claims;
use repetition::Repetition;
pub use shared::{OFFSET_BITS, rank_and_offset};
pub use state::ClusterState;
pub use tensor_memory::{Gain, TensorMemories};

/// The least effort of a CTA's turn while others of its cluster wait for theirs.
const LEAST_TURN: u64 = 1 << 12;

/// How far a cluster got.
#[derive(Debug)]
pub enum Outcome {
    /// All its CTAs have ended.
    Ended,
    /// Its turn is over.
    Turn,
    /// Its turn is not over, but an instruction has been executed and somebody looks on.
    Interrupted,
    /// Its threads look for something that only others can do.
    Spinning,
    /// Its threads wait for grids before this one.
    AwaitsGrids,
    /// It cannot go on.
    Stopped(Stop),
}

/// A cluster with its CTAs.
#[derive(Debug)]
pub struct Cluster {
    /// Its CTAs, by rank.
    pub ctas: Vec<Box<Cta>>,
    /// What operations may use, unless the cluster has its turn: then the worker has it.
    state: Box<ClusterState>,
    /// The CTAs that have not ended, as bits by rank.
    living: u32,
    /// The CTA whose turn it is.
    turn: usize,
    /// The waits that have expired in a row, and what had happened before the first.
    repetition: Repetition,
    quiet_since: u64,
    /// The turn that goes on with the next call.
    interrupted: Option<Turn>,
}

/// A turn of a cluster.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// The effort at which it is over.
    enough: u64,
    /// The CTAs that could not go on since something last happened.
    stuck: u32,
    /// Whether some of them look for something outside.
    spinning: bool,
    /// The CTA whose turn it is and has been interrupted.
    rank: Option<usize>,
}

impl Cluster {
    /// Room for a cluster of a launch; `None` if the host has no memory for it.
    pub fn new(run: &Run<'_>) -> Option<Self> {
        let size = run.launch.cluster_shape().iter().product::<u32>();
        let ctas = (0..size).map(|_| Cta::new(run).map(Box::new)).collect::<Option<Vec<_>>>()?;
        let queue = Queue::new(run.environment.memory.budget());
        let state = Box::new(ClusterState { queue, ..ClusterState::default() });
        Some(Self {
            ctas,
            state,
            living: 0,
            turn: 0,
            repetition: Repetition::default(),
            quiet_since: 0,
            interrupted: None,
        })
    }

    /// Whether a cluster of an earlier launch of the same code has the shape of this one.
    pub fn fits(&mut self, run: &Run<'_>) -> bool {
        let size = run.launch.cluster_shape().iter().product::<u32>() as usize;
        self.ctas.len() == size && self.ctas.iter_mut().all(|cta| cta.fits(run))
    }

    /// The memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.ctas.iter().map(|cta| cta.bytes()).sum()
    }

    /// The number of its first CTA in the grid, which orders findings.
    #[must_use]
    pub fn first_cta(&self) -> u64 {
        self.ctas.first().map_or(0, |cta| cta.state.index)
    }

    /// What operations may use, between two of its turns.
    pub(crate) fn state(&self) -> &ClusterState {
        &self.state
    }

    /// Has a lane's group run first when the cluster goes on; gives whether it can.
    pub fn choose(&mut self, rank: usize, warp: u32, lane: u32) -> bool {
        let chosen = self.ctas[rank].choose(warp, lane);
        if chosen {
            // A turn of no effort is over with the block.
            let fresh = Turn { enough: 0, stuck: 0, spinning: false, rank: None };
            self.interrupted.get_or_insert(fresh).rank = Some(rank);
        }
        chosen
    }

    /// Makes it the cluster of this number, at its beginning. Gives whether the host had memory for its frames.
    pub fn start(&mut self, index: u64, run: &Run<'_>, worker: &mut Worker) -> bool {
        let shape = run.launch.cluster_shape();
        let clusterid = claims::clusterid(index, run.launch.grid, shape);
        let threads = run.launch.block.iter().product::<u32>() * self.ctas.len() as u32;
        self.state.start(index, clusterid, threads, run.launch.settings.seed);
        self.state.tensor_memory.start(self.ctas.len());
        self.state.log.start(run.environment.on_event.is_some());
        (self.turn, self.interrupted) = (0, None);
        self.state.watch = Watch::of(run);
        self.turn = 0;
        self.repetition.restart();
        self.living = u32::MAX >> (u32::BITS - self.ctas.len() as u32);
        let size = self.ctas.len() as u32;
        for (rank, cta) in self.ctas.iter_mut().enumerate() {
            let rank = rank as u32;
            let within = match size {
                1 => [0; 3],
                _ => [rank % shape[0], rank / shape[0] % shape[1], rank / shape[0] / shape[1]],
            };
            let ctaid = std::array::from_fn(|d| clusterid[d] * shape[d] + within[d]);
            if !cta.start(ctaid, run, worker) {
                return false;
            }
            cta.join(rank, within);
            cta.succeeds = succession::may_happen(run);
            if size > 1 {
                cta.state.smid = run.environment.profile.multiprocessor(index, size, rank);
            }
            self.state.shared.push(Peer::new(rank, &cta.state.shared));
        }
        true
    }

    /// Runs the CTAs in turn, for about `fuel` of effort, or goes on with a turn that was interrupted.
    pub fn run(&mut self, worker: &mut Worker, run: &Run<'_>, fuel: u64) -> Outcome {
        std::mem::swap(&mut self.state, &mut worker.cluster);
        let mut turn = self.interrupted.take().unwrap_or_else(|| {
            look_for_grids(worker, run);
            Turn { enough: worker.effort.saturating_add(fuel), stuck: 0, spinning: false, rank: None }
        });
        let outcome = self.run_within(&mut turn, worker, run);
        if matches!(outcome, Outcome::Interrupted) {
            self.interrupted = Some(turn);
        }
        worker.tell(run);
        std::mem::swap(&mut self.state, &mut worker.cluster);
        outcome
    }

    fn run_within(&mut self, turn: &mut Turn, worker: &mut Worker, run: &Run<'_>) -> Outcome {
        loop {
            let (rank, share) = match turn.rank.take() {
                // Its own turn says how long it lasts.
                Some(rank) => (rank, 0),
                None => {
                    let rank = self.next(turn.stuck, worker, run);
                    (rank, self.share(turn.enough.saturating_sub(worker.effort), worker, run))
                }
            };
            match self.ctas[rank].run(worker, run, share) {
                Progress::Ended
                    if self.ctas[rank].succeeds && self.ctas[rank].succeed(worker, run, turn.enough) =>
                {
                    self.repetition.restart();
                    turn.something_happened();
                }
                Progress::Ended => {
                    if let Some(outcome) = self.ended(rank, worker, run) {
                        return outcome;
                    }
                    turn.something_happened();
                }
                Progress::Turn => turn.something_happened(),
                Progress::Interrupted => {
                    turn.rank = Some(rank);
                    return Outcome::Interrupted;
                }
                Progress::Spinning => (turn.stuck, turn.spinning) = (turn.stuck | 1 << rank, true),
                Progress::Waiting => turn.stuck |= 1 << rank,
                Progress::Trouble(trouble) => return self.trouble(*trouble, run),
                Progress::Stopped(stop) => return Outcome::Stopped(stop),
            }
            self.turn = rank + 1;
            if let Some(outcome) = self.between_turns(turn, worker, run) {
                return outcome;
            }
            if worker.effort >= turn.enough {
                return Outcome::Turn;
            }
            if worker.stepped.is_some() {
                return Outcome::Interrupted;
            }
        }
    }

    /// What the units of the cluster do between the turns of two CTAs. Gives what the cluster came to by that, if
    /// anything.
    fn between_turns(&mut self, turn: &mut Turn, worker: &mut Worker, run: &Run<'_>) -> Option<Outcome> {
        worker.tell(run);
        if run.launch.settings.asynchrony == Asynchrony::Seeded
            && let Err(trouble) = worker.cluster.tick(run.halt)
        {
            return Some(self.trouble(*trouble, run));
        }
        worker.effort += worker.cluster.take_spent();
        if run.halt.is_set() {
            return Some(Outcome::Turn);
        }
        if self.ctas.iter().any(|cta| cta.may_wake(worker)) {
            turn.something_happened();
        }
        if self.living & !turn.stuck == 0 {
            if let Some(outcome) = self.stands_still(turn.spinning, worker, run) {
                return Some(outcome);
            }
            turn.something_happened();
        }
        None
    }

    /// No CTA can go on: an asynchronous operation is completed, or waits end in vain. Gives what the cluster came to if
    /// that does not help.
    fn stands_still(&mut self, spinning: bool, worker: &mut Worker, run: &Run<'_>) -> Option<Outcome> {
        let awaited = match run.launch.settings.asynchrony {
            Asynchrony::Lazy => self.awaited(),
            Asynchrony::Eager | Asynchrony::Seeded => SmallVec::new(),
        };
        match worker.cluster.complete_one(&awaited, run.halt) {
            Err(trouble) => Some(self.trouble(*trouble, run)),
            Ok(true) => None,
            Ok(false) => {
                let expired = self.expire(worker, spinning);
                match spinning {
                    true => Some(Outcome::Spinning),
                    false => (!expired).then(|| self.waits_in_vain(worker, run)),
                }
            }
        }
    }

    /// The mbarrier objects that threads wait at.
    fn awaited(&self) -> SmallVec<[u32; 4]> {
        let warps = self.ctas.iter().flat_map(|cta| &cta.warps);
        let states = warps.flat_map(|warp| &warp.groups).map(|group| group.state);
        let address = |state: State| match state {
            State::Wait(Awaited::Mbarrier { address, .. }) => Some(address),
            _ => None,
        };
        states.filter_map(address).collect()
    }

    /// The CTA that runs next: one that lives and is not known to be stuck, of which there is one.
    fn next(&self, stuck: u32, worker: &mut Worker, run: &Run<'_>) -> usize {
        let ready = self.living & !stuck;
        if self.ctas.len() == 1 || ready == 0 {
            return 0;
        }
        let first = match run.launch.settings.seed {
            0 => self.turn as u32,
            _ => worker.next_random() as u32 % self.ctas.len() as u32,
        };
        let later = ready & u32::MAX.checked_shl(first).unwrap_or(0);
        let from = if later != 0 { later } else { ready };
        from.trailing_zeros() as usize
    }

    /// The effort of a CTA's turn. One that is not alone gets a part of what is left, so that the others can answer it.
    fn share(&self, left: u64, worker: &mut Worker, run: &Run<'_>) -> u64 {
        let living = u64::from(self.living.count_ones());
        if living <= 1 {
            return left;
        }
        let share = match run.launch.settings.seed {
            0 => (left / living).max(LEAST_TURN),
            _ => 1 + worker.next_random() % (2 * LEAST_TURN),
        };
        share.min(left)
    }

    /// A CTA has ended: nobody may touch its shared memory any more. Gives what the cluster came to by that, if
    /// anything.
    fn ended(&mut self, rank: usize, worker: &mut Worker, run: &Run<'_>) -> Option<Outcome> {
        if run.code.keeps
            && let Some(trouble) = warpgroup::disagreement(&self.ctas[rank].warps, rank as u32)
        {
            return Some(self.trouble(trouble, run));
        }
        if let Err(trouble) = worker.cluster.leave(rank as u32, run.halt) {
            return Some(self.trouble(*trouble, run));
        }
        if run.looks_for(Check::Sync) {
            rules::barrier::ended(&mut self.ctas[rank].state, run);
            rules::warpgroup::ended(&self.ctas[rank].warps, run);
        }
        if run.looks_for(Check::Async) {
            rules::bytes::left(worker, rank as u32, run);
        }
        if let Some(follower) = &run.launch.follower {
            follower.cta_ended(worker.cluster.index, rank as u32);
        }
        let cta = &mut self.ctas[rank].state;
        cta.asleep = 0;
        cta.release_dependents(run.launch.status.as_deref());
        worker.statistics.ctas += 1;
        self.living &= !(1 << rank);
        if self.living == 0 {
            worker.hold_back(run);
            if let Some(follower) = &run.launch.follower {
                follower.cluster_ended(worker.cluster.index);
            }
            // The room outlives the launch, and those who watch it must not.
            worker.cluster.watch = None;
        }
        (self.living == 0).then_some(Outcome::Ended)
    }

    /// No thread can go on, and nothing is under way: some wait for other grids, or for ever.
    fn waits_in_vain(&mut self, worker: &Worker, run: &Run<'_>) -> Outcome {
        if worker.cluster.awaits_grids {
            return Outcome::AwaitsGrids;
        }
        Outcome::Stopped(Stop::Finding(Box::new(deadlock::finding(&self.ctas, &worker.cluster, run))))
    }

    fn trouble(&self, trouble: Trouble, run: &Run<'_>) -> Outcome {
        let cta = &self.ctas[trouble.issuer.rank as usize];
        let warp = &cta.warps[trouble.issuer.warp as usize];
        Outcome::Stopped(report::trouble(cta.state.ctaid, warp, trouble, run))
    }

    /// Lets all waits at mbarriers end in vain. Gives whether there were some, and whether that can make a difference;
    /// while others of the cluster look for something outside, it can.
    fn expire(&mut self, worker: &Worker, spinning: bool) -> bool {
        let events = worker.cluster.events;
        if self.quiet_since != events {
            self.quiet_since = events;
            self.repetition.restart();
        }
        // Those whom nothing can help stay where they are, so that the report finds them there.
        if !spinning && !self.repetition.may_end(&self.ctas) {
            return false;
        }
        let mut some = false;
        for cta in &mut self.ctas {
            some |= cta.expire();
        }
        some
    }
}

impl Turn {
    /// Those who could not go on may be able to now.
    fn something_happened(&mut self) {
        (self.stuck, self.spinning) = (0, false);
    }
}

/// Wakes those who wait for the grids before this one, if these have ended.
fn look_for_grids(worker: &mut Worker, run: &Run<'_>) {
    let cluster = &mut *worker.cluster;
    if cluster.awaits_grids && run.launch.prerequisites.iter().all(|grid| grid.has_ended()) {
        cluster.awaits_grids = false;
        cluster.events += 1;
    }
}
