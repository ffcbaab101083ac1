//! What an operation sees while it runs: the registers, its warp, its CTA, its worker, and the launch.

use std::sync::Arc;

use ptxvm_memory::{LocalMemory, Region, SharedMemory};

use crate::asynchronous::queue::Trouble;
use crate::code::{Code, Source};
use crate::door::AddressSpace;
use crate::door::opaque::Opaque;
use crate::explain::finding::{Kind, Limit};
use crate::launch::{Environment, Launch};
use crate::matrix::operands::Operands;
use crate::ops::wgmma::pending::Products;
use crate::registers::{Bank, LANES};
use crate::schedule::barrier::Barrier;
use crate::schedule::cluster::{Arrivals, Claims, ClusterState};
use crate::schedule::dependency::GridStatus;
use crate::schedule::halt::Halt;
use crate::schedule::late_writes::HeldBack;
use crate::schedule::warp::Awaited;
use crate::statistics::Statistics;
use crate::vector::lanes::Flow;

/// The view of a running operation.
pub struct Context<'a> {
    /// The registers of the running activation.
    pub bank: Bank,
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
        let asynchrony = self.run.launch.asynchrony;
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

/// As many bytes are copied in about the time of an instruction.
pub const BYTES_OF_AN_INSTRUCTION: u64 = 64;

/// A finding in the making.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What kind of wrong.
    pub kind: Kind,
    /// Who did it.
    pub lane: usize,
    /// One sentence.
    pub message: String,
    /// More sentences.
    pub notes: Vec<String>,
    /// The shared or local memory that was missed: the report names the variable that was meant.
    pub missed: Option<Missed>,
    /// Whether an H200 goes on after it.
    pub survived: bool,
}

impl Fault {
    /// One that misses no memory, and that ends the kernel on an H200.
    #[must_use]
    pub fn new(kind: Kind, lane: usize, message: String, notes: Vec<String>) -> Self {
        Self { kind, lane, message, notes, missed: None, survived: false }
    }
}

/// An access outside of shared or local memory.
#[derive(Clone, Copy, Debug)]
pub struct Missed {
    /// Which of the two.
    pub space: AddressSpace,
    /// Where it began.
    pub offset: u64,
    /// How long it was.
    pub bytes: u64,
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
}

impl Run<'_> {
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
        let entry = self.code.functions.get(self.code.entry.0 as usize).and_then(Option::as_ref);
        let (frame, registers) = entry.map_or((0, 0), |entry| (entry.frame_bytes, entry.register_bytes));
        let threads = threads.saturating_mul(frame).saturating_add(threads / 32 * u64::from(registers));
        let ctas = self.launch.cluster_shape().iter().map(|n| u64::from(*n)).product::<u64>();
        usize::try_from(ctas.saturating_mul(self.all_shared_bytes().saturating_add(threads)))
            .unwrap_or(usize::MAX)
    }
}

/// What the reserved shared memory's offset is a multiple of.
const RESERVED_ALIGNMENT: u64 = 128;

/// The state of a warp that operations may use.
#[derive(Debug)]
pub struct WarpState {
    /// The warp's number in its CTA.
    pub index: u32,
    /// The lanes that have a thread.
    pub present: u32,
    /// The lanes that have ended.
    pub exited: u32,
    /// `%tid.x`, `.y`, `.z` of each lane.
    pub tid: [[u32; LANES]; 3],
    /// The local memory of its lanes.
    pub local: LocalMemory,
    /// Each lane's stack pointer: the first byte of local memory that no frame uses.
    pub stack: [u64; LANES],
    /// Whether an access to local memory may be checked by the stack pointers alone: unless somebody observes.
    pub quick_local: bool,
    /// Registers per thread after `setmaxnreg`; 0 if it was never executed.
    pub maxnreg: u32,
    /// What an operation that said [`Flow::Wait`] waits for.
    pub awaited: Option<Awaited>,
    /// The lanes whose wait at an mbarrier has lasted as long as it may.
    pub expired: u32,
    /// How often in a row the warp has asked an mbarrier in vain.
    pub asked: u32,
    /// What its lanes have to do with the barrier of their cluster.
    pub arrivals: Arrivals,
    /// How many groups of asynchronous operations each lane has closed, by [`GroupKind`].
    pub closed: [[u32; LANES]; 2],
    /// Its matrix products that are under way.
    pub wgmma: Products,
}

impl WarpState {
    /// The lanes that have not ended.
    #[must_use]
    pub fn alive(&self) -> u32 {
        self.present & !self.exited
    }
}

