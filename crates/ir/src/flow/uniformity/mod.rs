//! Which values and branches are uniform: the same in all lanes of a warp, or in all threads of a CTA, that come to them.
//!
//! A value is uniform if what it is made of is, and if all lanes that read it have taken it from the same place at the
//! same round. So where lanes that part at a branch meet again, what comes together there is not; what is made in a loop
//! that lanes leave at different rounds is not, outside of it; and neither is what is made in blocks that some lanes run
//! once more while others wait for them in the same loop.
//!
//! This holds for an engine that lets lanes which part at a branch meet again at the first block that all their ways
//! pass, and does not let lanes of one round of a loop run together with those of another. An engine that lets some
//! lanes go on without the others must not rely on it until they have met.

mod level;
mod parting;

pub use level::UniformOver;

use super::analysis::Flow;
use super::used::read_by;
use super::values::{Origin, ValueId, Values};
use crate::block::Terminator;
use crate::instruction::Operand;
use crate::program::{Function, Program};
pub use level::{of_operand, of_result, of_special};
use parting::Partings;

/// What is uniform in a function.
#[derive(Clone, Debug)]
pub struct Uniformity {
    values: Vec<UniformOver>,
    branches: Vec<UniformOver>,
    joins: Vec<UniformOver>,
    exits: Vec<UniformOver>,
    rounds: Vec<UniformOver>,
}

impl Uniformity {
    /// What is uniform in a function whose flow is known. `None` for values: then nothing is.
    #[must_use]
    pub fn of(program: &Program, function: &Function, flow: &Flow) -> Self {
        Self::in_cta(program, function, flow, function.limits.reqntid)
    }

    /// The same for CTAs of a known shape.
    #[must_use]
    pub fn in_cta(program: &Program, function: &Function, flow: &Flow, cta: Option<[u32; 3]>) -> Self {
        let unknown = || Self {
            values: flow
                .values
                .as_ref()
                .map_or(Vec::new(), |values| vec![UniformOver::Lane; values.values.len()]),
            branches: vec![UniformOver::Lane; function.blocks.len()],
            joins: vec![UniformOver::Lane; function.blocks.len()],
            exits: vec![UniformOver::Lane; flow.loops.loops.len()],
            rounds: vec![UniformOver::Lane; function.blocks.len()],
        };
        match flow.values.as_ref().filter(|_| flow.loops.complete) {
            Some(values) => Solver::new(program, function, flow, values, cta).solve().unwrap_or_else(unknown),
            None => unknown(),
        }
    }

    /// The threads that a value is the same for, where it is made.
    #[must_use]
    pub fn value(&self, value: ValueId) -> UniformOver {
        self.values.get(value.0 as usize).copied().unwrap_or(UniformOver::Lane)
    }

    /// The threads that go the same way at the end of a block.
    #[must_use]
    pub fn branch(&self, block: u32) -> UniformOver {
        self.branches[block as usize]
    }

    /// The threads that come to a block by the same way: what comes together there is no better.
    #[must_use]
    pub fn join(&self, block: u32) -> UniformOver {
        self.joins[block as usize]
    }

    /// The threads that have run a block as often when they meet after it: what is made in it is no better.
    #[must_use]
    pub fn rounds(&self, block: u32) -> UniformOver {
        self.rounds[block as usize]
    }

    /// The threads that leave a loop at the same round: what is made in it is no better outside.
    #[must_use]
    pub fn exit(&self, id: u32) -> UniformOver {
        self.exits[id as usize]
    }
}

/// The best that a value can be. What nobody has written is zero in an entry; in a function it may be a parameter, which
/// lies in a register.
fn at_first(origin: Origin, entry: bool) -> UniformOver {
    if origin == Origin::Unset && !entry { UniformOver::Lane } else { UniformOver::Cta }
}

/// Who looks at a value.
#[derive(Clone, Copy)]
enum User {
    Instruction(u32),
    Join(ValueId),
}

struct Solver<'a> {
    program: &'a Program,
    function: &'a Function,
    flow: &'a Flow,
    values: &'a Values,
    cta: Option<[u32; 3]>,
    partings: Partings<'a>,
    /// By instruction: its block.
    blocks: Vec<u32>,
    levels: Vec<UniformOver>,
    branches: Vec<UniformOver>,
    /// By block: what comes together there is no better than this.
    joins: Vec<UniformOver>,
    /// By loop: what is made in it is no better than this outside.
    exits: Vec<UniformOver>,
    /// By block: what is made in it is no better than this.
    rounds: Vec<UniformOver>,
    users: Vec<Vec<User>>,
    open: Vec<User>,
}

impl<'a> Solver<'a> {
    fn new(
        program: &'a Program,
        function: &'a Function,
        flow: &'a Flow,
        values: &'a Values,
        cta: Option<[u32; 3]>,
    ) -> Self {
        let count = function.blocks.len();
        let mut blocks = vec![0; function.instructions.len()];
        for (number, block) in (0..).zip(&function.blocks) {
            blocks[block.start as usize..block.end as usize].fill(number);
        }
        let mut users = vec![Vec::new(); values.values.len()];
        for at in 0..function.instructions.len() as u32 {
            values.reads(at).iter().for_each(|value| users[value.0 as usize].push(User::Instruction(at)));
        }
        for (id, value) in (0..).map(ValueId).zip(&values.values) {
            values.sources(value.origin).iter().for_each(|from| users[from.0 as usize].push(User::Join(id)));
        }
        let reached = |at: &u32| flow.dominators.reaches(blocks[*at as usize]);
        let open = (0..function.instructions.len() as u32).filter(reached).map(User::Instruction).collect();
        Self {
            program,
            function,
            flow,
            values,
            cta,
            partings: Partings::new(&flow.graph, &flow.ends, &flow.loops),
            levels: values.values.iter().map(|value| at_first(value.origin, function.entry)).collect(),
            branches: vec![UniformOver::Cta; count],
            joins: vec![UniformOver::Cta; count],
            exits: vec![UniformOver::Cta; flow.loops.loops.len()],
            rounds: vec![UniformOver::Cta; count],
            blocks,
            users,
            open,
        }
    }

