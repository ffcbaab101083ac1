//! The functions that compiled code calls: to execute an instruction as the interpreter does, for more fuel, to look for a region
//! of memory, for the registers of a call in which it is left.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context::{Context, CtaState, Run, WarpState, Worker};
use crate::door::apart::Apart;
use crate::door::touch::Wants;
use crate::registers::{LANES, lanes_in};
use crate::schedule::barrier::WARPS;
use crate::schedule::left_in_call;
use crate::schedule::placing;
use crate::schedule::stack;
use crate::schedule::step::{self, Step};
use crate::schedule::succession;
use crate::schedule::warp::{Warp, bank_of};
use crate::state::frame::{Extent, Frame, Site};
use ptxvm_ir::operation::AddressSpace;

/// What the functions need that compiled code calls.
pub(crate) struct Host<'a> {
    pub warps: &'a mut [Warp],
    pub activation: u32,
    pub cta: &'a mut CtaState,
    pub worker: &'a mut Worker,
    pub run: &'a Run<'a>,
    /// How many CTAs were left to the code when it was last looked at.
    pub ctas: u32,
    /// The calls in which the code is being left, the innermost first.
    pub calls: Vec<u32>,
}

impl Host<'_> {
    /// The CTA is the one that the code has come to.
    #[inline(always)]
    pub fn catch_up(&mut self, frame: &mut Frame) {
        let begun = self.ctas - frame.ctas;
        if begun != 0 {
            self.ctas = frame.ctas;
            succession::passed(begun, self.cta, self.worker, self.run);
            forget_ended(frame, self.warps);
        }
    }
}

/// The warps of the next CTA have all their lanes, and no registers in place: a function that the code has called may have
/// noted otherwise.
#[inline(always)]
pub(crate) fn forget_ended(frame: &mut Frame, warps: &mut [Warp]) {
    if std::mem::take(&mut frame.noted) {
        warps.iter_mut().for_each(|warp| (warp.state.exited, warp.state.placed) = (0, false));
    }
}

/// The lanes of a warp that have ended in compiled code leave it.
#[inline(always)]
pub(crate) fn leave(frame: &mut Frame, warp: &mut WarpState, cta: &mut CtaState, worker: &mut Worker) {
    let gone = warp.alive() & !frame.alive[warp.index as usize % WARPS];
    if gone != 0 {
        frame.noted = true;
        crate::schedule::terminator::exit_lanes(gone, warp, cta, worker);
    }
}

