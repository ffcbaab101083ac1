//! The quick way of plain loads and stores of whole words: most find nothing near that could race with them.
//!
//! It decides what `access.rs` would decide, where a few numbers tell: nobody has touched the word, or all threads of the CTA
//! know who did since their last barrier, or the thread did itself.

use ptxvm_machine::door::observer::Access;
use ptxvm_order::{Stamp, WORD};

use crate::race::more::WRITES;
use crate::race::record::{Entry, Record};
use crate::race::state::State;

/// Lanes that touch memory by a plain instruction.
#[derive(Clone, Copy, Debug)]
pub struct Quick {
    /// What is kept of it, but for the lane and the bytes.
    pub record: Record,
    pub cta: u64,
    /// The stamp up to which all threads of the CTA know each other.
    pub settled: Stamp,
    /// Whether the lanes know of each thread of the CTA no more than that.
    pub knows_no_more: bool,
    /// Whether nobody may write what is read.
    pub constant: bool,
    pub writes: bool,
    /// Whether it is shared memory.
    pub shared: bool,
    /// Whether reads that have to give way are forgotten: there is no room for them.
    pub forgets: bool,
}

impl State {
    /// Compares and keeps what lanes touch. Gives those that must be looked at.
    pub fn touch_quickly(&mut self, access: &Access<'_>, quick: &Quick) -> u32 {
        let shadow = self.shadow(access.space, access.who.cluster);
        let Self { shadows, readers, more, order, .. } = self;
        let mut readers = readers.get_mut(shadow);
        let mut more = more.places(shadow);
        let kept = if quick.writes { u32::MAX } else { WRITES };
        let shadow = &mut shadows[shadow];
        let (mut lanes, mut left) = (access.who.lanes, 0);
        let mut before = (u64::MAX, false);
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let address = access.addresses[lane as usize];
            // Of lanes that read the same, the first and the last are enough.
            let next = lanes.trailing_zeros() as usize;
            if address == before.0 && next < 32 && access.addresses[next] == address && !quick.writes {
                left |= u32::from(!before.1) << lane;
                continue;
            }
            let new = quick.record.of_lane(lane);
            let words = (address..address.wrapping_add(access.bytes)).step_by(WORD as usize);
            let is_quick = address.is_multiple_of(WORD)
                && words.into_iter().all(|word| {
                    if let Some(more) = &mut more
                        && more.get(word).is_some_and(|place| *place & kept != 0)
                    {
                        return false;
                    }
                    if quick.writes
                        && let Some(readers) = &mut readers
                        && readers.get(word).is_some_and(|readers| !readers.are_settled(quick.settled))
                    {
                        return false;
                    }
                    let Some(entry) = shadow.get(word) else { return false };
                    if quick.writes {
                        return entry.is_written_quickly(&new, quick);
                    }
                    entry.is_read_quickly(&new, quick)
                        || entry.gives_way_quickly(&new, quick, |read| {
                            let known = readers.as_mut().and_then(|readers| readers.get(word));
                            let known = known.filter(|_| !order.sites.get(read.site()).is_strong());
                            let (Some(known), Ok(cta)) = (known, u32::try_from(quick.cta)) else {
                                return false;
                            };
                            known.note(read, cta, quick.settled);
                            true
                        })
                });
            left |= u32::from(!is_quick) << lane;
            before = (address, is_quick);
        }
        left
    }
}

impl Quick {
    /// Whether an access before is none, or one that the new one comes after.
    #[inline(always)]
    fn is_after(&self, before: &Record, new: &Record) -> bool {
        before.is_none() || before.is_settled(self.cta, self.settled) || before.is_of_lane(new)
    }
}

impl Entry {
    #[inline(always)]
    fn is_read_quickly(&mut self, new: &Record, quick: &Quick) -> bool {
        if !quick.is_after(&self.write, new) || quick.constant && !self.write.is_none() {
            return false;
        }
        for read in &mut self.reads {
            if read.is_none() || read.is_settled(quick.cta, quick.settled) || read.is_of_lane(new) {
                *read = *new;
                return true;
            }
        }
        // Of lanes that read together the first and the last are kept apart, if there was room.
        if self.reads.iter_mut().rev().any(|read| read.takes_lane(new)) {
            return true;
        }
        let first_is_elsewhere = self.reads[0].cta() != quick.cta;
        // Of shared memory it is kept who has had to give way.
        let unknown = !quick.shared
            && quick.forgets
            && (first_is_elsewhere && self.reads[1].cta() != quick.cta || quick.knows_no_more);
        if unknown {
            self.reads[usize::from(first_is_elsewhere)] = *new;
        }
        unknown
    }

    /// The first of two reads of shared memory gives way to another of their CTA, if neither comes before that and `note` takes
    /// it. The write before is one that the new read comes after.
    #[inline]
    fn gives_way_quickly(&mut self, new: &Record, quick: &Quick, note: impl FnOnce(&Record) -> bool) -> bool {
        let stays = |read: &Record| read.cta() == quick.cta && read.mask() == 0xf && !read.is_alike(new);
        let gives_way = quick.shared
            && quick.knows_no_more
            && !quick.constant
            && quick.is_after(&self.write, new)
            && self.reads.iter().all(stays)
            && note(&self.reads[0]);
        if gives_way {
            self.reads[0] = *new;
        }
        gives_way
    }

    #[inline(always)]
    fn is_written_quickly(&mut self, new: &Record, quick: &Quick) -> bool {
        let after =
            quick.is_after(&self.write, new) && self.reads.iter().all(|read| quick.is_after(read, new));
        if after {
            *self = Self { write: *new, ..Self::default() };
        }
        after
    }
}
