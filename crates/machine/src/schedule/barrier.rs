//! The sixteen barriers of a CTA (manual 9.7.13.1).
//!
//! A barrier counts warps. A warp has arrived when all its living lanes have executed a barrier instruction with this
//! number, wherever the instruction is. A warp that ends leaves the count, so nobody waits for it.

use crate::code::Reduction;

/// The warps that a CTA can have.
pub const WARPS: usize = 32;

/// The barriers that a CTA has.
pub const BARRIERS: usize = 16;

/// One barrier.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    /// By warp: the lanes that have arrived while others of the warp are still to come.
    arriving: [u32; WARPS],
    /// The warps that have lanes in `arriving`.
    partial: u32,
    /// The warps that have wholly arrived since the barrier was last complete.
    arrived: u32,
    /// How often warps have; one that does not wait may come again.
    arrivals: u32,
    /// How many must; `None`: all that live.
    expected: Option<u32>,
    /// Threads whose predicate holds, and threads that brought one.
    held: u32,
    brought: u32,
    /// How those who have arrived want predicates combined, if they do.
    reduction: Option<Reduction>,
}

/// What `barrier.red` computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reduced {
    /// How many predicates held.
    pub popc: u32,
    /// Whether all held.
    pub and: bool,
    /// Whether one held.
    pub or: bool,
}

impl Barrier {
    /// Lanes of a warp arrive. `count` is the number of threads that take part, if the instruction says one.
    /// Of `barrier.red`, the predicates and how they are combined.
    pub fn arrive(
        &mut self,
        warp: usize,
        lanes: u32,
        count: Option<u32>,
        reduction: Option<(u32, Reduction)>,
    ) {
        self.arriving[warp] |= lanes;
        self.partial |= 1 << warp;
        self.expected = self.expected.or(count.map(|threads| threads.div_ceil(32)));
        if let Some((predicate, how)) = reduction {
            self.reduction = Some(how);
            self.held += (predicate & lanes).count_ones();
            self.brought += lanes.count_ones();
        }
    }

    /// How those who have arrived want predicates combined, if they do.
    #[must_use]
    pub fn reduction(&self) -> Option<Reduction> {
        self.reduction
    }

    /// Counts a warp that has wholly arrived, given its lanes that live.
    pub fn gather(&mut self, warp: usize, alive: u32) {
        if self.partial >> warp & 1 != 0 && alive & !self.arriving[warp] == 0 {
            self.arriving[warp] = 0;
            self.partial &= !(1 << warp);
            self.arrived |= 1 << warp;
            self.arrivals += 1;
        }
    }

    /// If enough warps have arrived, given those that live, the barrier begins anew and gives what was reduced.
    pub fn settle(&mut self, living: u32) -> Option<Reduced> {
        if self.arrivals == 0 || self.arrivals < self.wanted(living) {
            return None;
        }
        let reduced = Reduced { popc: self.held, and: self.held == self.brought, or: self.held != 0 };
        // Lanes that have come early for the next round stay.
        (self.arrived, self.arrivals, self.expected) = (0, 0, None);
        (self.held, self.brought, self.reduction) = (0, 0, None);
        Some(reduced)
    }

    /// Whether it waits for all of the CTA's warps: those that have ended count as if they had come, unless it was said how
    /// many must come.
    #[must_use]
    pub fn is_for_all(&self, warps: usize) -> bool {
        self.expected.is_none_or(|expected| expected as usize >= warps)
    }

    fn wanted(&self, living: u32) -> u32 {
        self.expected.unwrap_or((living | self.arrived).count_ones())
    }

    /// How many threads those who have arrived said that it takes, if they did.
    #[must_use]
    pub fn expected_threads(&self) -> Option<u32> {
        self.expected.map(|warps| warps * 32)
    }

    /// Whether anybody has arrived.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.partial != 0 || self.arrivals != 0
    }

    /// The lanes of a warp, given those that live, that have not arrived since the barrier was last complete.
    #[must_use]
    pub fn missing(&self, warp: usize, alive: u32) -> u32 {
        if self.arrived >> warp & 1 != 0 { 0 } else { alive & !self.arriving[warp] }
    }

    /// For reports: warps that have arrived, and warps that must, given those that live.
    #[must_use]
    pub fn progress(&self, living: u32) -> (u32, u32) {
        (self.arrivals, self.wanted(living))
    }
}
