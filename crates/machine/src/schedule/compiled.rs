//! Compiled code: what an engine beside the interpreter has made of blocks, and how a warp enters and leaves it.
//!
//! The interpreter asks at the beginning of a block whether there is compiled code that begins there, and enters it with
//! the lanes of a group. The code runs as far as it can and says where it left the lanes: at the end of a block that only
//! the schedule can end (a barrier, a call), before an instruction that it has no answer for (a wrong address, say), or
//! at the beginning of a block. The interpreter goes on from there, so every finding is the interpreter's own.
//!
//! Registers lie in the activation's block when code is entered and when it is left, as the interpreter has them.
#![allow(unsafe_code)]

use crate::context::{CtaState, Run, Worker};
use crate::schedule::barrier::WARPS;
use crate::schedule::callback::{Host, MOST_LOOKS, forget_ended, leave};
use crate::schedule::stack;
use crate::schedule::warp::Warp;

pub(crate) use crate::schedule::callback::LEAST_FUEL;
pub use crate::schedule::callback::{Executed, LOOK, NO_FUNCTION, Way, callable};
pub use crate::state::frame::{APART, Compiled, Enter, Frame, Left, Meeting, Site, Stack, Tier, offset};

/// Where compiled code has left warps.
pub(crate) struct Stay {
    /// What became of the last that ran; if all came to the same place, of all of them.
    pub left: Left,
    /// The warp that came elsewhere than those before it, if one did.
    pub parted: Option<usize>,
    /// Where those before it, or all, have come to.
    pub meeting: Meeting,
    /// Where the lanes of the last stand.
    pub block: u32,
    pub number: u32,
    pub mask: u32,
    /// The activation that they are in.
    pub activation: u32,
    /// How many other groups it has: the worker's frame has them.
    pub others: usize,
    /// What the code did, in instructions.
    pub effort: u64,
    /// Whether it did nothing at last but look, in vain, for what others may change.
    pub spun: bool,
}

/// A visit of compiled code by warps of one CTA: what is the same for all of them is set once.
pub(crate) struct Visit {
    frame: Box<Frame>,
}

impl Visit {
    /// Begins a visit.
    #[inline(always)]
    pub fn begin(compiled: &dyn Compiled, cta: &CtaState, worker: &mut Worker, run: &Run<'_>) -> Self {
        let generation = run.environment.memory.generation();
        if worker.sites.len() != compiled.sites() || worker.sites_generation != generation {
            worker.sites.clear();
            worker.sites.resize(compiled.sites(), Site::default());
            worker.weights.resize(compiled.sites(), [0, 0]);
            worker.sites_generation = generation;
        }
        // It is large and belongs to the worker.
        let mut frame = std::mem::take(&mut worker.frame).unwrap_or_default();
        frame.began = APART;
        frame.sites = worker.sites.as_mut_ptr();
        frame.weights = worker.weights.as_mut_ptr();
        frame.shared = cta.shared.pointer();
        frame.shared_first = cta.shared_base;
        frame.shared_size = cta.quick_shared;
        frame.nctaid = run.launch.grid.as_ptr();
        frame.parameters = run.launch.parameters.as_ptr();
        frame.parameter_address = run.parameters;
        Self { frame }
    }

    /// Whether it has room for what the places of the code remember: another thread may have added some.
    #[inline(always)]
    pub fn has_room(&self, compiled: &dyn Compiled, worker: &Worker) -> bool {
        worker.sites.len().min(worker.weights.len()) >= compiled.sites()
    }

    /// A warp takes part, in one of its activations.
    #[inline(always)]
    pub fn admit(&mut self, warp: &mut Warp, activation: u32) {
        let index = warp.state.index as usize % WARPS;
        self.frame.banks[index] = warp.activations[activation as usize].registers.pointer();
        self.frame.tids[index] = warp.state.tid.as_ptr().cast();
        self.frame.alive[index] = warp.state.alive();
        self.frame.noted |= warp.state.exited != 0 || warp.state.placed;
        stack::show(&mut self.frame, &warp.state);
    }

