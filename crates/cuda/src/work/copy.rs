//! A copy of bytes between host and device: a line, a rectangle or a box, each side with its own pitches.

use crate::abi::{Answer, CUresult};
use crate::context::Context;

/// A copy that has been checked and waits for its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    pub to: Side,
    pub from: Side,
    /// Bytes of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Slices.
    pub depth: u64,
}

/// One end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Whose memory it is, as far as the program says.
    pub place: Place,
    /// The address of the first byte that is copied.
    pub address: u64,
    /// From one row to the next, in bytes.
    pub pitch: u64,
    /// From one slice to the next, in bytes.
    pub slice: u64,
}

/// Whose memory a side of a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The program's own.
    Host,
    /// The device's.
    Device,
    /// What the address tells.
    Unified,
}

impl Side {
    /// A side without pitches.
    pub fn line(place: Place, address: u64) -> Self {
        Self { place, address, pitch: 0, slice: 0 }
    }
}

impl Copy {
    /// A copy of bytes in a line.
    pub fn line(to: Side, from: Side, bytes: u64) -> Self {
        Self { to, from, width: bytes, height: 1, depth: 1 }
    }

    /// Does it.
    ///
    /// # Errors
    /// Device memory that has been freed since the copy was given to its stream.
    pub fn run(&self, context: &Context) -> Answer {
        for slice in 0..self.depth {
            for row in 0..self.height {
                let at = |side: &Side| side.address + slice * side.slice + row * side.pitch;
                self.row(at(&self.to), at(&self.from), context)?;
            }
        }
        Ok(())
    }

    fn row(&self, to: u64, from: u64, context: &Context) -> Answer {
        let memory = context.device.memory();
        let on_device = |side: &Side, address| match side.place {
            Place::Host => false,
            Place::Device => true,
            Place::Unified => memory.allocation(address).is_some(),
        };
        let bytes = self.width as usize;
        let done = match (on_device(&self.to, to), on_device(&self.from, from)) {
            (true, true) => memory.copy(to, from, self.width),
            (true, false) => {
                // SAFETY: the program promises that these bytes of its own are there until the copy has been done.
                memory.write(to, unsafe { std::slice::from_raw_parts(from as *const u8, bytes) })
            }
            (false, true) => {
                // SAFETY: as above, and that nobody else uses them meanwhile.
                memory.read(from, unsafe { std::slice::from_raw_parts_mut(to as *mut u8, bytes) })
            }
            (false, false) => {
                // SAFETY: as above.
                unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
                Ok(())
            }
        };
        done.map_err(|_| CUresult::ILLEGAL_ADDRESS)
    }
}
