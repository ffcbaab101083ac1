//! Races between work of several streams: launches, and copies and fills of the host's, that touch the same bytes although
//! neither comes after the other by streams, events or waiting ([`Order`]).
//!
//! What work has touched is kept until all work that is still to come must come after it, and compared with what other work
//! touches. So it does not matter which of two ran first, or whether they ran at the same time. Where the program has other ways
//! to order work that nobody can follow here (values in memory that streams wait for, events of other processes), nothing is told.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_vm::{Footprint, LaunchOptions, Stretch};

use super::copy::Copy;
use super::fill::Fill;
use super::order::{Order, is_followed, still_beside, waits};
use crate::module::Function;
use crate::{options, report};

/// So many pieces of work are kept, at most, and so many stretches of words that they touched.
const MOST: usize = 256;
const MOST_WORDS: usize = 1 << 20;
/// After so many allocations what has been done before them is not kept any longer.
const MOST_NEW: usize = 1 << 12;

/// What a piece of work has done.
#[derive(Clone)]
enum Deed {
    Launch {
        function: Arc<Function>,
        /// Its shape, as reports show it.
        launch: Arc<LaunchOptions>,
        footprint: Arc<Footprint>,
    },
    /// What it is called, and the bytes.
    Host { what: &'static str, bytes: Arc<[Stretch]> },
}

#[derive(Clone)]
struct Done {
    order: Arc<Order>,
    deed: Deed,
    /// Memory that was given to the program anew since.
    new: Vec<(u64, u64)>,
}

#[derive(Default)]
struct State {
    done: VecDeque<Done>,
    /// How often the program had waited when it was last looked what must come before all the rest.
    waits: u64,
}

static STATE: Mutex<State> = Mutex::new(State { done: VecDeque::new(), waits: 0 });

/// Whether the program orders work in a way that cannot be followed.
static OTHERWISE: AtomicBool = AtomicBool::new(false);

impl Done {
    /// Whether memory was given anew since then that a byte lies in: what was done there was done to other memory.
    fn is_forgotten(&self, address: u64) -> bool {
        self.new.iter().any(|(start, end)| (*start..*end).contains(&address))
    }

    fn size(&self) -> usize {
        match &self.deed {
            Deed::Launch { footprint, .. } => footprint.size(),
            Deed::Host { bytes, .. } => bytes.len(),
        }
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Forgets what all work that is still to be done comes after.
    fn forget(&mut self) {
        let waits = waits();
        if std::mem::replace(&mut self.waits, waits) != waits {
            let mut beside = still_beside(self.done.iter().map(|one| Arc::clone(&one.order))).into_iter();
            self.done.retain(|_| beside.next().unwrap_or(true));
        }
    }
}

/// The program orders work in a way that cannot be followed here: by values in memory that streams wait for, or by events of
/// other processes. Nothing is told from now on.
pub fn cannot_be_followed() {
    OTHERWISE.store(true, Ordering::Relaxed);
}

/// Memory is given to the program. It may lie where other memory was before.
pub fn memory_is_new(start: u64, size: u64) {
    if is_followed() {
        let range = (start, start.saturating_add(size));
        let mut state = state();
        state.forget();
        state.done.retain_mut(|one| {
            one.new.push(range);
            one.new.len() < MOST_NEW
        });
    }
}

/// A launch has ended.
pub fn launched(
    order: &Arc<Order>,
    function: &Arc<Function>,
    launch: LaunchOptions,
    footprint: &Arc<Footprint>,
) {
    let (function, launch) = (Arc::clone(function), Arc::new(launch));
    did(order, Deed::Launch { function, launch, footprint: Arc::clone(footprint) });
}

/// A copy has been done, of which the source may still change, or was taken before.
pub fn copied(order: &Arc<Order>, copy: &Copy, reads: bool) {
    did(order, Deed::Host { what: "copy", bytes: of_copy(copy, reads).into() });
}

/// A fill has been done.
pub fn filled(order: &Arc<Order>, fill: &Fill) {
    did(order, Deed::Host { what: "fill", bytes: of_fill(fill).into() });
}

/// Compares what has been done with what other work has done beside it.
fn did(order: &Arc<Order>, deed: Deed) {
    if OTHERWISE.load(Ordering::Relaxed) {
        return;
    }
    let this = Done { order: Arc::clone(order), deed, new: Vec::new() };
    let beside: Vec<Done> = {
        let mut state = state();
        state.forget();
        let beside = state.done.iter().filter(|one| one.order.is_beside(order)).cloned().collect();
        state.done.push_back(this.clone());
        let mut words: usize = state.done.iter().map(Done::size).sum();
        while state.done.len() > MOST || words > MOST_WORDS && state.done.len() > 1 {
            words -= state.done.pop_front().map_or(0, |one| one.size());
        }
        beside
    };
    beside.iter().for_each(|one| tell(one, &this));
}

/// Tells where two pieces of work touched the same bytes and one of them wrote.
fn tell(first: &Done, second: &Done) {
    let limit = options::get().choices.settings.check_limit as usize;
    match (&first.deed, &second.deed) {
        (
            Deed::Launch { function: before, footprint: theirs, .. },
            Deed::Launch { function, launch, footprint },
        ) => {
            let mut races = footprint.races_beside(theirs, limit);
            races.retain(|race| !first.is_forgotten(race.address));
            report::races_between(&before.kernel, &function.kernel, launch, races);
        }
        (Deed::Launch { function, launch, footprint }, Deed::Host { what, bytes })
        | (Deed::Host { what, bytes }, Deed::Launch { function, launch, footprint }) => {
            let mut meetings = footprint.meetings_with(bytes, limit);
            meetings.retain(|meeting| !first.is_forgotten(meeting.address));
            report::meetings_with_the_host(&function.kernel, launch, what, meetings);
        }
        // Two of the host's have no line of a kernel to be shown at.
        (Deed::Host { .. }, Deed::Host { .. }) => {}
    }
}

/// What a copy reads, if that is still there to be written, and what it writes.
fn of_copy(copy: &Copy, reads: bool) -> Vec<Stretch> {
    let sides = [Some((&copy.to, true)), reads.then_some((&copy.from, false))];
    let rows = sides.into_iter().flatten().flat_map(|(side, writes)| {
        side.rows(copy).map(move |first| Stretch { first, end: first.saturating_add(copy.width), writes })
    });
    joined(rows)
}

fn of_fill(fill: &Fill) -> Vec<Stretch> {
    let bytes = fill.width * u64::from(fill.element);
    joined((0..fill.height).map(|row| {
        let first = fill.address + row * fill.pitch;
        Stretch { first, end: first + bytes, writes: true }
    }))
}

/// Stretches, of which those that touch each other are one.
fn joined(rows: impl Iterator<Item = Stretch>) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    // What very many rows touch is not looked at to the end.
    for row in rows.filter(|row| row.first < row.end).take(MOST_WORDS) {
        match all.last_mut() {
            Some(last) if last.end == row.first && last.writes == row.writes => last.end = row.end,
            _ => all.push(row),
        }
    }
    all
}
