//! `--explain-order`: whether the memory model orders two accesses of a run, and by which chain of operations.
//!
//! Two accesses are watched, each an instruction and a thread. When a thread comes to know that one has happened, what it
//! learnt that by is kept, so that the chain can be told from its end.

use std::sync::{Mutex, PoisonError};

use ptxvm_syntax::ast::Span;
use rustc_hash::FxHashMap;

use crate::clock::{Entity, Event, Stamp};
use crate::diagnosis::Missed;
use crate::history::Key;
use crate::memory::{Actor, Memory};
use crate::published::Published;
use crate::read::Reader;
use crate::site::SiteId;
use crate::stale::{Accessed, Missing};

/// An access that is asked about: an instruction that begins between two bytes of the source, and a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Where the line begins and ends.
    pub line: Span,
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// `%tid`
    pub tid: [u32; 3],
}

/// How one operation comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It releases, and the other acquires (8.9.4), or both are `fence.sc`.
    Synchronizes,
    /// Both threads come to this barrier of their CTA.
    Barrier(u32),
    /// Both threads come to `bar.warp.sync`.
    WarpBarrier,
    /// Both threads come to the barrier of their cluster.
    ClusterBarrier,
    /// It arrives at an mbarrier object, and the other sees the phase end.
    Mbarrier,
}

/// A step of a chain: an operation of one thread, and one of another that comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The earlier one; a barrier is the same instruction for both, if it is not known.
    pub from: Accessed,
    /// The later one.
    pub to: Accessed,
    /// How.
    pub how: How,
}

/// What the model says about two accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderAnswer {
    /// One of them was not executed by the thread: the first or the second.
    NotExecuted(usize),
    /// The one that was executed first comes before the other, by these steps; none within a thread.
    Ordered {
        /// The earlier access.
        first: Accessed,
        /// The later one.
        second: Accessed,
        /// What leads from one to the other.
        chain: Vec<Step>,
    },
    /// Nothing orders them.
    Unordered {
        /// The one that was executed first.
        first: Accessed,
        /// The other.
        second: Accessed,
        /// What would order them.
        missing: Vec<Missing>,
    },
}

/// A question about two accesses, and its answer after the launch.
#[derive(Debug)]
pub struct OrderQuestion {
    asked: [Asked; 2],
    answer: Mutex<Option<OrderAnswer>>,
}

impl OrderQuestion {
    /// Whether one access is ordered with another.
    #[must_use]
    pub fn new(first: Asked, second: Asked) -> Self {
        Self { asked: [first, second], answer: Mutex::new(None) }
    }

    /// The answer, after the launch.
    #[must_use]
    pub fn answer(&self) -> Option<OrderAnswer> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, answer: OrderAnswer) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }
}

/// What a thread learnt by.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: Entity,
    release: SiteId,
    acquire: SiteId,
    how: How,
    /// When.
    at: Stamp,
}

/// An access that is watched.
#[derive(Debug)]
struct Watched {
    sites: Vec<SiteId>,
    cta: u64,
    warp: u32,
    lane: usize,
    /// Its last execution.
    happened: Option<(Event, SiteId, Key)>,
    /// By thread: how it learnt of that.
    learnt: FxHashMap<Entity, Link>,
}

/// The accesses that are watched, and what is known about them so far.
#[derive(Debug)]
pub struct Explaining {
    watched: [Watched; 2],
    /// By warp: where it came to a barrier last.
    barriers: FxHashMap<Entity, SiteId>,
    answer: Option<OrderAnswer>,
}

impl Memory {
    /// Watches the accesses of a question.
    pub fn watch(&mut self, question: &OrderQuestion) {
        let watched = question.asked.map(|asked| {
            let [x, y, z] = asked.tid;
            let thread = x + self.shape.block[0] * (y + self.shape.block[1] * z);
            Watched {
                sites: self.sites.within(asked.line),
                cta: self.shape.cta(asked.ctaid),
                warp: thread / 32,
                lane: (thread % 32) as usize,
                happened: None,
                learnt: FxHashMap::default(),
            }
        });
        self.explaining =
            Some(Box::new(Explaining { watched, barriers: FxHashMap::default(), answer: None }));
    }

    /// Answers the question, as far as the launch has come.
    pub fn answer(&self) -> Option<OrderAnswer> {
        let explaining = self.explaining.as_ref()?;
        let missing = explaining.watched.iter().position(|watched| watched.happened.is_none());
        missing.map(OrderAnswer::NotExecuted).or_else(|| explaining.answer.clone())
    }

