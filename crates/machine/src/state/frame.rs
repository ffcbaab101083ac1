//! What compiled code and the machine know of each other: its entries, the frame that they share, where it leaves lanes.
//!
//! `schedule/compiled.rs` says how a warp enters it.
#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ptxvm_memory::Region;

use crate::schedule::barrier::WARPS;

/// Where a launch finds compiled code of its kernel, for its shape of CTAs, while it runs.
pub trait Tier: Send + Sync + std::fmt::Debug {
    /// The code, once there is some.
    fn code(&self) -> Option<&dyn Compiled>;

    /// Somebody has executed so many instructions of warps without it.
    fn worked(&self, instructions: u64);

    /// Warps go round a loop that begins with this block, and are interpreted.
    fn goes_round(&self, block: u32);
}

/// Compiled code of a kernel, for CTAs of one shape.
pub trait Compiled: Send + Sync + std::fmt::Debug {
    /// The function that runs warps from the beginning of a block, if there is one.
    fn entry(&self, block: u32) -> Option<Enter>;

    /// How many places it has of which something is remembered: accesses with the region that they met last, and stretches
    /// through which lanes may go alone.
    fn sites(&self) -> usize;

    /// The instructions whose results it makes again wherever it is entered, and does not put back to registers.
    fn remade(&self) -> &[u32];

    /// What it has to do with the stacks of lanes; `None` if nothing.
    fn stack(&self) -> Option<Stack>;
}

/// What compiled code needs of a lane's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The most bytes that the functions take which the code calls itself.
    pub bytes: u64,
    /// Whether one of these has variables there.
    pub frames: bool,
}

/// A function that runs warps one after another, as long as each ends or comes to the same place where warps meet.
///
/// # Safety
/// The frame is whole, and belongs to the kernel and the shape of CTAs that the function was made for.
pub type Enter = unsafe extern "C" fn(*mut Frame) -> u32;

/// The regions that a place accessed last.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Site {
    /// The last.
    pub last: Extent,
    /// Another one before it.
    pub before: Extent,
}

/// A region as compiled code compares with it: its first address and its size.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    pub start: u64,
    pub size: u64,
}

impl Extent {
    pub(crate) fn of(region: &Region) -> Self {
        Self { start: region.start, size: region.end - region.start }
    }
}

/// What code has found out about a stretch through which lanes may go alone: two numbers of its own. The machine only keeps
/// them, from one entry of the code to the next.
pub type Weight = [i64; 2];

/// Where the warps of a CTA have come to that run one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Nowhere: they have ended.
    Nowhere,
    /// To the plain barrier at the end of a block.
    Barrier(u32),
    /// To the beginning of a block with which other code begins.
    Seam(u32),
}

impl Meeting {
    const NOWHERE: u32 = u32::MAX;
    const SEAM: u32 = 1 << 31;

    /// The number that compiled code knows it by. Blocks have lower ones than a seam's mark.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::Nowhere => Self::NOWHERE,
            Self::Barrier(block) => block,
            Self::Seam(block) => block | Self::SEAM,
        }
    }

    pub(crate) const fn of(number: u32) -> Self {
        match number {
            Self::NOWHERE => Self::Nowhere,
            _ if number & Self::SEAM != 0 => Self::Seam(number & !Self::SEAM),
            _ => Self::Barrier(number),
        }
    }
}

/// What compiled code reads and writes besides memory. Its layout is known to the code ([`offset`]).
#[repr(C)]
pub struct Frame {
    pub(crate) shared: *mut u8,
    pub(crate) shared_first: u64,
    pub(crate) shared_size: u64,
    pub(crate) sites: *mut Site,
    pub(crate) weights: *mut Weight,
    /// `%ctaid`, and how many CTAs after it in its row of the grid the code may begin itself.
    pub(crate) ctaid: [u32; 3],
    pub(crate) ctas: u32,
    pub(crate) nctaid: *const u32,
    pub(crate) parameters: *const u8,
    pub(crate) parameter_address: u64,
    pub(crate) fuel: i64,
    /// The warps that run, one after another: the first and the one after the last.
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The warp that runs, or that the code has left; the one after the last if none of them came elsewhere than the
    /// others.
    pub(crate) warp: u32,
    /// The number of the [`Meeting`] that the warps have come to.
    pub(crate) meeting: u32,
    /// The block that they began with, if all warps of the CTA take part: where all have met, the code may go on by itself and
    /// says here with which block. [`APART`] otherwise.
    pub(crate) began: u32,
    pub(crate) mask: u32,
    pub(crate) block: u32,
    pub(crate) number: u32,
    pub(crate) others: u32,
    /// How much fuel it has had so far, and how often.
    pub(crate) filled: i64,
    pub(crate) refills: u32,
    /// The block, the lanes and the activation of each of the other groups.
    pub(crate) other: [[u32; 3]; 32],
    /// The activation in which the lanes are left, and the one whose registers the code has asked for last.
    pub(crate) activation: u32,
    pub(crate) activated: u32,
    /// By warp: its registers, its lanes' `%tid`, and which of them have not ended.
    pub(crate) banks: [*mut u8; WARPS],
    pub(crate) tids: [*const u32; WARPS],
    pub(crate) alive: [u32; WARPS],
    /// By warp: the local memory of its first lane, how far that of the next is from it, and the stack pointer of all.
    pub(crate) locals: [*mut u8; WARPS],
    pub(crate) strides: [u64; WARPS],
    pub(crate) stacks: [u64; WARPS],
    /// Whether lanes that have ended were noted with their warps.
    pub(crate) noted: bool,
    /// How often the code has looked at something that others may change since it has seen something new.
    pub(crate) looks: u32,
    /// What the functions need that the code calls.
    pub(crate) host: *mut c_void,
    pub(crate) panic: Option<Box<dyn Any + Send>>,
}

