//! Whoever follows a launch: all that touches memory and all that orders it. Weak memory decides which write a read sees;
//! the race checker looks which accesses nothing orders.
//!
//! Memory itself holds the newest value of every byte. Before an instruction touches global or shared memory, the
//! [`Follower`] of its launch is told, and may give a lane older bytes instead (`followed.rs`): the lane's pointer
//! then leads to these. What orders memory (fences, barriers, mbarriers) it is told too. A launch without one pays
//! nothing for it.
#![allow(unsafe_code)]

use ptxvm_memory::access;

use crate::code::Source;
use crate::door::executed::{Begun, Decides, Executed, Passed};
use crate::door::fragments::Fragments;
use crate::door::observer::{Access, HeapChange, Transferred, Who};
use crate::door::touch::{Space, Wants};
use crate::registers::{LANES, Slot};

/// The most bytes that a lane touches at once by an instruction that may see an older write.
pub const MOST_OLD: usize = 32;

/// Bytes that lanes find, or write to, instead of memory.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct OldBytes(pub [[u8; MOST_OLD]; LANES]);

impl Default for OldBytes {
    fn default() -> Self {
        Self([[0; MOST_OLD]; LANES])
    }
}

/// Old bytes of a word, for an asynchronous operation.
#[derive(Clone, Copy, Debug)]
pub struct OldWord {
    /// The memory.
    pub space: Space,
    /// Where the word begins.
    pub address: u64,
    /// Which bytes of it are old, as bits.
    pub mask: u8,
    /// What these held.
    pub bytes: [u8; 4],
}

/// Bytes of a word that may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Doubted {
    /// The memory.
    pub space: Space,
    /// The first byte.
    pub address: u64,
    /// How many.
    pub bytes: u64,
}

/// Follows all that touches memory and orders it in a launch. A launch with one has one host thread. What a follower has no
/// answer for is nothing to it; one that passes on to others must pass on everything.
pub trait Follower: Send + Sync + std::fmt::Debug {
    /// Lanes are about to touch global or shared memory. Some may find `old` instead of what memory holds, or write there
    /// because a later write has overwritten theirs already.
    fn access(&self, access: &Access<'_>, memory: &Found<'_>, old: &mut OldBytes) -> Decision;

    /// The instruction that touched memory has been executed, and was to be looked at once more. What lanes wrote beside
    /// memory is in `old`. Of an `atom.cas`, the lanes are those whose comparison held.
    fn look_again(&self, _: &Access<'_>, _: &Found<'_>, _: &OldBytes) {}

