//! Which work comes after which by what the program has asked for (streams, events, waiting), whatever ran first by chance.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_vm::Check;

use crate::options;

/// The place of a piece of work among all others.
#[derive(Debug)]
pub struct Order {
    stream: u64,
    /// Greater than that of all work that its stream was given before.
    number: u64,
    /// Of each stream the last work that this comes after.
    after: Known,
}

/// Of each stream the last work that somebody comes after. All work of the stream before that is known, too.
#[derive(Clone, Debug, Default)]
struct Known(BTreeMap<u64, u64>);

impl Known {
    fn has(&self, work: &Order) -> bool {
        self.0.get(&work.stream).is_some_and(|number| *number >= work.number)
    }

    /// Takes in a piece of work and all that it comes after.
    fn learn(&mut self, work: &Order) {
        self.join(&work.after);
        self.raise(work.stream, work.number);
    }

    fn join(&mut self, other: &Known) {
        other.0.iter().for_each(|(stream, number)| self.raise(*stream, *number));
    }

    fn raise(&mut self, stream: u64, number: u64) {
        let known = self.0.entry(stream).or_default();
        *known = number.max(*known);
    }
}

/// What is known of all work.
struct All {
    /// What the program has waited for: all that it asks for later comes after that.
    program: Known,
    /// How often it has.
    waits: u64,
    /// Work that has been asked for and has not been done, by its number.
    open: BTreeMap<u64, Arc<Order>>,
}

static ALL: Mutex<All> = Mutex::new(All { program: Known(BTreeMap::new()), waits: 0, open: BTreeMap::new() });

fn all() -> MutexGuard<'static, All> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether anybody asks for the order: races are looked for.
pub fn is_followed() -> bool {
    options::get().choices.settings.checks.has(Check::Race)
}

impl Order {
    /// That of work which a stream is given, and which comes after other work.
    pub fn new(stream: u64, before: impl Iterator<Item = Arc<Order>>) -> Arc<Self> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let mut all = all();
        let mut after = all.program.clone();
        before.for_each(|order| after.learn(&order));
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let order = Arc::new(Self { stream, number, after });
        all.open.insert(number, Arc::clone(&order));
        order
    }

    /// Whether neither of the two comes after the other.
    pub fn is_beside(&self, other: &Order) -> bool {
        self.stream != other.stream && !self.after.has(other) && !other.after.has(self)
    }

    /// The program knows that the work has been done.
    pub fn is_known(&self) {
        let mut all = all();
        all.program.learn(self);
        all.waits += 1;
    }

    /// The work has been done, and what it did has been looked at.
    pub fn is_over(&self) {
        all().open.remove(&self.number);
    }
}

/// How often the program has waited.
pub fn waits() -> u64 {
    all().waits
}

/// What of some work may not come before all that is still to be done.
pub fn still_beside(works: impl Iterator<Item = Arc<Order>>) -> Vec<bool> {
    let All { program, open, .. } = &*all();
    let beside = |work: &Order| !program.has(work) || open.values().any(|other| other.is_beside(work));
    works.map(|work| beside(&work)).collect()
}
