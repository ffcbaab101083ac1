//! The direction of a copy.

use ptxvm_abi::Host;

use crate::error::{Answer, CudaError};
use crate::layout::{ARRAY, Side, UNIFIED};

/// `cudaMemcpyKind`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    HostToHost,
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    /// The addresses say it.
    Default,
}

/// `CUmemorytype`
const HOST: u32 = 1;
const DEVICE: u32 = 2;

impl Kind {
    /// The direction of a number.
    ///
    /// # Errors
    /// It is that of none.
    pub fn of(kind: u32) -> Answer<Self> {
        Ok(match kind {
            0 => Self::HostToHost,
            1 => Self::HostToDevice,
            2 => Self::DeviceToHost,
            3 => Self::DeviceToDevice,
            4 => Self::Default,
            _ => return Err(CudaError::INVALID_MEMCPY_DIRECTION),
        })
    }

    /// The direction of a copy into what is surely the device's: an array or a variable.
    ///
    /// # Errors
    /// The number means another.
    pub fn into_device(kind: u32) -> Answer<Self> {
        Self::among(kind, &[Self::HostToDevice, Self::DeviceToDevice, Self::Default])
    }

    /// The direction of a copy out of it.
    ///
    /// # Errors
    /// The number means another.
    pub fn out_of_device(kind: u32) -> Answer<Self> {
        Self::among(kind, &[Self::DeviceToHost, Self::DeviceToDevice, Self::Default])
    }

    /// The direction of a copy from one such place to another.
    ///
    /// # Errors
    /// The number means another.
    pub fn within_device(kind: u32) -> Answer<Self> {
        Self::among(kind, &[Self::DeviceToDevice, Self::Default])
    }

    fn among(kind: u32, possible: &[Self]) -> Answer<Self> {
        let kind = Self::of(kind)?;
        if possible.contains(&kind) { Ok(kind) } else { Err(CudaError::INVALID_MEMCPY_DIRECTION) }
    }

    /// The memory that is copied from, as the driver calls it.
    fn source(self) -> u32 {
        match self {
            Self::HostToHost | Self::HostToDevice => HOST,
            Self::DeviceToHost | Self::DeviceToDevice => DEVICE,
            Self::Default => UNIFIED,
        }
    }

    /// The memory that is copied to.
    fn target(self) -> u32 {
        match self {
            Self::HostToHost | Self::DeviceToHost => HOST,
            Self::HostToDevice | Self::DeviceToDevice => DEVICE,
            Self::Default => UNIFIED,
        }
    }

    /// The side that is copied from: memory with a pitch, and as many rows in a slice.
    pub fn from(self, memory: Host, pitch: usize, height: usize) -> Side {
        side(self.source(), memory, pitch, height)
    }

    /// The side that is copied to.
    pub fn to(self, memory: Host, pitch: usize, height: usize) -> Side {
        side(self.target(), memory, pitch, height)
    }
}

fn side(kind: u32, memory: Host, pitch: usize, height: usize) -> Side {
    let none = in_array(0, 0, 0, 0);
    if kind == HOST {
        Side { kind, host: memory, pitch, height, ..none }
    } else {
        Side { kind, device: memory.unified(), pitch, height, ..none }
    }
}

/// The side of a copy that is in an array.
pub fn in_array(array: u64, x_in_bytes: usize, y: usize, z: usize) -> Side {
    Side {
        x_in_bytes,
        y,
        z,
        level: 0,
        kind: ARRAY,
        host: Host::NULL,
        device: 0,
        array,
        context: 0,
        pitch: 0,
        height: 0,
    }
}
