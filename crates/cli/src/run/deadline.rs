//! `--timeout`: ends the process at a deadline that counts from the start of the command, not of the kernel. So the time
//! includes reading, checking and linking a file, and filling its buffers.
//!
//! The machine itself ends a launch at its deadline. But the work before a launch cannot be interrupted, and a launch may
//! be stuck in the host (for example, it prints to a pipe that nobody reads). So a thread ends the process if the deadline
//! has passed and nothing else has: with the message and the exit status of the limit, but without results.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ptxvm_report::finding::Reached;
use ptxvm_vm::{Control, Limit};

use super::output::Output;
use crate::exit;

/// How long after the deadline the process is ended if the launch has not begun.
const GRACE: Duration = Duration::from_millis(100);
/// The same for a launch, which ends by itself unless the host is very busy.
const GRACE_OF_LAUNCH: Duration = Duration::from_secs(1);
/// How long the last words may take.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// The time that a command has.
pub struct Deadline {
    began: Instant,
    timeout: Option<Duration>,
    phase: Arc<(Mutex<Phase>, Condvar)>,
}

/// What the command does.
enum Phase {
    /// It reads, checks, links or fills.
    Before,
    /// A launch of so many CTAs runs.
    Launch(Arc<Control>, u64),
    /// Several runs, of which so many have ended and so many there are.
    Runs(Arc<AtomicU64>, u64),
    /// The launches have ended: what follows has no limit.
    Over,
}

impl Deadline {
    /// The time begins to run; how much there is may be said later.
    pub fn begin() -> Deadline {
        let phase = Arc::new((Mutex::new(Phase::Before), Condvar::new()));
        Deadline { began: Instant::now(), timeout: None, phase }
    }

    /// Says how much time there is, unless that has been said.
    pub fn set(&mut self, timeout: Option<Duration>, output: &Output) {
        if self.timeout.is_some() {
            return;
        }
        let Some(after) = timeout else { return };
        // A time too far away to be named never comes.
        let Some(due) = self.began.checked_add(after) else { return };
        self.timeout = timeout;
        let (phase, output) = (Arc::clone(&self.phase), output.clone());
        // Without a thread the launch still ends in time.
        let _ = std::thread::Builder::new().spawn(move || watch(&phase, due, after, output));
    }

    /// What is left for the launch, which begins now.
    pub fn launch(&self, control: &Arc<Control>, ctas: u64) -> Option<Duration> {
        self.enter(Phase::Launch(Arc::clone(control), ctas));
        self.left()
    }

    /// Several launches begin now, each with what is left then.
    pub fn runs(&self, ended: &Arc<AtomicU64>, count: u64) {
        self.enter(Phase::Runs(Arc::clone(ended), count));
    }

    /// What is left.
    pub fn left(&self) -> Option<Duration> {
        self.timeout.map(|timeout| timeout.saturating_sub(self.began.elapsed()))
    }

    /// A limit as the user knows it: the machine knows of what was left only.
    pub fn name(&self, limit: Limit) -> Limit {
        match (limit, self.timeout) {
            (Limit::Time(_), Some(timeout)) => Limit::Time(timeout),
            (limit, _) => limit,
        }
    }

    /// All launches have ended.
    pub fn end(&self) {
        self.enter(Phase::Over);
    }

    fn enter(&self, phase: Phase) {
        *lock(&self.phase.0) = phase;
        self.phase.1.notify_all();
    }
}

fn lock(phase: &Mutex<Phase>) -> MutexGuard<'_, Phase> {
    phase.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process when it is too late.
fn watch((phase, changed): &(Mutex<Phase>, Condvar), due: Instant, timeout: Duration, output: Output) {
    let mut now = lock(phase);
    let reached = loop {
        let (grace, reached) = match &*now {
            Phase::Over => return,
            Phase::Before => (GRACE, Reached::Nothing),
            Phase::Launch(control, ctas) => {
                (GRACE_OF_LAUNCH, Reached::Ctas(control.ctas_done.load(Ordering::Relaxed), *ctas))
            }
            Phase::Runs(ended, count) => {
                (GRACE_OF_LAUNCH, Reached::Runs(ended.load(Ordering::Relaxed), *count))
            }
        };
        let rest = (due + grace).saturating_duration_since(Instant::now());
        if rest.is_zero() {
            break reached;
        }
        now = changed.wait_timeout(now, rest).unwrap_or_else(PoisonError::into_inner).0;
    };
    // Nobody may be listening: then it ends without a word.
    let (said, heard) = mpsc::channel();
    let speaker = std::thread::Builder::new().spawn(move || {
        output.out_of_time(timeout, reached);
        let _ = said.send(());
    });
    if speaker.is_ok() {
        let _ = heard.recv_timeout(LAST_WORDS);
    }
    std::process::exit(exit::FINDING.code());
}
