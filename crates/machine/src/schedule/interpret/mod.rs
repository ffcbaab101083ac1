//! The interpreter: runs a warp until it ends, waits, has spun, or has used up its turn.
//!
//! [`run`] chooses a group of lanes ([`Turn::choose`]) and lets it go on ([`Turn::go_on`]) block after block until it
//! gives way. Of a block it executes all instructions (`step.rs`) and the end (`terminator.rs`), and then looks who is
//! next ([`Turn::give_way`]). Where somebody looks on ([`Worker::single`]), the warp is interrupted after each
//! instruction that the program has: the group is left where it stands, and the next call goes on with it as if nothing
//! had happened. So what is counted, and who has the next turn, is the same as without. Where a block has compiled code,
//! the group enters that instead (`enter.rs`).

pub(crate) mod enter;

use crate::code::{Block, Converge, Stepped};
use crate::context::{Code, Context, CtaState, Run, Worker};
use crate::explain::finding::Kind;
use crate::registers::{Bank, LANES, Slot};
use crate::rules;
use crate::schedule::after::After;
use crate::schedule::meeting;
use crate::schedule::step::{self, Step, guarded};
use crate::schedule::terminator;
use crate::schedule::warp::{Group, State, Warp, bank_of};
use crate::vector::value::Value;

pub use crate::code::At;

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// All its lanes have ended.
    Ended,
    /// All its lanes that have not ended wait.
    Waiting,
    /// It waits for somebody in a loop.
    Spinning,
    /// Its turn is over.
    Turn,
    /// Its turn is over in the middle of a block, for others to come between two of its accesses.
    GivesWay,
    /// Its turn is not over, but an instruction has been executed and somebody looks on.
    Interrupted,
    /// The worker says what happened, at this instruction.
    Fault(Fault),
}

/// Where a fault happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The instruction of the code, or the block whose end it is.
    pub at: At,
    /// The activation.
    pub activation: u32,
}

/// After so many looks at memory in a loop, a group is taken to be waiting for somebody.
const POLLS: u32 = 16;
/// After so many rounds of loops while others of the warp wait, they have their turn.
const ROUNDS: u32 = 1 << 20;
/// After so many rounds of loops somebody may want to compile them: the interpreter took about a millisecond for them.
const ROUNDS_TOLD: u64 = 1 << 12;

/// Runs a warp for about `fuel` of effort, or goes on with a turn that was interrupted and has so much left.
pub fn run(warp: &mut Warp, cta: &mut CtaState, worker: &mut Worker, run: &Run<'_>, fuel: u64) -> Leave {
    let enough = worker.effort.saturating_add(fuel);
    Turn { warp, cta, worker, run, enough }.take()
}

/// The turn of a warp.
struct Turn<'a> {
    warp: &'a mut Warp,
    cta: &'a mut CtaState,
    worker: &'a mut Worker,
    run: &'a Run<'a>,
    /// The effort at which it is over.
    enough: u64,
}

/// What comes next.
enum Next {
    /// The group goes on.
    Go,
    /// The group has been put away: another one.
    Switch,
    /// The warp leaves.
    Leave(Leave),
}

/// What came of some instructions of a block.
enum Ran {
    /// They have been executed, for some lanes of the group at least.
    Done,
    /// Some of them have been executed, and others have their turn now.
    GivesWay,
    /// All lanes wait.
    Waits,
    /// One has met a fault; the group stands there.
    Fault,
}

