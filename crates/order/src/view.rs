//! The views of threads: what each knows, what its fences have released, and what it has read and not acquired.
//!
//! The lanes of a warp share one clock until one of them executes a fence or acquires something alone.

use std::sync::Arc;

use ptxvm_model::event::{Place, Scope};

use crate::barrier::Barriers;
use crate::clock::{Clock, Entity, Event, Key, Stamp, gathered, join};
use crate::published::{Published, publish};
use crate::sequence::Sequence;
use crate::site::SiteId;

/// The lanes of a warp.
pub const LANES: usize = 32;

/// What a strong read has seen that was released, until an acquire.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The word that was read.
    pub word: u64,
    /// The instruction that read it.
    pub site: SiteId,
    pub released: Arc<[Published]>,
}

/// A write of another thread that a read has seen without being ordered after it: for reports.
#[derive(Clone, Copy, Debug)]
pub struct Glimpse {
    pub read: SiteId,
    pub write: SiteId,
    /// Who wrote it.
    pub event: Event,
    /// Which write it was: later ones have larger numbers.
    pub key: Key,
    /// Which access saw it.
    pub at: Key,
}

/// More than this are not kept apart.
const HEARD: usize = 16;
/// As many are remembered for reports.
const GLIMPSES: usize = 4;

/// The view of a thread.
#[derive(Clone, Debug)]
pub struct Lane {
    pub clock: Arc<Clock>,
    /// By scope: what its last fence released.
    pub fences: [Option<Published>; 4],
    pub heard: Vec<Heard>,
    pub sequence: Sequence,
    /// What an acquire was not in the scope of, and that acquire: for reports.
    pub refused: Vec<(Published, SiteId)>,
    pub glimpses: Vec<Glimpse>,
    /// The last access before its last fence that acquires.
    pub acquired: Key,
}

impl Lane {
    fn new(clock: &Arc<Clock>) -> Self {
        let clock = Arc::clone(clock);
        Self {
            clock,
            fences: [const { None }; 4],
            heard: Vec::new(),
            sequence: Sequence::default(),
            refused: Vec::new(),
            glimpses: Vec::new(),
            acquired: 0,
        }
    }

    /// Acquires what is for an operation of this scope by a thread there; gives whether that was all.
    pub fn acquire(&mut self, released: &[Published], (scope, place): (Scope, Place), site: SiteId) -> bool {
        let mut all = true;
        for published in released {
            if published.is_for(scope, place) {
                self.clock = join(&self.clock, &published.whole());
            } else {
                all = false;
                if self.refused.len() >= GLIMPSES {
                    self.refused.remove(0);
                }
                self.refused.push((published.clone(), site));
            }
        }
        all
    }

    /// Remembers what a strong read has seen released.
    pub fn hear(&mut self, heard: Heard) {
        self.heard.retain(|known| known.word != heard.word || !Arc::ptr_eq(&known.released, &heard.released));
        self.heard.push(heard);
        if self.heard.len() > HEARD {
            let mut all = Vec::new();
            for known in &self.heard {
                known.released.iter().for_each(|published| publish(&mut all, published));
            }
            let Heard { word, site, .. } = self.heard[self.heard.len() - 1];
            self.heard = vec![Heard { word, site, released: Arc::from(all) }];
        }
    }

    pub fn glimpse(&mut self, glimpse: Glimpse) {
        self.glimpses.retain(|known| known.read != glimpse.read || known.write != glimpse.write);
        if self.glimpses.len() >= GLIMPSES {
            self.glimpses.remove(0);
        }
        self.glimpses.push(glimpse);
    }
}

/// The views of a warp's threads.
#[derive(Debug)]
pub struct WarpView {
    /// What all its lanes know; where they have views of their own, what they knew before that.
    pub clock: Arc<Clock>,
    /// The stamp up to which all its lanes know all threads of their CTA.
    pub known: Stamp,
    pub lanes: Option<Box<[Lane; LANES]>>,
}

impl WarpView {
    fn new(clock: &Arc<Clock>) -> Self {
        Self { clock: Arc::clone(clock), known: 0, lanes: None }
    }

    /// What a lane knows.
    pub fn clock(&self, lane: usize) -> &Arc<Clock> {
        self.lanes.as_ref().map_or(&self.clock, |lanes| &lanes[lane].clock)
    }

    /// The view of a lane alone.
    pub fn lane(&mut self, lane: usize) -> &mut Lane {
        let clock = &self.clock;
        &mut self.lanes.get_or_insert_with(|| Box::new(std::array::from_fn(|_| Lane::new(clock))))[lane]
    }

    /// Some lanes know this now, which includes all that they knew. `alive` are those that have not ended.
    pub fn set(&mut self, lanes: u32, alive: u32, clock: &Arc<Clock>, cta: u64) {
        let all = alive & !lanes == 0;
        if all {
            self.clock = Arc::clone(clock);
            self.known = clock.get(Entity::cta(cta));
        } else {
            self.lane(0);
        }
        if let Some(views) = &mut self.lanes {
            for (lane, view) in views.iter_mut().enumerate() {
                if lanes >> lane & 1 != 0 {
                    view.clock = Arc::clone(clock);
                }
            }
        }
    }

    /// What some lanes know together.
    pub fn sum(&self, lanes: u32) -> Arc<Clock> {
        let Some(views) = &self.lanes else { return Arc::clone(&self.clock) };
        let mut chosen = views.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0);
        let first =
            chosen.next().map_or_else(|| Arc::clone(&self.clock), |(_, view)| Arc::clone(&view.clock));
        gathered(chosen.fold(first, |sum, (_, view)| join(&sum, &view.clock)))
    }
}

/// The views of a CTA's threads.
#[derive(Debug)]
pub struct CtaView {
    pub place: Place,
    pub warps: Vec<WarpView>,
    pub barriers: Barriers,
    /// The stamp up to which each of its threads knows all others.
    pub all: Stamp,
}

impl CtaView {
    pub fn new(place: Place, warps: u32) -> Self {
        let clock = Arc::default();
        let warps = (0..warps).map(|_| WarpView::new(&clock)).collect();
        Self { place, warps, barriers: Barriers::default(), all: 0 }
    }
}
