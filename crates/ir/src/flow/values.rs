//! The values of a function's registers: each write of a register is a value, and where ways join on which different
//! ones come, so is what comes out (static single assignment, by Cytron et al., "Efficiently computing static single
//! assignment form and the control dependence graph", 1991).
//!
//! The carry flag of the extended-precision instructions counts as one more register.

use super::dominators::Dominators;
use super::graph::Graph;
use crate::instruction::Instruction;
use crate::operation::{Control, Operation};
use crate::program::{Function, Program};

/// More looks than this are not worth it: who asks is told that nothing is known.
const MOST: usize = 1 << 26;

/// A value: an index into [`Values::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// A value of a register.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The register's number; that of the carry flag follows the last.
    pub register: u32,
    /// The block in which it is made.
    pub block: u32,
    /// How it is made.
    pub origin: Origin,
}

/// How a value is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody has written the register.
    Unset,
    /// An instruction, by its number, writes it.
    Instruction(u32),
    /// Ways join: it is one of several values, a run of [`Values::sources`].
    Join {
        /// The first.
        first: u32,
        /// How many there are: one for each block before, and one more at the beginning of a function.
        count: u32,
    },
}

/// The values of a function.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// All of them.
    pub values: Vec<Value>,
    /// What comes to joins.
    pub sources: Vec<ValueId>,
    /// By block: what is made where ways join at its beginning.
    pub joins: Vec<Vec<ValueId>>,
    reads: Vec<ValueId>,
    writes: Vec<ValueId>,
    /// By instruction: where its runs of `reads` and `writes` end.
    ends: Vec<(u32, u32)>,
}

impl Values {
    /// The values of a function; `None` if there are too many. Blocks that nothing leads to have none.
    #[must_use]
    pub fn of(
        program: &Program,
        function: &Function,
        graph: &Graph,
        dominators: &Dominators,
    ) -> Option<Self> {
        let mut naming = Naming::new(program, function, graph, dominators);
        naming.place_joins()?;
        naming.name();
        Some(naming.found)
    }

    /// What an instruction reads: in the order of [`Function::reads`], then the carry flag, then the results of a function
    /// that it returns from, then what a write that is
    /// not whole leaves, in the order of [`Function::writes`].
    #[must_use]
    pub fn reads(&self, instruction: u32) -> &[ValueId] {
        let start = instruction.checked_sub(1).map_or(0, |before| self.ends[before as usize].0);
        &self.reads[start as usize..self.ends[instruction as usize].0 as usize]
    }

    /// What an instruction writes: in the order of [`Function::writes`], then the carry flag.
    #[must_use]
    pub fn writes(&self, instruction: u32) -> &[ValueId] {
        let start = instruction.checked_sub(1).map_or(0, |before| self.ends[before as usize].1);
        &self.writes[start as usize..self.ends[instruction as usize].1 as usize]
    }

    /// The values that may come out of a join.
    #[must_use]
    pub fn sources(&self, origin: Origin) -> &[ValueId] {
        match origin {
            Origin::Join { first, count } => &self.sources[first as usize..(first + count) as usize],
            _ => &[],
        }
    }
}

/// What an instruction does with registers, by their numbers.
#[derive(Default)]
struct Uses {
    reads: Vec<u32>,
    /// The register, and whether nothing is left of what was in it.
    writes: Vec<(u32, bool)>,
}

impl Uses {
    fn fill(&mut self, program: &Program, function: &Function, instruction: &Instruction) {
        let carry = function.registers.len() as u32;
        let operation = program.operation(instruction);
        self.reads.clear();
        self.writes.clear();
        self.reads.extend(function.reads(instruction).map(|register| register.0));
        if operation.is_some_and(|operation| operation.reads_carry()) {
            self.reads.push(carry);
        }
        if let Some(Operation::Control(Control::Return)) = operation {
            self.reads.extend(function.returned().map(|register| register.0));
        }
        self.writes.extend(function.writes(instruction).map(|written| (written.register.0, written.whole)));
        if operation.is_some_and(|operation| operation.writes_carry()) {
            self.writes.push((carry, instruction.guard.is_none()));
        }
    }

