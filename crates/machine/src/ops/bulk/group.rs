//! `cp.async.bulk.commit_group` and `.wait_group` (manual 9.7.9.25.6): a thread's bulk operations, in groups.
//!
//! Waiting never blocks: what a thread waits for completes then, if it has not before.

use crate::asynchronous::queue::{GroupKind, Issuer, Pending};
use crate::context::Context;
use crate::door::follower::{Batch, Ordering};
use crate::event::What;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};

/// Closes a group of what the thread has issued since the last.
pub fn commit() -> Op {
    Box::new(Commit)
}

/// Waits for all groups but the latest, until they have been read only or until they are done.
pub fn wait(latest: u32, read: bool) -> Op {
    Box::new(Wait { latest, read })
}

struct Commit;

impl Execute for Commit {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        let closed = &mut context.warp.closed[GroupKind::Bulk as usize];
        let groups = *closed;
        for lane in lanes_in(mask) {
            closed[lane] = closed[lane].saturating_add(1);
        }
        context.orders(mask, Ordering::Commits(Batch::Bulk));
        context.note_each(mask, |lane| What::Committed { kind: GroupKind::Bulk, group: groups[lane] })
    }
}

struct Wait {
    latest: u32,
    read: bool,
}

impl Execute for Wait {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        let (rank, warp) = (context.cta.rank, context.warp.index);
        for lane in lanes_in(mask) {
            let thread = Issuer { rank, warp, lanes: 1 << lane, ..Issuer::default() };
            // Groups have the numbers of those that were closed before them.
            let before = context.warp.closed[GroupKind::Bulk as usize][lane].saturating_sub(self.latest);
            let wanted = |pending: &Pending| {
                let group = pending.group.filter(|(kind, _)| *kind == GroupKind::Bulk);
                group.is_some_and(|(_, number)| number < before) && pending.issuer.is_of(&thread)
            };
            let (cluster, halt) = (&mut context.worker.cluster, context.run.halt);
            let done = match self.read {
                true => cluster.fetch_all(wanted, halt),
                false => cluster.complete_all(wanted, halt),
            };
            if context.completed(done) == Flow::Stop {
                return Flow::Stop;
            }
            context.act(lane);
            let read = self.read;
            context.worker.cluster.log.note(|| What::Waited { kind: GroupKind::Bulk, before, read });
        }
        let (latest, read) = (self.latest, self.read);
        context.orders(mask, Ordering::Waited { batch: Batch::Bulk, latest, read });
        context.noted()
    }
}
