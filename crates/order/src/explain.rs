//! `--explain-order`: whether the memory model orders two accesses of a run, and by which chain of operations.
//!
//! Two accesses are watched, each an instruction and a thread. When a thread comes to know that one has happened, what it
//! learnt that by is kept, so that the chain can be told from its end.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::actor::Actor;
use crate::clock::{Entity, Event, Key};
use crate::missing::{Accessed, Missed};
use crate::order::Order;
use crate::published::Published;
use crate::question::{Explaining, How, Link, OrderAnswer, OrderQuestion, Step, Watched};
use crate::reader::Reader;
use crate::site::SiteId;

impl Order {
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
        let clock = Arc::clone(self.view(actor.cta).warps[actor.warp as usize].clock(lane));
        let reader = Reader { actor: *actor, lane, clock };
        if !reader.knows(&event) {
            let missing = self.missing(&reader, &Missed { event, site, key });
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

    /// An access by its thread and instruction.
    #[must_use]
    pub fn named(&self, thread: Entity, site: SiteId) -> Accessed {
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
