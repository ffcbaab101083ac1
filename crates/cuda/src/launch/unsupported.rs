//! Entry points of this subject that are there and answer that they are not supported.

use crate::entry::unsupported;

unsupported! {
    cuLaunch
    cuLaunchCooperativeKernel
    cuLaunchCooperativeKernelMultiDevice
    cuLaunchCooperativeKernel_ptsz
    cuLaunchGrid
    cuLaunchGridAsync
    cuLaunchHostFunc
    cuLaunchHostFunc_ptsz
    cuLaunchHostFunc_v2
    cuLaunchHostFunc_v2_ptsz
    cuLaunchKernel
    cuLaunchKernelEx
    cuLaunchKernelEx_ptsz
    cuLaunchKernel_ptsz
    cuOccupancyAvailableDynamicSMemPerBlock
    cuOccupancyMaxActiveBlocksPerMultiprocessor
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
    cuOccupancyMaxActiveClusters
    cuOccupancyMaxPotentialBlockSize
    cuOccupancyMaxPotentialBlockSizeWithFlags
    cuOccupancyMaxPotentialClusterSize
    cuParamSetSize
    cuParamSetTexRef
    cuParamSetf
    cuParamSeti
    cuParamSetv
}