    /// An asynchronous operation has been issued.
    fn issued(&self, operation: &Transferred<'_>);

    /// An asynchronous operation completes: it writes its destination, and tells those that wait for it. Gives words of
    /// which it wants to know whether the operation changes them.
    fn completes(&self, _: &Transferred<'_>) -> Vec<Doubted> {
        Vec::new()
    }

    /// An asynchronous operation is complete, and has changed these of the words that were asked about.
    fn completed(&self, _: &Transferred<'_>, _: &[Doubted]) {}

    /// An asynchronous operation reads its source. Gives the bytes that it finds instead of what memory holds.
    fn reads(&self, _: &Transferred<'_>) -> Vec<OldWord> {
        Vec::new()
    }

    /// Lanes touch memory by something else than loads, stores and atomic operations: surfaces, textures, tensor memory. What
    /// that writes all threads see at once.
    fn touched(&self, _: &Access<'_>) {}

    /// A thread has taken a block of the heap, or given one back.
    fn heap(&self, _: &HeapChange) {}

    /// Threads of a warp do something that orders memory.
    fn ordered(&self, _: Who, _: Source, _: Ordering) {}

    /// A phase of an mbarrier object of a cluster ends.
    fn phase_ended(&self, _cluster: u64, _mbarrier: u32) {}

    /// All threads of a CTA of a cluster have ended, and nothing under way touches its shared memory any more.
    fn cta_ended(&self, _cluster: u64, _rank: u32) {}

    /// All threads of a cluster have ended.
    fn cluster_ended(&self, cluster: u64);

    /// When it is, for reads that are put off now: accesses from now on are later.
    fn moment(&self) -> u64 {
        0
    }

    /// The reads that follow were put off at a moment, or were not. Gives what was said before.
    fn put_off(&self, _since: Option<u64>) -> Option<u64> {
        None
    }

    /// What the seed has chosen for the whole launch.
    fn temper(&self) -> Temper {
        Temper::default()
    }

    /// Whether it must be told of local memory, of calls, and of instructions that may meet undefined values (`values.rs`).
    fn follows_values(&self) -> bool {
        false
    }

    /// Lanes begin a call, or the entry.
    fn begins(&self, _: &Begun<'_>) {}

    /// An instruction of a warp with undefined values is about to be executed, and touches memory after this.
    fn executes(&self, _: &Executed<'_>) {}

    /// It has been executed, or has loaded the first undefined value of its warp. Gives whether the warp has such values.
    fn executed(&self, _: &Executed<'_>) -> bool {
        false
    }

    /// A register of an activation says where lanes go.
    fn decides(&self, _: Who, _: Source, _: (u32, Slot), _: Decides) {}

    /// A value is passed to a function or back, within a warp. Gives whether a register takes something undefined.
    fn passes(&self, _: Who, _: Passed<'_>, _: Passed<'_>) -> bool {
        false
    }

    /// Matrices go between registers and memory. Gives whether a register takes something undefined.
    fn fragments(&self, _: &Fragments<'_>) -> bool {
        false
    }

    /// A warp issues a `wgmma.mma_async` that adds to its registers, before that is told as an asynchronous operation.
    fn accumulates(&self, _: Who, _: Source) {}

    /// Lanes take a block of their local memory, which begins there and has so many bytes, by `alloca`.
    fn allocates(&self, _: Who, _: Source, _: &[u64; LANES], _: &[u64; LANES]) {}

    /// Lanes touch their local memory. Gives whether they read an undefined value.
    fn local(&self, _: &Access<'_>) -> bool {
        false
    }
}

/// What becomes of an access.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decision {
    /// The lanes that find, or write, `old` instead of memory.
    pub elsewhere: u32,
    /// Whether memory is to be looked at once more when the instruction has been executed.
    pub look_again: bool,
    /// Whether what lanes read is undefined.
    pub undefined: bool,
}

/// Lanes whose memory is to be looked at once more after the running instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again {
    pub who: Who,
    pub space: Space,
    pub addresses: [u64; LANES],
    pub at: [u64; LANES],
    pub bytes: u64,
    pub wants: Wants,
}

/// How often of 256 times something is done: some programs go wrong when it is done often, others when it is rare.
#[derive(Clone, Copy, Debug, Default)]
pub struct Temper {
    /// A read is made late that may be (`late.rs`).
    pub late: u8,
    /// A warp's turn ends after an access.
    pub parts: u8,
}

/// What threads do that orders memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// They execute a fence; the instruction says which.
    Fence,
    /// They come to a barrier of their CTA.
    Arrives {
        /// Its number.
        barrier: u32,
        /// Whether they wait there.
        waits: bool,
    },
    /// All that a barrier of their CTA waits for have come.
    Complete {
        /// Its number.
        barrier: u32,
        /// Whether it is for all threads of the CTA.
        all: bool,
    },
    /// They go on after a barrier of their CTA.
    Passes {
        /// Its number.
        barrier: u32,
        /// The lanes of the warp that have not ended.
        alive: u32,
    },
    /// They meet at `bar.warp.sync`.
    Meets {
        /// The lanes of the warp that have not ended.
        alive: u32,
    },
    /// They come to the barrier of their cluster.
    ClusterArrives {
        /// Which time, of this barrier.
        phase: u64,
        /// Whether they release.
        releases: bool,
    },
    /// They have waited for the barrier of their cluster.
    ClusterPasses {
        /// Which time, of this barrier.
        phase: u64,
    },
    /// They come to an mbarrier object; the instruction says in which order.
    MbarrierArrives {
        /// Its `.shared::cluster` address.
        mbarrier: u32,
    },
    /// They have seen that a phase of an mbarrier object has ended.
    PhaseSeen {
        /// Its `.shared::cluster` address.
        mbarrier: u32,
    },
    /// They give each other values: `shfl.sync` and its like.
    Exchanges {
        /// The lanes of the warp that have not ended.
        alive: u32,
    },
    /// They execute `tcgen05.fence`, before they synchronise with others or after that.
    TensorFence {
        /// Whether before.
        before: bool,
    },
    /// They wait for the grids before theirs (`griddepcontrol.wait`), which have ended when they go on.
    GridWaits,
    /// They let the grids after theirs begin (`griddepcontrol.launch_dependents`).
    GridReleases,
    /// They close a group of asynchronous operations.
    Commits(Batch),
    /// They have waited for groups of asynchronous operations.
    Waited {
        /// Which.
        batch: Batch,
        /// How many of the latest groups may be under way still.
        latest: u32,
        /// Whether only what the operations read has been waited for.
        read: bool,
    },
}

/// The asynchronous operations of which a thread closes groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Batch {
    /// `cp.async`
    Copies,
    /// `cp.async.bulk`
    Bulk,
    /// `wgmma.mma_async`
    Products,
    /// `tcgen05.ld`, which has no groups: all are waited for.
    TensorLoads,
    /// `tcgen05.st`, the same.
    TensorStores,
}

/// What memory holds where lanes are about to touch it.
#[derive(Debug)]
pub struct Found<'a> {
    /// By lane, with its provenance exposed; the door has checked the bytes there.
    at: &'a [u64; LANES],
    lanes: u32,
    bytes: usize,
}

impl<'a> Found<'a> {
    /// For the door, which has looked.
    ///
    /// # Safety
    /// So many bytes at each address of these lanes are guest memory as for [`access::copy_out`].
    pub(super) unsafe fn new(at: &'a [u64; LANES], lanes: u32, bytes: u64) -> Self {
        Self { at, lanes, bytes: bytes as usize }
    }

    /// How many bytes there are for each lane.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Copies bytes of a lane out, from one of them on.
    pub fn read(&self, lane: usize, from: usize, to: &mut [u8]) {
        let inside = self.lanes >> lane & 1 != 0 && from <= self.bytes && to.len() <= self.bytes - from;
        assert!(inside, "{} bytes from {from} on of {self:?}", to.len());
        let pointer = std::ptr::with_exposed_provenance::<u8>(self.at[lane] as usize + from);
        // SAFETY: they are bytes of the lane, which the door has checked.
        unsafe { access::copy_out(pointer, to) };
    }

    /// Four bytes of a lane, from one of them on, as a number.
    #[inline]
    #[must_use]
    pub fn word(&self, lane: usize, from: usize) -> u32 {
        let inside = self.lanes >> lane & 1 != 0 && from < self.bytes && self.bytes - from >= 4;
        assert!(inside, "four bytes from {from} on of {self:?}");
        let address = self.at[lane] as usize + from;
        if address.is_multiple_of(4) {
            let pointer = std::ptr::with_exposed_provenance_mut::<u8>(address);
            // SAFETY: they are bytes of the lane, which the door has checked, and they are aligned.
            return unsafe { access::load(pointer) };
        }
        let mut bytes = [0; 4];
        self.read(lane, from, &mut bytes);
        u32::from_le_bytes(bytes)
    }
}