    /// Lanes have made an access.
    pub fn accessed(&mut self, actor: &Actor, lanes: u32) {
        let Some(mut explaining) = self.explaining.take() else { return };
        for number in 0..2 {
            let watched = &explaining.watched[number];
            let lane = watched.lane;
            let is_it = (watched.cta, watched.warp) == (actor.cta, actor.warp)
                && lanes >> lane & 1 != 0
                && watched.sites.contains(&actor.id);
            if !is_it {
                continue;
            }
            let other = &explaining.watched[1 - number];
            if let Some(happened) = other.happened {
                let answer = self.ordered_after(actor, lane, other, happened);
                explaining.answer = Some(answer);
            }
            // What was known of an earlier execution says nothing of this one.
            let event = actor.event(1 << lane, self.now);
            explaining.watched[number].happened = Some((event, actor.id, self.key));
            explaining.watched[number].learnt.clear();
        }
        self.explaining = Some(explaining);
    }

    /// Whether an access that has just been made comes after one that happened before.
    fn ordered_after(
        &mut self,
        actor: &Actor,
        lane: usize,
        earlier: &Watched,
        (event, site, key): (Event, SiteId, Key),
    ) -> OrderAnswer {
        let first = self.named(Entity::thread(earlier.cta, earlier.warp, earlier.lane), site);
        let second = self.named(actor.entity(lane), actor.id);
        let clock = std::sync::Arc::clone(self.view(actor.cta).warps[actor.warp as usize].clock(lane));
        let reader = Reader { actor: *actor, lane, clock };
        if !reader.knows(&event) {
            let missing = self.missing(&reader, &Missed { event, site, key, seen: None });
            return OrderAnswer::Unordered { first, second, missing };
        }
        let origin = Entity::thread(earlier.cta, earlier.warp, earlier.lane);
        let (mut chain, mut at) = (Vec::new(), actor.entity(lane));
        while at != origin && chain.len() < 64 {
            let Some(link) = earlier.learnt.get(&at) else { break };
            let (from, to) = (self.named(link.from, link.release), self.named(at, link.acquire));
            chain.push(Step { from, to, how: link.how });
            at = link.from;
        }
        chain.reverse();
        OrderAnswer::Ordered { first, second, chain }
    }

    fn named(&self, thread: Entity, site: SiteId) -> Accessed {
        let (cta, warp, lane) = thread.parts();
        Accessed { span: self.sites.get(site).span, thread: self.shape.thread(cta, warp, lane) }
    }

    /// A warp has come to a barrier of its CTA.
    pub fn came_to_barrier(&mut self, actor: &Actor) {
        if let Some(explaining) = &mut self.explaining {
            explaining.barriers.insert(Entity::warp(actor.cta, actor.warp), actor.id);
        }
    }

    /// Lanes may have learnt something, of what was released or at a barrier.
    pub fn learnt(&mut self, actor: &Actor, lanes: u32, how: How, released: &[Published]) {
        let Some(mut explaining) = self.explaining.take() else { return };
        let acquire = match how {
            How::Barrier(_) => explaining.barriers.get(&Entity::warp(actor.cta, actor.warp)).copied(),
            _ => None,
        };
        let acquire = acquire.unwrap_or(actor.id);
        for watched in &mut explaining.watched {
            let Some((event, ..)) = watched.happened else { continue };
            let origin = Entity::thread(watched.cta, watched.warp, watched.lane);
            for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                let thread = actor.entity(lane);
                let knows = self.view(actor.cta).warps[actor.warp as usize].clock(lane).knows(&event);
                if thread == origin || !knows || watched.learnt.contains_key(&thread) {
                    continue;
                }
                let publisher = released.iter().find(|published| published.covers(&event));
                // At a barrier it came from somebody of the same CTA or cluster who knew of it.
                let earliest =
                    |(known, link): &(&Entity, &Link)| (known.parts().0 != actor.cta, link.at, known.parts());
                let known = watched.learnt.iter().min_by_key(earliest).map(|(known, _)| known);
                let from = match publisher {
                    Some(published) if watched.learnt.contains_key(&published.by.first_thread()) => {
                        published.by.first_thread()
                    }
                    _ if watched.cta == actor.cta || publisher.is_some() => origin,
                    _ => known.copied().unwrap_or(origin),
                };
                let release = publisher.map_or_else(
                    || {
                        let (cta, warp, _) = from.parts();
                        explaining.barriers.get(&Entity::warp(cta, warp)).copied().unwrap_or(acquire)
                    },
                    |published| published.site,
                );
                watched.learnt.insert(thread, Link { from, release, acquire, how, at: self.now });
            }
        }
        self.explaining = Some(explaining);
    }
}
