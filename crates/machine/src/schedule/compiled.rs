//! Compiled code: what an engine beside the interpreter has made of blocks, and how a warp enters and leaves it.
//!
//! The interpreter asks at the beginning of a block whether there is compiled code that begins there, and enters it with
//! the lanes of a group. The code runs as far as it can and says where it left the lanes: at the end of a block that only
//! the schedule can end (a barrier, a call), before an instruction that it has no answer for (a wrong address, say), or
//! at the beginning of a block. The interpreter goes on from there, so every finding is the interpreter's own.
//!
//! Registers lie in the activation's block when code is entered and when it is left, as the interpreter has them.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context::{Context, CtaState, Run, WarpState, Worker};
use crate::door::touch::Wants;
use crate::registers::{LANES, lanes_in};
use crate::schedule::barrier::WARPS;
use crate::schedule::left_in_call;
use crate::schedule::stack;
use crate::schedule::step::{self, Step};
use crate::schedule::succession;
use crate::schedule::warp::{Warp, bank_of};
use ptxvm_ir::operation::AddressSpace;

pub use crate::state::frame::{Compiled, Enter, Frame, Left, NO_BARRIER, Site, Stack, Tier, offset};

/// Where compiled code has left warps.
pub(crate) struct Stay {
    /// What became of the last that ran; if all came to the same place, of all of them.
    pub left: Left,
    /// The warp that came elsewhere than those before it, if one did.
    pub parted: Option<usize>,
    /// The block whose barrier those before it, or all, have come to; [`NO_BARRIER`] if they have ended.
    pub barrier: u32,
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
}

/// A visit of compiled code by warps of one CTA: what is the same for all of them is set once.
pub(crate) struct Visit {
    frame: Box<Frame>,
}

/// What the functions need that compiled code calls.
struct Host<'a> {
    warps: &'a mut [Warp],
    activation: u32,
    cta: &'a mut CtaState,
    worker: &'a mut Worker,
    run: &'a Run<'a>,
    /// How many CTAs were left to the code when it was last looked at.
    ctas: u32,
    /// The calls in which the code is being left, the innermost first.
    calls: Vec<u32>,
}

impl Host<'_> {
    /// The CTA is the one that the code has come to.
    #[inline(always)]
    fn catch_up(&mut self, frame: &mut Frame) {
        let begun = self.ctas - frame.ctas;
        if begun != 0 {
            self.ctas = frame.ctas;
            succession::passed(begun, self.cta, self.worker, self.run);
            forget_ended(frame, self.warps);
        }
    }
}

impl Visit {
    /// Begins a visit.
    #[inline(always)]
    pub fn begin(compiled: &dyn Compiled, cta: &CtaState, worker: &mut Worker, run: &Run<'_>) -> Self {
        let generation = run.environment.memory.generation();
        if worker.sites.len() != compiled.sites() || worker.sites_generation != generation {
            worker.sites.clear();
            worker.sites.resize(compiled.sites(), [0, 0]);
            worker.sites_generation = generation;
        }
        // It is large and belongs to the worker.
        let mut frame = std::mem::take(&mut worker.frame).unwrap_or_default();
        frame.sites = worker.sites.as_mut_ptr();
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
        worker.sites.len() >= compiled.sites()
    }

