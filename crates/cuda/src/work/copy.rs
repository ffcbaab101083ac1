//! A copy of bytes between host and device: a line, a rectangle or a box, each side with its own pitches.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::GlobalMemory;

use crate::abi::{Answer, CUdeviceptr, CUresult, Host};
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
    /// Where the first byte is that is copied.
    pub place: Place,
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

/// A place in memory, and whose memory it is as far as the program says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The program's own.
    Host(Host),
    /// That of another context's device, which may be destroyed before a stream gets to the copy.
    Foreign(Host),
    /// The device's.
    Device(CUdeviceptr),
    /// What the address tells.
    Unified(CUdeviceptr),
    /// A sparse array, to whose tiles no memory is mapped: it holds zeros whatever is written.
    Void(CUdeviceptr),
    /// An array that waits for its memory, and cannot be used before.
    Missing(CUdeviceptr),
}

impl Place {
    /// The address that both the program and its kernels know the place by.
    pub fn unified(self) -> CUdeviceptr {
        match self {
            Self::Host(host) | Self::Foreign(host) => host.unified(),
            Self::Device(address) | Self::Unified(address) | Self::Void(address) | Self::Missing(address) => {
                address
            }
        }
    }

    /// The place some bytes on, in the same memory.
    pub fn offset(self, bytes: u64) -> Self {
        match self {
            Self::Host(host) => Self::Host(host.offset(bytes)),
            Self::Foreign(host) => Self::Foreign(host.offset(bytes)),
            Self::Device(address) => Self::Device(address + bytes),
            Self::Unified(address) => Self::Unified(address + bytes),
            Self::Void(address) => Self::Void(address + bytes),
            Self::Missing(address) => Self::Missing(address + bytes),
        }
    }
}

impl Side {
    /// A side without pitches.
    pub fn line(place: Place) -> Self {
        Self { place, pitch: 0, slice: 0, array: None }
    }

    /// Where the rows of a copy begin that lie in memory.
    pub fn rows(&self, copy: &Copy) -> impl Iterator<Item = u64> {
        let is_memory = !matches!(self.place, Place::Void(_) | Place::Missing(_));
        let (height, slices) = (copy.height, if is_memory { copy.depth } else { 0 });
        (0..slices).flat_map(move |slice| (0..height).map(move |row| self.row(slice, row).unified()))
    }

    fn row(&self, slice: u64, row: u64) -> Place {
        self.place.offset(self.step(slice, row))
    }

    /// How far a row is from the first.
    fn step(&self, slice: u64, row: u64) -> u64 {
        slice * self.slice + row * self.pitch
    }
}

impl Copy {
    /// A copy of no bytes.
    pub const NOTHING: Self = {
        let nowhere = Side { place: Place::Host(Host::NULL), pitch: 0, slice: 0, array: None };
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
        if matches!(self.to.place, Place::Void(_)) {
            return Ok(());
        }
        let whole = |side: &Side| {
            side.pitch == self.width && (self.depth == 1 || side.slice == self.width * self.height)
        };
        if self.height * self.depth == 1 || (whole(&self.to) && whole(&self.from)) {
            let bytes = self.width * self.height * self.depth;
            return bytes_of(self.to.place, self.from.place, bytes, context);
        }
        for slice in 0..self.depth {
            for row in 0..self.height {
                bytes_of(self.to.row(slice, row), self.from.row(slice, row), self.width, context)?;
            }
        }
        Ok(())
    }
}

/// Copies bytes in a line.
fn bytes_of(to: Place, from: Place, bytes: u64, context: &Context) -> Answer {
    let memory = context.device.memory();
    let known = |place: Place| match place {
        Place::Void(address) => Ok(Place::Device(address)),
        Place::Missing(_) => Err(CUresult::LAUNCH_FAILED),
        Place::Unified(address) if memory.owns(address) => Ok(Place::Device(address)),
        // Nobody has looked at the address before: a node of a graph says what it says when it runs.
        Place::Unified(address) => place_on_host(Host::at(address), bytes).ok_or(CUresult::ILLEGAL_ADDRESS),
        known => Ok(known),
    };
    let count = bytes as usize;
    let done = match (known(to)?, known(from)?) {
        (Place::Device(to), Place::Device(from)) => memory.copy(to, from, bytes),
        (Place::Device(to), Place::Host(from)) => {
            // SAFETY: the program promises that these bytes of its own are there until the copy has been done.
            memory.write(to, unsafe { std::slice::from_raw_parts(from.byte(), count) })
        }
        (Place::Host(to), Place::Device(from)) => {
            // SAFETY: as above, and that nobody else uses them meanwhile.
            memory.read(from, unsafe { std::slice::from_raw_parts_mut(to.byte(), count) })
        }
        (Place::Host(to), Place::Host(from)) => {
            // SAFETY: as above.
            unsafe { std::ptr::copy(from.byte(), to.byte(), count) };
            Ok(())
        }
        (to, from) => return foreign(memory, to, from, bytes),
    };
    done.map_err(|_| CUresult::ILLEGAL_ADDRESS)
}

/// Copies from or to memory that may be gone: the system moves the bytes, and says so if it is.
fn foreign(memory: &GlobalMemory, to: Place, from: Place, bytes: u64) -> Answer {
    let mut part = vec![0; PART.min(bytes) as usize];
    for offset in (0..bytes).step_by(PART as usize) {
        let length = PART.min(bytes - offset) as usize;
        let part = &mut part[..length];
        let read = match from.offset(offset) {
            Place::Host(host) | Place::Foreign(host) => own_memory::read(host, part),
            place => memory.read(place.unified(), part).is_ok(),
        };
        let written = read
            && match to.offset(offset) {
                Place::Host(host) | Place::Foreign(host) => own_memory::write(host, part),
                place => memory.write(place.unified(), part).is_ok(),
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
    /// Takes the bytes that a copy is to copy from the host.
    ///
    /// # Safety
    /// All rows of the copy are there, from that place on.
    pub unsafe fn take(copy: &Copy, from: Host) -> Self {
        let mut bytes = Vec::with_capacity((copy.width * copy.height * copy.depth) as usize);
        for slice in 0..copy.depth {
            for row in 0..copy.height {
                let row = from.offset(copy.from.step(slice, row));
                // SAFETY: the caller promises that the rows are there.
                bytes.extend_from_slice(unsafe {
                    std::slice::from_raw_parts(row.byte(), copy.width as usize)
                });
            }
        }
        Self { copy: copy.clone(), bytes: bytes.into() }
    }

    /// The copy.
    pub fn copy(&self) -> &Copy {
        &self.copy
    }

    /// Does the copy.
    ///
    /// # Errors
    /// Device memory that has been freed since.
    pub fn run(&self, context: &Context) -> Answer {
        let (width, height) = (self.copy.width, self.copy.height);
        let place = Place::Host(Host(self.bytes.as_ptr().cast_mut().cast()));
        let from = Side { place, pitch: width, slice: width * height, array: None };
        Copy { from, ..self.copy.clone() }.run(context)
    }
}
