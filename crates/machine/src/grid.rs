//! A launch: host threads take CTAs in order and run them; all that are resident make progress.
//!
//! A worker runs one CTA to its end and takes the next, because a CTA that has ended needs no memory. Only when a
//! CTA spins, waiting for another, does the worker put it aside and begin a further one, up to the number that the
//! device would have resident; then they take turns.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use ptxvm_memory::AllocationKind;

use crate::code::Code;
use crate::context::{Run, Worker};
use crate::cta::{Cta, Progress};
use crate::finding::{Limit, Stop, Unsupported};
use crate::launch::{Environment, Launch};
use crate::statistics::Statistics;

/// Instructions after which limits are looked at.
const SLICE: u64 = 1 << 20;
/// Slices after which a CTA that does not spin lets others run.
const PATIENCE: u32 = 64;

/// Numbers the launches of the process: `%gridid`.
static GRIDS: AtomicU64 = AtomicU64::new(1);

/// What the workers of a launch agree on.
struct Common {
    /// The next CTA to begin.
    next: AtomicU64,
    /// CTAs that have begun and not ended.
    live: AtomicU32,
    /// Instructions that all workers have executed.
    instructions: AtomicU64,
    /// Somebody has stopped: the others follow.
    stopping: AtomicBool,
    /// Why, and which CTA it was, so that the lowest speaks.
    stop: Mutex<Option<(u64, Stop)>>,
}

/// Runs a grid to its end.
pub fn run(code: &Code, launch: &Launch, environment: &Environment<'_>) -> Result<Statistics, Stop> {
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
    let common = Common {
        next: AtomicU64::new(0),
        live: AtomicU32::new(0),
        instructions: AtomicU64::new(0),
        stopping: AtomicBool::new(false),
        stop: Mutex::new(None),
    };
    let ctas = launch.grid.iter().map(|n| u64::from(*n)).product::<u64>();
    let workers = launch.threads.clamp(1, usize::try_from(ctas).unwrap_or(usize::MAX).max(1));
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
    let mut reported = 0;
    // After a CTA has spun, another begins before it runs again.
    let mut begin = true;
    loop {
        if common.stopping.load(Ordering::Relaxed) {
            break;
        }
        let fresh = if begin || live.is_empty() { claim(ctas, run, common) } else { None };
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
                // Others may still hold back CTAs that this worker could begin when some of theirs have ended.
                None if common.next.load(Ordering::Relaxed) < ctas => {
                    std::thread::yield_now();
                    continue;
                }
                None => break,
            },
        };
        begin = false;
        let mut slices = 0;
        loop {
            let progress = cta.run(&mut worker, run, SLICE);
            if let Some(limit) = limits(&mut reported, &worker, run, common) {
                stop(common, u64::MAX, Stop::Limit(limit));
            }
            if common.stopping.load(Ordering::Relaxed)
                && matches!(progress, Progress::Spinning | Progress::Turn)
            {
                break;
            }
            match progress {
                Progress::Ended => {
                    common.live.fetch_sub(1, Ordering::Relaxed);
                    run.launch.control.ctas_done.fetch_add(1, Ordering::Relaxed);
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
    count(worker, run)
}

/// Takes the next CTA, if there is one and the device would hold it too.
fn claim(ctas: u64, run: &Run<'_>, common: &Common) -> Option<u64> {
    let room = |live| (live < run.resident).then_some(live + 1);
    common.live.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).ok()?;
    let index = common.next.fetch_add(1, Ordering::Relaxed);
    if index < ctas {
        return Some(index);
    }
    common.next.store(ctas, Ordering::Relaxed);
    common.live.fetch_sub(1, Ordering::Relaxed);
    None
}

fn stop(common: &Common, cta: u64, stop: Stop) {
    let mut first = common.stop.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if first.as_ref().is_none_or(|(index, _)| cta < *index) {
        *first = Some((cta, stop));
    }
    common.stopping.store(true, Ordering::Relaxed);
}

/// Whether a limit of the user's has been reached.
fn limits(reported: &mut u64, worker: &Worker, run: &Run<'_>, common: &Common) -> Option<Limit> {
    let new = worker.instructions - *reported;
    *reported = worker.instructions;
    let total = common.instructions.fetch_add(new, Ordering::Relaxed) + new;
    let launch = run.launch;
    if launch.control.stop.load(Ordering::Relaxed) {
        return Some(Limit::Interrupted);
    }
    if let Some(most) = launch.max_instructions
        && total > most
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
