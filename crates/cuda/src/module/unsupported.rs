//! Entry points of this subject that are there and answer that they are not supported.

use crate::entry::unsupported;

unsupported! {
    cuFuncGetAttribute
    cuFuncGetModule
    cuFuncGetName
    cuFuncGetParamCount
    cuFuncGetParamInfo
    cuFuncIsLoaded
    cuFuncLoad
    cuFuncSetAttribute
    cuFuncSetBlockShape
    cuFuncSetCacheConfig
    cuFuncSetSharedMemConfig
    cuFuncSetSharedSize
    cuKernelGetAttribute
    cuKernelGetFunction
    cuKernelGetLibrary
    cuKernelGetName
    cuKernelGetParamCount
    cuKernelGetParamInfo
    cuKernelSetAttribute
    cuKernelSetCacheConfig
    cuLibraryEnumerateKernels
    cuLibraryGetGlobal
    cuLibraryGetKernel
    cuLibraryGetKernelCount
    cuLibraryGetManaged
    cuLibraryGetModule
    cuLibraryGetUnifiedFunction
    cuLibraryLoadData
    cuLibraryLoadFromFile
    cuLibraryUnload
    cuLinkAddData
    cuLinkAddData_v2
    cuLinkAddFile
    cuLinkAddFile_v2
    cuLinkComplete
    cuLinkCreate
    cuLinkCreate_v2
    cuLinkDestroy
    cuModuleEnumerateFunctions
    cuModuleGetFunctionCount
    cuModuleGetGlobal
    cuModuleGetLoadingMode
    cuModuleGetSurfRef
    cuModuleGetTexRef
    cuModuleLoad
    cuModuleLoadDataEx
    cuModuleLoadFatBinary
}
