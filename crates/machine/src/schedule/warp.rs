//! A warp: its activations of functions, and the groups of lanes that run together.
//!
//! Every lane has a place in the code, between two instructions. Lanes at the same place form a group. The group in the
//! innermost call runs first and, there, the group at the lowest block, which brings lanes together where their paths
//! join. A group that spins steps back until the others have had their turn, so that a lock inside one warp is released.

use std::sync::Arc;

use ptxvm_memory::Budget;

use crate::code::{At, Function, Reduction};
use crate::context::Code;
use crate::context::WarpState;
use crate::explain::finding::Kind;
use crate::registers::{Bank, Block, LANES, Slot};
use crate::schedule::collective::may_meet;

pub use crate::state::awaited::Awaited;

/// Lanes that run together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The block it is in.
    pub block: u32,
    /// The instruction there that it is about to execute: 0 is the first, and after the last comes the block's end.
    /// Beyond 0 the block has been counted.
    pub number: u32,
    /// Its lanes.
    pub mask: u32,
    /// The activation it is in.
    pub activation: u32,
    /// How deep that is: 0 for the entry.
    pub depth: u32,
    /// What it waits for.
    pub state: State,
    /// It spins: the others come first.
    pub deferred: bool,
    /// How often it has come round in a loop and seen what it saw before.
    pub polls: u32,
    /// How often it has come round in loops while others of the warp waited for their turn.
    pub rounds: u32,
}

/// What a group waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// Nothing.
    Ready,
    /// For these lanes to come to the same block.
    Converge(u32),
    /// For a barrier to be complete.
    Barrier {
        /// Which one.
        number: u32,
        /// The block that ended with it.
        at: u32,
        /// Where the result of a reduction goes.
        result: Option<(Slot, Reduction)>,
    },
    /// For something outside of the warp, to execute the first instruction of its block again then.
    Wait(Awaited),
    /// It has been let go without the lanes it waited for: they wait elsewhere for the same, and it meets them there.
    Released,
    /// It has made a mistake of this kind that it is forgiven: it executes the instruction again and goes on.
    Again(Kind),
}

impl Group {
    /// Lanes of the entry's activation that stand at the beginning of a block.
    #[inline(always)]
    #[must_use]
    pub fn at_beginning(block: u32, mask: u32) -> Self {
        Self {
            block,
            number: 0,
            mask,
            activation: 0,
            depth: 0,
            state: State::Ready,
            deferred: false,
            polls: 0,
            rounds: 0,
        }
    }

    /// Moves to the beginning of a block.
    #[inline(always)]
    pub fn go(&mut self, block: u32) {
        (self.block, self.number) = (block, 0);
    }

    /// Some of its lanes at the beginning of a block.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, block: u32, mask: u32) -> Self {
        Self { block, number: 0, mask, ..*self }
    }

    /// Whether lanes of the other group are at the same place.
    #[inline(always)]
    fn is_with(&self, other: &Self) -> bool {
        (self.block, self.number, self.activation) == (other.block, other.number, other.activation)
    }

    /// The instruction that it is about to execute, or the barrier that it waits at.
    #[must_use]
    pub fn at(&self, code: &Code) -> At {
        let block = &code.blocks[self.block as usize];
        match self.state {
            // A group at a barrier has been moved past it.
            State::Barrier { at, .. } => At::End(at),
            _ if self.number < block.end - block.start => At::Instruction(block.start + self.number),
            _ => At::End(self.block),
        }
    }
}

impl State {
    /// Whether a group can run.
    #[must_use]
    pub fn runs(self) -> bool {
        matches!(self, Self::Ready | Self::Released | Self::Again(_))
    }

    /// Whether lanes that come to the same place join the group. Those who have been let go have met their partners
    /// already; who comes later meets others.
    fn takes(self) -> bool {
        matches!(self, Self::Ready | Self::Converge(_))
    }
}

/// The registers of one of a warp's activations.
#[inline(always)]
pub fn bank_of<'a>(activations: &'a mut [Activation], activation: u32, code: &'a Code) -> Bank<'a> {
    Bank::new(&mut activations[activation as usize].registers, &code.constants)
}

/// The registers of two of them, of which one has called the other.
pub fn bank_pair<'a>(activations: &'a mut [Activation], two: [u32; 2], code: &'a Code) -> [Bank<'a>; 2] {
    let both = activations.get_disjoint_mut(two.map(|activation| activation as usize));
    let both = both.expect("a call has an activation of its own");
    both.map(|activation| Bank::new(&mut activation.registers, &code.constants))
}

