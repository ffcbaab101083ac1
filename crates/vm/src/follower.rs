//! Who follows a launch of a kernel: the checkers that its settings ask for, or a weak memory.

use std::sync::Arc;

use ptxvm_check::{
    BoundsChecker, Checked, CheckedLaunch, Followed, InitChecker, LeakChecker, RaceChecker, SyncChecker,
    may_leave_values_undefined, needed, together,
};
use ptxvm_machine::{Check, Checks, Follower, MemoryModel, Settings};
use ptxvm_order::Shape;
use ptxvm_weak::{Launched, Weak};

use crate::kernel::Kernel;
use crate::launch::{HeapBlocks, LaunchOptions};

impl Kernel {
    /// What is looked for in its launches: of what is asked for, that which may be found in it.
    #[must_use]
    pub fn checked(&self, asked: Checks) -> Checks {
        if asked.are_any() { needed(&self.linked, asked) } else { Checks::NONE }
    }

    /// Who follows a launch of this shape, if its settings ask for somebody.
    pub(crate) fn follower(
        &self,
        options: &LaunchOptions,
        (checks, blocks): (Checks, &Arc<HeapBlocks>),
        grid: [u32; 3],
        cluster: Option<[u32; 3]>,
    ) -> Option<Arc<dyn Follower>> {
        let (block, seed) = (options.block.0, options.settings.seed);
        let budget = self.module.device().budget();
        if checks.are_any() {
            let Settings { check_limit, .. } = options.settings;
            let shape = Shape { grid, cluster: cluster.unwrap_or([1; 3]), block };
            let mut all: Vec<Arc<dyn Follower>> = Vec::new();
            if checks.has(Check::Race) {
                let checked =
                    Checked { shape, strict: checks.has(Check::Strict), limit: check_limit as usize };
                let races = options.races.clone().unwrap_or_default();
                let checker = RaceChecker::new(self.linked.program(), checked, budget, &races);
                all.push(Arc::new(match &options.footprint {
                    Some(footprint) => checker.leaving(footprint, self.name()),
                    None => checker,
                }));
            }
            let mistakes = options.mistakes.clone().unwrap_or_default();
            let launch =
                CheckedLaunch { block, shared: options.shared, limit: check_limit as usize, mistakes };
            // What instructions leave undefined is looked for by the checks of these, and followed to where it is used.
            let unwritten = checks.has(Check::Init);
            let results = checks.has(Check::Sync) || checks.has(Check::Bounds);
            if unwritten || results && may_leave_values_undefined(&self.linked) {
                let device = self.module.device().memory().unwritten();
                all.push(Arc::new(InitChecker::new(&self.linked, &launch, unwritten, device, budget)));
            }
            if checks.has(Check::Bounds) {
                let addresses = &self.addresses.variables;
                all.push(Arc::new(BoundsChecker::new(&self.linked, &launch, addresses)));
            }
            let (clusters, asynchronous) = (checks.has(Check::Sync), checks.has(Check::Async));
            if clusters || asynchronous {
                let (program, entry) = (self.linked.program(), self.linked.entry());
                let followed = Followed { shape, clusters, asynchronous, limit: check_limit };
                all.push(Arc::new(SyncChecker::new(program, entry, followed, &launch.mistakes)));
            }
            if checks.has(Check::Leak) {
                all.push(Arc::new(LeakChecker::new(self.clone(), &self.linked, block, blocks)));
            }
            return together(all);
        }
        let weak = options.settings.memory_model == MemoryModel::Weak;
        let launched = Launched { grid, cluster: cluster.unwrap_or([1; 3]), block, seed, weak };
        let stale = options.stale.clone().unwrap_or_default();
        let weak = Weak::new(self.linked.program(), launched, budget, &stale);
        Some(Arc::new(weak.asked(options.order.clone())))
    }
}
