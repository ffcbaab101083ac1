//! A launch that is held between two instructions, can be inspected, and goes on.
//!
//! It runs with the same clusters, CTAs and warps as any other launch, with one worker on the calling thread. Stopping
//! after an instruction does not end a turn: the warp that runs goes on with the next step. So a held launch gives the
//! same bytes and the same counts as one that is not held, in the order that its seed chooses.

use crate::code::Stepped;
use crate::explain::finding::Stop;
use crate::kernel::Kernel;
use crate::launch::{Environment, Launch};
use crate::schedule::grid::{Grid, Launched};
use crate::schedule::kept_rooms::Rooms;
use crate::schedule::work::{Common, Work};
use crate::statistics::Statistics;
use crate::view::View;

/// A launch that stands still between two instructions.
pub struct Execution<'a> {
    work: Work,
    common: Common,
    rooms: &'a Rooms,
    grid: Grid<'a>,
}

impl<'a> Execution<'a> {
    /// Launches a kernel and stops before its first instruction. The shape must have been checked against the device's
    /// limits; the number of host threads does not count.
    ///
    /// # Errors
    /// Why the launch could not begin.
    pub fn begin(
        kernel: &'a Kernel,
        launch: Launch,
        environment: Environment<'a>,
    ) -> Result<Execution<'a>, Stop> {
        // Between two instructions of compiled code nobody can look.
        let launch = Launch { tier: None, ..launch };
        let grid = Grid::new(&kernel.code, Launched::Here(Box::new(launch)), environment)?;
        let common = Common::default();
        let mut work = Work::new(0, &grid.run(), &kernel.rooms);
        work.take_next(&grid.run(), &common);
        common.stopped().map_or(Ok(()), Err)?;
        Ok(Self { work, common, rooms: &kernel.rooms, grid })
    }

    /// Executes one instruction of one group of lanes, whichever is next. Gives which; `None` if all threads have ended.
    ///
    /// # Errors
    /// Why the launch stopped. It can still be looked at, but does not go on.
    pub fn step(&mut self) -> Result<Option<Stepped>, Stop> {
        self.common.stopped().map_or(Ok(()), Err)?;
        (self.work.worker.single, self.work.worker.stepped) = (true, None);
        self.work.go_on(&self.grid.run(), &self.common, &mut || {});
        self.common.stopped().map_or(Ok(self.work.worker.stepped), Err)
    }

    /// Has the group that a lane is in make the next step, before others whose turn it would be. Gives whether it can:
    /// the lane must not have ended, and not wait for anything. If it finds that it must wait for other lanes, one of
    /// those makes the step.
    pub fn choose(&mut self, cta: u64, warp: u32, lane: u32) -> bool {
        self.work.choose(cta, warp, lane)
    }

    /// Steps until the question is answered with yes, which is asked after each step. Gives the last step; `None` if all
    /// threads have ended without it.
    ///
    /// # Errors
    /// As [`Execution::step`].
    pub fn run_until(
        &mut self,
        mut holds: impl FnMut(&View<'_>, &Stepped) -> bool,
    ) -> Result<Option<Stepped>, Stop> {
        while let Some(stepped) = self.step()? {
            if holds(&self.view(), &stepped) {
                return Ok(Some(stepped));
            }
        }
        Ok(None)
    }

    /// What there is to be seen.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        let current = self.work.current.iter().map(|(cluster, _)| &**cluster);
        let mut clusters: Vec<_> = current.chain(self.work.live.iter().map(|cluster| &**cluster)).collect();
        clusters.sort_by_key(|cluster| cluster.first_cta());
        View::new(self.grid.run(), clusters)
    }

    /// Runs to the end without stopping.
    ///
    /// # Errors
    /// Why the launch stopped before.
    pub fn finish(mut self) -> Result<Box<Statistics>, Stop> {
        let run = self.grid.run();
        (self.work.worker.single, self.work.worker.stepped) = (false, None);
        self.work.go_on(&run, &self.common, &mut || {});
        let statistics = self.work.end(&run, &self.common, self.rooms);
        self.common.outcome(statistics, &run)
    }
}

impl std::fmt::Debug for Execution<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Execution").field("ctas", &self.view().ctas().count()).finish_non_exhaustive()
    }
}