/// A call in progress, shared by all lanes that made it at the same place under the same caller.
#[derive(Debug)]
pub struct Activation {
    /// The function.
    pub function: u32,
    /// Its registers.
    pub registers: Block,
    /// The caller's activation.
    pub parent: u32,
    /// The block that ends with the call; `u32::MAX` for the entry.
    pub site: u32,
    /// The lanes that are in it; 0 if it is free to be used again.
    pub lanes: u32,
}

/// A call that wants an activation.
#[derive(Clone, Copy)]
pub struct Activating<'a> {
    /// The function's number.
    pub function: u32,
    /// The function.
    pub code: &'a Function,
    /// The caller's activation.
    pub parent: u32,
    /// The block that ends with the call.
    pub site: u32,
}

/// A warp.
#[derive(Debug)]
pub struct Warp {
    /// What operations may use.
    pub state: WarpState,
    /// The calls in progress; the first is the entry's.
    pub activations: Vec<Activation>,
    /// The groups, in no order.
    pub groups: Vec<Group>,
    /// Whether the last of them goes on first: the warp was interrupted between two of its instructions.
    pub interrupted: bool,
}

impl Warp {
    /// Makes it a fresh warp, whose lanes stand nowhere yet. Gives whether the budget had memory for its registers.
    #[must_use]
    pub fn start(&mut self, code: &Code, entry: &Function, budget: &Arc<Budget>) -> bool {
        if self.activations.first().is_none_or(|a| a.registers.len() < entry.register_bytes as usize) {
            self.activations.clear();
            let Some(registers) = Block::of_budget(entry.register_bytes as usize, budget) else {
                return false;
            };
            self.activations.push(Activation {
                function: code.entry.0,
                registers,
                parent: 0,
                site: u32::MAX,
                lanes: 0,
            });
        }
        self.activations[0].lanes = self.state.present;
        self.state.wgmma.start();
        self.state.stack = [entry.frame_bytes; LANES];
        self.begin_again(code, entry);
        true
    }

    /// Makes it a fresh warp again, after one whose code keeps nothing but registers.
    #[inline(always)]
    pub fn begin_again(&mut self, code: &Code, entry: &Function) {
        self.state.exited = 0;
        self.state.placed = false;
        self.state.late.all.clear();
        self.interrupted = false;
        self.groups.clear();
        if let [_, later @ ..] = self.activations.as_mut_slice()
            && !later.is_empty()
        {
            // Lanes may have ended in calls.
            later.iter_mut().for_each(|activation| activation.lanes = 0);
            self.state.stack = [entry.frame_bytes; LANES];
        }
        if !entry.unset.is_empty() {
            let mut bank = self.bank(0, code);
            entry.unset.iter().for_each(|slot| bank.clear(*slot, u32::MAX));
        }
    }

    /// The registers of an activation, with the code's constants.
    pub fn bank<'a>(&'a mut self, activation: u32, code: &'a Code) -> Bank<'a> {
        bank_of(&mut self.activations, activation, code)
    }

    /// The group that runs next; `None` if all wait or have ended.
    #[inline(always)]
    pub fn pick(&mut self) -> Option<usize> {
        // Most warps stay together.
        match self.groups.as_slice() {
            [only] if only.state.runs() && !only.deferred => Some(0),
            [only] if !only.state.runs() && !only.deferred => None,
            _ => self.pick_among(),
        }
    }

    /// The same, of several groups or one that does not run just now.
    fn pick_among(&mut self) -> Option<usize> {
        for round in 0..2 {
            let ready = self.groups.iter().enumerate().filter(|(_, g)| g.state.runs() && !g.deferred);
            if let Some((index, _)) = ready.min_by_key(|(_, g)| (u32::MAX - g.depth, g.block, g.number)) {
                return Some(index);
            }
            if round == 0 {
                self.groups.iter_mut().for_each(|g| g.deferred = false);
            }
        }
        None
    }

    /// Adds a group, joined with one that is at the same place.
    #[inline(always)]
    pub fn add(&mut self, group: Group) {
        if group.mask != 0 {
            self.put(group);
        }
    }

    fn put(&mut self, group: Group) {
        let same = |g: &&mut Group| g.is_with(&group) && g.state.takes();
        match self.groups.iter_mut().find(same) {
            Some(other) => {
                other.mask |= group.mask;
                other.deferred &= group.deferred;
                other.state = State::Ready;
            }
            None => self.groups.push(group),
        }
    }

