//! Mistakes that silicon survives: whether the machine goes on as well, and what it remembers of them.
//!
//! An operation that meets such a mistake stops its warp with a fault, as with any other. If the launch goes on all the
//! same, the finding is noted and the instruction is executed again, now forgivingly: it does what an H200 does. So the
//! mistake must be found before the operation has changed anything.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::code::Source;
use crate::explain::finding::{Finding, Kind};

/// What a launch does about a mistake that an H200 survives. One that ends the kernel there ends it here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Findings {
    /// The first ends the launch.
    #[default]
    Stop,
    /// They are noted, once for each place, and the kernel goes on.
    Report,
    /// The kernel goes on, and nobody is told.
    Ignore,
}

impl Findings {
    /// Every choice.
    pub const ALL: [Findings; 3] = [Self::Stop, Self::Report, Self::Ignore];

    /// The choice of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|findings| findings.name() == name)
    }

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Report => "report",
            Self::Ignore => "ignore",
        }
    }
}

/// A mistake of one kind at one place, after which the kernel went on.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The first of them.
    pub finding: Finding,
    /// How often a thread made it.
    pub count: u64,
}

/// The mistakes of a launch.
#[derive(Debug, Default)]
pub struct Mistakes {
    all: Mutex<BTreeMap<(Source, Kind), Mistake>>,
    /// Whether there were more than are told.
    left_out: AtomicBool,
}

impl Mistakes {
    /// Notes a mistake; the finding is made for the first of its kind at an instruction.
    pub fn note(&self, at: Source, kind: Kind, make: impl FnOnce() -> Finding) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry((at, kind)).or_insert_with(|| Mistake { finding: make(), count: 0 });
    }

    /// The same, unless so many have been noted.
    pub(crate) fn note_up_to(&self, limit: u32, at: Source, kind: Kind, make: impl FnOnce() -> Finding) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < limit as usize {
            all.entry((at, kind)).or_insert_with(|| Mistake { finding: make(), count: 0 });
        } else if !all.contains_key(&(at, kind)) {
            self.leave_out();
        }
    }

    /// Something is not told: so much has been told already.
    pub fn leave_out(&self) {
        self.left_out.store(true, Ordering::Relaxed);
    }

    /// Whether something was not told.
    #[must_use]
    pub fn has_left_out(&self) -> bool {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Adds a mistake that was noted elsewhere, if it has a place.
    pub fn add(&self, at: Source, mistake: Mistake) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry((at, mistake.finding.kind)).or_insert(mistake);
    }

    /// Counts threads that were forgiven a mistake that has been noted.
    pub fn count(&self, at: Source, kind: Kind, threads: u64) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mistake) = all.get_mut(&(at, kind)) {
            mistake.count += threads;
        }
    }

    /// Takes all of them, in the order of their places.
    #[must_use]
    pub fn take(&self) -> Vec<Mistake> {
        let all = std::mem::take(&mut *self.all.lock().unwrap_or_else(PoisonError::into_inner));
        all.into_values().collect()
    }
}
