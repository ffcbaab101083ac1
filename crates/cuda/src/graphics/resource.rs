//! The functions of cuda.h for graphics resources. There are no such resources, so every handle is invalid.

use super::CUgraphicsResource;
use crate::abi::{Answer, CUdeviceptr, CUresult, In, Out};
use crate::array::{CUarray, CUmipmappedArray};
use crate::driver;
use crate::entry::entry;
use crate::stream::CUstream;

entry! {
    fn cuGraphicsMapResources[cuGraphicsMapResources_ptsz](
        count: u32, resources: In<CUgraphicsResource>, _stream: CUstream,
    ) {
        several(count, resources)
    }

    fn cuGraphicsUnmapResources[cuGraphicsUnmapResources_ptsz](
        count: u32, resources: In<CUgraphicsResource>, _stream: CUstream,
    ) {
        several(count, resources)
    }

    fn cuGraphicsUnregisterResource(_resource: CUgraphicsResource) {
        unknown()
    }

    fn cuGraphicsResourceSetMapFlags(_resource: CUgraphicsResource, _flags: u32) {
        unknown()
    }

    fn cuGraphicsResourceSetMapFlags_v2(_resource: CUgraphicsResource, _flags: u32) {
        unknown()
    }

    fn cuGraphicsResourceGetMappedPointer(_address: Out<u32>, _bytes: Out<u32>, _resource: CUgraphicsResource) {
        unknown()
    }

    fn cuGraphicsResourceGetMappedPointer_v2(
        _address: Out<CUdeviceptr>, _bytes: Out<usize>, _resource: CUgraphicsResource,
    ) {
        unknown()
    }

    fn cuGraphicsResourceGetMappedMipmappedArray(_array: Out<CUmipmappedArray>, _resource: CUgraphicsResource) {
        unknown()
    }

    fn cuGraphicsSubResourceGetMappedArray(
        _array: Out<CUarray>, _resource: CUgraphicsResource, _index: u32, _level: u32,
    ) {
        unknown()
    }
}

fn unknown() -> Answer {
    driver::get()?;
    Err(CUresult::INVALID_HANDLE)
}

fn several(count: u32, resources: In<CUgraphicsResource>) -> Answer {
    driver::get()?;
    if count == 0 || resources.is_null() {
        Err(CUresult::INVALID_VALUE)
    } else {
        Err(CUresult::INVALID_HANDLE)
    }
}