    /// A warp takes part, in one of its activations.
    #[inline(always)]
    pub fn admit(&mut self, warp: &mut Warp, activation: u32) {
        let index = warp.state.index as usize % WARPS;
        self.frame.banks[index] = warp.activations[activation as usize].registers.pointer();
        self.frame.tids[index] = warp.state.tid.as_ptr().cast();
        self.frame.alive[index] = warp.state.alive();
        self.frame.noted |= warp.state.exited != 0;
        stack::show(&mut self.frame, &warp.state);
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
        frame.looked = false;
        (frame.activation, frame.activated) = (activation, activation);
        let mut host = Host { warps, activation, cta, worker, run, ctas, calls: Vec::new() };
        frame.host = (&raw mut host).cast();
        // SAFETY: the frame is whole, and the code was made for this kernel and this shape (`Launch::tier`).
        let left = unsafe { enter(&raw mut *frame) };
        host.catch_up(frame);
        if frame.barrier == NO_BARRIER {
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
            barrier: frame.barrier,
            block: frame.block,
            number: frame.number,
            mask: frame.mask,
            activation: frame.activation,
            others: frame.others as usize,
            effort: u64::try_from(frame.filled - frame.fuel).unwrap_or(0),
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

/// The warps of the next CTA have all their lanes: a function that the code has called may have noted which had ended.
#[inline(always)]
fn forget_ended(frame: &mut Frame, warps: &mut [Warp]) {
    if std::mem::take(&mut frame.noted) {
        warps.iter_mut().for_each(|warp| warp.state.exited = 0);
    }
}

/// The lanes of a warp that have ended in compiled code leave it.
#[inline(always)]
fn leave(frame: &mut Frame, warp: &mut WarpState, cta: &mut CtaState, worker: &mut Worker) {
    let gone = warp.alive() & !frame.alive[warp.index as usize % WARPS];
    if gone != 0 {
        frame.noted = true;
        crate::schedule::terminator::exit_lanes(gone, warp, cta, worker);
    }
}

/// The functions that compiled code calls, by their names in it.
#[must_use]
pub fn callable() -> [(&'static str, *const c_void); 5] {
    [
        ("ptxvm_activate", activate as *const c_void),
        ("ptxvm_refuel", refuel as *const c_void),
        ("ptxvm_execute", execute as *const c_void),
        ("ptxvm_line", line as *const c_void),
        ("ptxvm_each", each as *const c_void),
    ]
}

/// Does something with the context of a frame; gives what it gives, or `otherwise` if it has panicked. The panic goes on
/// when the compiled code has been left, which nothing can be unwound through.
///
/// # Safety
/// The frame is that of a running [`enter`].
unsafe fn with(frame: *mut Frame, otherwise: u32, f: impl FnOnce(&mut Context<'_>, u32) -> u32) -> u32 {
    // SAFETY: the caller says so; what the frame names lives as long as `enter` runs, and nobody else uses it meanwhile.
    let (frame, host) = unsafe { (&mut *frame, &mut *(*frame).host.cast::<Host<'_>>()) };
    host.catch_up(frame);
    let Host { warps, activation, cta, worker, run, .. } = host;
    let Some(warp) = warps.get_mut((frame.warp - frame.first) as usize) else { return otherwise };
    leave(frame, &mut warp.state, cta, worker);
    let bank = bank_of(&mut warp.activations, *activation, run.code);
    let active = warp.state.alive();
    let mut context = Context { bank, active, warp: &mut warp.state, cta, worker, run };
    match catch_unwind(AssertUnwindSafe(|| f(&mut context, *activation))) {
        Ok(answer) => {
            // It moves when it grows.
            stack::show(frame, &warp.state);
            answer
        }
        Err(panic) => {
            frame.panic = Some(panic);
            otherwise
        }
    }
}

/// Executes an instruction by the interpreter's own function, in some lanes, of which there is one at least. Gives the
/// number of an [`Executed`].
unsafe extern "C" fn execute(frame: *mut Frame, at: u32, lanes: u32) -> u32 {
    let run = |context: &mut Context<'_>, activation: u32| {
        let code = context.run.code;
        let Some(instruction) = code.instructions.get(at as usize) else { return Executed::Stopped.number() };
        let mut watches = false;
        match step::execute(context, instruction, &instruction.slots, lanes, (at, activation), &mut watches) {
            Step::Done if std::mem::take(&mut context.worker.polled) => Executed::Looked.number(),
            Step::Done => Executed::Done.number(),
            Step::Stopped | Step::Waits(_) => Executed::Stopped.number(),
        }
    };
    // SAFETY: compiled code hands on the frame that it was entered with.
    let executed = unsafe { with(frame, Executed::Stopped.number(), run) };
    if executed == Executed::Looked.number() {
        // SAFETY: as above.
        unsafe { (*frame).looked = true };
    }
    executed
}

/// What came of an instruction that the interpreter has executed for compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// It has been executed.
    Done,
    /// It has met a fault.
    Stopped,
    /// It has been executed, and looks at what others may change: a loop of it may be waiting for them.
    Looked,
}

impl Executed {
    /// The number that compiled code sees.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }
}

/// The fuel is used up in a loop: gives more, or nothing if the code must be left. Others have their turn then.
unsafe extern "C" fn refuel(frame: *mut Frame) -> i64 {
    let run = |context: &mut Context<'_>, _: u32| u32::from(!context.run.halt.is_set());
    // SAFETY: as in `execute`.
    let may = unsafe { with(frame, 0, run) } != 0;
    // SAFETY: as in `execute`.
    let frame = unsafe { &mut *frame };
    frame.refills += 1;
    // Who has looked at what others change may be waiting for them.
    if !may || frame.looked || frame.refills > REFILLS {
        return 0;
    }
    frame.filled += REFILL;
    REFILL
}

/// The fuel that a loop gets at a time, and how often: after some tenths of a second others have their turn.
const REFILL: i64 = 1 << 20;
const REFILLS: u32 = 64;

/// Compiled code is so fast that it has more than what is left of a short turn.
pub(crate) const LEAST_FUEL: i64 = 1 << 20;

/// What a look at something that others may change costs, in fuel: a loop of looks is left soon, and gets no more.
pub const LOOK: i64 = 1 << 17;

/// The code is left in a call that it has made itself, or in the code that was entered if `function` is [`NO_FUNCTION`]: gives
/// the registers of an activation of it. The innermost call comes first; `site` is the block with the call of the one before.
unsafe extern "C" fn activate(frame: *mut Frame, function: u32, lanes: u32, site: u32) -> *mut u8 {
    // SAFETY: as in `with`.
    let (frame, host) = unsafe { (&mut *frame, &mut *(*frame).host.cast::<Host<'_>>()) };
    host.catch_up(frame);
    let Host { warps, activation, worker, run, calls, .. } = host;
    let warp = &mut warps[(frame.warp - frame.first) as usize];
    let entered = function == NO_FUNCTION;
    let number = if entered { *activation } else { left_in_call::begin(warp, function, lanes, worker, run) };
    match calls.last().and_then(|callee| warp.activations.get_mut(*callee as usize)) {
        Some(callee) => (callee.parent, callee.site) = (number, site),
        None => frame.activation = number,
    }
    if entered {
        left_in_call::take_stack(warp, calls, worker, run);
    } else {
        calls.push(number);
    }
    frame.activated = number;
    warp.activations[number as usize].registers.pointer()
}

/// The number that is no function's.
pub const NO_FUNCTION: u32 = u32::MAX;

/// Whether lanes whose addresses grow by a step may access what they do; 1 if they may. The place remembers the region.
unsafe extern "C" fn line(frame: *mut Frame, site: u32, base: u64, step: i64, lanes: u32, way: u32) -> u32 {
    let addresses = std::array::from_fn(|lane| base.wrapping_add_signed(step.wrapping_mul(lane as i64)));
    // SAFETY: as in `execute`.
    unsafe { with(frame, 0, |context, _| u32::from(within(context, site, &addresses, lanes, Way(way)))) }
}

/// The same of lanes each of which has an address.
unsafe extern "C" fn each(
    frame: *mut Frame,
    site: u32,
    addresses: *const [u64; LANES],
    lanes: u32,
    way: u32,
) -> u32 {
    // SAFETY: compiled code has just stored them.
    let addresses = unsafe { *addresses };
    // SAFETY: as in `execute`.
    unsafe { with(frame, 0, |context, _| u32::from(within(context, site, &addresses, lanes, Way(way)))) }
}

/// Whether all bytes that lanes access lie in one region and are aligned; the place remembers it.
fn within(context: &mut Context<'_>, site: u32, addresses: &[u64; LANES], lanes: u32, way: Way) -> bool {
    let (space, wants, bytes) = way.meaning();
    let of_lanes = || lanes_in(lanes).map(|lane| addresses[lane]);
    let (Some(low), Some(high)) = (of_lanes().min(), of_lanes().max()) else { return true };
    if of_lanes().any(|address| address % bytes.next_power_of_two() != 0) {
        return false;
    }
    let Some(span) = (high - low).checked_add(bytes) else { return false };
    let Some(region) = context.region(space, low, span, wants) else { return false };
    let Some(known) = context.worker.sites.get_mut(site as usize) else { return false };
    *known = [region.start, region.end - region.start];
    true
}

/// How a place accesses global memory, as a number.
#[derive(Clone, Copy, Debug)]
pub struct Way(pub u32);

impl Way {
    const SPACES: [AddressSpace; 3] = [AddressSpace::Generic, AddressSpace::Global, AddressSpace::Const];

    /// A read or a write of some bytes in a space, of which there are fewer than 128.
    #[must_use]
    pub fn new(space: AddressSpace, writes: bool, bytes: u64) -> Self {
        let space = Self::SPACES.iter().position(|known| *known == space).unwrap_or(0) as u32;
        Self((space << 7 | bytes as u32 & 0x7f) << 1 | u32::from(writes))
    }

    fn meaning(self) -> (AddressSpace, Wants, u64) {
        let space = Self::SPACES.get((self.0 >> 8) as usize).copied().unwrap_or(AddressSpace::Generic);
        let wants = if self.0 & 1 != 0 { Wants::Write } else { Wants::Read };
        (space, wants, u64::from(self.0 >> 1 & 0x7f))
    }
}