/// Instead of the block that all warps of a CTA began with: some do not take part.
pub const APART: u32 = u32::MAX;

/// Where the code finds what in a [`Frame`], in bytes.
pub mod offset {
    use super::Frame;
    use std::mem::offset_of;

    /// The bytes of shared memory.
    pub const SHARED: usize = offset_of!(Frame, shared);
    /// The address of its first byte.
    pub const SHARED_FIRST: usize = offset_of!(Frame, shared_first);
    /// How many bytes may be accessed without the door.
    pub const SHARED_SIZE: usize = offset_of!(Frame, shared_size);
    /// The regions that the places of the code accessed last.
    pub const SITES: usize = offset_of!(Frame, sites);
    /// Of a place: the last of its regions, and the other one.
    pub const LAST_REGION: usize = offset_of!(super::Site, last);
    pub const REGION_BEFORE: usize = offset_of!(super::Site, before);
    /// What the code has found out, by the same numbers.
    pub const WEIGHTS: usize = offset_of!(Frame, weights);
    /// `%ctaid`
    pub const CTAID: usize = offset_of!(Frame, ctaid);
    /// How many CTAs after it the code may begin.
    pub const CTAS: usize = offset_of!(Frame, ctas);
    /// `%nctaid`
    pub const NCTAID: usize = offset_of!(Frame, nctaid);
    /// The bytes of the parameter block.
    pub const PARAMETERS: usize = offset_of!(Frame, parameters);
    /// The address of the parameter block.
    pub const PARAMETER_ADDRESS: usize = offset_of!(Frame, parameter_address);
    /// The effort that is left.
    pub const FUEL: usize = offset_of!(Frame, fuel);
    /// The first warp that runs.
    pub const FIRST: usize = offset_of!(Frame, first);
    /// The one after the last.
    pub const LAST: usize = offset_of!(Frame, last);
    /// The one that runs.
    pub const WARP: usize = offset_of!(Frame, warp);
    /// Where those before it have come to.
    pub const MEETING: usize = offset_of!(Frame, meeting);
    /// The block that all warps began with.
    pub const BEGAN: usize = offset_of!(Frame, began);
    /// How often fuel was given.
    pub const REFILLS: usize = offset_of!(Frame, refills);
    /// By warp: where its registers begin.
    pub const BANKS: usize = offset_of!(Frame, banks);
    /// By warp: where `%tid.x` of all lanes lies, then `.y`, then `.z`.
    pub const TIDS: usize = offset_of!(Frame, tids);
    /// By warp: the lanes that have not ended.
    pub const ALIVE: usize = offset_of!(Frame, alive);
    /// By warp: where the local memory of its first lane begins.
    pub const LOCALS: usize = offset_of!(Frame, locals);
    /// By warp: from the local memory of a lane to that of the next.
    pub const STRIDES: usize = offset_of!(Frame, strides);
    /// By warp: the stack pointer of its lanes.
    pub const STACKS: usize = offset_of!(Frame, stacks);
    /// The lanes that are left.
    pub const MASK: usize = offset_of!(Frame, mask);
    /// The block where the lanes are left.
    pub const BLOCK: usize = offset_of!(Frame, block);
    /// The instruction there.
    pub const NUMBER: usize = offset_of!(Frame, number);
    /// How many other groups are left.
    pub const OTHERS: usize = offset_of!(Frame, others);
    /// The block, the lanes and the activation of each.
    pub const OTHER: usize = offset_of!(Frame, other);
    /// The activation whose registers the code has asked for last.
    pub const ACTIVATED: usize = offset_of!(Frame, activated);
    /// [`Frame::looks`]
    pub const LOOKS: usize = offset_of!(Frame, looks);
}

/// Where compiled code has left the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// All have ended.
    Ended,
    /// At the end of a block, which has been counted.
    End,
    /// Before an instruction of a block; beyond the first the block has been begun.
    Before,
    /// At an instruction that has met a fault.
    Fault,
    /// At the beginning of a block with which other code begins.
    Seam,
}

impl Left {
    /// Every answer, by its number.
    pub const ALL: [Left; 5] = [Self::Ended, Self::End, Self::Before, Self::Fault, Self::Seam];

    /// The number that compiled code returns.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }
}

impl Frame {
    /// A block at which lanes were left besides the first, the lanes, and their activation.
    pub(crate) fn other(&self, number: usize) -> Option<[u32; 3]> {
        self.other.get(number).copied()
    }
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            shared: null_mut(),
            shared_first: 0,
            shared_size: 0,
            sites: null_mut(),
            weights: null_mut(),
            ctaid: [0; 3],
            ctas: 0,
            nctaid: null(),
            parameters: null(),
            parameter_address: 0,
            fuel: 0,
            first: 0,
            last: 0,
            warp: 0,
            meeting: Meeting::Nowhere.number(),
            began: APART,
            mask: 0,
            block: 0,
            number: 0,
            others: 0,
            filled: 0,
            refills: 0,
            other: [[0; 3]; 32],
            activation: 0,
            activated: 0,
            banks: [null_mut(); WARPS],
            tids: [null(); WARPS],
            alive: [0; WARPS],
            locals: [null_mut(); WARPS],
            strides: [0; WARPS],
            stacks: [0; WARPS],
            noted: false,
            looks: 0,
            host: null_mut(),
            panic: None,
        }
    }
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame").finish_non_exhaustive()
    }
}

// SAFETY: its pointers are set when code is entered and not used after it is left.
unsafe impl Send for Frame {}
