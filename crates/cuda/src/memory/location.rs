//! The structures in which programs say where memory is; allocations, pools, mappings and advice share them.

use crate::abi::{Answer, CUresult};

/// A place for memory: `type` and, for a device or a node of the host, its number.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CUmemLocation {
    pub kind: u32,
    pub id: i32,
}

/// Who may do what with memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAccessDesc {
    pub location: CUmemLocation,
    /// 0, [`READ`] or [`READ_WRITE`].
    pub flags: u32,
}

/// What physical memory is asked for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAllocationProp {
    /// [`PINNED`] or [`MANAGED`].
    pub kind: u32,
    pub handle_types: u32,
    pub location: CUmemLocation,
    pub win32: u64,
    pub compression: u8,
    pub rdma: u8,
    pub usage: u16,
    pub reserved: [u8; 4],
}

/// What pool is asked for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemPoolProps {
    /// [`PINNED`] or [`MANAGED`].
    pub kind: u32,
    pub handle_types: u32,
    pub location: CUmemLocation,
    pub win32: u64,
    pub max_size: usize,
    pub usage: u16,
    pub rdma: u8,
    pub reserved: [u8; 53],
}

/// `CU_MEM_ALLOCATION_TYPE_PINNED`
pub const PINNED: u32 = 1;
/// `CU_MEM_ALLOCATION_TYPE_MANAGED`
pub const MANAGED: u32 = 2;
/// `CU_MEM_ACCESS_FLAGS_PROT_READ`
pub const READ: u32 = 1;
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`
pub const READ_WRITE: u32 = 3;
/// `CU_MEM_LOCATION_TYPE_DEVICE`
const DEVICE: u32 = 1;
/// `CU_MEM_LOCATION_TYPE_HOST`, `_HOST_NUMA` and `_HOST_NUMA_CURRENT`
const HOST: u32 = 2;
const HOST_NUMA: u32 = 3;
const HOST_NUMA_CURRENT: u32 = 4;
/// `CU_DEVICE_CPU`
const CPU: i32 = -1;

/// Which of the two it is in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    Device,
    Host,
}

impl CUmemLocation {
    /// The one device.
    pub const DEVICE: Self = Self { kind: DEVICE, id: 0 };
    /// The host.
    pub const HOST: Self = Self { kind: HOST, id: 0 };

    /// The place that a device's number names, where the host has one too.
    pub fn of_device(number: i32) -> Self {
        if number == CPU { Self::HOST } else { Self { kind: DEVICE, id: number } }
    }

    /// Which of the two it is.
    ///
    /// # Errors
    /// There is no such place, or no such device.
    pub fn place(self) -> Answer<Where> {
        match self.kind {
            DEVICE if self.id == 0 => Ok(Where::Device),
            DEVICE => Err(CUresult::INVALID_DEVICE),
            HOST | HOST_NUMA_CURRENT => Ok(Where::Host),
            HOST_NUMA if self.id >= 0 => Ok(Where::Host),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    /// The same where pools are concerned, to which a wrong device is a wrong value like others.
    ///
    /// # Errors
    /// There is no such place.
    pub fn place_of_pool(self) -> Answer<Where> {
        self.place().map_err(|_| CUresult::INVALID_VALUE)
    }
}
