//! The barrier of a cluster (manual 9.7.13.3): threads arrive without stopping, and wait for the others later.
//!
//! It counts threads. Threads that have ended are not waited for, whether they arrived or not. In a launch without
//! clusters every CTA is a cluster of its own.

/// The barrier, as the whole cluster sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterBarrier {
    /// How often it has been complete.
    phase: u64,
    /// The threads that have not ended.
    living: u32,
    /// Those of them that have not arrived in this phase.
    missing: u32,
}

/// What the lanes of one warp have to do with the barrier.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrivals {
    /// The lanes that have arrived and not waited yet.
    unwaited: u32,
    /// The lanes that have arrived in the phase of this number.
    arrived: u32,
    phase: u64,
}

impl Arrivals {
    /// The lanes that have arrived while the barrier is still in the same phase.
    #[must_use]
    pub fn open(&self, barrier: &ClusterBarrier) -> u32 {
        if self.phase == barrier.phase { self.arrived } else { 0 }
    }

    /// The lanes that have arrived and not waited yet.
    #[must_use]
    pub fn unwaited(&self) -> u32 {
        self.unwaited
    }

    /// The phase in which lanes have arrived last.
    #[must_use]
    pub fn phase(&self) -> u64 {
        self.phase
    }

    /// Lanes have seen that their phase is complete.
    pub fn waited(&mut self, lanes: u32) {
        self.unwaited &= !lanes;
    }
}

impl ClusterBarrier {
    /// That of a cluster of so many threads, of which none has arrived.
    #[must_use]
    pub fn new(threads: u32) -> Self {
        Self { phase: 0, living: threads, missing: threads }
    }

    /// How often it has been complete.
    #[must_use]
    pub fn phase(&self) -> u64 {
        self.phase
    }

    /// Lanes arrive that have not arrived since they last waited. Gives whether the barrier is complete by that.
    pub fn arrive(&mut self, warp: &mut Arrivals, lanes: u32) -> bool {
        warp.arrived = warp.open(self) | lanes;
        warp.phase = self.phase;
        warp.unwaited |= lanes;
        self.missing -= lanes.count_ones();
        self.settle()
    }

    /// Lanes end. Gives whether the others were waiting for them alone.
    pub fn leave(&mut self, warp: &Arrivals, lanes: u32) -> bool {
        self.living -= lanes.count_ones();
        self.missing -= (lanes & !warp.open(self)).count_ones();
        self.settle()
    }

    fn settle(&mut self) -> bool {
        let complete = self.missing == 0 && self.living != 0;
        if complete {
            self.phase += 1;
            self.missing = self.living;
        }
        complete
    }

    /// For reports: how many threads have not arrived, of how many that have not ended.
    #[must_use]
    pub fn progress(&self) -> (u32, u32) {
        (self.missing, self.living)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_when_all_have_arrived() {
        let mut barrier = ClusterBarrier::new(64);
        let mut warps = [Arrivals::default(); 2];
        assert!(!barrier.arrive(&mut warps[0], u32::MAX));
        assert!(!barrier.arrive(&mut warps[1], 0xffff));
        assert_eq!(barrier.progress(), (16, 64));
        assert_eq!((warps[0].open(&barrier), warps[1].open(&barrier)), (u32::MAX, 0xffff));
        assert!(barrier.arrive(&mut warps[1], 0xffff_0000));
        assert_eq!((warps[0].open(&barrier), warps[1].open(&barrier)), (0, 0));
        assert_eq!(warps[0].unwaited(), u32::MAX);
        warps[0].waited(u32::MAX);
        assert!(!barrier.arrive(&mut warps[0], u32::MAX));
        assert_eq!((warps[0].open(&barrier), warps[1].open(&barrier)), (u32::MAX, 0));
        assert_eq!(barrier.progress(), (32, 64));
    }
}
