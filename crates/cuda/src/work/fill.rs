//! A fill of device memory with one value, in rows.

use crate::abi::{Answer, CUresult};
use crate::context::Context;

/// How many bytes of a pattern are written at a time: a multiple of every element's size, and little enough to stay
/// in the first-level cache.
const STEP: usize = 16 << 10;

/// A fill that has been checked and waits for its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The first byte.
    pub address: u64,
    /// From one row to the next, in bytes.
    pub pitch: u64,
    /// The value of an element, in its low bytes.
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: u32,
    /// Elements of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
}

impl Fill {
    /// How many bytes there are from the first to after the last; `None` if no address space has as many.
    pub fn extent(&self) -> Option<u64> {
        let row = self.width.checked_mul(self.element.into())?;
        self.height.checked_sub(1)?.checked_mul(self.pitch)?.checked_add(row)
    }

    /// Does it.
    ///
    /// # Errors
    /// Memory that has been freed since the fill was given to its stream.
    pub fn run(&self, context: &Context) -> Answer {
        let memory = context.device.memory();
        let value = self.value.to_le_bytes();
        let element = &value[..self.element as usize];
        let bytes = self.width * u64::from(self.element);
        let pattern = element.repeat(STEP.min(bytes as usize) / element.len());
        let uniform = element.iter().all(|byte| *byte == element[0]);
        for number in 0..self.height {
            let row = self.address + number * self.pitch;
            let filled = if uniform {
                memory.fill(row, bytes, element[0])
            } else {
                (0..bytes).step_by(STEP).try_for_each(|at| {
                    memory.write(row + at, &pattern[..pattern.len().min((bytes - at) as usize)])
                })
            };
            filled.map_err(|_| CUresult::ILLEGAL_ADDRESS)?;
        }
        Ok(())
    }
}
