//! Linked code: what the interpreter walks through.
//!
//! The blocks of all functions that an entry can reach stand in one list, function after function in the order of
//! the source, and inside a function so that lanes which part meet again (`link/order.rs`). A warp's groups of lanes
//! only stop and join at the beginning of blocks.

pub use ptxvm_ir::operation::control::BarrierReduction as Reduction;
use ptxvm_ir::{FunctionId, Program, Prototype, VariableId};
use smallvec::SmallVec;
use std::sync::Arc;

use crate::builtin::Builtin;
use crate::door::observer::Observed;
use crate::registers::{self, Slot};
use crate::statistics::Class;
use crate::vector::lanes::Op;

/// An entry and all that it can reach.
pub struct Code {
    /// The program it was linked from.
    pub program: Arc<Program>,
    /// The entry.
    pub entry: FunctionId,
    /// The blocks of all functions.
    pub blocks: Vec<Block>,
    /// The instructions of all blocks.
    pub instructions: Vec<Instruction>,
    /// By function: where it begins and what an activation needs; `None` if the entry cannot reach it.
    pub functions: Vec<Option<Function>>,
    /// The constants of all instructions.
    pub constants: registers::Block,
    /// The static shared memory of a CTA in bytes.
    pub shared_bytes: u32,
    /// The shared variables that it can reach, and where each begins.
    pub shared: Vec<(VariableId, u64)>,
    /// Whether it asks where the reserved shared memory lies.
    pub reserved_shared: bool,
    /// Some registers or constants found no room, so that it cannot run.
    pub too_large: bool,
    /// Who is told of every touch of memory.
    pub observed: Option<Arc<Observed>>,
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code of entry {} with {} instructions", self.entry.0, self.instructions.len())
    }
}

/// One instruction with its operands resolved.
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// Destinations, then sources.
    pub slots: SmallVec<[Slot; 5]>,
    /// The predicate in front of it.
    pub guard: Option<Slot>,
    /// The instruction of the program it was made from.
    pub source: Source,
    /// What it is counted as; `None` for those that the linker added.
    pub class: Option<Class>,
}

/// An instruction of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}
