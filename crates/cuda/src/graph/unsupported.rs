//! The entry points of this subject that only return `CUDA_ERROR_NOT_SUPPORTED`.

use crate::entry::unsupported;

unsupported! {
    cuGraphAddBatchMemOpNode
    cuGraphAddExternalSemaphoresSignalNode
    cuGraphAddExternalSemaphoresWaitNode
    cuGraphBatchMemOpNodeGetParams
    cuGraphBatchMemOpNodeSetParams
    cuGraphExecBatchMemOpNodeSetParams
    cuGraphExecExternalSemaphoresSignalNodeSetParams
    cuGraphExecExternalSemaphoresWaitNodeSetParams
    cuGraphExternalSemaphoresSignalNodeGetParams
    cuGraphExternalSemaphoresSignalNodeSetParams
    cuGraphExternalSemaphoresWaitNodeGetParams
    cuGraphExternalSemaphoresWaitNodeSetParams
    cuStreamBeginCaptureToCig
    cuStreamBeginCaptureToCig_ptsz
    cuStreamBeginRecaptureToGraph
    cuStreamBeginRecaptureToGraph_ptsz
    cuStreamEndCaptureToCig
    cuStreamEndCaptureToCig_ptsz
}
