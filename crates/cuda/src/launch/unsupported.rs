//! The entry points of this subject that only return `CUDA_ERROR_NOT_SUPPORTED`.

use crate::entry::unsupported;

unsupported! {
    cuLaunch
    cuLaunchCooperativeKernelMultiDevice
    cuLaunchGrid
    cuLaunchGridAsync
    cuParamSetSize
    cuParamSetf
    cuParamSeti
    cuParamSetv
}
