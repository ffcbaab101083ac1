//! How far the warps of a CTA's warpgroups are with their groups of `wgmma` products.
//!
//! On an H200 a product begins when all four warps have come to its `wgmma.mma_async`; they meet again at each
//! `wgmma.commit_group`, and not at `wgmma.wait_group` (measured: a warp that comes late holds the others up at the first two
//! and not at the third). Who has waited for a group knows that the whole warpgroup's products of it are complete: one thread
//! may give the memory of the operands back for all. Here each warp computes its own part. So warps meet at
//! `wgmma.commit_group`, and who waits for a group has the parts of the others completed first.

/// The warps of a warpgroup.
const WARPS: usize = 4;
/// The most warps of a CTA.
const MOST: usize = 32;

/// How far the warps of a CTA are.
#[derive(Debug)]
pub struct Warpgroups {
    /// How many groups each has closed or come to close; a warp that has ended is ahead of all.
    committed: [u32; MOST],
    /// The first group that each has products under way of.
    under_way: [u32; MOST],
    /// The warp that waits until its warpgroup has no products of the groups before this under way.
    wanted: Option<(usize, u32)>,
    used: bool,
}

impl Default for Warpgroups {
    fn default() -> Self {
        Self { committed: [0; MOST], under_way: [u32::MAX; MOST], wanted: None, used: false }
    }
}

/// The warps of the warpgroup of a warp.
fn beside(warp: u32) -> std::ops::Range<usize> {
    let first = warp as usize / WARPS * WARPS;
    first..first + WARPS
}

impl Warpgroups {
    /// Forgets everything, for a fresh CTA.
    #[inline]
    pub fn start(&mut self) {
        if self.used {
            *self = Self::default();
        }
    }

    /// A warp has come to close its group of this number, counted from 1. Gives whether all of its warpgroup have, and
    /// whether it is the last one that they have waited for.
    pub fn commit(&mut self, warp: u32, group: u32) -> (bool, bool) {
        self.used = true;
        let first_time = std::mem::replace(&mut self.committed[warp as usize], group) < group;
        let all = self.committed[beside(warp)].iter().all(|committed| *committed >= group);
        (all, all && first_time)
    }

    /// Says which group a warp has products under way of, if it has some.
    pub fn set_under_way(&mut self, warp: u32, first: Option<u32>) {
        self.used |= first.is_some();
        self.under_way[warp as usize] = first.unwrap_or(u32::MAX);
    }

    /// Whether other warps of a warp's warpgroup have no products under way of the groups before this. If they have, they
    /// are to be completed.
    pub fn are_complete(&mut self, warp: u32, before: u32) -> bool {
        let others = beside(warp).filter(|other| *other != warp as usize);
        let complete = others.into_iter().all(|other| self.under_way[other] >= before);
        self.wanted = (!complete).then_some((warp as usize, before));
        complete
    }

    /// The warp that waits for products of its warpgroup, the warps that it consists of, and the groups before which.
    pub fn take_wanted(&mut self) -> Option<(usize, std::ops::Range<usize>, u32)> {
        let (warp, before) = self.wanted.take()?;
        Some((warp, beside(warp as u32), before))
    }

    /// A warp has ended: nobody waits for it any more. Gives whether somebody may have.
    pub fn end(&mut self, warp: u32) -> bool {
        self.committed[warp as usize] = u32::MAX;
        self.used
    }

    /// The warps of a warp's warpgroup that have closed fewer groups than it.
    pub fn behind(&self, warp: u32) -> impl Iterator<Item = usize> {
        let own = self.committed[warp as usize];
        beside(warp).filter(move |other| self.committed[*other] < own)
    }
}
