//! A group enters compiled code, and goes on where that has left it.

use super::{Leave, Next, POLLS, Turn};
use crate::context::{CtaState, Run, Worker};
use crate::schedule::compiled::{LEAST_FUEL, Stay, Visit};
use crate::schedule::placing;
use crate::schedule::stack;
use crate::schedule::warp::{Group, Warp};
use crate::state::frame::{Compiled, Enter, Left, Meeting};

/// Goes on with a warp whose lanes were all together in compiled code, where that has left them.
pub(crate) fn go_on_after(
    stay: &Stay,
    warp: &mut Warp,
    cta: &mut CtaState,
    worker: &mut Worker,
    run: &Run<'_>,
    fuel: u64,
) -> Leave {
    let enough = worker.effort.saturating_add(fuel);
    let mut turn = Turn { warp, cta, worker, run, enough };
    let mut group = Group::at_beginning(stay.block, stay.mask);
    let mut stuck = false;
    let mut next = turn.after(stay, &mut group, &mut stuck);
    if let Next::Go = next {
        next = turn.blocks(group, false, stuck);
    }
    match next {
        Next::Leave(leave) => leave,
        Next::Switch | Next::Go => turn.take(),
    }
}

impl Turn<'_> {
    /// Whether compiled code may run for a group: all of its warp are together, and nobody looks on.
    pub(super) fn may_enter(&mut self, group: &Group, compiled: &dyn Compiled) -> bool {
        let warp = &self.warp.state;
        self.warp.groups.is_empty()
            && group.mask == warp.alive()
            && !self.worker.single
            && self.run.code.observed.is_none()
            && stack::is_ready(&mut self.warp.state, compiled)
    }

    /// Runs compiled code with a group. Gives what comes next; the group goes on where it stands then. `stuck` says
    /// whether it stands at the beginning of a block that the code has left to the interpreter.
    pub(super) fn enter(
        &mut self,
        code: (&dyn Compiled, Enter),
        group: &mut Group,
        stuck: &mut bool,
    ) -> Next {
        let Turn { warp, cta, worker, run, .. } = self;
        let fuel = i64::try_from(self.enough.saturating_sub(worker.effort)).unwrap_or(i64::MAX);
        let mut visit = Visit::begin(code.0, cta, worker, run);
        visit.admit(warp, group.activation);
        let all = (std::slice::from_mut(&mut **warp), group.activation);
        let mut stay = visit.enter(code.1, all, cta, worker, run, (fuel.max(LEAST_FUEL), 0));
        placing::place(warp, cta, worker, run);
        visit.dismiss(warp, cta, worker);
        visit.end(worker);
        if let (None, Meeting::Barrier(block) | Meeting::Seam(block)) = (stay.parted, stay.meeting) {
            (stay.number, stay.mask, stay.block) = (0, warp.state.alive(), block);
        }
        self.after(&stay, group, stuck)
    }

    /// What comes next for a group that compiled code has left.
    fn after(&mut self, stay: &Stay, group: &mut Group, stuck: &mut bool) -> Next {
        self.worker.instructions += stay.effort;
        self.worker.effort += stay.effort;
        for number in 0..stay.others {
            let other = self.worker.frame.as_ref().and_then(|frame| frame.other(number));
            if let Some([block, mask, activation]) = other {
                let depth = self.warp.depth(activation);
                self.warp.add(Group { activation, depth, ..group.of(block, mask) });
            }
        }
        if stay.mask == 0 || stay.left == Left::Ended {
            return Next::Switch;
        }
        if group.activation != stay.activation {
            (group.activation, group.depth) = (stay.activation, self.warp.depth(stay.activation));
        }
        *group = Group { number: stay.number, ..group.of(stay.block, stay.mask) };
        let from = stay.block;
        *stuck = stay.left == Left::Before && stay.number == 0;
        if stay.spun {
            group.polls = POLLS;
        }
        match stay.left {
            Left::Fault => self.fault(*group),
            Left::End => {
                let block = &self.run.code.blocks[from as usize];
                group.number = block.end - block.start;
                match self.end(group, block) {
                    Next::Go => self.between_blocks(group, from).unwrap_or(Next::Go),
                    other => other,
                }
            }
            Left::Seam => self.between_blocks(group, from).unwrap_or(Next::Go),
            Left::Before if *stuck => self.between_blocks(group, from).unwrap_or(Next::Go),
            _ => Next::Go,
        }
    }
}
