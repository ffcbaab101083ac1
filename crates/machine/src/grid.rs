//! A launch: host threads take CTAs in order and run them; all that are resident make progress.
//!
//! A worker runs one CTA to its end and takes the next, because a CTA that has ended needs no memory. Only when a
//! CTA spins, waiting for another, does the worker put it aside and begin a further one, up to the number that the
//! device would have resident; then they take turns.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use ptxvm_memory::AllocationKind;

use crate::code::Code;
use crate::context::{Run, Worker};
use crate::cta::{Cta, Progress};
use crate::finding::{Limit, Stop, Unsupported};
use crate::launch::{Environment, Launch};
use crate::statistics::Statistics;

/// Effort after which limits are looked at.
const SLICE: u64 = 1 << 20;
/// Slices after which a CTA that does not spin lets others run.
const PATIENCE: u32 = 16;

/// Instructions after which a worker tells the others and the host how far it is.
const TOLD: u64 = 1 << 14;

/// Numbers the launches of the process: `%gridid`.
static GRIDS: AtomicU64 = AtomicU64::new(1);

/// A number that workers fight for, on a cache line of its own so that they fight for nothing else.
#[repr(align(128))]
struct Contended(AtomicU64);

/// What the workers of a launch agree on.
struct Common {
    /// The next CTA to begin.
    next: Contended,
    /// CTAs that one worker may have begun at once: its share of what the device would hold.
    share: usize,
    /// Instructions that all workers have executed.
    instructions: AtomicU64,
    /// Somebody has stopped: the others follow.
    stopping: AtomicBool,
    /// Why, and which CTA it was, so that the lowest speaks.
    stop: Mutex<Option<(u64, Stop)>>,
}

