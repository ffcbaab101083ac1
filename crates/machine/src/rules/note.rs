//! Noting what a check has found, from where the machine is.

use crate::code::Source;
use crate::context::{Context, Run};
use crate::explain::finding::{Kind, Thread};
use crate::explain::noted::{Noted, NotedIn};
use crate::settings::Check;

impl Run<'_> {
    /// Whether the launch is looked at for what a check finds.
    #[inline(always)]
    pub(crate) fn looks_for(&self, check: Check) -> bool {
        self.launch.settings.checks.has(check)
    }

    /// Notes what is wrong at an instruction.
    #[cold]
    pub(crate) fn note(
        &self,
        kind: Kind,
        at: Source,
        thread: Option<Thread>,
        describe: impl FnOnce() -> Noted,
    ) {
        let Some(mistakes) = &self.launch.mistakes else { return };
        let (program, entry) = (&*self.code.program, self.code.entry);
        let limit = self.launch.settings.check_limit;
        NotedIn { program, entry, mistakes, limit }.note(kind, at, thread, describe);
    }
}

impl Context<'_> {
    /// Notes what a lane does wrong by the running instruction.
    pub(crate) fn note(&self, kind: Kind, lane: usize, describe: impl FnOnce() -> Noted) {
        self.note_at(kind, self.worker.source, lane, describe);
    }

    /// Notes what a lane does wrong by an instruction.
    #[cold]
    pub(crate) fn note_at(&self, kind: Kind, at: Source, lane: usize, describe: impl FnOnce() -> Noted) {
        let thread = Thread {
            ctaid: self.cta.ctaid,
            tid: [0, 1, 2].map(|d| self.warp.tid[d][lane]),
            warp: self.warp.index,
            lane: lane as u32,
        };
        self.run.note(kind, at, Some(thread), describe);
    }
}