    /// From the best that could be until nothing gets worse; `None` if that takes too long.
    fn solve(mut self) -> Option<Uniformity> {
        while let Some(user) = self.open.pop() {
            match user {
                User::Instruction(at) => self.instruction(at)?,
                User::Join(id) => self.join(id),
            }
        }
        let Self { levels: values, branches, joins, exits, rounds, .. } = self;
        Some(Uniformity { values, branches, joins, exits, rounds })
    }

    /// The level of a value for who reads it in a block.
    fn seen_from(&self, value: ValueId, block: u32) -> UniformOver {
        let made = self.values.values[value.0 as usize].block;
        let left = self.flow.loops.left(made, block).map(|id| self.exits[id as usize]);
        left.fold(self.levels[value.0 as usize], UniformOver::max)
    }

    fn raise(&mut self, value: ValueId, level: UniformOver) {
        if level > self.levels[value.0 as usize] {
            self.levels[value.0 as usize] = level;
            self.open.extend_from_slice(&self.users[value.0 as usize]);
        }
    }

    fn join(&mut self, id: ValueId) {
        let value = self.values.values[id.0 as usize];
        let sources = self.values.sources(value.origin).iter();
        let most = sources.map(|from| self.seen_from(*from, value.block)).max().unwrap_or_default();
        self.raise(id, most.max(self.joins[value.block as usize]));
    }

    fn instruction(&mut self, at: u32) -> Option<()> {
        let instruction = &self.function.instructions[at as usize];
        let block = self.blocks[at as usize];
        let mut reads = self.values.reads(at).iter().map(|value| self.seen_from(*value, block));
        let guard = instruction.guard.and_then(|_| reads.next()).unwrap_or_default();
        let mut sources: Vec<(&Operand, UniformOver)> = Vec::new();
        for operand in self.function.operands_of(instruction).iter().filter(|operand| !operand.written) {
            let level = match read_by(operand) {
                Some(_) => reads.next().unwrap_or(UniformOver::Lane),
                None => of_operand(self.program, self.function, operand, self.cta),
            };
            sources.push((operand, level));
        }
        // What calls pass, the carry flag, and what is left of registers that are written in part.
        let rest = reads.max().unwrap_or_default();
        let result = of_result(self.program, instruction, &sources).max(guard).max(rest);
        let result = result.max(self.rounds[block as usize]);
        let parts = at + 1 == self.function.blocks[block as usize].end;
        let decides = match self.function.blocks[block as usize].terminator {
            Terminator::Branch { .. } => guard,
            Terminator::Index { .. } => sources.iter().map(|(_, level)| *level).fold(guard, UniformOver::max),
            _ => UniformOver::Cta,
        };
        self.values.writes(at).iter().for_each(|value| self.raise(*value, result));
        if parts { self.branch(block, decides) } else { Some(()) }
    }

    /// Lanes may part at the end of a block.
    fn branch(&mut self, block: u32, level: UniformOver) -> Option<()> {
        if level <= self.branches[block as usize] || self.flow.graph.after(block).len() < 2 {
            return Some(());
        }
        self.branches[block as usize] = level;
        let parting = self.partings.at(block)?;
        for join in parting.joins {
            self.joins[join as usize] = self.joins[join as usize].max(level);
            self.open.extend(self.values.joins[join as usize].iter().copied().map(User::Join));
        }
        for repeated in parting.repeated {
            self.repeat(repeated, level);
        }
        for exit in parting.exits {
            if level > self.exits[exit as usize] {
                self.exits[exit as usize] = level;
                self.look_again(exit);
            }
        }
        Some(())
    }

    /// Lanes meet that have run a block different times.
    fn repeat(&mut self, block: u32, level: UniformOver) {
        let Some(described) = self.function.blocks.get(block as usize) else { return };
        self.rounds[block as usize] = self.rounds[block as usize].max(level);
        self.joins[block as usize] = self.joins[block as usize].max(level);
        let written = (described.start..described.end).flat_map(|at| self.values.writes(at));
        let made: Vec<ValueId> = written.chain(&self.values.joins[block as usize]).copied().collect();
        made.into_iter().for_each(|value| self.raise(value, level));
    }

    /// Has everything looked at again that reads what a loop makes.
    fn look_again(&mut self, id: u32) {
        let inside = &self.flow.loops.loops[id as usize];
        for block in &inside.blocks {
            let Some(described) = self.function.blocks.get(*block as usize) else { continue };
            let written = (described.start..described.end).flat_map(|at| self.values.writes(at));
            for value in written.chain(&self.values.joins[*block as usize]) {
                debug_assert!(self.values.values[value.0 as usize].origin != Origin::Unset);
                self.open.extend_from_slice(&self.users[value.0 as usize]);
            }
        }
    }
}
