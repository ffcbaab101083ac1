//! A clock: what happens before a thread, as the newest stamp that it knows of others.
//!
//! Stamps count what releases, over the whole launch, so that the events of a thread between two of them have one stamp.
//! Most threads know the same of all threads of a CTA, because they met at its barrier. So a clock has entries for whole
//! CTAs and whole warps beside those for threads, and stays short.

use std::sync::Arc;

use ptxvm_machine::door::touch::Space;

/// Counts what releases. 0 is before the launch.
pub type Stamp = u32;

/// Numbers the instructions that touch memory, in the order in which they are executed.
pub type Key = u64;

/// Numbers of a CTA's entries: itself, its warps, its threads.
const ENTRIES: u64 = 2048;
const FIRST_WARP: u64 = 1;
const FIRST_THREAD: u64 = 64;

/// A CTA, a warp or a thread. Those of a CTA follow one another, the coarse ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity(u64);

impl Entity {
    pub fn cta(cta: u64) -> Self {
        Self(cta * ENTRIES)
    }

    pub fn warp(cta: u64, warp: u32) -> Self {
        Self(cta * ENTRIES + FIRST_WARP + u64::from(warp))
    }

    pub fn thread(cta: u64, warp: u32, lane: usize) -> Self {
        Self(cta * ENTRIES + FIRST_THREAD + u64::from(warp) * 32 + lane as u64)
    }

    /// The CTA, the warp and the lane; those of its first thread, if it has several.
    pub fn parts(self) -> (u64, u32, u32) {
        let (warp, lane) = self.as_thread().unwrap_or((self.as_warp().unwrap_or(0), 0));
        (self.of_cta(), warp as u32, lane as u32)
    }

    /// Its first thread.
    pub fn first_thread(self) -> Self {
        let (cta, warp, lane) = self.parts();
        Self::thread(cta, warp, lane as usize)
    }

    fn of_cta(self) -> u64 {
        self.0 / ENTRIES
    }

    /// The warp, if it is one.
    fn as_warp(self) -> Option<u64> {
        let number = self.0 % ENTRIES;
        (FIRST_WARP..FIRST_THREAD).contains(&number).then(|| number - FIRST_WARP)
    }

    /// The warp and the lane, if it is a thread.
    fn as_thread(self) -> Option<(u64, u64)> {
        let number = (self.0 % ENTRIES).checked_sub(FIRST_THREAD)?;
        Some((number / 32, number % 32))
    }
}

/// Some lanes of a warp at a stamp: who made a write, or saw one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub cta: u64,
    pub warp: u32,
    pub lanes: u32,
    pub stamp: Stamp,
}

impl Event {
    /// The first of its threads.
    #[must_use]
    pub fn first(&self) -> Entity {
        Entity::thread(self.cta, self.warp, self.lanes.trailing_zeros().min(31) as usize)
    }
}

/// What happens before a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    entries: Vec<(Entity, Stamp)>,
    /// What happens before a fence between proxies that happens before the thread.
    sides: [Option<Arc<Clock>>; SIDES],
}

const SIDES: usize = 6;

/// For what else than accesses of the generic proxy something is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// A fence of the async proxy for shared memory: that sees it too.
    AsyncShared,
    /// The same for global memory.
    AsyncGlobal,
    /// A fence of the proxy of tensor maps that acquires.
    Tensormap,
    /// `tcgen05.fence::before_thread_sync`: tensor memory may be ordered by what follows.
    BeforeSync,
    /// `tcgen05.fence::after_thread_sync` after that: for tensor memory it is ordered.
    Tensor,
    /// `fence.mbarrier_init`: who signals an mbarrier object finds it initialised.
    Initialised,
}

impl Clock {
    /// The stamp of an entity that it knows; 0 if none.
    pub fn get(&self, entity: Entity) -> Stamp {
        self.entries.binary_search_by_key(&entity, |entry| entry.0).map_or(0, |at| self.entries[at].1)
    }

    /// Whether it knows of a CTA only what all its threads know since they last met.
    pub fn knows_only_whole(&self, cta: u64) -> bool {
        let first = self.entries.partition_point(|entry| entry.0 <= Entity::cta(cta));
        self.entries.get(first).is_none_or(|entry| entry.0.of_cta() != cta)
    }

    /// Whether it knows what one of the lanes did.
    pub fn knows(&self, event: &Event) -> bool {
        let first = self.entries.partition_point(|entry| entry.0 < Entity::cta(event.cta));
        let own = self.entries[first..].iter().take_while(|entry| entry.0.of_cta() == event.cta);
        for &(entity, stamp) in own {
            let concerns = match (entity.as_thread(), entity.as_warp()) {
                (Some((warp, lane)), _) => warp == u64::from(event.warp) && event.lanes >> lane & 1 != 0,
                (None, Some(warp)) => warp == u64::from(event.warp),
                (None, None) => true,
            };
            if concerns && stamp >= event.stamp {
                return true;
            }
        }
        false
    }

