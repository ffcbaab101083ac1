//! The entry points of this subject that only return `CUDA_ERROR_NOT_SUPPORTED`.

use crate::entry::unsupported;

unsupported! {
    cuCheckpointOperationComplete
    cuCheckpointProcessCheckpoint
    cuCheckpointProcessGetRestoreThreadId
    cuCheckpointProcessGetState
    cuCheckpointProcessLock
    cuCheckpointProcessRestore
    cuCheckpointProcessUnlock
    cuCoredumpDeregisterCompleteCallback
    cuCoredumpDeregisterStartCallback
    cuCoredumpGetAttribute
    cuCoredumpGetAttributeGlobal
    cuCoredumpRegisterCompleteCallback
    cuCoredumpRegisterStartCallback
    cuCoredumpSetAttribute
    cuCoredumpSetAttributeGlobal
    cuDevResourceGenerateDesc
    cuDevSmResourceSplit
    cuDevSmResourceSplitByCount
    cuDeviceGetCliqueCount
    cuDeviceGetCliqueInfo
    cuDeviceGetDevResource
    cuDeviceGetFabricClusterUuid
    cuDeviceGetHostAtomicCapabilities
    cuDeviceGetNvSciSyncAttributes
    cuDeviceGetP2PAtomicCapabilities
    cuDeviceRegisterAsyncNotification
    cuDeviceUnregisterAsyncNotification
    cuProfilerInitialize
}
