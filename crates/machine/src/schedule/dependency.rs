//! How far a grid is, for the grids that depend on it: `griddepcontrol` (manual 9.7.13.13).
//!
//! A grid that is launched so may start before the grids that it depends on have ended: as soon as each of their CTAs has
//! executed `launch_dependents` or has ended. `griddepcontrol.wait` waits for their end. The caller that launches grids
//! keeps their order; the machine reports how far a grid is, and waits.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How far a grid is. It belongs to one launch.
#[derive(Debug, Default)]
pub struct GridStatus {
    /// The CTAs that have neither said `launch_dependents` nor ended, once the grid has begun.
    holding: AtomicU64,
    stage: Mutex<Stage>,
    changed: Condvar,
    /// Where it lags behind those that depend on it, how far they are.
    lag: Option<Lag>,
}

#[derive(Debug, Default)]
struct Lag {
    dependents: Mutex<Dependents>,
    changed: Condvar,
}

/// What a grid that lags knows of those that depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Dependents {
    #[default]
    None,
    /// One has been launched.
    Launched,
    /// One has come as far as it can: it has ended, or waits for this grid. Or that has taken too long.
    Waiting,
}

/// How long a grid that lags stands still for a dependent to be launched, and for one that has been launched.
const UNTIL_LAUNCHED: Duration = Duration::from_millis(20);
const UNTIL_WAITING: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// It has not begun, or some of its CTAs hold its dependents back.
    #[default]
    Holding,
    /// Its dependents may begin.
    Released,
    /// It has ended.
    Ended,
}

impl GridStatus {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reach(&self, stage: Stage) {
        let mut now = self.stage();
        *now = stage.max(*now);
        drop(now);
        self.changed.notify_all();
    }

    fn wait(&self, stage: Stage, at_most: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.stage(), at_most, |now| *now < stage);
        *waited.unwrap_or_else(PoisonError::into_inner).0 >= stage
    }

    /// The grid begins, with so many CTAs.
    pub(crate) fn begin(&self, ctas: u64) {
        self.holding.store(ctas, Ordering::Relaxed);
    }

    /// So many CTAs hold the dependents no longer back. A CTA is counted once.
    pub(crate) fn release(&self, ctas: u64) {
        if self.holding.fetch_sub(ctas, Ordering::AcqRel) == ctas {
            self.reach(Stage::Released);
        }
    }

    /// The status of a grid that lets its dependents run ahead: once they may begin it stands still, for a while, until
    /// one has come as far as it can. What that reads without waiting for this grid is not there yet.
    #[must_use]
    pub fn lagging() -> Self {
        Self { lag: Some(Lag::default()), ..Self::default() }
    }

    /// A grid that depends on this one has been launched.
    pub fn dependent_launched(&self) {
        self.dependent(Dependents::Launched);
    }

    /// A grid that depends on this one has ended, or waits for this one.
    pub fn dependent_waits(&self) {
        self.dependent(Dependents::Waiting);
    }

    fn dependent(&self, reached: Dependents) {
        if let Some(lag) = &self.lag {
            let mut now = lag.dependents.lock().unwrap_or_else(PoisonError::into_inner);
            *now = reached.max(*now);
            drop(now);
            lag.changed.notify_all();
        }
    }

    /// Stands still, once, where the grid lags and its dependents may begin.
    pub(crate) fn lag(&self) {
        let Some(lag) = self.lag.as_ref().filter(|_| self.dependents_may_launch()) else { return };
        for (reached, at_most) in
            [(Dependents::Launched, UNTIL_LAUNCHED), (Dependents::Waiting, UNTIL_WAITING)]
        {
            let now = lag.dependents.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = lag.changed.wait_timeout_while(now, at_most, |now| *now < reached);
            let (mut now, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if *now < reached {
                *now = Dependents::Waiting;
            }
        }
    }

    /// The grid has ended, or will never begin. Running it says so by itself.
    pub fn end(&self) {
        self.reach(Stage::Ended);
    }

    /// Whether the grid has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        *self.stage() == Stage::Ended
    }

    /// Whether grids that depend on it may begin.
    #[must_use]
    pub fn dependents_may_launch(&self) -> bool {
        *self.stage() >= Stage::Released
    }

    /// Waits until grids that depend on it may begin, but no longer than this. Gives whether they may.
    pub fn await_launch(&self, at_most: Duration) -> bool {
        self.wait(Stage::Released, at_most)
    }

    /// Waits until the grid has ended, but no longer than this. Gives whether it has.
    pub fn await_end(&self, at_most: Duration) -> bool {
        self.wait(Stage::Ended, at_most)
    }
}

/// Says that a grid has ended when it is dropped, however that comes about.
pub(crate) struct Ending(pub Option<Arc<GridStatus>>);

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(status) = &self.0 {
            status.end();
        }
    }
}
