//! The blocks of a body: where they begin, and which one a label is the beginning of.
//!
//! Compilers set labels for debuggers too, so a label begins a block only if something branches to it.

use crate::program::{Block, BlockId, Operand, OperandKind};

/// More entries of `.branchtargets` lists than any real function has: `L<N>` writes many in a few bytes.
pub const MOST_TARGETS: usize = 1 << 22;

/// Where the blocks of a body begin. While the body is walked, a [`BlockId`] holds the number of a label's statement.
#[derive(Default)]
pub struct Layout {
    /// Instructions that begin a block for their own sake, in order.
    leaders: Vec<u32>,
    /// The statements of labels, in order, each with the instruction that follows it.
    labels: Vec<(u32, u32)>,
    branch_lists: Vec<Vec<BlockId>>,
    /// How many entries the lists have together.
    pub targets: usize,
}

impl Layout {
    /// A block begins with this instruction.
    pub fn lead(&mut self, instruction: u32) {
        if self.leaders.last() != Some(&instruction) {
            self.leaders.push(instruction);
        }
    }

    /// A label stands before this instruction.
    pub fn label(&mut self, statement: u32, instruction: u32) {
        self.labels.push((statement, instruction));
    }

    /// Whether a label stands before this instruction, which must not be before any other label's.
    pub fn has_label_at(&self, instruction: u32) -> bool {
        self.labels.last().is_some_and(|&(_, at)| at == instruction)
    }

    /// Keeps a list of branch targets and gives its number.
    pub fn branch_list(&mut self, list: Vec<BlockId>) -> u32 {
        self.targets += list.len();
        self.branch_lists.push(list);
        self.branch_lists.len() as u32 - 1
    }

    /// The instruction that a label stands before.
    fn instruction(&self, statement: BlockId) -> u32 {
        match self.labels.binary_search_by_key(&statement.0, |&(statement, _)| statement) {
            Ok(at) => self.labels[at].1,
            Err(_) => 0,
        }
    }

    /// The blocks of a body of so many instructions; the operands and lists that held labels now hold blocks.
    pub fn blocks(&mut self, length: u32, operands: &mut [Operand]) -> Vec<Block> {
        let mut lists = std::mem::take(&mut self.branch_lists);
        let mut targets: Vec<&mut BlockId> = lists.iter_mut().flatten().collect();
        targets.extend(operands.iter_mut().filter_map(|operand| match &mut operand.kind {
            OperandKind::Block(block) => Some(block),
            _ => None,
        }));
        let mut starts = std::mem::take(&mut self.leaders);
        starts.push(0);
        for target in &mut targets {
            **target = BlockId(self.instruction(**target));
            starts.push(target.0);
        }
        starts.retain(|&start| start < length);
        starts.sort_unstable();
        starts.dedup();
        for target in targets {
            *target = BlockId(starts.partition_point(|&start| start < target.0) as u32);
        }
        self.branch_lists = lists;
        let ends = starts.iter().skip(1).chain(std::iter::once(&length));
        starts.iter().zip(ends).map(|(&start, &end)| Block { start, end }).collect()
    }

    /// The lists of branch targets, after [`Self::blocks`] has been asked.
    pub fn branch_lists(&mut self) -> Vec<Vec<BlockId>> {
        std::mem::take(&mut self.branch_lists)
    }
}
