//! The functions that compiled CUDA calls and the device provides: `vprintf`, `malloc`, `free`, `__assertfail`,
//! `cudaGraphSetConditional`.
//!
//! They are called as NVRTC's PTX calls them: pointers are generic addresses, and each lane is served for itself, in
//! the order of the lanes' numbers.

mod assert;
mod float;
mod format;
mod heap;
mod memory;
mod print;

use crate::code::{Actual, Call};
use crate::context::Context;

use crate::explain::finding::Kind;
use crate::registers::{LANES, Value, lanes_in};
use crate::vector::lanes::Flow;

/// A function that the machine provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `vprintf(format, arguments)`
    Vprintf,
    /// `malloc(size)`
    Malloc,
    /// `free(pointer)`
    Free,
    /// `__assertfail(message, file, line, function, character size)`
    Assertfail,
    /// `cudaGraphSetConditional(handle, value)`
    GraphSetConditional,
    /// A function of CUDA's device runtime, which launches kernels from kernels: known, but not supported.
    DeviceRuntime(&'static str),
}

/// The functions of the device runtime that compiled code calls.
const DEVICE_RUNTIME: &[&str] = &[
    "__cudaCDP2DeviceGetAttribute",
    "__cudaCDP2DeviceGetLimit",
    "__cudaCDP2EventCreateWithFlags",
    "__cudaCDP2EventDestroy",
    "__cudaCDP2EventRecord",
    "__cudaCDP2Free",
    "__cudaCDP2FuncGetAttributes",
    "__cudaCDP2GetDevice",
    "__cudaCDP2GetDeviceCount",
    "__cudaCDP2GetLastError",
    "__cudaCDP2GetParameterBuffer",
    "__cudaCDP2GetParameterBufferV2",
    "__cudaCDP2LaunchDevice",
    "__cudaCDP2LaunchDeviceV2",
    "__cudaCDP2LaunchDeviceV2_ptsz",
    "__cudaCDP2LaunchDevice_ptsz",
    "__cudaCDP2Malloc",
    "__cudaCDP2MemcpyAsync",
    "__cudaCDP2MemsetAsync",
    "__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor",
    "__cudaCDP2PeekAtLastError",
    "__cudaCDP2RuntimeGetVersion",
    "__cudaCDP2StreamCreateWithFlags",
    "__cudaCDP2StreamDestroy",
    "__cudaCDP2StreamWaitEvent",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetLimit",
    "cudaDeviceSynchronize",
    "cudaEventCreateWithFlags",
    "cudaEventDestroy",
    "cudaEventRecord",
    "cudaFree",
    "cudaFuncGetAttributes",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetErrorName",
    "cudaGetErrorString",
    "cudaGetLastError",
    "cudaGetParameterBuffer",
    "cudaGetParameterBufferV2",
    "cudaGraphLaunch",
    "cudaLaunchDevice",
    "cudaLaunchDeviceV2",
    "cudaLaunchDeviceV2_ptsz",
    "cudaLaunchDevice_ptsz",
    "cudaMalloc",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaPeekAtLastError",
    "cudaRuntimeGetVersion",
    "cudaStreamCreateWithFlags",
    "cudaStreamDestroy",
    "cudaStreamWaitEvent",
];

impl Builtin {
    /// The function of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "vprintf" => Self::Vprintf,
            "malloc" => Self::Malloc,
            "free" => Self::Free,
            "__assertfail" => Self::Assertfail,
            "cudaGraphSetConditional" => Self::GraphSetConditional,
            _ => Self::DeviceRuntime(DEVICE_RUNTIME.iter().find(|known| **known == name)?),
        })
    }

    /// Its name and how many parameters it takes.
    fn signature(self) -> (&'static str, usize) {
        match self {
            Self::Vprintf => ("vprintf", 2),
            Self::Malloc => ("malloc", 1),
            Self::Free => ("free", 1),
            Self::Assertfail => ("__assertfail", 5),
            Self::GraphSetConditional => ("cudaGraphSetConditional", 2),
            Self::DeviceRuntime(name) => (name, 0),
        }
    }
}

/// Runs it for the lanes of a mask, one after the other. `frame` is where each lane's caller has its frame.
pub fn run(which: Builtin, call: &Call, frame: &[u64; LANES], context: &mut Context<'_>, mask: u32) -> Flow {
    let (name, parameters) = which.signature();
    if let Builtin::DeviceRuntime(_) = which {
        context.worker.unsupported = Some(format!("`{name}` of CUDA's device runtime"));
        return Flow::Stop;
    }
    if call.arguments.len() != parameters {
        let passed = call.arguments.len();
        let message = format!("`{name}` takes {parameters} parameters, the call passes {passed}");
        return context.fault(Kind::BadCall, mask.trailing_zeros() as usize, message, Vec::new());
    }
    for lane in lanes_in(mask) {
        let site = Site { call, frame: frame[lane], lane };
        let served = match which {
            Builtin::Vprintf => print::vprintf(&site, context),
            Builtin::Malloc => heap::malloc(&site, context),
            Builtin::Free => heap::free(&site, context),
            Builtin::Assertfail => assert::fail(&site, context),
            Builtin::GraphSetConditional => set_conditional(&site, context),
            Builtin::DeviceRuntime(_) => Ok(()),
        };
        if let Err(flow) = served {
            return flow;
        }
    }
    Flow::Next
}

/// Tells the host which way a graph goes on.
fn set_conditional(site: &Site<'_>, context: &mut Context<'_>) -> Result<(), Flow> {
    let (handle, value) = (site.argument(context, 0), site.argument(context, 1) as u32);
    match context.run.environment.set_conditional {
        Some(set) => {
            set(handle, value);
            Ok(())
        }
        None => {
            context.worker.unsupported = Some("`cudaGraphSetConditional` outside of a graph".into());
            Err(Flow::Stop)
        }
    }
}

/// One lane's call.
struct Site<'a> {
    call: &'a Call,
    frame: u64,
    lane: usize,
}

impl Site<'_> {
    /// What is passed for a parameter.
    fn argument(&self, context: &Context<'_>, index: usize) -> u64 {
        match self.call.arguments[index] {
            Actual::Slot(slot) => context.bank.lane(slot, self.lane),
            Actual::Frame { offset, size } => {
                let mut bytes = [0; 8];
                let passed = &mut bytes[..size.min(8) as usize];
                context.read_frame(self.lane, self.frame + offset, passed);
                u64::from_le_bytes(bytes)
            }
        }
    }

    /// Gives the result, if the caller wants it.
    fn give(&self, context: &mut Context<'_>, value: u64) {
        match self.call.returns.first() {
            Some(Actual::Slot(slot)) => u64::write(&mut context.bank, *slot, 1 << self.lane, &[value; LANES]),
            Some(Actual::Frame { offset, size }) => {
                let bytes = value.to_le_bytes();
                let wanted = &bytes[..(*size).min(8) as usize];
                context.write_frame(self.lane, self.frame + offset, wanted);
            }
            None => {}
        }
    }
}
