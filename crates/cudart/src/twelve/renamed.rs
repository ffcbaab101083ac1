//! Names of functions that CUDA 13 calls otherwise.

use crate::entry::unsupported_of_12;
use crate::symbol::export;

export!(only_12 cudaEventElapsedTime_v2 crate::event::cudaEventElapsedTime);
export!(only_12 cudaGraphAddDependencies_v2 crate::graph::definition::cudaGraphAddDependencies);
export!(only_12 cudaGraphAddNode_v2 crate::graph::node::cudaGraphAddNode);
export!(only_12 cudaGraphGetEdges_v2 crate::graph::definition::cudaGraphGetEdges);
export!(only_12 cudaGraphNodeGetDependencies_v2 crate::graph::definition::cudaGraphNodeGetDependencies);
export!(only_12 cudaGraphNodeGetDependentNodes_v2 crate::graph::definition::cudaGraphNodeGetDependentNodes);
export!(only_12 cudaGraphRemoveDependencies_v2 crate::graph::definition::cudaGraphRemoveDependencies);
export!(only_12 cudaMemAdvise_v2 crate::memory::managed::cudaMemAdvise);
export!(only_12 cudaMemPrefetchAsync_v2 crate::memory::managed::cudaMemPrefetchAsync);
export!(only_12 cudaMemPrefetchAsync_v2_ptsz crate::memory::managed::cudaMemPrefetchAsync_ptsz);
export!(only_12 cudaStreamGetCaptureInfo_v3 crate::stream::cudaStreamGetCaptureInfo);
export!(only_12 cudaStreamGetCaptureInfo_v3_ptsz crate::stream::cudaStreamGetCaptureInfo_ptsz);
export!(only_12 cudaStreamUpdateCaptureDependencies_v2 crate::stream::cudaStreamUpdateCaptureDependencies);
export!(only_12 cudaStreamUpdateCaptureDependencies_v2_ptsz crate::stream::cudaStreamUpdateCaptureDependencies_ptsz);
export!(only_12 cudaThreadExit crate::device::api::cudaDeviceReset);
export!(only_12 cudaThreadGetCacheConfig crate::device::limit::cudaDeviceGetCacheConfig);
export!(only_12 cudaThreadGetLimit crate::device::limit::cudaDeviceGetLimit);
export!(only_12 cudaThreadSetCacheConfig crate::device::limit::cudaDeviceSetCacheConfig);
export!(only_12 cudaThreadSetLimit crate::device::limit::cudaDeviceSetLimit);
export!(only_12 cudaThreadSynchronize crate::device::api::cudaDeviceSynchronize);

unsupported_of_12! {
    cudaLaunchCooperativeKernelMultiDevice
    cudaSetDoubleForDevice
    cudaSetDoubleForHost
    cudaSignalExternalSemaphoresAsync_v2
    cudaSignalExternalSemaphoresAsync_v2_ptsz
    cudaWaitExternalSemaphoresAsync_v2
    cudaWaitExternalSemaphoresAsync_v2_ptsz
}