    /// All warps of the CTA take part and begin with a block.
    #[inline(always)]
    pub fn begin_together(&mut self, block: u32) {
        self.frame.began = block;
    }

    /// The block that they began with last: where they met before, the code has gone on by itself.
    #[inline(always)]
    pub fn began(&self) -> u32 {
        self.frame.began
    }

    /// Runs compiled code with warps that take part, in the order in which they stand, until it leaves them. They are of
    /// the visit's CTA and worker. The code may begin some CTAs after this one; then all its warps take part.
    #[inline(always)]
    pub fn enter(
        &mut self,
        enter: Enter,
        (warps, activation): (&mut [Warp], u32),
        cta: &mut CtaState,
        worker: &mut Worker,
        run: &Run<'_>,
        (fuel, ctas): (i64, u32),
    ) -> Stay {
        let frame = &mut *self.frame;
        (frame.ctaid, frame.ctas) = (cta.ctaid, ctas);
        frame.first = warps.first().map_or(0, |warp| warp.state.index);
        frame.last = frame.first + warps.len() as u32;
        (frame.fuel, frame.filled, frame.refills, frame.others) = (fuel, fuel, 0, 0);
        frame.looks = 0;
        (frame.activation, frame.activated) = (activation, activation);
        let mut host = Host { warps, activation, cta, worker, run, ctas, calls: Vec::new() };
        frame.host = (&raw mut host).cast();
        // SAFETY: the frame is whole, and the code was made for this kernel and this shape (`Launch::tier`).
        let left = unsafe { enter(&raw mut *frame) };
        host.catch_up(frame);
        let meeting = Meeting::of(frame.meeting);
        if meeting == Meeting::Nowhere {
            // Those before the warp that the code has left have ended, which it says once and for all of them.
            let ended = frame.first as usize..frame.warp as usize;
            if let Some(ended) = frame.alive.get_mut(ended) {
                ended.fill(0);
            }
        }
        if let Some(panic) = frame.panic.take() {
            std::panic::resume_unwind(panic);
        }
        let left = Left::ALL.get(left as usize).copied().unwrap_or(Left::Ended);
        // A call in which the code was left may have found no memory for its registers.
        let refused = !host.calls.is_empty() && host.worker.limit.is_some();
        let left = if refused { Left::Fault } else { left };
        Stay {
            left,
            parted: (frame.warp != frame.last).then_some(frame.warp as usize),
            meeting,
            block: frame.block,
            number: frame.number,
            mask: frame.mask,
            activation: frame.activation,
            others: frame.others as usize,
            effort: u64::try_from(frame.filled - frame.fuel).unwrap_or(0),
            spun: frame.looks >= MOST_LOOKS,
        }
    }

    /// All warps of the CTA have ended, and begin anew as those of the next: no lane has ended.
    #[inline(always)]
    pub fn begin_again(&mut self, warps: &mut [Warp]) {
        forget_ended(&mut self.frame, warps);
        let Some((last, others)) = self.frame.alive[..warps.len().min(WARPS)].split_last_mut() else {
            return;
        };
        // Only the last can have fewer lanes.
        others.fill(u32::MAX);
        *last = warps.last().map_or(0, |warp| warp.state.present);
    }

    /// A warp that took part has its lanes back: those that have ended leave.
    #[inline(always)]
    pub fn dismiss(&mut self, warp: &mut Warp, cta: &mut CtaState, worker: &mut Worker) {
        leave(&mut self.frame, &mut warp.state, cta, worker);
    }

    /// The same where no barrier counts the lanes: nobody has arrived at one of the CTA's, and the code has none of
    /// the cluster's.
    #[inline(always)]
    pub fn dismiss_uncounted(&self, warp: &mut Warp) {
        warp.state.exited = warp.state.present & !self.frame.alive[warp.state.index as usize % WARPS];
    }

    /// Ends a visit.
    #[inline(always)]
    pub fn end(self, worker: &mut Worker) {
        worker.frame = Some(self.frame);
    }
}
