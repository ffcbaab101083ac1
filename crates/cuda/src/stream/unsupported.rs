//! Entry points of this subject that are there and answer that they are not supported.

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
