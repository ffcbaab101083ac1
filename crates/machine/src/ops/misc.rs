//! `brkpt`, `nanosleep`, `pmevent`, `trap`, `setmaxnreg` (manual 9.7.19).

use crate::context::Context;
use crate::explain::finding::Kind;
use crate::ops::stack;
use crate::registers::Slot;
use crate::settings::Check;
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation::Special;

/// The operation of an instruction of a kind of its own.
pub fn executor(special: Special) -> Op {
    match special {
        Special::Alloca { align } => stack::alloca(align),
        Special::StackSave => stack::save(),
        Special::StackRestore => stack::restore(),
        Special::Breakpoint => {
            Box::new(AlwaysFault(Kind::Breakpoint, "a breakpoint was reached and no debugger is attached"))
        }
        Special::Trap => Box::new(AlwaysFault(Kind::Trap, "the kernel executed `trap`")),
        Special::Nanosleep => Box::new(Sleep),
        Special::PmEvent => Box::new(PerformanceEvent),
        Special::SetMaxnreg { increases, count } => Box::new(Registers { inc: increases, count }),
    }
}

struct AlwaysFault(Kind, &'static str);

impl Execute for AlwaysFault {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        context.fault(self.0, mask.trailing_zeros() as usize, self.1, Vec::new())
    }
}

/// `nanosleep`: any time up to twice what is asked for is right, so no time at all; but who sleeps lets others run.
struct Sleep;

impl Execute for Sleep {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], _: u32) -> Flow {
        context.worker.polled = true;
        Flow::Next
    }
}

/// `pmevent`: nobody counts.
struct PerformanceEvent;

impl Execute for PerformanceEvent {
    fn run(&self, _: &mut Context<'_>, _: &[Slot], _: u32) -> Flow {
        Flow::Next
    }
}

/// `setmaxnreg`: registers are not scarce here; what is kept is the number, to see that its rules are followed.
struct Registers {
    inc: bool,
    count: u32,
}

impl Execute for Registers {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        let lane = mask.trailing_zeros() as usize;
        let missing = context.warp.alive() & !mask;
        let word = if self.inc { "setmaxnreg.inc" } else { "setmaxnreg.dec" };
        if missing != 0 {
            let message = format!("`{word}` without lanes {missing:#010x} of the warp");
            let note = "all threads of a warpgroup must execute the same `setmaxnreg`";
            return context.fault(Kind::Misuse, lane, message, vec![note.into()]);
        }
        let now = match context.warp.maxnreg {
            0 => self.at_launch(context),
            count => Some(count),
        };
        let wrong = now.filter(|now| if self.inc { *now > self.count } else { *now < self.count });
        if let Some(now) = wrong {
            let message = format!("`{word}` to {} registers in a warp that has {now}", self.count);
            let note = "`.inc` may only raise the number and `.dec` only lower it";
            return context.fault(Kind::Misuse, lane, message, vec![note.into()]);
        }
        context.warp.maxnreg = self.count;
        if context.run.looks_for(Check::Sync) {
            context.warp.maxnreg_at = Some(context.worker.source);
        }
        Flow::Next
    }
}

impl Registers {
    /// How many registers a thread begins with, where the kernel says it.
    fn at_launch(&self, context: &Context<'_>) -> Option<u32> {
        let code = context.run.code;
        code.program.functions.get(code.entry.0 as usize)?.limits.maxnreg
    }
}
