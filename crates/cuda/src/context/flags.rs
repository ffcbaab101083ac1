//! The flags of contexts: how threads wait, and what is kept. We store and return them.

use crate::abi::{Answer, CUresult};

/// `CU_CTX_*`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

/// `CU_CTX_SCHED_MASK`: of the ways to wait, one may be chosen.
const SCHEDULE: u32 = 0x07;
/// `CU_CTX_MAP_HOST`, which has no effect and is told of contexts that were made with it.
const MAP_HOST: u32 = 0x08;
/// `CU_CTX_COREDUMP_ENABLE`
const COREDUMP: u32 = 0x20;
/// `CU_CTX_USER_COREDUMP_ENABLE`
const USER_COREDUMP: u32 = 0x40;
/// `CU_CTX_FLAGS_MASK`
const ALL: u32 = 0xff;

impl Flags {
    /// Flags as programs give them for a new context.
    ///
    /// # Errors
    /// There are no such flags, or they want two ways to wait.
    pub fn new(flags: u32) -> Answer<Self> {
        if flags & !ALL != 0 || (flags & SCHEDULE).count_ones() > 1 {
            return Err(CUresult::INVALID_VALUE);
        }
        // Dumps on demand are dumps.
        Ok(Self(if flags & USER_COREDUMP == 0 { flags } else { flags & !USER_COREDUMP | COREDUMP }))
    }

    /// Flags as programs give them for a context that exists, of which only some can still be changed.
    ///
    /// # Errors
    /// As for [`Flags::new`].
    pub fn change(flags: u32) -> Answer<Self> {
        Self::new(flags).map(|Self(flags)| Self(flags & !(MAP_HOST | COREDUMP)))
    }

    /// As a number.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// As a primary context tells them of itself: host memory can always be mapped.
    pub fn mapping(self) -> u32 {
        self.0 | MAP_HOST
    }
}
