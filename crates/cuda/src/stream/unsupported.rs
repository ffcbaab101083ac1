//! The entry points of this subject that only return `CUDA_ERROR_NOT_SUPPORTED`.

use crate::entry::unsupported;

unsupported! {
    cuDestroyExternalMemory
    cuDestroyExternalSemaphore
    cuExternalMemoryGetMappedBuffer
    cuExternalMemoryGetMappedMipmappedArray
    cuImportExternalMemory
    cuImportExternalSemaphore
    cuSignalExternalSemaphoresAsync
    cuSignalExternalSemaphoresAsync_ptsz
    cuStreamGetDevResource
    cuStreamGetDevResource_ptsz
    cuWaitExternalSemaphoresAsync
    cuWaitExternalSemaphoresAsync_ptsz
}
