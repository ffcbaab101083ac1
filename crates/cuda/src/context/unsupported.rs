//! Entry points of this subject that are there and answer that they are not supported.

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
