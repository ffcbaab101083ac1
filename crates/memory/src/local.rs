//! The local memory of the 32 lanes of a warp.
//!
//! A lane's bytes are contiguous, so that a lane's pointer arithmetic is plain addition; lane after lane follows
//! at a stride that doubles when a lane needs more. Most warps use none, and then there is no memory at all.
//!
//! Lanes mostly access the same offset at once. So a stride is as short as it can be, for several lanes to share a line of
//! the host's cache; and a long one is an odd number of lines, since a cache keeps only a few that are a power of two apart.
#![allow(unsafe_code)]

use std::sync::Arc;

use crate::block::Block;
use crate::budget::Budget;
use crate::error::StackOverflow;
use crate::slack::{self, SLACK};

/// The lanes of a warp.
const LANES: usize = 32;

/// The least stride: every access that PTX has is aligned in it.
const FIRST_STRIDE: usize = 16;

/// A line of the host's cache.
const LINE: usize = 64;

/// More than this per lane is not kept for the next threads.
const KEPT_STRIDE: usize = (4 << 10) + LINE;

/// What a thread may have on hardware, and here unless another limit is given.
pub const DEFAULT_LIMIT: usize = 512 << 10;

/// The local memory of a warp.
#[derive(Debug)]
pub struct LocalMemory {
    block: Option<Block>,
    base: *mut u8,
    stride: usize,
    /// How many bytes of each lane may have been written since the last reset.
    used: usize,
    limit: usize,
    budget: Arc<Budget>,
}

// SAFETY: the pointer leads into the block that the same value owns; nothing belongs to a thread.
unsafe impl Send for LocalMemory {}
// SAFETY: a shared reference only gives addresses; touching the bytes is up to unsafe code elsewhere.
unsafe impl Sync for LocalMemory {}

impl LocalMemory {
    /// An empty memory that may grow to `limit` bytes per lane, rounded down to a multiple of 16, as far as a budget
    /// allows.
    #[must_use]
    pub fn new(limit: usize, budget: &Arc<Budget>) -> Self {
        let (base, budget) = (std::ptr::without_provenance_mut(16), Arc::clone(budget));
        LocalMemory { block: None, base, stride: 0, used: 0, limit: limit & !15, budget }
    }

    /// How many bytes each lane has.
    #[inline(always)]
    #[must_use]
    pub fn bytes_per_lane(&self) -> usize {
        self.stride
    }

    /// How many bytes each lane may have.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Sees to it that each lane has at least so many bytes. New bytes are zero, old ones are kept; pointers from
    /// before are void when it grew.
    pub fn grow_to(&mut self, bytes_per_lane: u64) -> Result<(), StackOverflow> {
        if bytes_per_lane <= self.stride as u64 {
            self.used = self.used.max(bytes_per_lane as usize);
            return Ok(());
        }
        let refusal = |refused_by_host| StackOverflow {
            requested: bytes_per_lane,
            limit: self.limit as u64,
            refused_by_host,
        };
        let wanted = usize::try_from(bytes_per_lane).ok().filter(|&wanted| wanted <= self.limit);
        let wanted = wanted.ok_or_else(|| refusal(false))?;
        // The limit is a multiple of 16 and so is every power of two from the first stride on.
        let power = wanted.max(FIRST_STRIDE).checked_next_power_of_two();
        let odd = power.and_then(|power| power.checked_add(if power > LINE { LINE } else { 0 }));
        let stride = odd.unwrap_or(self.limit).min(self.limit);
        let bytes = stride.checked_mul(LANES).ok_or_else(|| refusal(true))?;
        let around = bytes.checked_add(2 * SLACK).ok_or_else(|| refusal(true))?;
        let block = Block::zeroed(around, &self.budget).ok_or_else(|| refusal(true))?;
        let base = block.aligned(16).wrapping_add(SLACK);
        slack::close(base.wrapping_sub(SLACK), SLACK);
        slack::close(base.wrapping_add(bytes), SLACK);
        for lane in 0..LANES {
            // SAFETY: the old block has `LANES` times the old stride, the new one `LANES` times the greater new
            // stride, and they are different; the exclusive borrow means that nobody else is at the old one.
            unsafe {
                let from = self.base.wrapping_add(lane * self.stride);
                let to = base.wrapping_add(lane * stride);
                to.copy_from_nonoverlapping(from, self.stride);
            }
        }
        self.open_slack();
        self.block = Some(block);
        self.base = base;
        self.stride = stride;
        self.used = self.used.max(wanted);
        Ok(())
    }

    /// The bytes around the memory may be touched again: the block goes back to the host.
    fn open_slack(&self) {
        if self.block.is_some() {
            slack::open(self.base.wrapping_sub(SLACK), SLACK);
            slack::open(self.base.wrapping_add(LANES * self.stride), SLACK);
        }
    }

    /// Makes all bytes zero for the next threads, as far as they have any. What a deep recursion has taken is given
    /// back instead: fresh memory is zero too, and comes a page at a time.
    pub fn reset(&mut self) {
        if self.stride > KEPT_STRIDE {
            *self = Self::new(self.limit, &self.budget);
        }
        // `memset` may name an address to a masked store even if there is nothing to set, and a store to a page that is not
        // there takes hundreds of cycles even if its mask is empty.
        if self.used == 0 {
            return;
        }
        for lane in 0..LANES {
            // SAFETY: the block has `LANES` times the stride, which is no less than what was used, and the exclusive borrow
            // means that nobody else is at it.
            unsafe { self.pointer(lane, 0).write_bytes(0, self.used) };
        }
        self.used = 0;
    }

    /// Where a lane's byte at an offset is. It may be touched if `lane` is below 32 and the access ends at or
    /// before [`Self::bytes_per_lane`], until the memory grows or is dropped; what is written lies within the bytes that
    /// [`Self::grow_to`] was asked for since the last reset, which makes no others zero. Offsets that are multiples of 16
    /// give pointers that are.
    #[inline(always)]
    #[must_use]
    pub fn pointer(&self, lane: usize, offset: usize) -> *mut u8 {
        self.base.wrapping_add(lane.wrapping_mul(self.stride).wrapping_add(offset))
    }
}

impl Drop for LocalMemory {
    fn drop(&mut self) {
        self.open_slack();
    }
}
