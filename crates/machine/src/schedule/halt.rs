//! How a launch is ended from outside: two flags that its workers look at, one of the host's and one for its deadline.
//!
//! Workers never ask the clock while a guest runs. A thread of the process, the watchdog, sleeps until the earliest
//! deadline and raises the flag of that launch; it is started by the first launch that has a timeout and kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The flags that tell the workers of a launch to leave it.
#[derive(Clone, Copy, Debug)]
pub struct Halt<'a> {
    /// The host's own: [`crate::launch::Control::stop`].
    pub host: &'a AtomicBool,
    /// The watchdog's.
    pub deadline: &'a AtomicBool,
}

impl Halt<'_> {
    /// Whether the launch is to end now.
    #[inline(always)]
    #[must_use]
    pub fn is_set(self) -> bool {
        self.host.load(Ordering::Relaxed) | self.deadline.load(Ordering::Relaxed)
    }
}

/// The flag of a launch that has no deadline.
static NEVER: AtomicBool = AtomicBool::new(false);

/// The flag of one launch, which the watchdog raises when its time is over.
#[derive(Debug)]
pub struct Deadline(Option<Arc<Watched>>);

/// A launch that the watchdog knows.
#[derive(Debug)]
struct Watched {
    due: Instant,
    raised: AtomicBool,
}

impl Deadline {
    /// The deadline of a launch that began then and may take so long.
    #[must_use]
    pub fn new(began: Instant, timeout: Option<Duration>) -> Self {
        // A time too far away to be named never comes.
        let due = timeout.and_then(|timeout| began.checked_add(timeout));
        Self(due.map(|due| WATCHDOG.watch(due)))
    }

    /// The flag.
    #[must_use]
    pub fn flag(&self) -> &AtomicBool {
        self.0.as_ref().map_or(&NEVER, |watched| &watched.raised)
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        if let Some(watched) = &self.0 {
            WATCHDOG.forget(watched);
        }
    }
}

/// The watchdog of the process.
static WATCHDOG: Watchdog = Watchdog { state: Mutex::new(Watch::NEW), changed: Condvar::new() };

struct Watchdog {
    state: Mutex<Watch>,
    changed: Condvar,
}

/// What the watchdog watches.
struct Watch {
    launches: Vec<Arc<Watched>>,
    /// Until when its thread sleeps; `None` if it does so until somebody wakes it.
    asleep_until: Option<Instant>,
    /// Whether it has a thread, and in which process: that of a parent is not there after a fork.
    thread_of: Option<u32>,
}

impl Watch {
    const NEW: Self = Self { launches: Vec::new(), asleep_until: None, thread_of: None };
}

impl Watchdog {
    fn lock(&self) -> MutexGuard<'_, Watch> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&'static self, due: Instant) -> Arc<Watched> {
        let watched = Arc::new(Watched { due, raised: AtomicBool::new(false) });
        let mut watch = self.lock();
        watch.launches.push(Arc::clone(&watched));
        let process = std::process::id();
        if watch.thread_of != Some(process) {
            // A host that starts no more threads leaves the deadline to the looks at the clock between slices.
            let thread = std::thread::Builder::new().name("ptxvm-watchdog".into());
            if thread.spawn(move || self.live()).is_ok() {
                watch.thread_of = Some(process);
            }
        } else if watch.asleep_until.is_none_or(|until| due < until) {
            self.changed.notify_one();
        }
        watched
    }

    fn forget(&self, watched: &Arc<Watched>) {
        let mut watch = self.lock();
        if let Some(index) = watch.launches.iter().position(|other| Arc::ptr_eq(other, watched)) {
            watch.launches.swap_remove(index);
        }
    }

    /// The life of the thread. It may wake for a launch that has ended: waking for nobody is cheaper than being told of
    /// every end.
    fn live(&self) {
        let mut watch = self.lock();
        loop {
            let now = Instant::now();
            let (over, open): (Vec<_>, Vec<_>) =
                std::mem::take(&mut watch.launches).into_iter().partition(|watched| watched.due <= now);
            over.iter().for_each(|watched| watched.raised.store(true, Ordering::Relaxed));
            watch.launches = open;
            watch.asleep_until = watch.launches.iter().map(|watched| watched.due).min();
            watch = match watch.asleep_until {
                Some(until) => {
                    let rest = until.saturating_duration_since(now);
                    self.changed.wait_timeout(watch, rest).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(watch).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait_for(deadline: &Deadline) {
        while !deadline.flag().load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn deadlines_are_met_in_their_own_order() {
        let began = Instant::now();
        let late = Deadline::new(began, Some(Duration::from_secs(3600)));
        let early = Deadline::new(began, Some(Duration::from_millis(5)));
        wait_for(&early);
        assert!(began.elapsed() >= Duration::from_millis(5));
        assert!(!late.flag().load(Ordering::Relaxed));
        // The thread sleeps for an hour now, and must wake for this.
        wait_for(&Deadline::new(Instant::now(), Some(Duration::from_millis(5))));
        assert!(!late.flag().load(Ordering::Relaxed));
    }

    #[test]
    fn what_has_ended_is_forgotten() {
        let due = Deadline::new(Instant::now(), Some(Duration::from_secs(7200)));
        let watched = Arc::downgrade(due.0.as_ref().expect("it is watched"));
        drop(due);
        assert_eq!(watched.strong_count(), 0);
        assert!(!Deadline::new(Instant::now(), None).flag().load(Ordering::Relaxed));
    }
}
