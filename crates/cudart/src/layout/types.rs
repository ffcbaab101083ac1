//! The types of the runtime API, as C programs lay them out. Handles are the driver's: numbers that only it reads.

use ptxvm_abi::Host;

pub type Event = u64;
pub type Array = u64;
pub type MipmappedArray = u64;
pub type Library = u64;
pub type MemPool = u64;
pub type Graph = u64;
pub type GraphNode = u64;
pub type GraphExec = u64;
pub type UserObject = u64;
/// A stream: 0 is the default one, 1 the legacy, 2 the thread's own.
pub type Stream = u64;
/// The address of a kernel's function in the host's code, or a kernel of the driver's.
pub type Function = usize;
/// The address of a variable in the host's code.
pub type Symbol = usize;
/// A function of the program's that is called with what it was given.
pub type HostFunction = usize;
/// What `cudaStreamAddCallback` is given: stream, error, and what it was given.
pub type Callback = usize;

/// `dim3`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

/// `cudaExtent` and `cudaPos`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `cudaPitchedPtr`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PitchedPtr {
    pub ptr: Host,
    pub pitch: usize,
    pub xsize: usize,
    pub ysize: usize,
}

/// `cudaChannelFormatDesc`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelFormatDesc {
    pub x: i32,
    pub y: i32,
    pub z: i32,
    pub w: i32,
    /// `cudaChannelFormatKind`
    pub kind: u32,
}

/// `cudaMemLocation`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemLocation {
    pub kind: u32,
    pub id: i32,
}

/// `cudaIpcMemHandle_t` and `cudaIpcEventHandle_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IpcHandle(pub [u8; 64]);
