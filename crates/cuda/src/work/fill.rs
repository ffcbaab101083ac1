//! A fill of device memory with one value, in rows.

use crate::abi::{Answer, CUresult};
use crate::context::Context;

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
    /// Does it.
    ///
    /// # Errors
    /// Memory that has been freed since the fill was given to its stream.
    pub fn run(&self, context: &Context) -> Answer {
        let memory = context.device.memory();
        let value = self.value.to_le_bytes();
        let row = value[..self.element as usize].repeat(self.width as usize);
        for number in 0..self.height {
            memory.write(self.address + number * self.pitch, &row).map_err(|_| CUresult::ILLEGAL_ADDRESS)?;
        }
        Ok(())
    }
}
