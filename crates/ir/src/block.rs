//! The blocks of a function and how each ends.

use crate::operation::control::Barrier;

/// A basic block of a function: an index into `Function::blocks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// A run of instructions that is entered at its first and left after its last.
///
/// A block also begins where a warp may have to wait for its lanes (barriers, `shfl.sync` and the like), so that
/// groups of lanes only ever stop and join at the beginning of blocks.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its first instruction.
    pub start: u32,
    /// One past its last.
    pub end: u32,
    /// How it ends. Unless that is [`Terminator::Next`], its last instruction is the one that says so.
    pub terminator: Terminator,
}

impl Block {
    /// Its last instruction, if it has any.
    #[must_use]
    pub fn last(&self) -> Option<u32> {
        (self.start < self.end).then(|| self.end - 1)
    }
}

/// How a block ends. Lanes that the guard of the last instruction leaves out go to `next`; without a guard there are
/// none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// It goes on with another block.
    Next(BlockId),
    /// `bra`
    Branch {
        /// Where to.
        target: BlockId,
        /// Where the others go.
        next: Option<BlockId>,
    },
    /// `brx.idx`
    Index {
        /// The targets: an index into `Function::branch_lists`.
        list: u32,
        /// Which operand says the one that is taken: destinations are counted first, then sources.
        index: usize,
        /// Where the others go.
        next: Option<BlockId>,
    },
    /// `call`
    Call {
        /// The call: an index into `Function::calls`.
        call: u32,
        /// Where it goes on.
        next: BlockId,
    },
    /// `ret` of a function
    Return {
        /// Where the others go.
        next: Option<BlockId>,
    },
    /// `exit`, or `ret` of an entry
    Exit {
        /// Where the others go.
        next: Option<BlockId>,
    },
    /// `bar`, `barrier`
    Barrier {
        /// Which, and how.
        barrier: Barrier,
        /// Where it goes on.
        next: BlockId,
    },
}

impl Terminator {
    /// Where lanes go that do what it says, if that is one block.
    const fn target(self) -> Option<BlockId> {
        match self {
            Self::Branch { target, .. } => Some(target),
            _ => None,
        }
    }

    /// Where lanes go on that do not leave by it.
    #[must_use]
    pub const fn next(self) -> Option<BlockId> {
        match self {
            Self::Next(next) | Self::Call { next, .. } | Self::Barrier { next, .. } => Some(next),
            Self::Branch { next, .. }
            | Self::Index { next, .. }
            | Self::Return { next }
            | Self::Exit { next } => next,
        }
    }

    /// The blocks that lanes may go to, one of them twice if two ways lead there; `lists` are its function's lists of
    /// branch targets.
    pub fn successors(self, lists: &[Vec<BlockId>]) -> impl Iterator<Item = BlockId> + '_ {
        let list = match self {
            Self::Index { list, .. } => lists.get(list as usize).map(Vec::as_slice),
            _ => None,
        };
        list.unwrap_or(&[]).iter().copied().chain(self.target()).chain(self.next())
    }
}
