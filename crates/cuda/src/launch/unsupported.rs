//! Entry points of this subject that are there and answer that they are not supported.

use crate::entry::unsupported;

unsupported! {
    cuLaunch
    cuLaunchCooperativeKernel
    cuLaunchCooperativeKernelMultiDevice
    cuLaunchCooperativeKernel_ptsz
    cuLaunchGrid
    cuLaunchGridAsync
    cuLaunchHostFunc_v2
    cuLaunchHostFunc_v2_ptsz
    cuLaunchKernelEx
    cuLaunchKernelEx_ptsz
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
