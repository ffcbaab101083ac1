//! Waits for values in memory, and writes them, in the order of a stream. Streams and others use this to signal each other
//! without events.

use std::sync::atomic::{Ordering, fence};
use std::time::Duration;

use crate::abi::{Answer, CUresult};
use crate::context::Context;

/// The longest sleep between two looks at a value that does not come.
const LONGEST: Duration = Duration::from_micros(200);

/// One operation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueOperation {
    /// Waits until the value in memory is right.
    Wait { at: Cell, condition: Condition, value: u64 },
    /// Writes the value.
    Write { at: Cell, value: u64 },
    /// A memory barrier; here everything before has been done.
    Barrier,
}

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub address: u64,
    /// 4 or 8 bytes.
    pub bytes: usize,
}

/// When a value in memory is right, compared with a given one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The difference is not negative, so that counters may wrap.
    GreaterOrEqual,
    Equal,
    /// They have a bit in common.
    And,
    /// There is a bit that neither has.
    Nor,
}

impl ValueOperation {
    /// Does it.
    ///
    /// # Errors
    /// The memory has been freed meanwhile.
    pub fn run(&self, context: &Context) -> Answer {
        match *self {
            ValueOperation::Wait { at, condition, value } => wait(at, condition, value, context),
            ValueOperation::Write { at, value } => {
                fence(Ordering::SeqCst);
                let bytes = &value.to_le_bytes()[..at.bytes];
                context.device.memory().write(at.address, bytes).map_err(|_| CUresult::ILLEGAL_ADDRESS)
            }
            ValueOperation::Barrier => {
                fence(Ordering::SeqCst);
                Ok(())
            }
        }
    }
}

impl Cell {
    /// Whether the device can use it.
    pub fn is_valid(self, context: &Context) -> bool {
        let bytes = self.bytes as u64;
        let region = context.device.memory().region(self.address);
        self.address.is_multiple_of(bytes) && region.is_some_and(|region| region.holds(self.address, bytes))
    }

    fn read(self, context: &Context) -> Answer<u64> {
        let mut bytes = [0; 8];
        let memory = context.device.memory();
        memory.read(self.address, &mut bytes[..self.bytes]).map_err(|_| CUresult::ILLEGAL_ADDRESS)?;
        fence(Ordering::SeqCst);
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Looks at the value again and again, ever more seldom.
fn wait(at: Cell, condition: Condition, value: u64, context: &Context) -> Answer {
    let mut sleep = Duration::ZERO;
    while !condition.holds(at.read(context)?, value, at.bytes) {
        // Nobody may wait any more for a context that a fault has broken, or that is being destroyed.
        if context.check().is_err() {
            break;
        }
        std::thread::sleep(sleep);
        sleep = (sleep * 2 + Duration::from_nanos(100)).min(LONGEST);
    }
    Ok(())
}

impl Condition {
    fn holds(self, present: u64, value: u64, bytes: usize) -> bool {
        // A 32-bit value is looked at in the upper half, where signs and wraps are those of 64 bits.
        let shift = 64 - 8 * bytes as u32;
        let (present, value) = (present << shift, value << shift);
        match self {
            Condition::GreaterOrEqual => present.wrapping_sub(value) as i64 >= 0,
            Condition::Equal => present == value,
            Condition::And => present & value != 0,
            Condition::Nor => !(present | value) >> shift != 0,
        }
    }
}
