//! What an operation is, and what it sees while it runs: the registers, its warp, its CTA, its worker, and the launch
//! with its code, which is made of operations. They name each other, so they stand together.

use std::sync::Arc;

use ptxvm_ir::{FunctionId, Program, VariableId};
use smallvec::SmallVec;

use crate::asynchronous::trouble::Trouble;
use crate::code::{Block, Function, Meaning, Source};
use crate::door::observer::Observed;
use crate::effort::BYTES_OF_AN_INSTRUCTION;
use crate::explain::finding::{Kind, Limit};
use crate::launch::{Environment, Launch};
use crate::registers::{self, Bank, Slot};
use crate::schedule::cluster::claims::Claims;
use crate::schedule::halt::Halt;
use crate::state::frame::{Compiled, Tier};
use crate::state::late::Lateness;
use crate::statistics::Class;

pub use crate::state::cta::CtaState;
pub use crate::state::warp::WarpState;
pub use crate::state::worker::{Fault, Missed, Worker};

/// An operation, ready to be run.
pub type Op = Box<dyn Execute>;

/// What the interpreter does after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on with the next instruction.
    Next,
    /// The operation has stopped the warp; the context says why.
    Stop,
    /// Nothing has been done yet: the lanes wait for what `WarpState::awaited` says, and then execute it again. Only
    /// instructions that begin a block may say so (`link/terminator.rs`).
    Wait,
    /// The operation has handed work to the cluster's asynchronous units, or noted events: the interpreter says where.
    Issued,
    /// It has been executed, and has given registers values that nobody has defined (`door/values.rs`).
    Undefined,
}

/// An instruction's operation. One object serves all warps; what differs is in the context.
pub trait Execute: Send + Sync {
    /// Runs it for the lanes of `mask`, which is never empty. `slots` are the destinations, then the sources.
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow;
}

/// The view of a running operation.
pub struct Context<'a> {
    /// The registers of the running activation.
    pub bank: Bank<'a>,
    /// The lanes that run the instruction's group, guards aside.
    pub active: u32,
    /// The warp.
    pub warp: &'a mut WarpState,
    /// The CTA.
    pub cta: &'a mut CtaState,
    /// The host thread's own state.
    pub worker: &'a mut Worker,
    /// The launch.
    pub run: &'a Run<'a>,
}

impl Context<'_> {
    /// The instruction at this place has handed work to the asynchronous units, which takes them time.
    pub fn issued(&mut self, at: u32, activation: u32) -> Flow {
        self.warp.wgmma.place = (at, activation);
        let asynchrony = self.run.launch.settings.asynchrony;
        let outcome = self.worker.cluster.issue(at, activation, asynchrony, self.run.halt);
        self.worker.effort += outcome.as_ref().map_or(0, |operations| operations * OPERATION);
        self.completed(outcome.map(drop))
    }

    /// Stops the warp unless all went well with the asynchronous operations that were completed, and all of them were:
    /// a launch that is to end leaves the rest.
    pub fn completed(&mut self, outcome: Result<(), Box<Trouble>>) -> Flow {
        match outcome {
            Ok(()) => {
                let spent = self.worker.cluster.take_spent();
                self.spend(spent).err().unwrap_or(Flow::Next)
            }
            Err(trouble) => {
                self.worker.trouble = Some(trouble);
                Flow::Stop
            }
        }
    }

    /// Counts work that took the host about as long as so many instructions, and stops the warp if the launch is to
    /// end. What works longer than about a millisecond calls it in between.
    pub fn spend(&mut self, effort: u64) -> Result<(), Flow> {
        self.worker.effort += effort;
        if self.run.halt.is_set() {
            self.worker.halted = true;
            return Err(Flow::Stop);
        }
        Ok(())
    }

    /// The same for bytes that were copied or filled.
    pub fn spend_bytes(&mut self, bytes: u64) -> Result<(), Flow> {
        self.spend(bytes / BYTES_OF_AN_INSTRUCTION)
    }

    /// Stops the warp: it needs about so many bytes more than the host's memory allows.
    #[cold]
    pub fn out_of_memory(&mut self, bytes: u64) -> Flow {
        self.worker.limit = Some(Limit::Memory(self.run.environment.memory.budget().refusal(bytes)));
        Flow::Stop
    }

    /// Stops the warp: the lane did something impossible. The interpreter adds place and registers.
    #[cold]
    pub fn fault(&mut self, kind: Kind, lane: usize, message: impl Into<String>, notes: Vec<String>) -> Flow {
        self.worker.fault = Some(Fault::new(kind, lane, message.into(), notes));
        Flow::Stop
    }
}

