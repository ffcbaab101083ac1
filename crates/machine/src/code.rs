//! The parts of linked code: what the interpreter walks through.
//!
//! The blocks of all functions that an entry can reach stand in one list, function after function in the order of
//! the source, and inside a function so that lanes which part meet again (`link/order.rs`). A warp's groups of lanes
//! only stop and join at the beginning of blocks.

use ptxvm_ir::operation::SpecialRegister;
pub use ptxvm_ir::operation::control::BarrierReduction as Reduction;
use ptxvm_ir::{BlockId, FunctionId, Prototype};

use crate::builtin::function::Builtin;
use crate::registers::{LANES, Slot};
use crate::statistics::Class;

/// An instruction of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// Its function.
    pub function: FunctionId,
    /// Its number there.
    pub instruction: u32,
}

/// A run of instructions.
pub struct Block {
    /// The first instruction.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// The lanes that must be together before it runs.
    pub converge: Option<Converge>,
    /// How it ends.
    pub end_with: Terminator,
    /// The instruction that ends it, or the last one in it.
    pub source: Source,
    /// What the instruction that ends it is counted as.
    pub class: Option<Class>,
    /// The block of its function that it was made from; `None` if the linker has added it, at the end of a loop.
    pub of: Option<BlockId>,
}

/// What an instruction of linked code means, for who does not execute it by its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// What the instruction of the program means that it was made from.
    Program,
    /// It is an instruction of the linker's own.
    Prepared(Prepared),
}

/// What an instruction means that the linker puts before another, or makes of a move from a special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// It reads a special register, or a member of it.
    Special(SpecialRegister, u8),
    /// The sum of two sources of 64 bits.
    Sum,
    /// The address of this byte of the parameter block.
    ParameterAddress(u64),
    /// The address of this byte of the CTA's shared memory.
    SharedAddress(u64),
}

/// What lanes must have come together at the beginning of a block.
#[derive(Clone, Copy, Debug)]
pub struct Converge {
    /// The member mask; `None`: all that have not ended.
    pub members: Option<Slot>,
    /// The guard of the instruction that asks for it.
    pub guard: Option<Slot>,
}

/// How a block ends.
pub enum Terminator {
    /// Go on with the next block.
    Next(u32),
    /// `bra`
    Branch {
        /// Who goes; `None`: all.
        guard: Option<Slot>,
        /// Where to.
        target: u32,
        /// Where the others go.
        next: u32,
    },
    /// `brx.idx`
    Index {
        /// Who goes.
        guard: Option<Slot>,
        /// The index.
        index: Slot,
        /// The list.
        targets: Box<[u32]>,
        /// Where the others go.
        next: u32,
    },
    /// `call`
    Call(Box<Call>),
    /// `ret` of a function
    Return {
        /// Who returns.
        guard: Option<Slot>,
        /// Where the others go.
        next: u32,
    },
    /// `exit`, or `ret` of an entry
    Exit {
        /// Who ends.
        guard: Option<Slot>,
        /// Where the others go.
        next: u32,
    },
    /// `bar`, `barrier`
    Barrier(Box<Arrival>),
}

impl Terminator {
    /// The blocks of its function that it leads to.
    #[must_use]
    pub fn successors(&self) -> Vec<u32> {
        match self {
            Self::Next(next) => vec![*next],
            Self::Branch { guard: None, target, .. } => vec![*target],
            Self::Branch { target, next, .. } => vec![*target, *next],
            Self::Index { targets, next, .. } => targets.iter().copied().chain([*next]).collect(),
            Self::Exit { guard: None, .. } | Self::Return { guard: None, .. } => Vec::new(),
            Self::Exit { next, .. } | Self::Return { next, .. } => vec![*next],
            Self::Call(call) => vec![call.next],
            Self::Barrier(arrival) => vec![arrival.next],
        }
    }

