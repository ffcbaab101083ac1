//! The state of a warp that operations may use.

use ptxvm_memory::LocalMemory;

use crate::code::Source;
use crate::ops::wgmma::pending::Products;
use crate::registers::LANES;
use crate::schedule::cluster::barrier::Arrivals;
use crate::state::awaited::Awaited;
use crate::state::late::PutOff;

/// The state of a warp that operations may use.
#[derive(Debug)]
pub struct WarpState {
    /// The warp's number in its CTA.
    pub index: u32,
    /// The lanes that have a thread.
    pub present: u32,
    /// The lanes that have ended.
    pub exited: u32,
    /// Whether the registers are in place that compiled code makes again (`schedule/placing.rs`).
    pub placed: bool,
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
    /// The last `setmaxnreg`, if checks want to know.
    pub maxnreg_at: Option<Source>,
    /// What an operation that said [`Flow::Wait`](crate::context::Flow) waits for.
    pub awaited: Option<Awaited>,
    /// The lanes whose wait at an mbarrier has lasted as long as it may.
    pub expired: u32,
    /// How often in a row the warp has asked an mbarrier in vain.
    pub asked: u32,
    /// What its lanes have to do with the barrier of their cluster.
    pub arrivals: Arrivals,
    /// How many groups of asynchronous operations each lane has closed, by [`GroupKind`](crate::asynchronous::issuer::GroupKind).
    pub closed: [[u32; LANES]; 2],
    /// Whether its registers may have undefined values, and somebody follows these.
    pub values: bool,
    /// What it has put off.
    pub late: PutOff,
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
