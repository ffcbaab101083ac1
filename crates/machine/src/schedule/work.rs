//! The work of one host thread for a launch: it runs one cluster to its end and takes the next, because an ended cluster
//! needs no memory.
//!
//! When a cluster spins because it waits for another, the worker puts it aside and starts a further one, up to the number
//! that would be resident on the device. Then they take turns. Most launches have clusters of one CTA.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use smallvec::SmallVec;

use crate::context::{Run, Worker};
use crate::explain::finding::{Limit, Stop};
use crate::schedule::cluster::{Cluster, Outcome};
use crate::schedule::kept_rooms::{Room, Rooms};
use crate::statistics::Statistics;

/// Effort after which limits are looked at.
const SLICE: u64 = 1 << 20;
/// Slices after which a CTA that does not spin lets others run, if none has been put aside.
const PATIENCE: u32 = 16;
/// Clusters that take turns at first, if none of them is known to wait for another.
const MIXED: usize = 8;

/// Instructions after which a worker tells the others and the host how far it is.
const TOLD: u64 = 1 << 14;

/// How long a worker sleeps that waits for other grids, before it looks at limits again.
const DOZE: Duration = Duration::from_millis(1);

/// What the workers of a launch agree on.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// The workers that have been started besides the first; each may have begun its share of the CTAs that the device
    /// would hold.
    pub helpers: AtomicUsize,
    /// Instructions that all workers have executed.
    pub instructions: AtomicU64,
    /// Somebody has stopped: the others follow.
    pub stopping: AtomicBool,
    /// Why, and which CTA it was, so that the lowest speaks.
    pub stop: Mutex<Option<(u64, Stop)>>,
}

impl Common {
    /// The launch ends because of what a CTA did.
    fn stop(&self, cta: u64, stop: Stop) {
        let mut first = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(index, _)| cta < *index) {
            *first = Some((cta, stop));
        }
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Why the launch ended before its kernel did, so far.
    pub fn stopped(&self) -> Option<Stop> {
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        stop.as_ref().map(|(_, stop)| stop.clone())
    }

    /// What a launch came to that has ended.
    pub fn outcome(&self, mut statistics: Box<Statistics>, run: &Run<'_>) -> Result<Box<Statistics>, Stop> {
        statistics.time = run.began.elapsed();
        statistics.mma = run.launch.settings.mma.name();
        self.stopped().map_or(Ok(statistics), Err)
    }
}

/// Makes the others stop when a worker panics: they may wait for what it would have done.
struct Alarm<'a>(&'a Common);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stopping.store(true, Ordering::Relaxed);
        }
    }
}

/// The work of one host thread.
pub(super) struct Work {
    pub worker: Worker,
    /// Clusters that have been begun and put aside.
    pub live: VecDeque<Box<Cluster>>,
    /// The cluster that runs, and how many slices it has had in a row.
    pub current: Option<(Box<Cluster>, u32)>,
    /// Room for further ones.
    spare: SmallVec<[Box<Cluster>; 1]>,
    /// Whether another begins before those that were put aside run again: one has spun.
    begin: bool,
    /// How many clusters may take turns, and how many turns have ended since one began or ended. They may wait for one that
    /// has not begun, and not be known to.
    mixed: usize,
    turns: usize,
    /// How many clusters it takes at once, at most: few in the beginning, so that a launch which lasts is known soon.
    at_once: u64,
    told: Told,
}

impl Work {
    /// The worker of this number. It is large, so it is made where it stays.
    #[inline(always)]
    pub fn new(number: u64, run: &Run<'_>, rooms: &Rooms) -> Self {
        let Room { blocks, spare } = rooms.take(run);
        Self {
            worker: Worker::new(number, run.code.entry, run.launch.settings.seed, blocks),
            live: VecDeque::new(),
            current: None,
            spare: spare.into_iter().collect(),
            begin: true,
            mixed: MIXED,
            turns: 0,
            at_once: 1,
            told: Told::default(),
        }
    }

