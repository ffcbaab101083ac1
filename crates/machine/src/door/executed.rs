//! What a follower is told of whose launch has undefined values: the instructions that meet them, the calls that begin, and what
//! registers decide.

use ptxvm_ir::FunctionId;

use crate::code::{Meaning, Source};
use crate::door::observer::Who;
use crate::registers::{Bank, LANES, Slot};

/// An instruction of a warp whose values are followed.
#[derive(Debug)]
pub struct Executed<'a> {
    /// Who executes it: the lanes that its guard lets through.
    pub who: Who,
    /// The lanes that came to it.
    pub active: u32,
    /// The instruction of the program.
    pub source: Source,
    /// Whether it means what that says.
    pub meaning: Meaning,
    /// Whose registers its slots are, among those of the warp.
    pub activation: u32,
    /// The predicate in front of it.
    pub guard: Option<Slot>,
    /// Destinations, then sources.
    pub slots: &'a [Slot],
    /// How many of them are destinations.
    pub written: usize,
    /// What the registers hold.
    pub bank: &'a Bank<'a>,
    /// The lanes for whom its first result has no defined value, when it has been executed.
    pub without: Option<Without>,
}

/// Lanes for whom an instruction has no value that the manual defines.
#[derive(Clone, Copy, Debug)]
pub struct Without {
    /// Which.
    pub lanes: u32,
    /// Why the first of them has none.
    pub why: NoValue,
}

/// Why an instruction has no defined value for a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoValue {
    /// It reads a register of a lane that does not take part (9.7.9.6).
    OfLane {
        /// The lane that reads.
        reader: u32,
        /// The one that it reads of.
        of: u32,
        /// Why that takes no part.
        absence: Absence,
    },
    /// It converts an address that lies in another window (9.7.9.20).
    OfWindow {
        /// The lane.
        reader: u32,
        /// The generic address.
        address: u64,
        /// The space that it is converted to.
        to: &'static str,
    },
}

/// Why a lane takes no part in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absence {
    /// The CTA has no such thread.
    NoThread,
    /// It has ended.
    Ended,
    /// It does not execute the instruction.
    Elsewhere,
    /// The mask does not name it.
    Unnamed,
}

/// Lanes that begin a call, or the entry.
#[derive(Clone, Copy, Debug)]
pub struct Begun<'a> {
    /// Who.
    pub who: Who,
    /// Their activation, among those of the warp.
    pub activation: u32,
    /// The function.
    pub function: FunctionId,
    /// The registers that may be read before they are written.
    pub unset: &'a [Slot],
    /// Where each lane's frame begins in its local memory.
    pub frame: &'a [u64; LANES],
    /// The bytes of a frame.
    pub bytes: u64,
}

/// Where a value is that is passed.
#[derive(Clone, Copy, Debug)]
pub enum Passed<'a> {
    /// In a register of an activation.
    Register(u32, Slot),
    /// In the lanes' local memory, where these addresses say.
    Local(&'a [u64; LANES], u64),
}

/// What a register decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// Which way lanes go, or whether they end or return.
    Way,
    /// Which function is called.
    Callee,
    /// Which barrier lanes come to, or how many wait there.
    Barrier,
}
