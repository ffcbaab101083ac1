//! A launch: host threads take clusters of CTAs in order and run them; all that are resident make progress.
//!
//! A worker runs one cluster to its end and takes the next, because one that has ended needs no memory. Only when a
//! cluster spins, waiting for another, does the worker put it aside and begin a further one, up to the number that
//! the device would have resident; then they take turns. Most launches have clusters of one CTA.
//!
//! The calling thread is the first worker. Others are asked for help only when a launch has lasted a while, because
//! starting a thread takes longer than a small launch.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ptxvm_memory::{AllocationKind, GlobalMemory};

use crate::code::Code;
use crate::context::{Run, Worker};
use crate::explain::finding::{Limit, Stop, Unsupported};
use crate::launch::{Environment, Launch};
use crate::occupancy::Demand;
use crate::schedule::cluster::{Claims, Cluster, Outcome};
use crate::schedule::dependency::Ending;
use crate::schedule::halt::{Deadline, Halt};
use crate::schedule::kept_rooms::{Room, Rooms};
use crate::statistics::Statistics;

/// Effort after which limits are looked at.
const SLICE: u64 = 1 << 20;
/// Slices after which a CTA that does not spin lets others run.
const PATIENCE: u32 = 16;

/// Instructions after which a worker tells the others and the host how far it is.
const TOLD: u64 = 1 << 14;

/// After so long a launch that has CTAs left gets the help of other threads.
const ALONE: Duration = Duration::from_micros(100);

/// How long a worker sleeps that waits for other grids, before it looks at limits again.
const DOZE: Duration = Duration::from_millis(1);

/// The bytes of a cooperative launch's workspace, the first four of which say so.
const WORKSPACE: u32 = 64;

/// Numbers the launches of the process: `%gridid`.
static GRIDS: AtomicU64 = AtomicU64::new(1);

