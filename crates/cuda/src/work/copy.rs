//! A copy of bytes between host and device: a line, a rectangle or a box, each side with its own pitches.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::GlobalMemory;

use crate::abi::{Answer, CUresult};
use crate::array::CUarray;
use crate::context::Context;
use crate::memory::{own_memory, place_on_host};

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
    /// The place in an array that all this is, in the program's words.
    pub array: Option<InArray>,
}

/// A place in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InArray {
    pub array: CUarray,
    /// Bytes in a row.
    pub x: u64,
    /// The row, of blocks if texels come in blocks.
    pub y: u64,
    /// The slice or layer.
    pub z: u64,
    /// The level of detail, which must be 0.
    pub lod: u64,
}

/// Whose memory a side of a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The program's own.
    Host,
    /// That of another context's device, which may be destroyed before a stream gets to the copy.
    Foreign,
    /// The device's.
    Device,
    /// What the address tells.
    Unified,
    /// A sparse array, to whose tiles no memory is mapped: it holds zeros whatever is written.
    Void,
    /// An array that waits for its memory, and cannot be used before.
    Missing,
}

impl Side {
    /// A side without pitches.
    pub fn line(place: Place, address: u64) -> Self {
        Self { place, address, pitch: 0, slice: 0, array: None }
    }

    fn row(&self, slice: u64, row: u64) -> u64 {
        self.address + slice * self.slice + row * self.pitch
    }
}

impl Copy {
    /// A copy of no bytes.
    pub const NOTHING: Self = {
        let nowhere = Side { place: Place::Host, address: 0, pitch: 0, slice: 0, array: None };
        Self { to: nowhere, from: nowhere, width: 0, height: 0, depth: 0 }
    };

    /// A copy of bytes in a line.
    pub fn line(to: Side, from: Side, bytes: u64) -> Self {
        Self { to, from, width: bytes, height: 1, depth: 1 }
    }

    /// How many bytes there are from a side's first byte to after its last; `None` if no address space has as many.
    pub fn extent(&self, side: &Side) -> Option<u64> {
        let slices = self.depth.checked_sub(1)?.checked_mul(side.slice)?;
        let rows = self.height.checked_sub(1)?.checked_mul(side.pitch)?;
        slices.checked_add(rows)?.checked_add(self.width)
    }

    /// Does it.
    ///
    /// # Errors
    /// Device memory that has been freed since the copy was given to its stream.
    pub fn run(&self, context: &Context) -> Answer {
        if self.to.place == Place::Void {
            return Ok(());
        }
        let whole = |side: &Side| {
            side.pitch == self.width && (self.depth == 1 || side.slice == self.width * self.height)
        };
        if self.height * self.depth == 1 || (whole(&self.to) && whole(&self.from)) {
            let bytes = self.width * self.height * self.depth;
            return self.bytes(self.to.address, self.from.address, bytes, context);
        }
        for slice in 0..self.depth {
            for row in 0..self.height {
                self.bytes(self.to.row(slice, row), self.from.row(slice, row), self.width, context)?;
            }
        }
        Ok(())
    }

    fn bytes(&self, to: u64, from: u64, bytes: u64, context: &Context) -> Answer {
        let memory = context.device.memory();
        let place = |side: &Side, address| match side.place {
            Place::Void => Ok(Place::Device),
            Place::Missing => Err(CUresult::LAUNCH_FAILED),
            Place::Unified if memory.owns(address) => Ok(Place::Device),
            // Nobody has looked at the address before: a node of a graph says what it says when it runs.
            Place::Unified => place_on_host(address, bytes).ok_or(CUresult::ILLEGAL_ADDRESS),
            known => Ok(known),
        };
        let places = (place(&self.to, to)?, place(&self.from, from)?);
        if matches!(places, (Place::Foreign, _) | (_, Place::Foreign)) {
            return foreign(memory, (places.0, to), (places.1, from), bytes);
        }
        let count = bytes as usize;
        let done = match (places.0 == Place::Device, places.1 == Place::Device) {
            (true, true) => memory.copy(to, from, bytes),
            (true, false) => {
                // SAFETY: the program promises that these bytes of its own are there until the copy has been done.
                memory.write(to, unsafe { std::slice::from_raw_parts(from as *const u8, count) })
            }
            (false, true) => {
                // SAFETY: as above, and that nobody else uses them meanwhile.
                memory.read(from, unsafe { std::slice::from_raw_parts_mut(to as *mut u8, count) })
            }
            (false, false) => {
                // SAFETY: as above.
                unsafe { std::ptr::copy(from as *const u8, to as *mut u8, count) };
                Ok(())
            }
        };
        done.map_err(|_| CUresult::ILLEGAL_ADDRESS)
    }
}

/// Copies from or to memory that may be gone: the system moves the bytes, and says so if it is.
fn foreign(memory: &GlobalMemory, to: (Place, u64), from: (Place, u64), bytes: u64) -> Answer {
    let mut part = vec![0; PART.min(bytes) as usize];
    for offset in (0..bytes).step_by(PART as usize) {
        let length = PART.min(bytes - offset) as usize;
        let part = &mut part[..length];
        let (to_address, from_address) = (to.1 + offset, from.1 + offset);
        let read = match from.0 {
            Place::Device => memory.read(from_address, part).is_ok(),
            _ => own_memory::read(from_address, part),
        };
        let written = read
            && match to.0 {
                Place::Device => memory.write(to_address, part).is_ok(),
                _ => own_memory::write(to_address, part),
            };
        if !written {
            return Err(CUresult::ILLEGAL_ADDRESS);
        }
    }
    Ok(())
}

/// How many bytes are moved at a time.
const PART: u64 = 1 << 20;

/// A copy whose source has been taken already: the program may use its own memory again.
#[derive(Clone)]
pub struct Staged {
    copy: Copy,
    /// What was there, row by row.
    bytes: Arc<[u8]>,
}

impl Staged {
    /// Takes the bytes that a copy is to copy from.
    ///
    /// # Safety
    /// They are the program's own, and there.
    pub unsafe fn take(copy: &Copy) -> Self {
        let mut bytes = Vec::with_capacity((copy.width * copy.height * copy.depth) as usize);
        for slice in 0..copy.depth {
            for row in 0..copy.height {
                let from = copy.from.row(slice, row) as *const u8;
                // SAFETY: the caller promises that the rows are there.
                bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(from, copy.width as usize) });
            }
        }
        Self { copy: copy.clone(), bytes: bytes.into() }
    }

    /// Does the copy.
    ///
    /// # Errors
    /// Device memory that has been freed since.
    pub fn run(&self, context: &Context) -> Answer {
        let (width, height) = (self.copy.width, self.copy.height);
        let address = self.bytes.as_ptr() as u64;
        let from = Side { place: Place::Host, address, pitch: width, slice: width * height, array: None };
        Copy { from, ..self.copy.clone() }.run(context)
    }
}