    /// All that is read, also what is left.
    fn all_reads(&self) -> impl Iterator<Item = u32> + '_ {
        let left = self.writes.iter().filter(|(_, whole)| !whole).map(|(register, _)| *register);
        self.reads.iter().copied().chain(left)
    }
}

struct Naming<'a> {
    program: &'a Program,
    function: &'a Function,
    graph: &'a Graph,
    dominators: &'a Dominators,
    found: Values,
    /// By register: the value that it has where the walk is.
    current: Vec<Option<ValueId>>,
    unset: Vec<Option<ValueId>>,
}

impl<'a> Naming<'a> {
    fn new(
        program: &'a Program,
        function: &'a Function,
        graph: &'a Graph,
        dominators: &'a Dominators,
    ) -> Self {
        let registers = function.registers.len() + 1;
        let found = Values {
            joins: vec![Vec::new(); graph.len()],
            ends: vec![(0, 0); function.instructions.len()],
            ..Values::default()
        };
        let (current, unset) = (vec![None; registers], vec![None; registers]);
        Self { program, function, graph, dominators, found, current, unset }
    }

    /// Finds the joins of every register that is read in another block than it is written in.
    fn place_joins(&mut self) -> Option<()> {
        let frontiers = self.frontiers()?;
        let (writers, crosses) = self.writers();
        let mut left = MOST;
        let mut joined = vec![u32::MAX; self.graph.len()];
        for (register, blocks) in (0u32..).zip(writers) {
            if !crosses[register as usize] {
                continue;
            }
            // Nobody's value comes from before the first block.
            let mut open = blocks;
            open.push(0);
            while let Some(block) = open.pop() {
                left = left.checked_sub(1 + frontiers[block as usize].len())?;
                for join in &frontiers[block as usize] {
                    if std::mem::replace(&mut joined[*join as usize], register) != register {
                        self.join(register, *join);
                        open.push(*join);
                    }
                }
            }
        }
        Some(())
    }

    fn join(&mut self, register: u32, block: u32) {
        let count = self.graph.before(block).len() as u32 + u32::from(block == 0);
        let first = self.found.sources.len() as u32;
        let id = ValueId(self.found.values.len() as u32);
        // A way that nothing comes by keeps the join itself, which changes nothing.
        self.found.sources.extend((0..count).map(|_| id));
        self.found.values.push(Value { register, block, origin: Origin::Join { first, count } });
        self.found.joins[block as usize].push(id);
    }

    /// By block: the joins at which it is no longer the only way.
    fn frontiers(&self) -> Option<Vec<Vec<u32>>> {
        let mut frontiers = vec![Vec::new(); self.graph.len()];
        let mut left = MOST;
        for block in 0..self.graph.len() as u32 {
            let before = self.graph.before(block);
            if before.len() + usize::from(block == 0) < 2 {
                continue;
            }
            let stop = self.dominators.immediate(block);
            for from in before.iter().filter(|from| self.dominators.reaches(**from)) {
                let mut at = Some(*from);
                while let Some(each) = at.filter(|_| at != stop) {
                    left = left.checked_sub(1)?;
                    let frontier: &mut Vec<u32> = &mut frontiers[each as usize];
                    if frontier.last() != Some(&block) {
                        frontier.push(block);
                    }
                    at = self.dominators.immediate(each);
                }
            }
        }
        Some(frontiers)
    }

    /// By register: the blocks that write it, and whether some block reads what another has written.
    fn writers(&self) -> (Vec<Vec<u32>>, Vec<bool>) {
        let registers = self.current.len();
        let mut writers = vec![Vec::new(); registers];
        let mut crosses = vec![false; registers];
        let mut uses = Uses::default();
        for (number, block) in (0u32..).zip(&self.function.blocks) {
            for instruction in &self.function.instructions[block.start as usize..block.end as usize] {
                uses.fill(self.program, self.function, instruction);
                for register in uses.all_reads() {
                    crosses[register as usize] |= writers[register as usize].last() != Some(&number);
                }
                for (register, _) in &uses.writes {
                    if writers[*register as usize].last() != Some(&number) {
                        writers[*register as usize].push(number);
                    }
                }
            }
        }
        (writers, crosses)
    }