    /// Whether it knows all that another does, entry by entry.
    fn includes(&self, other: &Clock) -> bool {
        let mut rest = self.entries.iter();
        let includes_side = |(own, other): (&Option<Arc<Clock>>, &Option<Arc<Clock>>)| match (own, other) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(other)) => Arc::ptr_eq(own, other) || own.includes(other),
        };
        self.sides.iter().zip(&other.sides).all(includes_side)
            && other.entries.iter().all(|(entity, stamp)| {
                rest.find(|own| own.0 >= *entity).is_some_and(|own| own.0 == *entity && own.1 >= *stamp)
            })
    }

    /// What the async proxy sees of what it knows, in a memory.
    pub fn fenced(&self, space: Space) -> Option<&Arc<Clock>> {
        let side = if space == Space::Shared { Side::AsyncShared } else { Side::AsyncGlobal };
        self.sides[side as usize].as_ref()
    }

    /// What the proxy of tensor maps sees of what it knows.
    pub fn mapped(&self) -> Option<&Arc<Clock>> {
        self.sides[Side::Tensormap as usize].as_ref()
    }

    /// What has been initialised of what it knows, for who signals mbarrier objects.
    pub fn initialised(&self) -> Option<&Arc<Clock>> {
        self.sides[Side::Initialised as usize].as_ref()
    }

    /// Whether it knows anything of a CTA.
    pub fn has(&self, cta: u64) -> bool {
        let first = self.entries.partition_point(|entry| entry.0 < Entity::cta(cta));
        self.entries.get(first).is_some_and(|entry| entry.0.of_cta() == cta)
    }

    /// What is ordered for tensor memory of what it knows.
    pub fn tensor(&self) -> Option<&Arc<Clock>> {
        self.sides[Side::Tensor as usize].as_ref()
    }

    /// The same after a fence between proxies by an entity (`Site::fences`).
    #[must_use]
    pub fn with_fence(&self, fences: [bool; 4], entity: Entity, stamp: Stamp) -> Self {
        let mut clock = self.clone();
        let sides = [Side::AsyncShared, Side::AsyncGlobal, Side::Tensormap, Side::Initialised];
        for (fences, side) in fences.iter().zip(sides) {
            if *fences {
                clock = clock.with_side(side, entity, stamp);
            }
        }
        clock
    }

    /// The same after `tcgen05.fence::before_thread_sync`, or what has its effect, by an entity.
    #[must_use]
    pub fn before_sync(&self, entity: Entity, stamp: Stamp) -> Self {
        self.with_side(Side::BeforeSync, entity, stamp)
    }

    /// The same after `tcgen05.fence::after_thread_sync`.
    #[must_use]
    pub fn after_sync(&self) -> Self {
        let mut clock = self.clone();
        clock.sides[Side::Tensor as usize].clone_from(&self.sides[Side::BeforeSync as usize]);
        clock
    }

    fn with_side(&self, side: Side, entity: Entity, stamp: Stamp) -> Self {
        let mut clock = self.with(entity, stamp);
        clock.sides[side as usize] =
            Some(Arc::new(Self { entries: clock.entries.clone(), ..Self::default() }));
        clock
    }

    /// The same, and a stamp of an entity.
    #[must_use]
    pub fn with(&self, entity: Entity, stamp: Stamp) -> Self {
        let mut entries = self.entries.clone();
        match entries.binary_search_by_key(&entity, |entry| entry.0) {
            Ok(at) => entries[at].1 = entries[at].1.max(stamp),
            Err(at) => entries.insert(at, (entity, stamp)),
        }
        Self { entries: without_repetition(entries), sides: self.sides.clone() }
    }

    /// What either knows.
    #[must_use]
    pub fn joined(&self, other: &Clock) -> Self {
        let (mut a, mut b) =
            (self.entries.iter().copied().peekable(), other.entries.iter().copied().peekable());
        let mut entries = Vec::with_capacity(self.entries.len().max(other.entries.len()));
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some(&(x, s)), Some(&(y, t))) if x == y => {
                    a.next();
                    b.next();
                    (x, s.max(t))
                }
                (Some(&(x, s)), other) if other.is_none_or(|&(y, _)| x < y) => {
                    a.next();
                    (x, s)
                }
                (_, Some(&entry)) => {
                    b.next();
                    entry
                }
                (Some(&entry), None) => {
                    a.next();
                    entry
                }
                (None, None) => break,
            };
            entries.push(next);
        }
        let sides = std::array::from_fn(|side| match (&self.sides[side], &other.sides[side]) {
            (Some(a), Some(b)) => Some(join(a, b)),
            (a, b) => a.clone().or_else(|| b.clone()),
        });
        Self { entries: without_repetition(entries), sides }
    }
}

