//! Entry points of this subject that are there and answer that they are not supported.

use crate::entry::unsupported;

unsupported! {
    cuCtxAttach
    cuCtxCreate
    cuCtxCreate_v3
    cuCtxDestroy
    cuCtxDestroy_v2
    cuCtxDetach
    cuCtxDisablePeerAccess
    cuCtxEnablePeerAccess
    cuCtxFromGreenCtx
    cuCtxGetApiVersion
    cuCtxGetCacheConfig
    cuCtxGetDevResource
    cuCtxGetDevice_v2
    cuCtxGetExecAffinity
    cuCtxGetFlags
    cuCtxGetId
    cuCtxGetLimit
    cuCtxGetSharedMemConfig
    cuCtxPopCurrent
    cuCtxPushCurrent
    cuCtxRecordEvent
    cuCtxResetPersistingL2Cache
    cuCtxSetCacheConfig
    cuCtxSetFlags
    cuCtxSetLimit
    cuCtxSetSharedMemConfig
    cuCtxSynchronize_v2
    cuCtxWaitEvent
    cuDevicePrimaryCtxGetState
    cuDevicePrimaryCtxRelease
    cuDevicePrimaryCtxReset
    cuDevicePrimaryCtxReset_v2
    cuDevicePrimaryCtxSetFlags
    cuDevicePrimaryCtxSetFlags_v2
    cuGreenCtxCreate
    cuGreenCtxDestroy
    cuGreenCtxGetDevResource
    cuGreenCtxGetId
    cuGreenCtxRecordEvent
    cuGreenCtxStreamCreate
    cuGreenCtxWaitEvent
}