    /// Takes the group at the same place as `group`, if there is one, into it.
    pub fn join(&mut self, group: &mut Group) {
        let mut index = 0;
        while index < self.groups.len() {
            let other = &self.groups[index];
            if other.is_with(group) && other.state.takes() {
                group.mask |= other.mask;
                // Who meets others gets somewhere.
                (group.polls, group.rounds) = (0, 0);
                self.groups.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Has a lane's group run next; gives whether it can.
    pub fn choose(&mut self, lane: u32) -> bool {
        let of = |g: &Group| g.mask.checked_shr(lane).unwrap_or(0) & 1 != 0 && g.state.runs();
        let Some(index) = self.groups.iter().position(of) else { return false };
        let last = self.groups.len() - 1;
        if !(self.interrupted && index == last) {
            let mut group = self.groups.swap_remove(index);
            if group.state == State::Ready {
                self.join(&mut group);
            }
            self.groups.push(group);
        }
        self.interrupted = true;
        true
    }

    /// When nothing is ready: lets groups go that wait for lanes which wait for them too, if at other places. Where both
    /// name their lanes, that must be at instructions of the same form: at others an H200 waits for ever. Gives whether
    /// some could go.
    pub fn release_converging(&mut self, code: &Code) -> bool {
        if !self.groups.iter().any(|group| matches!(group.state, State::Converge(_))) {
            return false;
        }
        let alive = self.state.alive();
        let wanted = |group: &Group| match group.state {
            State::Converge(members) => members & alive,
            _ => 0,
        };
        let mut meeting: Vec<Group> = self.groups.iter().filter(|g| wanted(g) != 0).copied().collect();
        loop {
            // Who waits for a lane that does not come, or that waits for others, must go on waiting.
            let met = |group: &&Group| {
                let meets = |g: &&Group| wanted(g) & group.mask != 0 && may_meet(g.block, group.block, code);
                let partners = meeting.iter().filter(meets);
                let there = partners.fold(group.mask, |mask, g| mask | g.mask);
                wanted(group) & !there == 0
            };
            let still: Vec<Group> = meeting.iter().filter(met).copied().collect();
            if still.len() == meeting.len() {
                break;
            }
            meeting = still;
        }
        for group in &mut self.groups {
            if meeting.iter().any(|met| met.mask == group.mask) {
                group.state = State::Released;
            }
        }
        !meeting.is_empty()
    }

    /// When lanes have ended: groups that wait for lanes look again whether they still lack somebody.
    pub fn reconsider(&mut self) {
        for group in &mut self.groups {
            if matches!(group.state, State::Converge(_)) {
                group.state = State::Ready;
            }
        }
    }

    /// The block that ends with the call by which the entry has come to an activation, if it is not its own.
    #[must_use]
    pub fn call_by_entry(&self, activation: u32) -> Option<u32> {
        let (mut at, mut site) = (activation, None);
        while let Some(activation) = self.activations.get(at as usize)
            && activation.site != u32::MAX
        {
            (at, site) = (activation.parent, Some(activation.site));
        }
        site
    }

    /// How deep an activation is: 0 for the entry's.
    #[must_use]
    pub fn depth(&self, activation: u32) -> u32 {
        let caller = |number: &u32| match self.activations.get(*number as usize) {
            Some(activation) if activation.site != u32::MAX => Some(activation.parent),
            _ => None,
        };
        std::iter::successors(Some(activation), caller).skip(1).take(self.activations.len()).count() as u32
    }

    /// An activation for a call, the one that other lanes made at the same place if there is one. `None` if the budget
    /// has no memory for its registers.
    pub fn activate(&mut self, call: &Activating<'_>, lanes: u32, budget: &Arc<Budget>) -> Option<u32> {
        let Activating { function, code, parent, site } = *call;
        let same =
            |a: &Activation| a.lanes != 0 && a.parent == parent && a.site == site && a.function == function;
        if let Some(index) = self.activations.iter().skip(1).position(same) {
            self.activations[index + 1].lanes |= lanes;
            return Some(index as u32 + 1);
        }
        let free = |a: &Activation| {
            a.lanes == 0 && a.function == function && a.registers.len() >= code.register_bytes as usize
        };
        let index = match self.activations.iter().skip(1).position(free) {
            Some(index) => index + 1,
            None => {
                let registers = Block::of_budget(code.register_bytes as usize, budget)?;
                self.activations.push(Activation { function, registers, parent, site, lanes: 0 });
                self.activations.len() - 1
            }
        };
        let activation = &mut self.activations[index];
        (activation.parent, activation.site, activation.lanes) = (parent, site, lanes);
        Some(index as u32)
    }
}
