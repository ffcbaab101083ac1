//! Which functions the machine provides, by name.

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
    pub(super) fn signature(self) -> (&'static str, usize) {
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
