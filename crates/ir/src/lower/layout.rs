//! Where the blocks of a body begin and end, found while its statements are walked.
//!
//! Compilers set labels for debuggers too, so a label begins a block only if something branches to it.

use crate::block::{Block, BlockId, Terminator};
use crate::operation::Control;

/// More entries of `.branchtargets` lists than any real function has: `L<N>` writes many in a few bytes.
pub const MOST_TARGETS: usize = 1 << 22;

/// Instructions after which a block is closed: an engine looks at the end of each whether the launch is to end.
const LONGEST: u32 = 1 << 10;

/// A label, by the number of its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label(pub u32);

/// Where a branch goes.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// To a label.
    Label(Label),
    /// To one of the labels of a list, by the list's number.
    List(u32),
}

/// Where the blocks of a body begin.
#[derive(Default)]
pub struct Layout {
    /// Instructions that begin a block for their own sake, in order.
    leaders: Vec<u32>,
    /// Instructions that end a block, in order.
    ends: Vec<End>,
    /// The labels, in order, each with the instruction that follows it.
    labels: Vec<(Label, u32)>,
    lists: Vec<Vec<Label>>,
    /// How many entries the lists have together.
    pub targets: usize,
}

/// An instruction that ends a block.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Its number.
    pub instruction: u32,
    /// What it does.
    pub control: Control,
    /// Whether a guard lets some lanes pass.
    pub guarded: bool,
    /// Where it branches to.
    pub target: Option<Target>,
    /// The call that it makes.
    pub call: Option<u32>,
}

/// The blocks of a body, and the blocks of each list of branch targets.
pub type Blocks = (Vec<Block>, Vec<Vec<BlockId>>);

impl Layout {
    /// A block begins with this instruction.
    pub fn lead(&mut self, instruction: u32) {
        if self.leaders.last() != Some(&instruction) {
            self.leaders.push(instruction);
        }
    }

    /// A block ends with an instruction.
    pub fn end(&mut self, end: End) {
        self.lead(end.instruction + 1);
        self.ends.push(end);
    }

    /// A label stands before this instruction.
    pub fn label(&mut self, label: Label, instruction: u32) {
        self.labels.push((label, instruction));
    }

    /// Whether a label stands before this instruction, which must not be before any other label's.
    pub fn has_label_at(&self, instruction: u32) -> bool {
        self.labels.last().is_some_and(|&(_, at)| at == instruction)
    }

    /// Keeps a list of branch targets and gives its number.
    pub fn list(&mut self, list: Vec<Label>) -> u32 {
        self.targets += list.len();
        self.lists.push(list);
        self.lists.len() as u32 - 1
    }

    /// The instruction that a label stands before.
    fn instruction(&self, label: Label) -> u32 {
        match self.labels.binary_search_by_key(&label, |&(label, _)| label) {
            Ok(at) => self.labels[at].1,
            Err(_) => 0,
        }
    }

    /// The blocks of a body of so many instructions, of an entry or of a function.
    pub fn blocks(self, length: u32, entry: bool) -> Blocks {
        let starts = self.starts(length);
        let block = |label: Label| {
            let at = self.instruction(label);
            BlockId(starts.partition_point(|&start| start < at) as u32)
        };
        let mut ends = self.ends.iter().peekable();
        let mut blocks = Vec::with_capacity(starts.len());
        for (number, &start) in starts.iter().enumerate() {
            let after = BlockId(number as u32 + 1);
            let end = starts.get(number + 1).copied().unwrap_or(length);
            let ended = ends.next_if(|ended| ended.instruction + 1 == end);
            let terminator =
                ended.map_or(Terminator::Next(after), |ended| ended.terminator(entry, after, block));
            blocks.push(Block { start, end, terminator });
        }
        let lists = self.lists.iter().map(|list| list.iter().map(|label| block(*label)).collect());
        (blocks, lists.collect())
    }

    /// Where blocks begin.
    fn starts(&self, length: u32) -> Vec<u32> {
        let named = self.ends.iter().filter_map(|end| match end.target {
            Some(Target::Label(label)) => Some(label),
            _ => None,
        });
        let listed = self.lists.iter().flatten().copied();
        let targets = named.chain(listed).map(|label| self.instruction(label));
        let mut starts: Vec<u32> = self.leaders.iter().copied().chain(targets).chain([0]).collect();
        starts.retain(|&start| start < length);
        starts.sort_unstable();
        starts.dedup();
        let ends: Vec<u32> = starts.iter().skip(1).copied().chain([length]).collect();
        let pieces = starts.iter().zip(ends).flat_map(|(&start, end)| (start..end).step_by(LONGEST as usize));
        pieces.collect()
    }
}

impl End {
    /// How the block ends; `after` is the block that follows it in the text.
    fn terminator(self, entry: bool, after: BlockId, block: impl Fn(Label) -> BlockId) -> Terminator {
        let next = self.guarded.then_some(after);
        match (self.control, self.target, self.call) {
            (Control::Branch { .. }, Some(Target::Label(label)), _) => {
                Terminator::Branch { target: block(label), next }
            }
            (Control::Index { index }, Some(Target::List(list)), _) => {
                Terminator::Index { list, index, next }
            }
            (Control::Call, _, Some(call)) => Terminator::Call { call, next: after },
            (Control::Return, ..) if !entry => Terminator::Return { next },
            (Control::Return | Control::Exit, ..) => Terminator::Exit { next },
            (Control::Barrier(barrier), ..) => Terminator::Barrier { barrier, next: after },
            // A target that could not be resolved is a problem of its own, and the program is not made.
            (Control::Branch { .. } | Control::Index { .. } | Control::Call, ..) => Terminator::Next(after),
        }
    }
}
