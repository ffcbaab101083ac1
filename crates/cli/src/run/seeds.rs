//! `ptxvm run --seeds`: runs a kernel once for each seed, on a device and with buffers of its own, several at once over the
//! cores. The first run is made alone; the results of the others are compared with what it has left.
//!
//! Nothing is told before the last run has ended: then each finding once, with the seeds that show it.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_report::finding::Reached;
use ptxvm_vm::{Control, Failure, Limit, Settings, Statistics};

use super::deadline::Deadline;
use super::difference::{Difference, readdress};
use super::gathered;
use super::job::{Job, Ran, Run, Stopped};
use super::output::{Output, Told};
use super::progress::{self, Progress};
use super::stop::Stop;
use super::summary::Summary;
use super::table::Outcome;
use super::{show_results, tell_refusal, written};
use crate::exit::{self, Exit};
use crate::gathered::Gathered;
use crate::seeds::{Again, Shown, Ways};

/// The option that says how many runs go on at once.
const THREADS: &str = "threads";

/// Runs it in all ways.
pub fn run(
    job: &Job<'_>,
    ways: Ways,
    output: &Output,
    deadline: &Deadline,
    stop: &Stop,
) -> Result<Exit, Exit> {
    let usage = |message: String| output.usage(&message);
    if job.choices.events {
        return Err(output.usage("--events tells of one run; give --seed in the place of --seeds"));
    }
    let count = ways.count();
    let ended = Arc::<AtomicU64>::default();
    deadline.runs(&ended, count as u64);
    let runs = Runs {
        job,
        ways,
        output,
        deadline,
        stop,
        ended: Arc::clone(&ended),
        is_late: AtomicBool::new(false),
        found: Mutex::default(),
    };
    let progress = Progress { done: &ended, all: count as u64, parts: "runs" };
    let compared = progress::watched(progress, output.chatty(), || runs.all());
    deadline.end();
    let compared = compared?;
    let is_late = runs.is_late.load(Ordering::Relaxed);
    let found = runs.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let again = again(job);

    let mut worst = gathered::tell(found.gathered, &job.report, (ways, &again), output);
    if let (Some(first), Some((other, difference))) = (&compared, &found.difference) {
        let two = [first.index, *other].map(|index| ways.at(index));
        let (mut message, mut object) = difference.finding(job, &found.differing, two, found.well.count());
        message.notes.extend(ways.add_to(&mut object, &found.differing, &again));
        worst = worst.max(output.tell(&job.report, message, object));
    }
    let reached = Reached::Runs(ended.load(Ordering::Relaxed), count as u64);
    if stop.is_asked() {
        worst = worst.max(output.limit(&job.report, Limit::Interrupted, reached));
    } else if is_late {
        let limit = deadline.name(Limit::Time(Default::default()));
        worst = worst.max(output.limit(&job.report, limit, reached));
    }
    if let Some((_, why)) = found.no_room.first() {
        let lacking = found.no_room.len();
        worst = worst.max(output.usage(&format!("{lacking} of {count} runs could not be made: {why}")));
    }
    let summary = Summary {
        all: count,
        well: found.well.count(),
        faults: found.faults,
        limits: found.limits,
        no_room: found.no_room.len(),
        differing: &found.differing,
        first: compared.as_ref().map(|first| ways.at(first.index)),
        is_compared: compared.as_ref().is_some_and(|first| first.all().next().is_some()),
    };
    written(output.runs(&summary.sentence(), &summary.object(ways))).map_err(usage)?;
    let Some(first) = &compared else { return Ok(worst) };
    let expected = show_results(job, &first.ran, output)?;
    Ok(if worst == exit::CLEAN { expected } else { worst })
}

/// The command for one run of it: what the launch line or the environment says of threads is for many.
fn again(job: &Job<'_>) -> Again {
    let command_line: Vec<_> = std::env::args_os().collect();
    let again = Again::of(&command_line, 0, true);
    let elsewhere = job.says(THREADS) && !job.arguments.launch.switches.said.says(THREADS);
    if elsewhere { again.with("--threads 1") } else { again }
}

/// The runs of a command.
struct Runs<'j> {
    job: &'j Job<'j>,
    ways: Ways,
    output: &'j Output,
    deadline: &'j Deadline,
    stop: &'j Stop,
    ended: Arc<AtomicU64>,
    /// Whether the time is over.
    is_late: AtomicBool,
    found: Mutex<Found>,
}

/// What they have come to so far.
#[derive(Default)]
struct Found {
    gathered: Gathered<Told>,
    /// Those that came to their end.
    well: Shown,
    /// How many a fault ended, and how many a limit of their own.
    faults: usize,
    limits: usize,
    /// Those that found no memory beside the others, and what it was for.
    no_room: Vec<(usize, String)>,
    /// Those whose results are not those of the first, and where the first of them differs.
    differing: Shown,
    difference: Option<(usize, Difference)>,
}

/// What a run that came to its end has left.
struct Left {
    index: usize,
    /// The lowest address of its device.
    origin: u64,
    ran: Ran,
    /// In the variables of the module, which are compared and not shown.
    variables: Vec<Outcome>,
}

impl Left {
    fn all(&self) -> impl Iterator<Item = &Outcome> {
        self.ran.outcomes.iter().chain(&self.variables)
    }
}