/// The state of a CTA that operations may use.
#[derive(Debug)]
pub struct CtaState {
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// The CTA's number in the grid.
    pub index: u64,
    /// The multiprocessor that it pretends to run on: `%smid`.
    pub smid: u32,
    /// Its shared memory.
    pub shared: SharedMemory,
    /// How many bytes of it an access may take without being looked at: all, or none if somebody observes.
    pub quick_shared: u64,
    /// Its sixteen barriers.
    pub barriers: [Barrier; 16],
    /// The barriers that somebody has arrived at.
    pub busy: u16,
    /// Whether a barrier may have become complete.
    pub unsettled: bool,
    /// `%cluster_ctarank`
    pub rank: u32,
    /// `%cluster_ctaid`
    pub cluster_ctaid: [u32; 3],
    /// The address of its shared memory among those of its cluster.
    pub shared_base: u64,
    /// Whether one of its threads has seen that a request to cancel a cluster was refused.
    pub saw_refusal: bool,
    /// Whether it holds back the grids that depend on this one no longer.
    pub released_dependents: bool,
    /// The warps with lanes that wait for something outside of the warp ([`Flow::Wait`]).
    pub asleep: u32,
}

impl CtaState {
    /// The grids that depend on this one need not wait for this CTA any more.
    pub fn release_dependents(&mut self, status: Option<&GridStatus>) {
        if !std::mem::replace(&mut self.released_dependents, true)
            && let Some(status) = status
        {
            status.release(1);
        }
    }
}

/// The state of one host thread.
#[derive(Debug)]
pub struct Worker {
    /// Why the warp stopped.
    pub fault: Option<Fault>,
    /// The instruction that runs, if somebody observes.
    pub source: Source,
    /// Whether an instruction is executed again that has met a mistake, to do what silicon does.
    pub forgiving: bool,
    /// How many threads it has forgiven.
    pub forgiven: u64,
    /// What an asynchronous operation came to when it completed, if that is why.
    pub trouble: Option<Box<Trouble>>,
    /// The instruction that the machine does not have, if that is why.
    pub unsupported: Option<String>,
    /// An operation has stopped in its middle because the launch is to end: nothing may run any more.
    pub halted: bool,
    /// Global regions that accesses fell into lately.
    pub regions: [Region; REGIONS],
    /// The one to be replaced next.
    pub oldest: usize,
    /// The generation of the memory that they belong to.
    pub generation: u64,
    /// The limit that a fault stands for which is nobody's mistake.
    pub limit: Option<Limit>,
    /// Set by operations that look at what other threads may change, or that sleep: a loop of them may be waiting.
    pub polled: bool,
    /// What has been counted.
    pub statistics: Statistics,
    /// Executions of each block, and lanes in them.
    pub blocks: Vec<(u64, u64)>,
    /// Warp instructions executed.
    pub instructions: u64,
    /// Looks at the clock.
    pub looks: u64,
    /// The same and what else took time, in about the time of an instruction: what turns and limits go by, so that
    /// a guest that prints megabytes can be stopped too.
    pub effort: u64,
    /// Random numbers of this worker.
    pub random: u64,
    /// The cluster whose turn it is.
    pub cluster: Box<ClusterState>,
    /// What clusters that have ended left to be written.
    pub held_back: HeldBack,
    /// Buffers of matrix products.
    pub operands: Operands,
    /// The textures, samplers and surfaces that were used last.
    pub opaque: Opaque,
}

/// How many regions a worker remembers: a kernel's usual handful of buffers.
pub const REGIONS: usize = 6;

impl Worker {
    /// The worker of this number of a launch, with a count of zero for each block.
    #[must_use]
    pub fn new(number: u64, run: &Run<'_>, blocks: Vec<(u64, u64)>) -> Self {
        Self {
            fault: None,
            source: Source { function: run.code.entry, instruction: 0 },
            forgiving: false,
            forgiven: 0,
            trouble: None,
            unsupported: None,
            halted: false,
            regions: [Region::EMPTY; REGIONS],
            oldest: 0,
            generation: 0,
            limit: None,
            polled: false,
            statistics: Statistics::default(),
            blocks,
            instructions: 0,
            looks: 0,
            effort: 0,
            cluster: Box::default(),
            held_back: HeldBack::default(),
            operands: Operands::default(),
            opaque: Opaque::default(),
            random: run.launch.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }

    /// The next random number (splitmix64).
    pub fn next_random(&mut self) -> u64 {
        splitmix64(&mut self.random)
    }
}

/// The next random number of a state.
pub fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