    /// Works until nothing is left to be done, or the launch is to end, or somebody looks on and an instruction has been
    /// executed. Calls for help after each CTA and slice.
    pub fn go_on(&mut self, run: &Run<'_>, common: &Common, help: &mut dyn FnMut()) {
        let _alarm = Alarm(common);
        while !common.stopping.load(Ordering::Relaxed) {
            if self.current.is_none() {
                self.take_next(run, common);
            }
            let Some((cluster, _)) = &mut self.current else { break };
            let slice = slice(&mut self.worker, run, common);
            let outcome = cluster.run(&mut self.worker, run, slice);
            if matches!(outcome, Outcome::Interrupted) {
                return;
            }
            if matches!(outcome, Outcome::Spinning | Outcome::AwaitsGrids) {
                self.worker.release(run);
            }
            help();
            if let Some(limit) = limits(&mut self.told, &self.worker, run, common) {
                common.stop(u64::MAX, Stop::Limit(limit));
            }
            self.came_to(outcome, run, common);
            if self.worker.stepped.is_some() {
                return;
            }
        }
        self.worker.release(run);
    }

    /// Takes the cluster that runs next, if there is one.
    pub fn take_next(&mut self, run: &Run<'_>, common: &Common) {
        self.current = self.next(run, common).map(|cluster| (cluster, 0));
    }

    /// Has a lane's group run first when the work goes on; gives whether it can.
    pub fn choose(&mut self, cta: u64, warp: u32, lane: u32) -> bool {
        let clusters = self.current.iter_mut().map(|(cluster, _)| cluster).chain(&mut self.live);
        for (number, cluster) in clusters.enumerate() {
            let Some(rank) = cluster.ctas.iter().position(|own| own.state.index == cta) else { continue };
            if !cluster.choose(rank, warp, lane) {
                return false;
            }
            // Without one that runs, the first has been put aside.
            let aside = number.checked_sub(usize::from(self.current.is_some()));
            if let Some(chosen) = aside.and_then(|aside| self.live.remove(aside)) {
                let before = self.current.replace((chosen, 0));
                self.live.extend(before.map(|(cluster, _)| cluster));
            }
            return true;
        }
        false
    }

    /// The cluster that runs next: a further one, or one that was put aside.
    fn next(&mut self, run: &Run<'_>, common: &Common) -> Option<Box<Cluster>> {
        let begin = std::mem::take(&mut self.begin) || self.live.is_empty();
        let fresh = if begin { self.claim(run, common) } else { None };
        let Some(index) = fresh else { return self.resume(run) };
        let room = self.spare.pop().or_else(|| Cluster::new(run).map(Box::new));
        let started = room.and_then(|mut room| room.start(index, run, &mut self.worker).then_some(room));
        if started.is_none() {
            common.stop(index, Stop::out_of_memory(run.environment.memory.budget(), run.cluster_bytes()));
        }
        started
    }

    /// Takes one of those that were put aside: the first, or any if the order of memory is to be tried out.
    fn resume(&mut self, run: &Run<'_>) -> Option<Box<Cluster>> {
        match self.live.len() {
            several @ 2.. if mixes(run) => self.live.remove(self.worker.next_random() as usize % several),
            _ => self.live.pop_front(),
        }
    }

    /// Takes the next cluster, if there is one and the worker may have one more than those that it has begun.
    fn claim(&mut self, run: &Run<'_>, common: &Common) -> Option<u64> {
        let workers = || common.helpers.load(Ordering::Relaxed) + 1;
        if !self.live.is_empty() && self.live.len() >= (run.resident as usize).div_ceil(workers()) {
            return None;
        }
        if run.code.keeps {
            // Running clusters may take others from those that are left.
            return run.claims.take();
        }
        let claimed = &mut self.worker.claimed;
        if claimed.is_empty() {
            // Nobody else can begin them. So there are no more than may be begun if each spins, and one by one once some
            // have.
            let may_begin = u64::from(run.resident) / run.launch.settings.threads.max(1) as u64;
            let most = if self.live.is_empty() { self.at_once.min(may_begin) } else { 1 };
            *claimed = run.claims.take_some(workers() as u64, most);
            self.at_once = self.at_once.saturating_mul(2);
        }
        claimed.next()
    }