/// How a run has ended.
enum One {
    Well(Box<Left>),
    /// With a fault, or by a limit of its own.
    Stopped,
    /// By a limit of all, or because there was no memory for it; the sentence says which memory.
    NotMade(Option<String>),
    /// It cannot be run at all, and neither can the others.
    Unusable(Exit),
}

impl<'j> Runs<'j> {
    /// Makes all runs. Gives what the others are compared with: the first that came to its end.
    fn all(&self) -> Result<Option<Box<Left>>, Exit> {
        let count = self.ways.count();
        let mut next = 0;
        let first = loop {
            if next == count || self.is_over() {
                return Ok(None);
            }
            match self.one(next, true, None) {
                One::Well(left) => break left,
                One::Unusable(code) => return Err(code),
                One::NotMade(Some(why)) => return Err(self.output.usage(&why)),
                One::Stopped | One::NotMade(None) => next += 1,
            }
        };
        let taken = AtomicUsize::new(next + 1);
        let work = || {
            while !self.is_over() {
                let index = taken.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    break;
                }
                if let One::NotMade(Some(why)) = self.one(index, false, Some(&first)) {
                    self.found().no_room.push((index, why));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.workers().min(count - next) {
                // Without another thread this one does all of the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        // What found no memory beside others may have enough alone.
        let mut no_room = std::mem::take(&mut self.found().no_room);
        no_room.sort_unstable();
        for (index, _) in no_room {
            if !self.is_over()
                && let One::NotMade(Some(why)) = self.one(index, true, Some(&first))
            {
                self.found().no_room.push((index, why));
            }
        }
        Ok(Some(first))
    }

    /// How many runs go on at once.
    fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        if self.job.says(THREADS) { self.job.choices.settings.threads } else { cores() }
    }

    fn is_over(&self) -> bool {
        self.stop.is_asked() || self.is_late.load(Ordering::Relaxed)
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one run, `alone` or beside others, and compares its results.
    fn one(&self, index: usize, alone: bool, first: Option<&Left>) -> One {
        let control = self.stop.begin();
        let one = self.controlled(index, alone, first, &control);
        self.stop.end(&control);
        one
    }

    fn controlled(&self, index: usize, alone: bool, first: Option<&Left>, control: &Arc<Control>) -> One {
        let (job, way) = (self.job, self.ways.at(index));
        let settings = job.choices.settings;
        let settings = Settings {
            seed: way.seed,
            asynchrony: way.asynchrony.unwrap_or(settings.asynchrony),
            // CTAs on several threads would interleave as it happens, and no seed would show it again.
            threads: 1,
            // What it has counted is shown of the first run.
            statistics: first.is_none() && self.output.counts(),
            timeout: self.deadline.left(),
            ..settings
        };
        // The first run has the device that the module was loaded on.
        let kernel = if index == 0 { Ok(job.kernel().clone()) } else { job.kernel_anew() };
        let run = kernel.and_then(|kernel| {
            let run = job.prepare(kernel, settings, Arc::clone(control))?;
            run.take_results(first.is_some())?;
            Ok(run)
        });
        let mut run = match run {
            Ok(run) => run,
            Err(why) => return One::NotMade(Some(why)),
        };
        if first.is_none() {
            let format = job.arguments.format;
            run.launch.print = (index == 0).then(|| Output::printer(format));
        }
        let ran = run.kernel.launch(&run.launch);
        if index == 0 {
            tell_refusal(&run.kernel, &run.launch, self.output);
        }
        match ran {
            // These end all runs, and are told of all.
            Err(Failure::Limit(Limit::Time(_))) => {
                self.is_late.store(true, Ordering::Relaxed);
                return One::NotMade(None);
            }
            Err(Failure::Limit(Limit::Interrupted)) => return One::NotMade(None),
            Err(Failure::Limit(Limit::Memory(over))) if !alone => {
                return One::NotMade(Some(over.to_string()));
            }
            _ => {}
        }
        self.take(index, run, ran, first)
    }

    /// Takes what came of a run.
    fn take(
        &self,
        index: usize,
        run: Run<'_>,
        ran: Result<Statistics, Failure>,
        first: Option<&Left>,
    ) -> One {
        let gather = self.output.gather();
        let (origin, mut variables) = (run.origin(), run.variables());
        let mut ran = run.tell(ran, &gather, self.deadline);
        let told = gather.gathered();
        if ran.code == exit::USAGE {
            let all = told.into_iter().map(|told| self.output.pass_on(&self.job.report, told));
            return One::Unusable(all.max().unwrap_or(exit::USAGE));
        }
        if let Some(first) = first {
            let other = ran.outcomes.iter_mut().chain(&mut variables);
            readdress(first.all(), other, [first.origin, origin]);
        }
        let difference = first
            .filter(|_| ran.stopped.is_none())
            .and_then(|first| Difference::of(first.all(), ran.outcomes.iter().chain(&variables)));
        self.ended.fetch_add(1, Ordering::Relaxed);
        let mut found = self.found();
        found.gathered.add(index, told, |told| &told.object);
        match ran.stopped {
            None => found.well.add(index),
            Some(Stopped::Failure) => found.faults += 1,
            Some(Stopped::Limit) => found.limits += 1,
        }
        if let Some(difference) = difference {
            found.differing.add(index);
            if found.difference.as_ref().is_none_or(|(other, _)| index < *other) {
                found.difference = Some((index, difference));
            }
        }
        match ran.stopped {
            None => One::Well(Box::new(Left { index, origin, ran, variables })),
            Some(_) => One::Stopped,
        }
    }
}