    /// The slots that the end of the block reads and writes, but for predicates.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        match self {
            Self::Next(_) | Self::Branch { .. } | Self::Return { .. } | Self::Exit { .. } => Vec::new(),
            Self::Index { index, .. } => vec![*index],
            Self::Call(call) => {
                let callee = match call.callee {
                    Callee::Address(slot) => Some(Actual::Slot(slot)),
                    Callee::Function(_) | Callee::Builtin(_) => None,
                };
                let all = call.arguments.iter().chain(&call.returns).chain(&callee);
                let slot = |actual: &Actual| match actual {
                    Actual::Slot(slot) => Some(*slot),
                    Actual::Frame { .. } => None,
                };
                all.filter_map(slot).collect()
            }
            Self::Barrier(arrival) => [arrival.barrier].into_iter().chain(arrival.count).collect(),
        }
    }
}

/// A call and what goes with it.
pub struct Call {
    /// Who calls.
    pub guard: Option<Slot>,
    /// What is called.
    pub callee: Callee,
    /// Where the results go.
    pub returns: Vec<Actual>,
    /// What is passed.
    pub arguments: Vec<Actual>,
    /// The sizes that the prototype of an indirect call gives.
    pub prototype: Option<Prototype>,
    /// Where it goes on.
    pub next: u32,
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// A function of the program.
    Function(FunctionId),
    /// The function whose address is in a register.
    Address(Slot),
    /// A function that the machine provides.
    Builtin(Builtin),
}

/// A parameter as the caller or the callee sees it.
#[derive(Clone, Copy, Debug)]
pub enum Actual {
    /// In a register or constant.
    Slot(Slot),
    /// In the frame.
    Frame {
        /// The offset from the frame's beginning.
        offset: u64,
        /// The bytes.
        size: u64,
    },
}

/// A function that may be called.
#[derive(Debug)]
pub struct Function {
    /// Its first block.
    pub block: u32,
    /// The bytes of its registers.
    pub register_bytes: u32,
    /// By register of the program: its slot.
    pub registers: Vec<Slot>,
    /// What is cleared when an activation begins: registers that may be read before they are written.
    pub unset: Vec<Slot>,
    /// The address of the frame in each lane's local memory (64 bits).
    pub frame: Slot,
    /// The stack pointer before the activation (64 bits).
    pub caller_stack: Slot,
    /// The bytes of its frame.
    pub frame_bytes: u64,
    /// The alignment of its frame.
    pub frame_align: u64,
    /// Its parameters.
    pub parameters: Vec<Actual>,
    /// Its results.
    pub returns: Vec<Actual>,
}

impl Function {
    /// What a call takes of a lane's stack for registers, before its frame: so a recursion without local variables ends
    /// too, and what an access past the last variable meets is the stack's end.
    #[must_use]
    pub fn toll(&self) -> u64 {
        u64::from(self.register_bytes) / LANES as u64 + 16
    }

    /// What the beginning of a call's frame is a multiple of.
    #[must_use]
    pub fn call_align(&self) -> u64 {
        self.frame_align.max(16)
    }
}

/// A `bar` or `barrier` instruction.
pub struct Arrival {
    /// Who arrives.
    pub guard: Option<Slot>,
    /// Which barrier.
    pub barrier: Slot,
    /// How many threads take part; `None`: all of the CTA.
    pub count: Option<Slot>,
    /// Whether the threads wait.
    pub wait: bool,
    /// `.red`: the destination, the predicate, and how it is combined.
    pub reduction: Option<(Slot, Slot, Reduction)>,
    /// Where it goes on.
    pub next: u32,
    /// Whether all lanes that come wait for all of the CTA, at a barrier that is known, and for nothing more.
    pub plain: bool,
    /// Whether all threads of a warp must execute it together.
    pub aligned: bool,
}

/// An instruction of linked code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At {
    /// An instruction in a block.
    Instruction(u32),
    /// The end of a block.
    End(u32),
}

/// An instruction that a group of lanes has executed, or come to wait at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// The CTA's number in the grid.
    pub cta: u64,
    /// The warp's number in its CTA.
    pub warp: u32,
    /// The lanes of the group, guards aside.
    pub lanes: u32,
    /// The instruction of the program.
    pub source: Source,
}
