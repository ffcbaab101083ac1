//! A litmus test as a kernel that real GPUs run: many instances of the test at once, over and over, with stress, and a
//! table of the outcomes. docs/litmus-h200.md says how such a kernel runs and where its parameters come from.
//!
//! [`write`] makes the kernel of a test, or says why there can be none.

mod barrier;
mod body;
mod collect;
mod copies;
mod end;
mod frame;
mod home;
mod place;
mod play;
mod ready;
mod skipped;

pub use frame::Kernel;
pub use home::Preference;
pub use skipped::Skipped;

use crate::notation::Model;
use crate::search::{Limits, TooLarge};
use crate::test::{Action, Comparison, Observable, Proposition, Term, Test};
use crate::verdict::decide;
use home::Homes;
use place::Roles;
use skipped::skipped;

/// The same test, with a question that looks at every register that is read into and at all of memory, in executions of
/// every end. What else is in the question stays in front.
#[must_use]
pub fn observing_all(test: &Test) -> Test {
    let mut test = test.clone();
    let mut more = test.observables();
    test.filter = None;
    let mut observed = test.observables();
    for (thread, about) in test.threads.iter().enumerate() {
        for instruction in about.code.iter().filter(|i| i.asynchronous.is_none()) {
            let registers = match &instruction.action {
                Action::Load { to, .. } => to.clone(),
                Action::Atomic { to, .. } => to.iter().copied().collect(),
                _ => continue,
            };
            more.extend(registers.into_iter().map(|register| Observable::Register { thread, register }));
        }
    }
    let plain = (0..test.locations.len()).filter(|&location| test.locations[location].mbarrier.is_none());
    more.extend(plain.map(Observable::Memory));
    for observable in more {
        if !observed.contains(&observable) {
            observed.push(observable);
            let term = Term::Observed(observable);
            let always = Proposition::Compare(Comparison::Equal, term, term);
            let condition = std::mem::replace(&mut test.condition, always.clone());
            test.condition = Proposition::And(Box::new(condition), Box::new(always));
        }
    }
    test
}

/// How often a loop is entered again at most, before an outcome counts as forbidden.
const MOST_TURNS: usize = 5;

/// Of the outcomes that were observed of a test, those that a model does not allow. An outcome has the values of what
/// [`observing_all`] looks at.
///
/// # Errors
/// The test is too large to find all states that it may end in.
pub fn forbidden(
    test: &Test,
    outcomes: &[Vec<i64>],
    model: &Model,
    limits: &Limits,
) -> Result<Vec<Vec<i64>>, TooLarge> {
    let test = observing_all(test);
    let mut limits = *limits;
    loop {
        let verdict = decide(&test, model, &limits)?;
        if !verdict.complete {
            return Err(TooLarge::Steps(verdict.steps));
        }
        let allowed = |outcome: &&Vec<i64>| verdict.states.iter().any(|state| state.values == **outcome);
        let forbidden: Vec<Vec<i64>> = outcomes.iter().filter(|outcome| !allowed(outcome)).cloned().collect();
        // A GPU turns in a loop as often as it likes.
        if forbidden.is_empty() || !verdict.bounded || limits.unroll >= MOST_TURNS {
            return Ok(forbidden);
        }
        limits.unroll += 1;
    }
}

/// Writes the kernel of a test that came from a text, with its free locations in global or in shared memory.
///
/// # Errors
/// Why it cannot be run on one GPU, or cannot be so that a launch ends.
pub fn write(test: &Test, source: &str, preference: Preference) -> Result<Kernel, Skipped> {
    let roles = Roles::of(test)?;
    if home::observes_mbarrier(test) {
        return skipped("a question about the count of an mbarrier, which no instruction reads");
    }
    barrier::check(test)?;
    if test.locations.len() * 2 < test.addresses.len() {
        return skipped("more than two addresses of one location");
    }
    let homes = Homes::of(test, &roles, preference)?;
    frame::Frame::new(test, source, &roles, &homes)?.write()
}

/// Whether a test's locations can lie in shared memory that would otherwise lie in global memory.
#[must_use]
pub fn has_shared_form(test: &Test) -> bool {
    let Ok(roles) = Roles::of(test) else { return false };
    match (Homes::of(test, &roles, Preference::Global), Homes::of(test, &roles, Preference::Shared)) {
        (Ok(global), Ok(shared)) => global.homes != shared.homes,
        _ => false,
    }
}

/// A short name for a test's text, so that what was observed is told from what a changed test would show (FNV-1a).
#[must_use]
pub fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