/// Runs a grid to its end.
pub fn run(code: &Code, launch: &Launch, environment: &Environment<'_>) -> Result<Statistics, Stop> {
    if code.too_large {
        let what = "a kernel with more registers or constants than two gigabytes hold for a warp".into();
        return Err(Stop::Unsupported(Unsupported { what, span: Default::default() }));
    }
    let began = Instant::now();
    let memory = environment.memory;
    let _lease = memory.lease();
    let block = &launch.parameters;
    let parameters = memory
        .allocate(block.len() as u64, 256, AllocationKind::Param, Some("the kernel's parameters".into()))
        .map_err(|e| host_memory(&e.to_string()))?;
    memory.write(parameters, block).map_err(|e| host_memory(&e.to_string()))?;
    let threads = launch.block.iter().product::<u32>();
    let resident =
        environment.profile.resident_ctas(threads, code.shared_bytes.saturating_add(launch.shared));
    let gridid = GRIDS.fetch_add(1, Ordering::Relaxed);
    let run = Run { code, launch, environment, parameters, gridid, began, resident };
    let ctas = launch.grid.iter().map(|n| u64::from(*n)).product::<u64>();
    let workers = launch.threads.clamp(1, usize::try_from(ctas).unwrap_or(usize::MAX).max(1));
    let common = Common {
        next: Contended(AtomicU64::new(0)),
        share: (run.resident as usize).div_ceil(workers),
        instructions: AtomicU64::new(0),
        stopping: AtomicBool::new(false),
        stop: Mutex::new(None),
    };
    let mut statistics = Statistics::default();
    if workers == 1 {
        statistics.add(&work(0, ctas, &run, &common));
    } else {
        std::thread::scope(|scope| {
            let (run, common) = (&run, &common);
            let handles: Vec<_> =
                (0..workers).map(|w| scope.spawn(move || work(w as u64, ctas, run, common))).collect();
            for handle in handles {
                match handle.join() {
                    Ok(counted) => statistics.add(&counted),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
    }
    // The block belongs to this launch alone; a guest cannot have freed it.
    let _ = memory.free(parameters);
    statistics.time = began.elapsed();
    let stop = common.stop.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    match stop {
        Some((_, stop)) => Err(stop),
        None => Ok(statistics),
    }
}

fn host_memory(what: &str) -> Stop {
    Stop::Unsupported(Unsupported {
        what: format!("the host has not enough memory: {what}"),
        span: Default::default(),
    })
}

/// The life of one worker.
fn work(number: u64, ctas: u64, run: &Run<'_>, common: &Common) -> Statistics {
    let mut worker = Worker::new(number, run);
    let mut live: VecDeque<Box<Cta>> = VecDeque::new();
    let mut spare: Vec<Box<Cta>> = Vec::new();
    let mut told = Told::default();
    // After a CTA has spun, another begins before it runs again.
    let mut begin = true;
    loop {
        if common.stopping.load(Ordering::Relaxed) {
            break;
        }
        let fresh = if begin || live.is_empty() { claim(ctas, live.len(), common) } else { None };
        let mut cta = match fresh {
            Some(index) => {
                let room = spare.pop().or_else(|| Cta::new(run).map(Box::new));
                let Some(mut cta) = room else {
                    stop(common, index, host_memory("for a CTA's shared memory"));
                    break;
                };
                if !cta.start(index, run, &mut worker) {
                    stop(common, index, host_memory("for a CTA's local memory"));
                    break;
                }
                cta
            }
            None => match live.pop_front() {
                Some(cta) => cta,
                None => break,
            },
        };
        begin = false;
        let mut slices = 0;
        loop {
            let progress = cta.run(&mut worker, run, slice(run, common));
            if let Some(limit) = limits(&mut told, &worker, run, common) {
                stop(common, u64::MAX, Stop::Limit(limit));
            }
            if common.stopping.load(Ordering::Relaxed)
                && matches!(progress, Progress::Spinning | Progress::Turn)
            {
                break;
            }
            match progress {
                Progress::Ended => {
                    worker.statistics.ctas += 1;
                    spare.push(cta);
                    begin = live.is_empty();
                    break;
                }
                Progress::Turn if slices < PATIENCE => slices += 1,
                Progress::Turn | Progress::Spinning => {
                    live.push_back(cta);
                    begin = true;
                    break;
                }
                Progress::Finding(finding) => {
                    stop(common, cta.state.index, Stop::Finding(finding));
                    break;
                }
                Progress::Unsupported(unsupported) => {
                    stop(common, cta.state.index, Stop::Unsupported(unsupported));
                    break;
                }
            }
        }
    }
    told.tell(&worker, run, common);
    count(worker, run)
}

/// The effort until limits are looked at again: no more than instructions are left.
fn slice(run: &Run<'_>, common: &Common) -> u64 {
    let done = common.instructions.load(Ordering::Relaxed);
    run.launch.max_instructions.map_or(SLICE, |most| SLICE.min(most.saturating_sub(done).saturating_add(1)))
}

/// Takes the next CTA, if there is one and the worker may have one more than those that it has begun.
fn claim(ctas: u64, live: usize, common: &Common) -> Option<u64> {
    if live >= common.share || common.next.0.load(Ordering::Relaxed) >= ctas {
        return None;
    }
    let index = common.next.0.fetch_add(1, Ordering::Relaxed);
    (index < ctas).then_some(index)
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
    if worker.instructions - told.instructions >= TOLD || launch.max_instructions.is_some() {
        told.tell(worker, run, common);
    }
    if launch.control.stop.load(Ordering::Relaxed) {
        return Some(Limit::Interrupted);
    }
    if let Some(most) = launch.max_instructions
        && common.instructions.load(Ordering::Relaxed) > most
    {
        return Some(Limit::Instructions(most));
    }
    launch.timeout.filter(|most| run.began.elapsed() > *most).map(Limit::Time)
}

/// Turns the counts of blocks into those of instructions.
fn count(worker: Worker, run: &Run<'_>) -> Statistics {
    let mut statistics = worker.statistics;
    for (block, (times, lanes)) in run.code.blocks.iter().zip(&worker.blocks) {
        let inside = &run.code.instructions[block.start as usize..block.end as usize];
        let classes = inside.iter().filter_map(|i| i.class).chain(block.class);
        for class in classes {
            statistics.warp_instructions[class as usize] += times;
            statistics.lane_instructions[class as usize] += lanes;
        }
    }
    statistics
}