    /// Walks the tree of dominators and gives every read and write its value.
    fn name(&mut self) {
        let children = self.dominators.children();
        let mut reads = vec![Vec::new(); self.function.blocks.len()];
        // A block, how many of its children have been walked, and what registers had before it.
        let mut path = Vec::new();
        if !self.graph.is_empty() {
            let before = self.enter(0, &mut reads[0]);
            path.push((0u32, 0, before));
        }
        while let Some((block, done, _)) = path.last_mut() {
            match children[*block as usize].get(*done) {
                Some(&child) => {
                    *done += 1;
                    let before = self.enter(child, &mut reads[child as usize]);
                    path.push((child, 0, before));
                }
                None => {
                    let Some((_, _, before)) = path.pop() else { break };
                    before
                        .into_iter()
                        .rev()
                        .for_each(|(register, value)| self.current[register as usize] = value);
                }
            }
        }
        self.flatten(reads);
    }

    /// Names what a block reads and writes. Gives what the registers had that it has changed.
    fn enter(
        &mut self,
        number: u32,
        named: &mut Vec<(Vec<ValueId>, Vec<ValueId>)>,
    ) -> Vec<(u32, Option<ValueId>)> {
        let mut before = Vec::new();
        for join in self.found.joins[number as usize].clone() {
            let register = self.found.values[join.0 as usize].register;
            before.push((register, self.current[register as usize].replace(join)));
        }
        if number == 0 {
            self.begin();
        }
        let block = &self.function.blocks[number as usize];
        let mut uses = Uses::default();
        for at in block.start..block.end {
            uses.fill(self.program, self.function, &self.function.instructions[at as usize]);
            let reads: Vec<ValueId> = uses.all_reads().map(|register| self.value(register)).collect();
            let writes = uses.writes.iter().map(|(register, _)| {
                let id = ValueId(self.found.values.len() as u32);
                let origin = Origin::Instruction(at);
                self.found.values.push(Value { register: *register, block: number, origin });
                before.push((*register, self.current[*register as usize].replace(id)));
                id
            });
            named.push((reads, writes.collect()));
        }
        for to in self.graph.after(number) {
            let Ok(way) = self.graph.before(*to).binary_search(&number) else { continue };
            for join in self.found.joins[*to as usize].clone() {
                let Value { register, origin, .. } = self.found.values[join.0 as usize];
                if let Origin::Join { first, .. } = origin {
                    self.found.sources[first as usize + way] = self.value(register);
                }
            }
        }
        before
    }

    /// What comes to the joins of the first block when the function begins.
    fn begin(&mut self) {
        for join in self.found.joins[0].clone() {
            let Value { register, origin, .. } = self.found.values[join.0 as usize];
            if let Origin::Join { first, count } = origin {
                self.found.sources[(first + count - 1) as usize] = self.unset(register);
            }
        }
    }

    fn value(&mut self, register: u32) -> ValueId {
        self.current[register as usize].unwrap_or_else(|| self.unset(register))
    }

    fn unset(&mut self, register: u32) -> ValueId {
        let next = ValueId(self.found.values.len() as u32);
        let id = *self.unset[register as usize].get_or_insert(next);
        if id == next {
            self.found.values.push(Value { register, block: 0, origin: Origin::Unset });
        }
        id
    }

    /// Puts what was found block by block into the order of the instructions.
    fn flatten(&mut self, blocks: Vec<Vec<(Vec<ValueId>, Vec<ValueId>)>>) {
        let found = &mut self.found;
        for (block, named) in self.function.blocks.iter().zip(blocks) {
            let mut named = named.into_iter();
            for at in block.start..block.end {
                let (reads, writes) = named.next().unwrap_or_default();
                found.reads.extend(reads);
                found.writes.extend(writes);
                found.ends[at as usize] = (found.reads.len() as u32, found.writes.len() as u32);
            }
        }
    }
}
