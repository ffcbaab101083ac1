//! How much of the host's memory guests, files and images may make us take, all together.
//!
//! One budget is shared by everything that grows with what a stranger hands over: device memory, the memory of running
//! CTAs, decompressed images, buffers read from files. Whoever takes memory holds a [`Charge`], which gives it back when
//! it is dropped. A budget that is used up is a limit that can be told, where the host's allocator would end the process.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, SeqCst},
};

/// A number of bytes that may be taken, and how many have been.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Default for Budget {
    /// A budget without a limit.
    fn default() -> Self {
        Self::new(u64::MAX)
    }
}

impl Budget {
    /// A budget of `limit` bytes.
    #[must_use]
    pub const fn new(limit: u64) -> Self {
        Self { limit, used: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// How many bytes may be taken in all.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// How many bytes are taken now.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// The most that has been taken at a time.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }

    /// How many bytes are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.used())
    }

    /// Takes `bytes` bytes until the charge is dropped.
    ///
    /// # Errors
    /// There are not so many left.
    pub fn charge(self: &Arc<Self>, bytes: u64) -> Result<Charge, OverBudget> {
        self.take(bytes)?;
        Ok(Charge { budget: Arc::clone(self), bytes })
    }

    /// What a charge of `bytes` bytes that could not be had is told as.
    #[must_use]
    pub fn refusal(&self, bytes: u64) -> OverBudget {
        OverBudget { requested: bytes, used: self.used(), limit: self.limit }
    }

    /// Takes bytes that [`Self::give`] gives back.
    pub(crate) fn take(&self, bytes: u64) -> Result<(), OverBudget> {
        let add = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        match self.used.fetch_update(SeqCst, Relaxed, add) {
            Ok(before) => {
                self.peak.fetch_max(before + bytes, Relaxed);
                Ok(())
            }
            Err(used) => Err(OverBudget { requested: bytes, used, limit: self.limit }),
        }
    }

    /// Gives back what [`Self::take`] took.
    pub(crate) fn give(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

/// Bytes of a budget that are taken until it is dropped.
#[derive(Debug)]
#[must_use = "the bytes are given back when the charge is dropped"]
pub struct Charge {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Charge {
    /// How many bytes it holds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes more bytes.
    ///
    /// # Errors
    /// There are not so many left; the charge is as it was.
    pub fn grow(&mut self, bytes: u64) -> Result<(), OverBudget> {
        self.budget.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.give(self.bytes);
    }
}

/// A budget has not as many bytes left as were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverBudget {
    /// How many bytes were asked for.
    pub requested: u64,
    /// How many were taken already.
    pub used: u64,
    /// How many there are in all.
    pub limit: u64,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requested, used, limit } = self;
        match *limit {
            u64::MAX => write!(f, "{requested} bytes are needed, and the host has no more"),
            _ => write!(
                f,
                "{requested} bytes are needed, and {used} of the {limit} that may be used are taken"
            ),
        }
    }
}

impl Error for OverBudget {}