/// Leaves out what follows from a coarser entry.
fn without_repetition(mut entries: Vec<(Entity, Stamp)>) -> Vec<(Entity, Stamp)> {
    let (mut cta, mut of_cta) = (u64::MAX, 0);
    let mut of_warps = [0; 32];
    entries.retain(|&(entity, stamp)| {
        if entity.of_cta() != cta {
            (cta, of_cta, of_warps) = (entity.of_cta(), 0, [0; 32]);
        }
        if let Some((warp, _)) = entity.as_thread() {
            stamp > of_cta.max(of_warps[warp as usize % 32])
        } else if let Some(warp) = entity.as_warp() {
            of_warps[warp as usize % 32] = stamp;
            stamp > of_cta
        } else {
            of_cta = stamp;
            true
        }
    });
    entries
}

/// The same clock, where what fences let others see of all threads of a warp is one entry each: that of the warp.
pub fn gathered(clock: Arc<Clock>) -> Arc<Clock> {
    const ALL: usize = 32;
    if clock.sides.iter().flatten().all(|side| side.entries.len() < ALL) {
        return clock;
    }
    let mut clock = Clock::clone(&clock);
    for side in clock.sides.iter_mut().flatten().filter(|side| side.entries.len() >= ALL) {
        let mut entries = side.entries.clone();
        let warps = side.entries.windows(ALL).filter_map(|run| {
            let (cta, warp, lane) = run[0].0.parts();
            let of_warp = |(at, entry): (usize, &(Entity, Stamp))| entry.0 == Entity::thread(cta, warp, at);
            let is_whole = lane == 0 && run.iter().enumerate().all(of_warp);
            let least = run.iter().map(|entry| entry.1).min();
            is_whole.then(|| (Entity::warp(cta, warp), least.unwrap_or_default()))
        });
        let mut raised = false;
        for (warp, stamp) in warps {
            raised = true;
            match entries.binary_search_by_key(&warp, |entry| entry.0) {
                Ok(at) => entries[at].1 = entries[at].1.max(stamp),
                Err(at) => entries.insert(at, (warp, stamp)),
            }
        }
        if raised {
            *side = Arc::new(Clock { entries: without_repetition(entries), ..Clock::default() });
        }
    }
    Arc::new(clock)
}

/// What either of two clocks knows, without a new one if one of them knows all.
pub fn join(a: &Arc<Clock>, b: &Arc<Clock>) -> Arc<Clock> {
    if Arc::ptr_eq(a, b) || a.includes(b) {
        Arc::clone(a)
    } else if b.includes(a) {
        Arc::clone(b)
    } else {
        Arc::new(a.joined(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(cta: u64, warp: u32, lane: usize, stamp: Stamp) -> Event {
        Event { cta, warp, lanes: 1 << lane, stamp }
    }

    #[test]
    fn a_clock_knows_threads_by_their_warp_and_their_cta() {
        let clock = Clock::default()
            .with(Entity::cta(3), 5)
            .with(Entity::warp(3, 2), 7)
            .with(Entity::thread(3, 2, 9), 8)
            .with(Entity::thread(4, 0, 1), 2);
        assert!(clock.knows(&event(3, 0, 0, 5)) && !clock.knows(&event(3, 0, 0, 6)));
        assert!(clock.knows(&event(3, 2, 0, 7)) && !clock.knows(&event(3, 2, 0, 8)));
        assert!(clock.knows(&event(3, 2, 9, 8)) && !clock.knows(&event(3, 2, 9, 9)));
        assert!(clock.knows(&event(4, 0, 1, 2)) && !clock.knows(&event(4, 0, 2, 1)));
        assert!(!clock.knows(&event(2, 0, 0, 1)));
    }

    #[test]
    fn what_follows_from_a_coarser_entry_is_left_out() {
        let fine = Clock::default().with(Entity::thread(1, 0, 0), 3).with(Entity::warp(1, 4), 9);
        let coarse = Clock::default().with(Entity::cta(1), 4);
        let both = fine.joined(&coarse);
        assert_eq!(both, Clock::default().with(Entity::cta(1), 4).with(Entity::warp(1, 4), 9));
        assert_eq!(both, coarse.joined(&fine));
        assert!(both.includes(&coarse) && !coarse.includes(&both));
    }
}
