//! Followers who care about what registers hold: the values that nobody has defined go from memory to registers, through
//! instructions, and back.
//!
//! As long as all registers of a warp are defined, such a [`Follower`] is told of its accesses to memory alone. When one of
//! them has loaded an undefined value ([`Decision::undefined`](super::follower::Decision)), or a function has registers
//! that it may read before it writes them, the warp is told of instruction by instruction, until no register is undefined
//! any more (`WarpState::values`).

use ptxvm_ir::FunctionId;

use crate::code::Source;
use crate::context::{Context, CtaState, Instruction, Run, Worker};
use crate::door::executed::{Begun, Decides, Executed, NoValue, Passed, Without};
use crate::door::follower::Follower;
use crate::door::fragments::Fragments;
use crate::door::observer::Access;
use crate::door::touch::{Proxy, Space, Wants};
use crate::registers::{LANES, Slot};
use crate::schedule::warp::Warp;

impl Context<'_> {
    /// Calls the follower with an instruction, if the values of the warp are followed.
    fn tell_values(
        &self,
        instruction: &Instruction,
        slots: &[Slot],
        mask: u32,
        activation: u32,
        tell: impl Fn(&dyn Follower, &Executed<'_>) -> bool,
    ) -> bool {
        let Some(follower) = &self.run.launch.follower else { return false };
        tell(
            &**follower,
            &Executed {
                who: self.who(mask),
                active: self.active,
                source: instruction.source,
                meaning: instruction.meaning,
                activation,
                guard: instruction.guard,
                slots,
                written: instruction.written.into(),
                bank: &self.bank,
                without: self.worker.without,
            },
        )
    }

    /// An instruction is about to be executed by these lanes, of which there may be none.
    #[cold]
    pub(crate) fn before_values(&self, instruction: &Instruction, mask: u32, activation: u32) {
        self.tell_values(instruction, &instruction.slots, mask, activation, |follower, executed| {
            follower.executes(&Executed { without: None, ..*executed });
            true
        });
    }

    /// The running instruction has no defined value for some lanes: whoever follows values is told when it is done.
    #[cold]
    pub(crate) fn has_no_value(&mut self, lanes: u32, why: NoValue) {
        if self.run.launch.follower.as_ref().is_some_and(|follower| follower.follows_values()) {
            self.worker.undefined = true;
            self.worker.without = Some(Without { lanes, why });
        }
    }

    /// It has been executed, or no lane was let through to it.
    #[cold]
    pub(crate) fn after_values(&mut self, instruction: &Instruction, mask: u32, activation: u32) {
        if mask == 0 {
            self.worker.without = None;
        }
        let tell = |follower: &dyn Follower, executed: &Executed<'_>| follower.executed(executed);
        self.warp.values = self.tell_values(instruction, &instruction.slots, mask, activation, tell);
    }

    /// Tells who follows values which bytes the registers of the running instruction are.
    #[cold]
    pub(crate) fn moves_fragments(
        &mut self,
        (wants, rows): (Wants, Option<&[u64; LANES]>),
        registers: (usize, usize),
        width: usize,
        place: &dyn Fn(usize, usize, usize) -> (usize, usize),
    ) {
        if let Some(follower) = self.run.launch.follower.as_ref().filter(|one| one.follows_values()) {
            let (who, source) = (self.who(u32::MAX), self.worker.source);
            let fragments = Fragments { who, source, wants, rows, registers, width, place };
            self.worker.undefined |= follower.fragments(&fragments);
        }
    }

    /// Lanes touch their local memory.
    #[cold]
    pub(super) fn touch_local(&mut self, lanes: u32, offsets: &[u64; LANES], bytes: u64, wants: Wants) {
        let Some(follower) = &self.run.launch.follower else { return };
        if lanes == 0 || bytes == 0 {
            return;
        }
        let (who, source) = (self.who(lanes), self.worker.source);
        let (space, proxy) = (Space::Local, Proxy::Generic);
        let access = Access { who, source, space, addresses: offsets, bytes, wants, proxy };
        self.worker.undefined |= follower.local(&access);
    }
}

/// Lanes begin an activation whose registers have been made ready. Costs nothing where nobody follows values.
pub(crate) fn begins(
    warp: &mut Warp,
    (cta, worker, run): (&CtaState, &Worker, &Run<'_>),
    (function, activation, lanes): (&crate::code::Function, u32, u32),
    frame: &[u64; LANES],
) {
    let Some(follower) = run.launch.follower.as_ref().filter(|follower| follower.follows_values()) else {
        return;
    };
    let hidden = |slot: &&Slot| **slot != function.frame && **slot != function.caller_stack;
    let unset: Vec<Slot> = function.unset.iter().filter(hidden).copied().collect();
    let who = worker.who(cta.rank, cta.ctaid, warp.state.index, lanes);
    let function_id = FunctionId(warp.activations[activation as usize].function);
    let begun =
        Begun { who, activation, function: function_id, unset: &unset, frame, bytes: function.frame_bytes };
    follower.begins(&begun);
    warp.state.values |= !unset.is_empty();
}

/// What is known of a value goes with it from one activation of a warp to another.
pub(crate) fn passes(
    warp: &mut crate::context::WarpState,
    (cta, worker, run): (&CtaState, &Worker, &Run<'_>),
    (from, to): (Passed<'_>, Passed<'_>),
    lanes: u32,
) {
    let in_memory = matches!(from, Passed::Local(..));
    if (warp.values || in_memory)
        && let Some(follower) = run.launch.follower.as_ref().filter(|follower| follower.follows_values())
    {
        warp.values |= follower.passes(worker.who(cta.rank, cta.ctaid, warp.index, lanes), from, to);
    }
}

/// Lanes leave a block by what these registers say.
pub(crate) fn decides(
    warp: &mut Warp,
    (cta, worker, run): (&CtaState, &Worker, &Run<'_>),
    (source, activation, lanes): (Source, u32, u32),
    registers: &[(Slot, Decides)],
) {
    let Some(follower) = &run.launch.follower else { return };
    let who = worker.who(cta.rank, cta.ctaid, warp.state.index, lanes);
    for (slot, what) in registers {
        follower.decides(who, source, (activation, *slot), *what);
    }
}
