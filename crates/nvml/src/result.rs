//! `nvmlReturn_t`: what every function returns, and the words for it.

use std::ffi::CStr;

use ptxvm_abi::CUresult;

/// The answer of a function.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvmlReturn(pub u32);

/// What the body of a function gives: nothing, or why not.
pub type Answer<T = ()> = Result<T, NvmlReturn>;

impl From<CUresult> for NvmlReturn {
    /// What the types of pointers complain of is an argument that is null or no text.
    fn from(_: CUresult) -> Self {
        Self::INVALID_ARGUMENT
    }
}

macro_rules! results {
    ($($name:ident = $value:literal, $words:literal;)*) => {
        #[allow(dead_code, reason = "the list is whole, whether or not a function answers so")]
        impl NvmlReturn {
            $(pub const $name: Self = Self($value);)*

            /// What it means.
            pub fn words(self) -> &'static CStr {
                match self.0 {
                    $($value => $words,)*
                    _ => c"Unknown Error",
                }
            }
        }
    };
}

results! {
    SUCCESS = 0, c"Success";
    UNINITIALIZED = 1, c"Uninitialized";
    INVALID_ARGUMENT = 2, c"Invalid Argument";
    NOT_SUPPORTED = 3, c"Not Supported";
    NO_PERMISSION = 4, c"Insufficient Permissions";
    ALREADY_INITIALIZED = 5, c"Already Initialized";
    NOT_FOUND = 6, c"Not Found";
    INSUFFICIENT_SIZE = 7, c"Insufficient Size";
    INSUFFICIENT_POWER = 8, c"Insufficient External Power";
    DRIVER_NOT_LOADED = 9, c"Driver Not Loaded";
    TIMEOUT = 10, c"Timeout";
    IRQ_ISSUE = 11, c"Interrupt Request Issue";
    LIBRARY_NOT_FOUND = 12, c"NVML Shared Library Not Found";
    FUNCTION_NOT_FOUND = 13, c"Function Not Found";
    CORRUPTED_INFOROM = 14, c"Corrupted infoROM";
    GPU_IS_LOST = 15, c"GPU is lost";
    RESET_REQUIRED = 16, c"GPU requires reset";
    OPERATING_SYSTEM = 17, c"GPU access blocked by the operating system";
    LIB_RM_VERSION_MISMATCH = 18, c"Driver/library version mismatch";
    IN_USE = 19, c"In use by another client";
    MEMORY = 20, c"Insufficient Memory";
    NO_DATA = 21, c"No data";
    VGPU_ECC_NOT_SUPPORTED = 22, c"The requested vgpu operation is not available on target device, because ECC is enabled";
    INSUFFICIENT_RESOURCES = 23, c"Insufficient Resources";
    FREQ_NOT_SUPPORTED = 24, c"Frequency Not Supported";
    ARGUMENT_VERSION_MISMATCH = 25, c"Argument Version Mismatch";
    DEPRECATED = 26, c"Deprecated";
    NOT_READY = 27, c"Not Ready";
    GPU_NOT_FOUND = 28, c"GPU Not Found";
    INVALID_STATE = 29, c"Invalid State";
    RESET_TYPE_NOT_SUPPORTED = 30, c"Reset Type Not Supported";
    UNKNOWN = 999, c"Unknown Error";
}
