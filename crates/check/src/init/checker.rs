//! The initialisation checker of a launch as the machine sees it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_machine::code::Source;
use ptxvm_machine::door::executed::{Begun, Decides, Executed, Passed};
use ptxvm_machine::door::follower::{Decision, Found as Bytes, OldBytes};
use ptxvm_machine::door::fragments::Fragments;
use ptxvm_machine::door::observer::{Access, HeapChange, Transferred, Who};
use ptxvm_machine::door::touch::{Space, Wants};
use ptxvm_machine::registers::Slot;
use ptxvm_machine::{Follower, Kernel};
use ptxvm_memory::{Budget, Unwritten};

use crate::init::found::Found;
use crate::init::memory::{Memories, Memory};
use crate::init::state::State;
use crate::told::{CheckedLaunch, Told};

/// The initialisation checker of one launch. What it finds are mistakes after which the kernel goes on.
#[derive(Debug)]
pub struct InitChecker(Mutex<State>);

impl InitChecker {
    /// That of a launch of a kernel, on a device of which this is unwritten. What it needs is charged to a budget.
    ///
    /// If `unwritten` is not to be looked for, only values that instructions leave undefined are followed, and only through
    /// registers.
    #[must_use]
    pub fn new(
        kernel: &Arc<Kernel>,
        launch: &CheckedLaunch,
        unwritten: bool,
        device: &Arc<Unwritten>,
        budget: &Arc<Budget>,
    ) -> Self {
        let shared = u64::from(kernel.shared_bytes()) + u64::from(launch.shared);
        if unwritten {
            device.keep();
        }
        let memories = Memories::new(device, shared, budget);
        let told = Told::new(kernel, launch);
        Self(Mutex::new(State::new(kernel.program(), unwritten, memories, told)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InitChecker {
    /// Undefined values that were stored in global memory are told if they are still there.
    fn drop(&mut self) {
        let mut state = self.state();
        for (source, places) in std::mem::take(&mut state.left) {
            for left in places {
                let still = state.memories.unwritten(Memory::Global, left.address, 32) & left.mask;
                if still != 0 {
                    state.report(&left.who, source, (left.lane, left.origin), Found::Left);
                }
            }
        }
        state.memories.end();
    }
}

impl Follower for InitChecker {
    fn access(&self, access: &Access<'_>, _: &Bytes<'_>, _: &mut OldBytes) -> Decision {
        Decision { undefined: self.state().access(access), ..Decision::default() }
    }

    fn local(&self, access: &Access<'_>) -> bool {
        self.state().access(access)
    }

    fn touched(&self, access: &Access<'_>) {
        match (access.wants, access.space) {
            (Wants::Read, Space::Tensor) => self.state().reads_rows(access),
            (Wants::Read, _) => {}
            _ => drop(self.state().access(access)),
        }
    }

    fn issued(&self, operation: &Transferred<'_>) {
        let mut state = self.state();
        if state.unwritten {
            state.issue(operation);
        }
    }

    fn heap(&self, change: &HeapChange) {
        let mut state = self.state();
        if let Some(bytes) = change.taken
            && state.unwritten
        {
            state.memories.undefine(Memory::Global, change.address, bytes, None);
        }
    }

    fn follows_values(&self) -> bool {
        true
    }

    fn begins(&self, begun: &Begun<'_>) {
        self.state().begin(begun);
    }

    fn executes(&self, executed: &Executed<'_>) {
        self.state().execute(executed);
    }

    fn executed(&self, executed: &Executed<'_>) -> bool {
        self.state().executed(executed)
    }

    fn decides(&self, who: Who, source: Source, (activation, slot): (u32, Slot), what: Decides) {
        let mut state = self.state();
        if let Some((lane, origin)) = state.undecided(&who, activation, slot) {
            let found = match what {
                Decides::Way => Found::Way,
                Decides::Callee => Found::Callee,
                Decides::Barrier => Found::Barrier,
            };
            state.report(&who, source, (lane, origin), found);
        }
    }

    fn passes(&self, who: Who, from: Passed<'_>, to: Passed<'_>) -> bool {
        self.state().pass(&who, from, to)
    }

    fn accumulates(&self, who: Who, source: Source) {
        self.state().accumulate(&who, source);
    }

    fn fragments(&self, fragments: &Fragments<'_>) -> bool {
        let mut state = self.state();
        state.unwritten && state.fragments(fragments)
    }

    fn cluster_ended(&self, cluster: u64) {
        self.state().end_cluster(cluster);
    }
}
