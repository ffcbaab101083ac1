//! What a warp has put off: which instruction, for which lanes, and with which sources.
//!
//! Under weak memory a load or an atomic operation may be made after what follows it in the program (`door/late.rs`). Until then its
//! destinations hold what they held before, and nobody looks at them but instructions that are put off too.

use smallvec::SmallVec;

use crate::registers::{LANES, Slot};

/// What an instruction is to those that have been put off before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lateness {
    /// It touches registers alone: what its registers wait for is made before it.
    #[default]
    Registers,
    /// The same, and it may be put off with what it waits for.
    Computes,
    /// It accesses memory and orders nothing: what its registers wait for is made before it, and what touches the same
    /// bytes.
    Access,
    /// The same, and it may be put off itself.
    MayBeLate,
    /// It asks an mbarrier, and may be put off. All that was is made before it.
    Asks,
    /// Whatever else: all that was put off is made before it.
    Orders,
}

/// A register of some lanes.
pub type Held = (Slot, Box<[u128; LANES]>);

/// An instruction that has been put off.
#[derive(Clone, Debug)]
pub struct Late {
    /// The instruction in the linked code.
    pub at: u32,
    /// The lanes that it is executed for.
    pub lanes: u32,
    /// When it was put off, as the follower says it.
    pub since: u64,
    /// What its sources held, as far as they did not wait for others.
    pub sources: SmallVec<[Held; 2]>,
    /// Where each lane's bytes lie on the host, for comparison alone.
    pub places: [u64; LANES],
    /// How many they are.
    pub bytes: u64,
}

/// What a warp has put off, in the order of the program.
#[derive(Clone, Debug, Default)]
pub struct PutOff {
    /// All of it.
    pub all: Vec<Late>,
    /// How many come before the one that is executed just now, if one is.
    pub before: Option<usize>,
}

impl PutOff {
    /// How many may have to be executed before what is executed now.
    pub fn earlier(&self) -> usize {
        self.before.unwrap_or(self.all.len()).min(self.all.len())
    }
}

impl Late {
    /// Whether lanes that touch so many bytes at these places on the host meet their own bytes of it.
    pub fn overlaps(&self, lanes: u32, places: &[u64; LANES], bytes: u64) -> bool {
        (0..LANES).filter(|lane| (self.lanes & lanes) >> lane & 1 != 0).any(|lane| {
            let (own, other) = (self.places[lane], places[lane]);
            own < other.saturating_add(bytes) && other < own.saturating_add(self.bytes)
        })
    }
}