/// What an asynchronous operation takes, in instructions.
const OPERATION: u64 = 16;

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
    /// Whether it may change something of a warp or a cluster besides registers and memory that is not local. If not, a
    /// warp that has ended can begin anew as it is.
    pub keeps: bool,
    /// Who is told of every touch of memory.
    pub observed: Option<Arc<Observed>>,
}

impl Code {
    /// The function that a launch begins with.
    pub(crate) fn entry_function(&self) -> Option<&Function> {
        self.functions.get(self.entry.0 as usize)?.as_ref()
    }
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
    /// Whether it may name the registers of `wgmma` products under way.
    pub wgmma: bool,
    /// What it is to those that are put off.
    pub lateness: Lateness,
    /// How many of its slots are destinations.
    pub written: u8,
    /// What it means, as data.
    pub meaning: Meaning,
}

/// What all workers of a launch share.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The linked code.
    pub code: &'a Code,
    /// The launch.
    pub launch: &'a Launch,
    /// The device.
    pub environment: &'a Environment<'a>,
    /// The address of the parameter block.
    pub parameters: u64,
    /// The address of the workspace of a cooperative launch; 0 if it is none.
    pub workspace: u64,
    /// The number of the launch: `%gridid`.
    pub gridid: u64,
    /// When it began, for timeouts.
    pub began: std::time::Instant,
    /// Tells that it is to end.
    pub halt: Halt<'a>,
    /// Clusters that may be live at once.
    pub resident: u32,
    /// The clusters of the grid that nobody has begun.
    pub claims: &'a Arc<Claims>,
    /// Where there is compiled code of the kernel for CTAs of this shape.
    pub tier: Option<&'a dyn Tier>,
}

impl<'a> Run<'a> {
    /// Compiled code of the kernel for CTAs of this shape, if there is some by now.
    #[must_use]
    #[inline(always)]
    pub fn compiled(&self) -> Option<&'a dyn Compiled> {
        self.tier.and_then(|tier| tier.code())
    }

    /// The shared memory that a CTA asks for, in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> u64 {
        u64::from(self.code.shared_bytes) + u64::from(self.launch.shared)
    }

    /// Where the reserved shared memory begins: after the rest. Cooperative groups keep their barriers there.
    #[must_use]
    pub fn reserved_begin(&self) -> u64 {
        self.shared_bytes().next_multiple_of(RESERVED_ALIGNMENT)
    }

    /// All shared memory that a CTA needs: with the reserved part only if the code can ask where it is.
    #[must_use]
    pub fn all_shared_bytes(&self) -> u64 {
        if self.code.reserved_shared {
            self.reserved_begin() + u64::from(self.environment.profile.shared_reserved)
        } else {
            self.shared_bytes()
        }
    }

    /// About how much memory a cluster takes when it begins.
    #[must_use]
    pub fn cluster_bytes(&self) -> usize {
        let threads = self.launch.block.iter().map(|n| u64::from(*n)).product::<u64>();
        let entry = self.code.entry_function();
        let (frame, registers) = entry.map_or((0, 0), |entry| (entry.frame_bytes, entry.register_bytes));
        let threads = threads.saturating_mul(frame).saturating_add(threads / 32 * u64::from(registers));
        let ctas = self.launch.cluster_shape().iter().map(|n| u64::from(*n)).product::<u64>();
        usize::try_from(ctas.saturating_mul(self.all_shared_bytes().saturating_add(threads)))
            .unwrap_or(usize::MAX)
    }
}

/// What the reserved shared memory's offset is a multiple of.
const RESERVED_ALIGNMENT: u64 = 128;