    /// Does what has to be done with a cluster that has had a slice.
    fn came_to(&mut self, outcome: Outcome, run: &Run<'_>, common: &Common) {
        let Some((cluster, slices)) = &mut self.current else { return };
        match outcome {
            Outcome::Stopped(why) => common.stop(cluster.first_cta(), why),
            Outcome::Ended => {
                self.spare.extend(self.current.take().map(|(cluster, _)| cluster));
                self.begin = self.live.is_empty();
                (self.mixed, self.turns) = (MIXED, 0);
            }
            Outcome::Interrupted => {}
            _ if common.stopping.load(Ordering::Relaxed) => {}
            Outcome::Turn if self.live.is_empty() && *slices < PATIENCE && !mixes(run) => *slices += 1,
            Outcome::Turn | Outcome::Spinning | Outcome::AwaitsGrids => {
                if matches!(outcome, Outcome::AwaitsGrids) {
                    doze(run);
                }
                self.turns += 1;
                if self.turns > self.mixed {
                    (self.mixed, self.turns) = (self.mixed.saturating_mul(2), 0);
                }
                // Those that spin may wait for any other; without need only a few are begun.
                self.begin = !matches!(outcome, Outcome::Turn) || self.live.len() < self.mixed;
                self.live.extend(self.current.take().map(|(cluster, _)| cluster));
            }
        }
    }

    /// Ends the work and says what was done.
    pub fn end(&mut self, run: &Run<'_>, common: &Common, rooms: &Rooms) -> Box<Statistics> {
        self.told.tell(&self.worker, run, common);
        let statistics = count(&mut self.worker, run);
        let blocks = std::mem::take(&mut self.worker.blocks);
        rooms.give(Room { blocks, spare: self.spare.pop() }, run);
        statistics
    }
}

/// Waits a little for the grids before this one.
fn doze(run: &Run<'_>) {
    if let Some(grid) = run.launch.prerequisites.iter().find(|grid| !grid.has_ended()) {
        grid.await_end(DOZE);
    }
}

/// Whether clusters take turns at random: which thread is first shows where memory is weak.
fn mixes(run: &Run<'_>) -> bool {
    run.launch.follower.is_some() && run.launch.settings.seed != 0
}

/// The effort until limits are looked at again: no more than instructions are left.
fn slice(worker: &mut Worker, run: &Run<'_>, common: &Common) -> u64 {
    let slice = if mixes(run) { 64 << (worker.next_random() % 8) } else { SLICE };
    let done = common.instructions.load(Ordering::Relaxed);
    run.launch
        .settings
        .max_instructions
        .map_or(slice, |most| slice.min(most.saturating_sub(done).saturating_add(1)))
}

/// What a worker has told of itself.
#[derive(Default)]
struct Told {
    instructions: u64,
    ctas: u64,
}

impl Told {
    fn tell(&mut self, worker: &Worker, run: &Run<'_>, common: &Common) {
        common.instructions.fetch_add(worker.instructions - self.instructions, Ordering::Relaxed);
        if let Some(tier) = run.tier {
            tier.worked(worker.instructions - self.instructions);
        }
        run.launch.control.ctas_done.fetch_add(worker.statistics.ctas - self.ctas, Ordering::Relaxed);
        *self = Self { instructions: worker.instructions, ctas: worker.statistics.ctas };
    }
}

/// Whether a limit of the user's has been reached.
fn limits(told: &mut Told, worker: &Worker, run: &Run<'_>, common: &Common) -> Option<Limit> {
    let launch = run.launch;
    if worker.instructions - told.instructions >= TOLD || launch.settings.max_instructions.is_some() {
        told.tell(worker, run, common);
    }
    if launch.control.stop.load(Ordering::Relaxed) {
        return Some(Limit::Interrupted);
    }
    // The watchdog's flag says that the time is over; if there is no watchdog, the clock does.
    if let Some(most) = launch.settings.timeout.filter(|most| run.began.elapsed() >= *most) {
        return Some(Limit::Time(most));
    }
    if let Some(most) = launch.settings.max_instructions
        && common.instructions.load(Ordering::Relaxed) > most
    {
        return Some(Limit::Instructions(most));
    }
    // The host has taken back that the launch is to end, but an instruction was left half done.
    worker.halted.then_some(Limit::Interrupted)
}

/// Turns the counts of blocks into those of instructions, and sets them back to zero.
fn count(worker: &mut Worker, run: &Run<'_>) -> Box<Statistics> {
    let mut statistics = Box::new(worker.statistics.clone());
    for (block, count) in run.code.blocks.iter().zip(&mut worker.blocks) {
        let (times, lanes) = std::mem::take(count);
        if times == 0 {
            continue;
        }
        let inside = &run.code.instructions[block.start as usize..block.end as usize];
        let classes = inside.iter().filter_map(|i| i.class).chain(block.class);
        for class in classes {
            statistics.warp_instructions[class as usize] += times;
            statistics.lane_instructions[class as usize] += lanes;
        }
    }
    statistics
}
