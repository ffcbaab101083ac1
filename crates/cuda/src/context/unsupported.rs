//! The entry points of this subject that only return `CUDA_ERROR_NOT_SUPPORTED`.

use crate::entry::unsupported;

unsupported! {
    cuCtxFromGreenCtx
    cuCtxGetDevResource
    cuCtxRecordEvent
    cuCtxWaitEvent
    cuGreenCtxCreate
    cuGreenCtxDestroy
    cuGreenCtxGetDevResource
    cuGreenCtxGetId
    cuGreenCtxRecordEvent
    cuGreenCtxStreamCreate
    cuGreenCtxWaitEvent
}