/// The functions that compiled code calls, by their names in it.
#[must_use]
pub fn callable() -> [(&'static str, *const c_void); 6] {
    [
        ("ptxvm_activate", activate as *const c_void),
        ("ptxvm_refuel", refuel as *const c_void),
        ("ptxvm_execute", execute as *const c_void),
        ("ptxvm_settle", settle as *const c_void),
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
        if activation == 0 && !context.warp.placed {
            placing::place_in(context);
        }
        let code = context.run.code;
        let Some(instruction) = code.instructions.get(at as usize) else { return Executed::Stopped.number() };
        let mut watches = false;
        context.worker.news = false;
        match step::execute(context, instruction, &instruction.slots, lanes, (at, activation), &mut watches) {
            Step::Done if std::mem::take(&mut context.worker.polled) => match context.worker.news {
                true => Executed::Done.number(),
                false => Executed::Looked.number(),
            },
            Step::Done | Step::GivesWay => Executed::Done.number(),
            Step::Waits(_) => Executed::Waits.number(),
            Step::Stopped => Executed::Stopped.number(),
        }
    };
    // SAFETY: compiled code hands on the frame that it was entered with.
    let executed = unsafe { with(frame, Executed::Stopped.number(), run) };
    // SAFETY: as above.
    let (frame, host) = unsafe { (&mut *frame, &*(*frame).host.cast::<Host<'_>>()) };
    frame.noted = true;
    if executed == Executed::Looked.number() {
        frame.looks += 1;
    } else if host.worker.news {
        frame.looks = 0;
    }
    executed
}

/// Waits for the products whose registers an instruction is about to use in some lanes, if there are such lanes. Gives 1 if
/// the launch is to end.
unsafe extern "C" fn settle(frame: *mut Frame, at: u32, lanes: u32) -> u32 {
    let run = |context: &mut Context<'_>, _: u32| {
        let Some(instruction) = context.run.code.instructions.get(at as usize) else { return 1 };
        let waits = lanes != 0 && context.watches_registers();
        u32::from(waits && context.before(instruction).is_err())
    };
    // SAFETY: as in `execute`.
    unsafe { with(frame, 1, run) }
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
    /// It has not been executed: its lanes must wait for somebody outside of the warp. The schedule has them do so.
    Waits,
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
    // Who has only looked at what others change, and has seen nothing new, may be waiting for them.
    if !may || frame.looks >= MOST_LOOKS || frame.refills > REFILLS {
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

/// What a look at something that others may change costs, in fuel, and after how many of them that have seen nothing new
/// a loop gets no more.
pub const LOOK: i64 = 1 << 17;
pub(crate) const MOST_LOOKS: u32 = (LEAST_FUEL / LOOK) as u32;

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

/// The same of lanes each of which has an address. If their bytes lie in several regions, the addresses become those of the
/// host, and the place remembers what it did.
unsafe extern "C" fn each(
    frame: *mut Frame,
    site: u32,
    addresses: *mut [u64; LANES],
    lanes: u32,
    way: u32,
) -> u32 {
    // SAFETY: compiled code has just stored them, and reads them when this is done.
    let addresses = unsafe { &mut *addresses };
    let look = |context: &mut Context<'_>, _: u32| {
        let found = within(context, site, addresses, lanes, Way(way))
            || apart(context, site, addresses, lanes, Way(way)).is_some_and(|hosts| {
                *addresses = hosts;
                true
            });
        u32::from(found)
    };
    // SAFETY: as in `execute`.
    unsafe { with(frame, 0, look) }
}

/// Whether all bytes that lanes access lie in one region and are aligned; the place remembers it.
fn within(context: &mut Context<'_>, site: u32, addresses: &[u64; LANES], lanes: u32, way: Way) -> bool {
    let (space, wants, bytes, align) = way.meaning();
    let of_lanes = || lanes_in(lanes).map(|lane| addresses[lane]);
    let (Some(low), Some(high)) = (of_lanes().min(), of_lanes().max()) else { return true };
    if !are_aligned(addresses, lanes, align) {
        return false;
    }
    let Some(span) = (high - low).checked_add(bytes) else { return false };
    let Some(region) = context.region(space, low, span, wants) else { return false };
    let Some(known) = context.worker.sites.get_mut(site as usize) else { return false };
    if known.last.start != region.start {
        known.before = known.last;
    }
    known.last = Extent::of(&region);
    true
}

/// Where lanes' bytes lie on the host if they lie in several regions, and are aligned; the place remembers two of these.
fn apart(
    context: &mut Context<'_>,
    site: u32,
    addresses: &[u64; LANES],
    lanes: u32,
    way: Way,
) -> Option<[u64; LANES]> {
    let (space, wants, bytes, align) = way.meaning();
    if !are_aligned(addresses, lanes, align) {
        return None;
    }
    let Apart { hosts, regions: [last, before] } =
        context.hosts_apart(space, addresses, lanes, bytes, wants)?;
    *context.worker.sites.get_mut(site as usize)? =
        Site { last: Extent::of(&last), before: Extent::of(&before) };
    Some(hosts)
}

fn are_aligned(addresses: &[u64; LANES], lanes: u32, align: u64) -> bool {
    lanes_in(lanes).all(|lane| addresses[lane].is_multiple_of(align))
}

/// How a place accesses global memory, as a number.
#[derive(Clone, Copy, Debug)]
pub struct Way(pub u32);

impl Way {
    const SPACES: [AddressSpace; 3] = [AddressSpace::Generic, AddressSpace::Global, AddressSpace::Const];

    /// The most bytes that a way speaks of.
    pub const MOST_BYTES: u64 = 1 << 20;

    /// A read or a write of some bytes in a space, at an address that is a multiple of a power of two, 64 at most.
    #[must_use]
    pub fn new(space: AddressSpace, writes: bool, bytes: u64, align: u64) -> Self {
        let space = Self::SPACES.iter().position(|known| *known == space).unwrap_or(0) as u32;
        let align = align.trailing_zeros() & 7;
        Self((bytes.min(Self::MOST_BYTES) as u32) << 6 | align << 3 | space << 1 | u32::from(writes))
    }

    fn meaning(self) -> (AddressSpace, Wants, u64, u64) {
        let space = Self::SPACES.get((self.0 >> 1 & 3) as usize).copied().unwrap_or(AddressSpace::Generic);
        let wants = if self.0 & 1 != 0 { Wants::Write } else { Wants::Read };
        (space, wants, u64::from(self.0 >> 6), 1 << (self.0 >> 3 & 7))
    }
}
