//! The limits of contexts. Each is rounded and bounded as an H200's driver does (`tests/golden/driver/attributes.json`);
//! only the limit of the guest's heap has an effect here.

use ptxvm_profile::Profile;

use crate::abi::{Answer, CUresult};

/// `CU_LIMIT_*`
const STACK: u32 = 0;
const PRINTF: u32 = 1;
const HEAP: u32 = 2;
const SYNC_DEPTH: u32 = 3;
const PENDING_LAUNCHES: u32 = 4;
const L2_FETCH: u32 = 5;
const PERSISTING_L2: u32 = 6;
const SHARED: u32 = 7;
const IN_GRAPHICS: u32 = 8;
const SHARED_FALLBACK: u32 = 9;

/// The most that a thread's stack may be set to.
const MOST_STACK: u64 = 512 << 10;
/// What the buffer of `printf` can be.
const PRINTF_BYTES: std::ops::RangeInclusive<u64> = 512 << 10..=2 << 30;
/// The least heap.
const LEAST_HEAP: u64 = 4 << 20;
/// How many launches of kernels by kernels can be pending.
const LAUNCHES: std::ops::RangeInclusive<u64> = 32..=599_186;

/// The limits of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    stack: u64,
    printf: u64,
    heap: u64,
    pending_launches: u64,
    l2_fetch: u64,
    persisting_l2: u64,
}

impl Limits {
    /// The limits of a new context.
    pub fn new(profile: &Profile) -> Self {
        Self {
            stack: 1024,
            printf: u64::from(profile.sms) << 16,
            heap: 8 << 20,
            pending_launches: 2048,
            l2_fetch: 64,
            persisting_l2: 3 * step(profile),
        }
    }

    /// The value of a limit.
    ///
    /// # Errors
    /// There is no such limit, or this device has none.
    pub fn get(&self, limit: u32, profile: &Profile) -> Answer<u64> {
        match limit {
            STACK => Ok(self.stack),
            PRINTF => Ok(self.printf),
            HEAP => Ok(self.heap),
            PENDING_LAUNCHES => Ok(self.pending_launches),
            L2_FETCH => Ok(self.l2_fetch),
            PERSISTING_L2 => Ok(self.persisting_l2),
            SHARED => Ok(u64::from(profile.shared_per_cta)),
            IN_GRAPHICS => Ok(0),
            SYNC_DEPTH | SHARED_FALLBACK => Err(CUresult::UNSUPPORTED_LIMIT),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    /// Sets a limit, as near to what is wanted as the driver would.
    ///
    /// # Errors
    /// There is no such limit, this device has none, it cannot be set, or not to this.
    pub fn set(&mut self, limit: u32, value: u64, profile: &Profile) -> Answer {
        let refuse_above = |most: u64| if value > most { Err(CUresult::INVALID_VALUE) } else { Ok(()) };
        match limit {
            STACK => {
                refuse_above(MOST_STACK)?;
                // Stacks grow in steps; one that gets smaller is only told so.
                self.stack = if value <= self.stack { value } else { value.next_multiple_of(16) };
            }
            PRINTF => self.printf = bounded(value, PRINTF_BYTES).next_multiple_of(256),
            HEAP => self.heap = value.clamp(LEAST_HEAP, profile.memory),
            PENDING_LAUNCHES => self.pending_launches = bounded(value, LAUNCHES),
            L2_FETCH => {
                refuse_above(128)?;
                self.l2_fetch = value;
            }
            PERSISTING_L2 => {
                refuse_above(u64::from(profile.persisting_l2()))?;
                self.persisting_l2 = value.div_ceil(step(profile).max(1)) * step(profile);
            }
            SHARED | IN_GRAPHICS => return Err(CUresult::NOT_PERMITTED),
            _ => return self.get(limit, profile).map(|_| ()),
        }
        Ok(())
    }

    /// How much the guest may allocate for itself.
    pub fn heap(&self) -> u64 {
        self.heap
    }
}

fn bounded(value: u64, range: std::ops::RangeInclusive<u64>) -> u64 {
    value.clamp(*range.start(), *range.end())
}

/// L2 is set aside in sixteenths, on devices that can.
fn step(profile: &Profile) -> u64 {
    if profile.persisting_l2() == 0 { 0 } else { u64::from(profile.l2) / 16 }
}
