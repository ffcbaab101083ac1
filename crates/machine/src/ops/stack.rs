//! `alloca`, `stacksave`, `stackrestore` (manual 9.7.17): memory of the running function that is taken at run time.
//!
//! The stack grows upwards here. A return gives back all that the function has taken.

use crate::context::Context;
use crate::explain::finding::Kind;
use crate::registers::{LANES, Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// The alignment that memory has without being asked for.
const LEAST_ALIGNMENT: u64 = 8;

/// `alloca`
pub fn alloca(align: Option<u64>) -> Op {
    Box::new(Alloca { align: align.unwrap_or(1).max(LEAST_ALIGNMENT) })
}

/// `stacksave`
pub fn save() -> Op {
    Box::new(Save)
}

/// `stackrestore`
pub fn restore() -> Op {
    Box::new(Restore)
}

struct Alloca {
    align: u64,
}

impl Execute for Alloca {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let sizes = u64::read(&context.bank, slots[1]);
        let mut taken = [0; LANES];
        for lane in lanes_in(mask) {
            let start = context.warp.stack[lane].checked_next_multiple_of(self.align).unwrap_or(u64::MAX);
            let end = start.saturating_add(sizes[lane]);
            if let Err(overflow) = context.warp.local.grow_to(end) {
                if overflow.refused_by_host {
                    return context.out_of_memory(end * LANES as u64);
                }
                let message = format!("`alloca` of {} bytes overflows the thread's stack", sizes[lane]);
                return context.fault(Kind::StackOverflow, lane, message, vec![overflow.to_string()]);
            }
            taken[lane] = start;
            context.warp.stack[lane] = end;
        }
        u64::write(&mut context.bank, slots[0], mask, &taken);
        if let Some(follower) = &context.run.launch.follower {
            follower.allocates(context.who(mask), context.worker.source, &taken, &sizes);
        }
        Flow::Next
    }
}

struct Save;

impl Execute for Save {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let stack = context.warp.stack;
        u64::write(&mut context.bank, slots[0], mask, &stack);
        Flow::Next
    }
}

struct Restore;

impl Execute for Restore {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let wanted = u64::read(&context.bank, slots[0]);
        for lane in lanes_in(mask) {
            let now = context.warp.stack[lane];
            // A restore only ever gives memory back.
            if wanted[lane] > now {
                let message = format!(
                    "`stackrestore` to {:#x}, which is beyond the stack's end at {now:#x}",
                    wanted[lane]
                );
                let note = "the operand must be what `stacksave` returned in the same function";
                return context.fault(Kind::Misuse, lane, message, vec![note.into()]);
            }
            context.warp.stack[lane] = wanted[lane];
        }
        Flow::Next
    }
}
