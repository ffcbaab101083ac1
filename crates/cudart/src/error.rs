//! `cudaError_t`: what every entry point returns, with the runtime's names and descriptions.

use std::ffi::CStr;

use ptxvm_abi::CUresult;

/// The answer of an entry point.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CudaError(pub u32);

/// What the body of an entry point gives: nothing, or why not.
pub type Answer<T = ()> = Result<T, CudaError>;

impl From<CUresult> for CudaError {
    /// The runtime has the driver's numbers.
    fn from(result: CUresult) -> Self {
        Self(result.0)
    }
}

/// An error: its number, its name, and what it means if the driver does not have it.
struct Described {
    value: u32,
    name: &'static CStr,
    words: Option<&'static CStr>,
}

macro_rules! errors {
    ($($name:ident = $value:literal, $text:literal $(, $words:literal)?;)*) => {
        #[allow(dead_code, reason = "the list is whole, whether or not an entry point answers so")]
        impl CudaError {
            $(pub const $name: Self = Self($value);)*
        }

        /// In the order of their numbers.
        const ERRORS: &[Described] =
            &[$(Described { value: $value, name: $text, words: errors!(@ $($words)?) }),*];
    };
    (@) => { None };
    (@ $words:literal) => { Some($words) };
}

errors! {
    SUCCESS = 0, c"cudaSuccess";
    INVALID_VALUE = 1, c"cudaErrorInvalidValue";
    MEMORY_ALLOCATION = 2, c"cudaErrorMemoryAllocation";
    INITIALIZATION_ERROR = 3, c"cudaErrorInitializationError";
    CUDART_UNLOADING = 4, c"cudaErrorCudartUnloading";
    PROFILER_DISABLED = 5, c"cudaErrorProfilerDisabled";
    PROFILER_NOT_INITIALIZED = 6, c"cudaErrorProfilerNotInitialized";
    PROFILER_ALREADY_STARTED = 7, c"cudaErrorProfilerAlreadyStarted";
    PROFILER_ALREADY_STOPPED = 8, c"cudaErrorProfilerAlreadyStopped";
    INVALID_CONFIGURATION = 9, c"cudaErrorInvalidConfiguration", c"invalid configuration argument";
    VERSION_TRANSLATION = 10, c"cudaErrorVersionTranslation", c"Driver is newer than runtime and returned parameters the runtime cannot process";
    INVALID_PITCH_VALUE = 12, c"cudaErrorInvalidPitchValue", c"invalid pitch argument";
    INVALID_SYMBOL = 13, c"cudaErrorInvalidSymbol", c"invalid device symbol";
    INVALID_HOST_POINTER = 16, c"cudaErrorInvalidHostPointer", c"invalid host pointer";
    INVALID_DEVICE_POINTER = 17, c"cudaErrorInvalidDevicePointer", c"invalid device pointer";
    INVALID_TEXTURE = 18, c"cudaErrorInvalidTexture", c"invalid texture reference";
    INVALID_TEXTURE_BINDING = 19, c"cudaErrorInvalidTextureBinding", c"texture is not bound to a pointer";
    INVALID_CHANNEL_DESCRIPTOR = 20, c"cudaErrorInvalidChannelDescriptor", c"invalid channel descriptor";
    INVALID_MEMCPY_DIRECTION = 21, c"cudaErrorInvalidMemcpyDirection", c"invalid copy direction for memcpy";
    ADDRESS_OF_CONSTANT = 22, c"cudaErrorAddressOfConstant", c"invalid address of constant";
    TEXTURE_FETCH_FAILED = 23, c"cudaErrorTextureFetchFailed", c"fetch from texture failed";
    TEXTURE_NOT_BOUND = 24, c"cudaErrorTextureNotBound", c"cannot fetch from a texture that is not bound";
    SYNCHRONIZATION_ERROR = 25, c"cudaErrorSynchronizationError", c"incorrect use of __syncthreads()";
    INVALID_FILTER_SETTING = 26, c"cudaErrorInvalidFilterSetting", c"linear filtering not supported for non-float type";
    INVALID_NORM_SETTING = 27, c"cudaErrorInvalidNormSetting", c"read as normalized float not supported for data type";
    MIXED_DEVICE_EXECUTION = 28, c"cudaErrorMixedDeviceExecution", c"device emulation mode and device execution mode cannot be mixed";
    NOT_YET_IMPLEMENTED = 31, c"cudaErrorNotYetImplemented", c"feature not yet implemented";
    MEMORY_VALUE_TOO_LARGE = 32, c"cudaErrorMemoryValueTooLarge", c"memory size or pointer value too large to fit in 32 bit";
    STUB_LIBRARY = 34, c"cudaErrorStubLibrary";
    INSUFFICIENT_DRIVER = 35, c"cudaErrorInsufficientDriver", c"CUDA driver version is insufficient for CUDA runtime version";
    CALL_REQUIRES_NEWER_DRIVER = 36, c"cudaErrorCallRequiresNewerDriver";
    INVALID_SURFACE = 37, c"cudaErrorInvalidSurface", c"invalid surface reference";
    DUPLICATE_VARIABLE_NAME = 43, c"cudaErrorDuplicateVariableName", c"duplicate global variable looked up by string name";
    DUPLICATE_TEXTURE_NAME = 44, c"cudaErrorDuplicateTextureName", c"duplicate texture looked up by string name";
    DUPLICATE_SURFACE_NAME = 45, c"cudaErrorDuplicateSurfaceName", c"duplicate surface looked up by string name";
    DEVICES_UNAVAILABLE = 46, c"cudaErrorDevicesUnavailable";
    INCOMPATIBLE_DRIVER_CONTEXT = 49, c"cudaErrorIncompatibleDriverContext", c"incompatible driver context";
    MISSING_CONFIGURATION = 52, c"cudaErrorMissingConfiguration", c"__global__ function call is not configured";
    PRIOR_LAUNCH_FAILURE = 53, c"cudaErrorPriorLaunchFailure", c"unspecified launch failure in prior launch";
    LAUNCH_MAX_DEPTH_EXCEEDED = 65, c"cudaErrorLaunchMaxDepthExceeded", c"launch would exceed maximum depth of nested launches";
    LAUNCH_FILE_SCOPED_TEX = 66, c"cudaErrorLaunchFileScopedTex", c"launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)";
    LAUNCH_FILE_SCOPED_SURF = 67, c"cudaErrorLaunchFileScopedSurf", c"launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)";
    SYNC_DEPTH_EXCEEDED = 68, c"cudaErrorSyncDepthExceeded", c"cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth";
    LAUNCH_PENDING_COUNT_EXCEEDED = 69, c"cudaErrorLaunchPendingCountExceeded", c"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount";
    INVALID_DEVICE_FUNCTION = 98, c"cudaErrorInvalidDeviceFunction", c"invalid device function";
    NO_DEVICE = 100, c"cudaErrorNoDevice";
    INVALID_DEVICE = 101, c"cudaErrorInvalidDevice";
    DEVICE_NOT_LICENSED = 102, c"cudaErrorDeviceNotLicensed";
    SOFTWARE_VALIDITY_NOT_ESTABLISHED = 103, c"cudaErrorSoftwareValidityNotEstablished", c"integrity checks failed";
    STARTUP_FAILURE = 127, c"cudaErrorStartupFailure", c"startup failure in cuda runtime";
    INVALID_KERNEL_IMAGE = 200, c"cudaErrorInvalidKernelImage";
    DEVICE_UNINITIALIZED = 201, c"cudaErrorDeviceUninitialized";
    MAP_BUFFER_OBJECT_FAILED = 205, c"cudaErrorMapBufferObjectFailed";
    UNMAP_BUFFER_OBJECT_FAILED = 206, c"cudaErrorUnmapBufferObjectFailed";
    ARRAY_IS_MAPPED = 207, c"cudaErrorArrayIsMapped";
    ALREADY_MAPPED = 208, c"cudaErrorAlreadyMapped";
    NO_KERNEL_IMAGE_FOR_DEVICE = 209, c"cudaErrorNoKernelImageForDevice";
    ALREADY_ACQUIRED = 210, c"cudaErrorAlreadyAcquired";
    NOT_MAPPED = 211, c"cudaErrorNotMapped";
    NOT_MAPPED_AS_ARRAY = 212, c"cudaErrorNotMappedAsArray";
    NOT_MAPPED_AS_POINTER = 213, c"cudaErrorNotMappedAsPointer";
    ECCUNCORRECTABLE = 214, c"cudaErrorECCUncorrectable";
    UNSUPPORTED_LIMIT = 215, c"cudaErrorUnsupportedLimit";
    DEVICE_ALREADY_IN_USE = 216, c"cudaErrorDeviceAlreadyInUse";
    PEER_ACCESS_UNSUPPORTED = 217, c"cudaErrorPeerAccessUnsupported";
    INVALID_PTX = 218, c"cudaErrorInvalidPtx";
    INVALID_GRAPHICS_CONTEXT = 219, c"cudaErrorInvalidGraphicsContext";
    NVLINK_UNCORRECTABLE = 220, c"cudaErrorNvlinkUncorrectable";
    JIT_COMPILER_NOT_FOUND = 221, c"cudaErrorJitCompilerNotFound";
    UNSUPPORTED_PTX_VERSION = 222, c"cudaErrorUnsupportedPtxVersion";
    JIT_COMPILATION_DISABLED = 223, c"cudaErrorJitCompilationDisabled";
    UNSUPPORTED_EXEC_AFFINITY = 224, c"cudaErrorUnsupportedExecAffinity";
    UNSUPPORTED_DEV_SIDE_SYNC = 225, c"cudaErrorUnsupportedDevSideSync";
    CONTAINED = 226, c"cudaErrorContained";
    INSUFFICIENT_LOADER_VERSION = 227, c"cudaErrorInsufficientLoaderVersion";
    INVALID_SOURCE = 300, c"cudaErrorInvalidSource";
    FILE_NOT_FOUND = 301, c"cudaErrorFileNotFound";
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302, c"cudaErrorSharedObjectSymbolNotFound";
    SHARED_OBJECT_INIT_FAILED = 303, c"cudaErrorSharedObjectInitFailed";
    OPERATING_SYSTEM = 304, c"cudaErrorOperatingSystem";
    INVALID_RESOURCE_HANDLE = 400, c"cudaErrorInvalidResourceHandle";
    ILLEGAL_STATE = 401, c"cudaErrorIllegalState";
    LOSSY_QUERY = 402, c"cudaErrorLossyQuery";
    SYMBOL_NOT_FOUND = 500, c"cudaErrorSymbolNotFound";
    NOT_READY = 600, c"cudaErrorNotReady";
    ILLEGAL_ADDRESS = 700, c"cudaErrorIllegalAddress";
    LAUNCH_OUT_OF_RESOURCES = 701, c"cudaErrorLaunchOutOfResources";
    LAUNCH_TIMEOUT = 702, c"cudaErrorLaunchTimeout";
    LAUNCH_INCOMPATIBLE_TEXTURING = 703, c"cudaErrorLaunchIncompatibleTexturing";
    PEER_ACCESS_ALREADY_ENABLED = 704, c"cudaErrorPeerAccessAlreadyEnabled";
    PEER_ACCESS_NOT_ENABLED = 705, c"cudaErrorPeerAccessNotEnabled";
    SET_ON_ACTIVE_PROCESS = 708, c"cudaErrorSetOnActiveProcess";
    CONTEXT_IS_DESTROYED = 709, c"cudaErrorContextIsDestroyed";
    ASSERT = 710, c"cudaErrorAssert";
    TOO_MANY_PEERS = 711, c"cudaErrorTooManyPeers";
    HOST_MEMORY_ALREADY_REGISTERED = 712, c"cudaErrorHostMemoryAlreadyRegistered";
    HOST_MEMORY_NOT_REGISTERED = 713, c"cudaErrorHostMemoryNotRegistered";
    HARDWARE_STACK_ERROR = 714, c"cudaErrorHardwareStackError";
    ILLEGAL_INSTRUCTION = 715, c"cudaErrorIllegalInstruction";
    MISALIGNED_ADDRESS = 716, c"cudaErrorMisalignedAddress";
    INVALID_ADDRESS_SPACE = 717, c"cudaErrorInvalidAddressSpace";
    INVALID_PC = 718, c"cudaErrorInvalidPc";
    LAUNCH_FAILURE = 719, c"cudaErrorLaunchFailure";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720, c"cudaErrorCooperativeLaunchTooLarge";
    TENSOR_MEMORY_LEAK = 721, c"cudaErrorTensorMemoryLeak";
    NOT_PERMITTED = 800, c"cudaErrorNotPermitted";
    NOT_SUPPORTED = 801, c"cudaErrorNotSupported";
    SYSTEM_NOT_READY = 802, c"cudaErrorSystemNotReady";
    SYSTEM_DRIVER_MISMATCH = 803, c"cudaErrorSystemDriverMismatch";
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, c"cudaErrorCompatNotSupportedOnDevice";
    MPS_CONNECTION_FAILED = 805, c"cudaErrorMpsConnectionFailed";
    MPS_RPC_FAILURE = 806, c"cudaErrorMpsRpcFailure";
    MPS_SERVER_NOT_READY = 807, c"cudaErrorMpsServerNotReady";
    MPS_MAX_CLIENTS_REACHED = 808, c"cudaErrorMpsMaxClientsReached";
    MPS_MAX_CONNECTIONS_REACHED = 809, c"cudaErrorMpsMaxConnectionsReached";
    MPS_CLIENT_TERMINATED = 810, c"cudaErrorMpsClientTerminated";
    CDP_NOT_SUPPORTED = 811, c"cudaErrorCdpNotSupported";
    CDP_VERSION_MISMATCH = 812, c"cudaErrorCdpVersionMismatch";
    STREAM_CAPTURE_UNSUPPORTED = 900, c"cudaErrorStreamCaptureUnsupported";
    STREAM_CAPTURE_INVALIDATED = 901, c"cudaErrorStreamCaptureInvalidated";
    STREAM_CAPTURE_MERGE = 902, c"cudaErrorStreamCaptureMerge";
    STREAM_CAPTURE_UNMATCHED = 903, c"cudaErrorStreamCaptureUnmatched";
    STREAM_CAPTURE_UNJOINED = 904, c"cudaErrorStreamCaptureUnjoined";
    STREAM_CAPTURE_ISOLATION = 905, c"cudaErrorStreamCaptureIsolation";
    STREAM_CAPTURE_IMPLICIT = 906, c"cudaErrorStreamCaptureImplicit";
    CAPTURED_EVENT = 907, c"cudaErrorCapturedEvent";
    STREAM_CAPTURE_WRONG_THREAD = 908, c"cudaErrorStreamCaptureWrongThread";
    TIMEOUT = 909, c"cudaErrorTimeout";
    GRAPH_EXEC_UPDATE_FAILURE = 910, c"cudaErrorGraphExecUpdateFailure";
    EXTERNAL_DEVICE = 911, c"cudaErrorExternalDevice";
    INVALID_CLUSTER_SIZE = 912, c"cudaErrorInvalidClusterSize";
    FUNCTION_NOT_LOADED = 913, c"cudaErrorFunctionNotLoaded";
    INVALID_RESOURCE_TYPE = 914, c"cudaErrorInvalidResourceType";
    INVALID_RESOURCE_CONFIGURATION = 915, c"cudaErrorInvalidResourceConfiguration";
    STREAM_DETACHED = 917, c"cudaErrorStreamDetached";
    GRAPH_RECAPTURE_FAILURE = 918, c"cudaErrorGraphRecaptureFailure";
    FABRIC_NOT_READY = 919, c"cudaErrorFabricNotReady";
    UNKNOWN = 999, c"cudaErrorUnknown";
    API_FAILURE_BASE = 10000, c"cudaErrorApiFailureBase", c"api failure base";
}

/// What the runtime says of a number that is no error.
const UNRECOGNIZED: &CStr = c"unrecognized error code";

impl CudaError {
    fn described(self) -> Option<&'static Described> {
        let index = ERRORS.binary_search_by_key(&self.0, |error| error.value).ok()?;
        ERRORS.get(index)
    }

    /// Its name.
    pub fn name(self) -> &'static CStr {
        self.described().map_or(UNRECOGNIZED, |error| error.name)
    }

    /// What it means. What the driver has too, both say in the same words.
    pub fn words(self) -> &'static CStr {
        let Some(error) = self.described() else { return UNRECOGNIZED };
        error.words.or_else(|| CUresult(self.0).words()).unwrap_or(UNRECOGNIZED)
    }
}
