//! A cluster: CTAs that run together on one host thread, so that they can use each other's shared memory.
//!
//! A launch that does not speak of clusters has clusters of one CTA. When no thread of a cluster can go on, its
//! asynchronous units are asked to complete something; only when they have nothing left is that a deadlock.

mod state;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::context::{Run, Worker};
use crate::cta::{Cta, Progress};
use crate::launch::Asynchrony;
use crate::report;

pub use state::{ClusterState, OFFSET_BITS, Peer, rank_and_offset};

/// How often in a row waits at mbarriers may expire without anything having happened in the cluster. A program that
/// counts its attempts in order to give up has given up by then, or means to wait for ever.
const EXPIRIES: u32 = 256;

/// The clusters of a grid that nobody has begun: a number that workers fight for, on a cache line of its own so that
/// they fight for nothing else.
#[derive(Debug)]
#[repr(align(128))]
pub struct Claims {
    next: AtomicU64,
    clusters: u64,
}

impl Claims {
    /// All clusters of a grid.
    #[must_use]
    pub fn new(clusters: u64) -> Self {
        Self { next: AtomicU64::new(0), clusters }
    }

    /// Whether there are some left.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.clusters
    }

    /// Takes the next one.
    pub fn take(&self) -> Option<u64> {
        if !self.has_more() {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.clusters).then_some(index)
    }
}

/// A cluster with its CTAs.
#[derive(Debug)]
pub struct Cluster {
    /// Its CTAs, by rank.
    pub ctas: Vec<Box<Cta>>,
    /// What operations may use, unless the cluster has its turn: then the worker has it.
    state: Box<ClusterState>,
    /// The CTAs that have not ended.
    living: u32,
    /// The CTA whose turn it is.
    turn: usize,
    /// How often waits have expired in a row, and what had happened before the first.
    expiries: u32,
    quiet_since: u64,
}

impl Cluster {
    /// Room for a cluster of a launch; `None` if the host has no memory for it.
    pub fn new(run: &Run<'_>) -> Option<Self> {
        let size = run.launch.cluster_shape().iter().product::<u32>();
        let ctas = (0..size).map(|_| Cta::new(run).map(Box::new)).collect::<Option<Vec<_>>>()?;
        Some(Self { ctas, state: Box::default(), living: 0, turn: 0, expiries: 0, quiet_since: 0 })
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

    /// Makes it the cluster of this number, at its beginning. Gives whether the host had memory for its frames.
    pub fn start(&mut self, index: u64, run: &Run<'_>, worker: &mut Worker) -> bool {
        let shape = run.launch.cluster_shape();
        let grid: [u64; 3] = std::array::from_fn(|d| u64::from(run.launch.grid[d] / shape[d].max(1)));
        let clusterid = [index % grid[0], index / grid[0] % grid[1], index / grid[0] / grid[1]];
        let clusterid = clusterid.map(|at| at as u32);
        self.state.start(index, clusterid, run.launch.seed);
        (self.turn, self.expiries) = (0, 0);
        self.living = self.ctas.len() as u32;
        for (rank, cta) in self.ctas.iter_mut().enumerate() {
            let rank = rank as u32;
            let within = [rank % shape[0], rank / shape[0] % shape[1], rank / shape[0] / shape[1]];
            let ctaid = std::array::from_fn(|d| clusterid[d] * shape[d] + within[d]);
            if !cta.start(ctaid, run, worker) {
                return false;
            }
            cta.join(rank, within);
            let host = cta.state.shared.pointer().expose_provenance() as u64;
            let bytes = cta.state.shared.bytes() as u64;
            self.state.shared.push(Peer { host, bytes, ended: false });
        }
        true
    }

    /// Runs the CTAs in turn, for about `fuel` of effort.
    pub fn run(&mut self, worker: &mut Worker, run: &Run<'_>, fuel: u64) -> Progress {
        std::mem::swap(&mut self.state, &mut worker.cluster);
        let progress = self.run_within(worker, run, fuel);
        std::mem::swap(&mut self.state, &mut worker.cluster);
        progress
    }

    fn run_within(&mut self, worker: &mut Worker, run: &Run<'_>, fuel: u64) -> Progress {
        let enough = worker.effort.saturating_add(fuel);
        // CTAs in a row that could not go on, and whether some of them look for something outside.
        let mut stuck = 0;
        let mut spinning = false;
        loop {
            let rank = self.turn;
            let left = enough.saturating_sub(worker.effort);
            // A CTA that is not alone gets a part of the turn, so that the others can answer it.
            let share =
                if self.living > 1 { (left / u64::from(self.living)).max(1 << 12).min(left) } else { left };
            if !worker.cluster.shared[rank].ended {
                match self.ctas[rank].run(worker, run, share) {
                    Progress::Ended => {
                        if let Some(progress) = self.ended(rank, worker, run) {
                            return progress;
                        }
                        (stuck, spinning) = (0, false);
                    }
                    Progress::Turn => (stuck, spinning) = (0, false),
                    Progress::Spinning => (stuck, spinning) = (stuck + 1, true),
                    Progress::Waiting => stuck += 1,
                    Progress::Trouble => {
                        let trouble = worker.trouble.take();
                        return trouble
                            .map_or(Progress::Waiting, |t| report::trouble(&mut self.ctas, *t, run));
                    }
                    progress => return progress,
                }
            }
            self.turn = (rank + 1) % self.ctas.len();
            if run.launch.asynchrony == Asynchrony::Seeded
                && let Err(trouble) = worker.cluster.tick()
            {
                return report::trouble(&mut self.ctas, *trouble, run);
            }
            if self.ctas.iter().any(|cta| cta.may_wake(worker)) {
                (stuck, spinning) = (0, false);
            }
            if stuck >= self.living {
                match worker.cluster.complete_one() {
                    Err(trouble) => return report::trouble(&mut self.ctas, *trouble, run),
                    Ok(true) => (stuck, spinning) = (0, false),
                    Ok(false) => {
                        let expired = self.expire(worker);
                        if spinning {
                            return Progress::Spinning;
                        }
                        if !expired {
                            return Progress::Finding(Box::new(report::deadlock(&mut self.ctas, run)));
                        }
                        stuck = 0;
                    }
                }
            }
            if worker.effort >= enough {
                return Progress::Turn;
            }
        }
    }

    /// A CTA has ended: nobody may touch its shared memory any more. Gives what the cluster came to by that, if
    /// anything.
    fn ended(&mut self, rank: usize, worker: &mut Worker, run: &Run<'_>) -> Option<Progress> {
        if let Err(trouble) = worker.cluster.leave(rank as u32) {
            return Some(report::trouble(&mut self.ctas, *trouble, run));
        }
        worker.statistics.ctas += 1;
        self.living -= 1;
        (self.living == 0).then_some(Progress::Ended)
    }

    /// Lets all waits at mbarriers end in vain. Gives whether there were some that may, and have not been for too
    /// long.
    fn expire(&mut self, worker: &Worker) -> bool {
        let events = worker.cluster.events;
        if self.quiet_since != events {
            (self.quiet_since, self.expiries) = (events, 0);
        }
        self.expiries += 1;
        let mut some = false;
        for cta in &mut self.ctas {
            some |= cta.expire();
        }
        some && self.expiries <= EXPIRIES
    }
}