/// What the workers of a launch agree on.
struct Common {
    /// The workers that have been started; each may have begun its share of the CTAs that the device would hold.
    workers: AtomicUsize,
    /// Instructions that all workers have executed.
    instructions: AtomicU64,
    /// Somebody has stopped: the others follow.
    stopping: AtomicBool,
    /// Why, and which CTA it was, so that the lowest speaks.
    stop: Mutex<Option<(u64, Stop)>>,
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

/// Runs a grid to its end.
pub fn run(
    code: &Code,
    rooms: &Rooms,
    launch: &Launch,
    environment: &Environment<'_>,
) -> Result<Statistics, Stop> {
    let _ending = Ending(launch.status.as_deref());
    if code.too_large {
        let what = "a kernel with more registers or constants than two gigabytes hold for a warp".into();
        return Err(Stop::Unsupported(Unsupported { what, span: Default::default() }));
    }
    let began = Instant::now();
    let memory = environment.memory;
    let _lease = memory.lease();
    let parameters = Passing::new(memory, AllocationKind::Param, &launch.parameters)?;
    let workspace = match launch.cooperative {
        true => {
            let mut bytes = [0; WORKSPACE as usize];
            bytes[..4].copy_from_slice(&WORKSPACE.to_le_bytes());
            Some(Passing::new(memory, AllocationKind::Workspace, &bytes)?)
        }
        false => None,
    };
    let threads = launch.block.iter().product::<u32>();
    let shared = code.shared_bytes.saturating_add(launch.shared);
    // Registers are an estimate, which must not make a kernel wait that a device has room for.
    let demand = Demand { threads, registers: 1, shared, carveout: None };
    let resident = match launch.cluster_shape().iter().product::<u32>() {
        1 => environment.profile.ctas_per_multiprocessor(&demand).max(1) * environment.profile.sms,
        size => environment.profile.clusters(&demand, size).max(1),
    };
    let ctas = launch.grid.iter().map(|n| u64::from(*n)).product::<u64>();
    if let Some(status) = &launch.status {
        status.begin(ctas);
    }
    let claims = Arc::new(Claims::new(launch));
    let deadline = Deadline::new(began, launch.settings.timeout);
    let run = Run {
        code,
        launch,
        environment,
        parameters: parameters.address,
        workspace: workspace.as_ref().map_or(0, |workspace| workspace.address),
        gridid: GRIDS.fetch_add(1, Ordering::Relaxed),
        began,
        halt: Halt { host: &launch.control.stop, deadline: deadline.flag() },
        resident,
        claims: &claims,
    };
    let workers =
        launch.settings.threads.clamp(1, usize::try_from(claims.all()).unwrap_or(usize::MAX).max(1));
    let common = Common {
        workers: AtomicUsize::new(1),
        instructions: AtomicU64::new(0),
        stopping: AtomicBool::new(false),
        stop: Mutex::new(None),
    };
    let mut statistics = if workers == 1 {
        work(0, &run, &common, rooms, &mut || {})
    } else {
        together(workers, &run, &common, rooms)
    };
    statistics.time = began.elapsed();
    statistics.mma = launch.settings.mma.name();
    let stop = common.stop.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    match stop {
        Some((_, stop)) => Err(stop),
        None => Ok(statistics),
    }
}

/// Runs a grid on the calling thread and, if it lasts, on others.
fn together(workers: usize, run: &Run<'_>, common: &Common, rooms: &Rooms) -> Statistics {
    std::thread::scope(|scope| {
        let mut handles = Vec::new();
        let mut alone = true;
        let mut help = || {
            if !alone || run.began.elapsed() < ALONE || !run.claims.has_more() {
                return;
            }
            alone = false;
            for number in 1..workers {
                let helper = move || work(number as u64, run, common, rooms, &mut || {});
                // A host that starts no more threads leaves the work to those that there are.
                let Ok(handle) = std::thread::Builder::new().spawn_scoped(scope, helper) else { break };
                common.workers.fetch_add(1, Ordering::Relaxed);
                handles.push(handle);
            }
        };
        let mut statistics = work(0, run, common, rooms, &mut help);
        for handle in handles {
            match handle.join() {
                Ok(counted) => statistics.add(&counted),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        statistics
    })
}

/// Memory that lasts as long as the launch, and is its own: a guest cannot free it.
struct Passing<'a> {
    memory: &'a GlobalMemory,
    address: u64,
}

impl<'a> Passing<'a> {
    fn new(memory: &'a GlobalMemory, kind: AllocationKind, bytes: &[u8]) -> Result<Self, Stop> {
        let address = memory
            .allocate(bytes.len() as u64, 256, kind, None)
            .map_err(|_| out_of_memory(memory, bytes.len()))?;
        let passing = Self { memory, address };
        memory.write(address, bytes).map_err(|_| out_of_memory(memory, bytes.len()))?;
        Ok(passing)
    }
}

impl Drop for Passing<'_> {
    fn drop(&mut self) {
        // It was allocated here, and nobody else knows how to free it.
        let _ = self.memory.free(self.address);
    }
}

/// The budget of the host's memory has no more for a launch that needs about so many bytes.
fn out_of_memory(memory: &GlobalMemory, bytes: usize) -> Stop {
    Stop::Limit(Limit::Memory(memory.budget().refusal(bytes as u64)))
}

/// The life of one worker, which calls for help after each CTA and slice.
fn work(number: u64, run: &Run<'_>, common: &Common, rooms: &Rooms, help: &mut dyn FnMut()) -> Statistics {
    let _alarm = Alarm(common);
    let Room { blocks, spare } = rooms.take(run);
    let mut spare: Vec<Box<Cluster>> = spare.into_iter().collect();
    let mut worker = Worker::new(number, run, blocks);
    let mut live: VecDeque<Box<Cluster>> = VecDeque::new();
    let mut told = Told::default();
    // After a cluster has spun, another begins before it runs again.
    let mut begin = true;
    loop {
        if common.stopping.load(Ordering::Relaxed) {
            break;
        }
        let fresh = if begin || live.is_empty() { claim(live.len(), run, common) } else { None };
        let mut cluster = match fresh {
            Some(index) => {
                let room = spare.pop().or_else(|| Cluster::new(run).map(Box::new));
                let Some(mut cluster) = room else {
                    stop(common, index, out_of_memory(run.environment.memory, run.cluster_bytes()));
                    break;
                };
                if !cluster.start(index, run, &mut worker) {
                    stop(common, index, out_of_memory(run.environment.memory, run.cluster_bytes()));
                    break;
                }
                cluster
            }
            None => match live.pop_front() {
                Some(cluster) => cluster,
                None => break,
            },
        };
        begin = false;
        let mut slices = 0;
        loop {
            let outcome = cluster.run(&mut worker, run, slice(run, common));
            if matches!(outcome, Outcome::Spinning | Outcome::AwaitsGrids) {
                worker.release(run);
            }
            help();
            if let Some(limit) = limits(&mut told, &worker, run, common) {
                stop(common, u64::MAX, Stop::Limit(limit));
            }
            if common.stopping.load(Ordering::Relaxed)
                && !matches!(outcome, Outcome::Ended | Outcome::Stopped(_))
            {
                break;
            }
            match outcome {
                Outcome::Ended => {
                    spare.push(cluster);
                    begin = live.is_empty();
                    break;
                }
                Outcome::Turn if slices < PATIENCE => slices += 1,
                Outcome::Turn | Outcome::Spinning | Outcome::AwaitsGrids => {
                    if matches!(outcome, Outcome::AwaitsGrids) {
                        doze(run);
                    }
                    live.push_back(cluster);
                    begin = true;
                    break;
                }
                Outcome::Stopped(why) => {
                    stop(common, cluster.first_cta(), why);
                    break;
                }
            }
        }
    }
    worker.release(run);
    told.tell(&worker, run, common);
    let statistics = count(&mut worker, run);
    rooms.give(Room { blocks: worker.blocks, spare: spare.pop() }, run);
    statistics
}

/// Waits a little for the grids before this one.
fn doze(run: &Run<'_>) {
    if let Some(grid) = run.launch.prerequisites.iter().find(|grid| !grid.has_ended()) {
        grid.await_end(DOZE);
    }
}

/// The effort until limits are looked at again: no more than instructions are left.
fn slice(run: &Run<'_>, common: &Common) -> u64 {
    let done = common.instructions.load(Ordering::Relaxed);
    run.launch
        .settings
        .max_instructions
        .map_or(SLICE, |most| SLICE.min(most.saturating_sub(done).saturating_add(1)))
}

/// Takes the next cluster, if there is one and the worker may have one more than those that it has begun.
fn claim(live: usize, run: &Run<'_>, common: &Common) -> Option<u64> {
    let share = || (run.resident as usize).div_ceil(common.workers.load(Ordering::Relaxed).max(1));
    if live > 0 && live >= share() {
        return None;
    }
    run.claims.take()
}

fn stop(common: &Common, cta: u64, stop: Stop) {
    let mut first = common.stop.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if first.as_ref().is_none_or(|(index, _)| cta < *index) {
        *first = Some((cta, stop));
    }
    common.stopping.store(true, Ordering::Relaxed);
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
fn count(worker: &mut Worker, run: &Run<'_>) -> Statistics {
    let mut statistics = std::mem::take(&mut worker.statistics);
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