impl Turn<'_> {
    /// Runs group after group until the warp leaves.
    #[inline(always)]
    fn take(&mut self) -> Leave {
        loop {
            let Some(group) = self.choose() else {
                if self.warp.release_converging(self.run.code) {
                    continue;
                }
                return if self.warp.groups.is_empty() { Leave::Ended } else { Leave::Waiting };
            };
            match self.go_on(group) {
                Next::Leave(leave) => return leave,
                Next::Switch if self.worker.stepped.is_some() => return Leave::Interrupted,
                Next::Switch | Next::Go => {}
            }
        }
    }

    /// Takes the group that runs next: the one that was interrupted, or the one whose turn it is with all who are where
    /// it is. `None` if all wait or have ended.
    fn choose(&mut self) -> Option<Group> {
        if std::mem::take(&mut self.warp.interrupted) {
            return self.warp.groups.pop();
        }
        let index = self.warp.pick()?;
        let mut group = self.warp.groups.swap_remove(index);
        if group.state == State::Ready {
            self.warp.join(&mut group);
        }
        Some(group)
    }

    /// Runs a group until it gives way or is put away.
    #[inline(always)]
    fn go_on(&mut self, mut group: Group) -> Next {
        let state = std::mem::replace(&mut group.state, State::Ready);
        if state != State::Ready
            && let Some(next) = self.come_back(&mut group, state)
        {
            return next;
        }
        // Who has been let go does not wait for others again.
        let alone = state == State::Released && group.number == 0;
        self.blocks(group, alone, alone)
    }

    /// Runs a group block after block. One that goes on `alone` does not wait for others before its first block, and one
    /// that compiled code has left there has that block interpreted.
    #[inline(always)]
    fn blocks(&mut self, mut group: Group, mut alone: bool, mut left: bool) -> Next {
        loop {
            if group.number == 0 {
                if let Some(compiled) = self.run.compiled()
                    && !std::mem::take(&mut left)
                    && let Some(enter) = compiled.entry(group.block)
                    && self.may_enter(&group, compiled)
                {
                    let next = self.enter((compiled, enter), &mut group, &mut left);
                    match next {
                        Next::Go => continue,
                        other => return other,
                    }
                }
                if !std::mem::take(&mut alone) && !self.gather(&mut group) {
                    return Next::Switch;
                }
                self.worker.count_block(&group);
            }
            let from = group.block;
            match self.block(&mut group) {
                Next::Go => {}
                other => return other,
            }
            if let Some(next) = self.between_blocks(&mut group, from) {
                return next;
            }
        }
    }

    /// Puts lanes away that must wait for others before the block; gives whether some need not.
    #[inline(always)]
    fn gather(&mut self, group: &mut Group) -> bool {
        let code = self.run.code;
        let Some(converge) = code.blocks[group.block as usize].converge else { return true };
        if !self.warp.state.late.all.is_empty() {
            self.make_late(group);
        }
        if let Some(members) = converge.members
            && self.warp.state.wgmma.is_busy()
        {
            self.settle(group, members);
        }
        let alive = self.warp.state.alive();
        let bank = bank_of(&mut self.warp.activations, group.activation, code);
        let (together, wanted) = gathered(&bank, converge, group.mask, alive);
        let waiting = group.mask & !together;
        if waiting != 0 {
            let state = State::Converge(wanted);
            self.warp.groups.push(Group { mask: waiting, state, deferred: false, ..*group });
            group.mask = together;
        }
        together != 0
    }

    /// Completes the products that a mask of lanes comes from. Where the launch is to end, the next step says so.
    #[cold]
    fn settle(&mut self, group: &Group, members: Slot) {
        let Turn { warp, cta, worker, run, .. } = self;
        let bank = bank_of(&mut warp.activations, group.activation, run.code);
        let mut context = Context { bank, active: group.mask, warp: &mut warp.state, cta, worker, run };
        if context.watches_registers() {
            let _ = context.before_use_of(&[members]);
        }
    }

    /// Executes what lanes have put off that are about to do something together with others. If that fails, the launch is
    /// to end, and the next step says so.
    #[cold]
    fn make_late(&mut self, group: &Group) {
        let Turn { warp, cta, worker, run, .. } = self;
        let bank = bank_of(&mut warp.activations, group.activation, run.code);
        let mut context = Context { bank, active: group.mask, warp: &mut warp.state, cta, worker, run };
        let _ = context.make_late();
    }

    /// Executes a group's block from where it stands to its end, or one instruction of it.
    #[inline(always)]
    fn block(&mut self, group: &mut Group) -> Next {
        let block = &self.run.code.blocks[group.block as usize];
        if self.worker.single
            && let Some(next) = self.single(group, block)
        {
            return next;
        }
        match self.instructions(group, block.end) {
            Ran::Done => {}
            Ran::GivesWay => {
                self.warp.add(*group);
                return Next::Leave(Leave::GivesWay);
            }
            Ran::Waits => {
                self.spend(block);
                return Next::Switch;
            }
            Ran::Fault => return self.fault(*group),
        }
        self.spend(block);
        self.end(group, block)
    }

    /// Executes the next instruction that the program has in a group's block; those that the linker has put before it
    /// are executed with it. Gives what comes next, unless that is the end of the block.
    #[cold]
    fn single(&mut self, group: &mut Group, block: &Block) -> Option<Next> {
        let first = block.start + group.number;
        let mut rest = (first..block.end).zip(&self.run.code.instructions[first as usize..]);
        let Some((at, _)) = rest.find(|(_, instruction)| instruction.class.is_some()) else {
            if block.class.is_some() {
                self.stepped(group, At::End(group.block));
            }
            return None;
        };
        self.stepped(group, At::Instruction(at));
        match self.instructions(group, at + 1) {
            Ran::Done | Ran::GivesWay if at + 1 == block.end && block.class.is_none() => None,
            Ran::Done | Ran::GivesWay => Some(self.interrupt(*group)),
            Ran::Waits => {
                self.spend(block);
                Some(Next::Switch)
            }
            Ran::Fault => Some(self.fault(*group)),
        }
    }

    /// Executes the instructions of a group's block from where it stands up to one.
    #[inline(always)]
    fn instructions(&mut self, group: &mut Group, last: u32) -> Ran {
        let Turn { warp, cta, worker, run, .. } = self;
        let code = run.code;
        let start = code.blocks[group.block as usize].start;
        let first = start + group.number;
        let Warp { state, activations, groups, .. } = &mut **warp;
        let bank = bank_of(activations, group.activation, code);
        let mut context = Context { bank, active: group.mask, warp: state, cta, worker, run };
        let mut watches = context.watches();
        if watches {
            let executed = (context.warp.index, group.mask);
            rules::barrier::visit(context.cta, executed, group.block, run);
        }
        for (at, instruction) in (first..).zip(&code.instructions[first as usize..last as usize]) {
            match step::step(&mut context, instruction, (at, group.activation), &mut watches) {
                Step::Done => {}
                Step::GivesWay => {
                    group.number = at + 1 - start;
                    return Ran::GivesWay;
                }
                Step::Stopped => {
                    group.number = at - start;
                    return Ran::Fault;
                }
                Step::Waits(lanes) => {
                    step::part(groups, group, lanes, &mut context);
                    if group.mask == 0 {
                        return Ran::Waits;
                    }
                }
            }
        }
        group.number = last - start;
        Ran::Done
    }

    /// Executes the end of a group's block.
    #[inline(always)]
    fn end(&mut self, group: &mut Group, block: &Block) -> Next {
        match terminator::end(block, group, self.warp, self.cta, self.worker, self.run) {
            After::Go => Next::Go,
            After::Switch => Next::Switch,
            After::Fault => self.fault(*group),
        }
    }

    /// Counts a block that has been run.
    #[inline(always)]
    fn spend(&mut self, block: &Block) {
        let executed = u64::from(block.end - block.start) + 1;
        self.worker.instructions += executed;
        self.worker.effort += executed;
    }

    /// Between two blocks: what comes next if the group does not go on.
    #[inline(always)]
    fn between_blocks(&mut self, group: &mut Group, from: u32) -> Option<Next> {
        match self.give_way(group, from) {
            Next::Go if self.worker.stepped.is_some() => Some(self.interrupt(*group)),
            Next::Go => None,
            other => Some(other),
        }
    }

    /// Whether a group that has come from another block goes on, or others do.
    #[inline(always)]
    fn give_way(&mut self, group: &mut Group, from: u32) -> Next {
        if group.block <= from {
            // Counted in the group, since a turn may be shorter than either.
            group.rounds += u32::from(!self.warp.groups.is_empty());
            group.polls += u32::from(std::mem::take(&mut self.worker.polled));
            if group.polls >= POLLS || group.rounds >= ROUNDS {
                return self.step_back(*group);
            }
            if let Some(tier) = self.run.tier {
                self.worker.rounds += 1;
                if self.worker.rounds.is_multiple_of(ROUNDS_TOLD) {
                    tier.goes_round(group.block);
                }
            }
        }
        if self.worker.effort >= self.enough || self.run.halt.is_set() {
            self.warp.add(*group);
            return Next::Leave(Leave::Turn);
        }
        if !self.warp.groups.is_empty() {
            self.warp.join(group);
            // Another group that is further behind, or deeper, runs first.
            let place = |g: &Group| (u32::MAX - g.depth, g.block, g.number);
            let behind = |g: &Group| g.state.runs() && !g.deferred && place(g) < place(group);
            if self.warp.groups.iter().any(behind) {
                self.warp.add(*group);
                return Next::Switch;
            }
        }
        Next::Go
    }

    /// A group that waits in a loop lets the others run first.
    #[cold]
    fn step_back(&mut self, mut group: Group) -> Next {
        let spinning = group.polls >= POLLS;
        (group.deferred, group.polls, group.rounds) = (true, 0, 0);
        self.warp.add(group);
        let alone = self.warp.groups.iter().all(|g| g.deferred || !g.state.runs());
        if alone && !self.warp.release_converging(self.run.code) && spinning {
            return Next::Leave(Leave::Spinning);
        }
        Next::Switch
    }

    /// A group that does not just go on: it has been let go, or is forgiven. Gives what comes next if it does not then.
    #[cold]
    fn come_back(&mut self, group: &mut Group, state: State) -> Option<Next> {
        match state {
            State::Released => self.meet(group),
            State::Again(kind) => {
                let from = group.block;
                match self.again(group, kind) {
                    // It was the end of the block.
                    Next::Go if group.number == 0 => self.between_blocks(group, from),
                    Next::Go => None,
                    other => Some(other),
                }
            }
            _ => None,
        }
    }

    /// A group that has been let go executes what it was to execute together with those who are let go elsewhere. Gives
    /// what comes next if it does not go on.
    #[cold]
    fn meet(&mut self, group: &mut Group) -> Option<Next> {
        match meeting::meet(group, self.warp, self.cta, self.worker, self.run) {
            Ok(lanes) => {
                if self.worker.single && lanes != 0 {
                    let at = self.run.code.blocks[group.block as usize].start + group.number - 1;
                    self.stepped(&Group { mask: lanes, ..*group }, At::Instruction(at));
                    return Some(self.interrupt(*group));
                }
                None
            }
            Err(()) => Some(self.fault(*group)),
        }
    }

    /// Executes an instruction again that has met a mistake, and forgives it.
    #[cold]
    fn again(&mut self, group: &mut Group, kind: Kind) -> Next {
        let code = self.run.code;
        let (block, at) = (&code.blocks[group.block as usize], group.at(code));
        if self.worker.single {
            self.stepped(group, at);
        }
        (self.worker.forgiving, self.worker.forgiven) = (true, 0);
        let next = match at {
            At::Instruction(at) => match self.instructions(group, at + 1) {
                Ran::Done | Ran::GivesWay if self.worker.single => self.interrupt(*group),
                Ran::Done | Ran::GivesWay => Next::Go,
                Ran::Waits => Next::Switch,
                Ran::Fault => self.fault(*group),
            },
            At::End(_) => self.end(group, block),
        };
        self.worker.forgiving = false;
        if let Some(mistakes) = &self.run.launch.mistakes {
            mistakes.count(place(code, at), kind, self.worker.forgiven.max(1));
        }
        // What is not forgiven the second time is no mistake that silicon survives.
        if let Some(fault) = &mut self.worker.fault {
            fault.survived = false;
        }
        next
    }

    /// Leaves a warp whose group has met a fault; the report still finds the group there.
    #[cold]
    fn fault(&mut self, group: Group) -> Next {
        let fault = Fault { at: group.at(self.run.code), activation: group.activation };
        self.worker.stepped = None;
        self.warp.groups.push(group);
        Next::Leave(Leave::Fault(fault))
    }

    /// Leaves a warp whose group is to go on with the next call.
    #[cold]
    fn interrupt(&mut self, group: Group) -> Next {
        self.warp.groups.push(group);
        self.warp.interrupted = true;
        Next::Leave(Leave::Interrupted)
    }

    /// Says which instruction has been executed.
    fn stepped(&mut self, group: &Group, at: At) {
        let source = place(self.run.code, at);
        let (cta, warp) = (self.cta.index, self.warp.state.index);
        self.worker.stepped = Some(Stepped { cta, warp, lanes: group.mask, source });
    }
}

/// The lanes of a group that have all with them whom they must wait for, and the lanes that the others wait for.
fn gathered(bank: &Bank<'_>, converge: Converge, lanes: u32, alive: u32) -> (u32, u32) {
    let absent = alive & !lanes;
    let asking = lanes & guarded(bank, converge.guard);
    let slot = match converge.members {
        _ if absent == 0 || asking == 0 => return (lanes, 0),
        None => return (lanes & !asking, u32::MAX),
        Some(slot) => slot,
    };
    let masks = <u32 as Value>::read(bank, slot);
    let lacking = |lane: &usize| asking >> lane & 1 != 0 && masks[*lane] & absent != 0;
    let waiting = (0..LANES)
        .filter(lacking)
        .fold((0, 0), |(waiting, wanted), lane| (waiting | 1 << lane, wanted | masks[lane]));
    (lanes & !waiting.0, waiting.1)
}

/// The code that a group runs, for reports.
#[must_use]
pub fn place(code: &Code, at: At) -> crate::code::Source {
    match at {
        At::Instruction(i) => code.instructions[i as usize].source,
        At::End(b) => code.blocks[b as usize].source,
    }
}
