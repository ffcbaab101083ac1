//! Entry points of this subject that are there and answer that they are not supported.

use crate::entry::unsupported;

unsupported! {
    cuGraphicsMapResources
    cuGraphicsMapResources_ptsz
    cuGraphicsResourceGetMappedMipmappedArray
    cuGraphicsResourceGetMappedPointer
    cuGraphicsResourceGetMappedPointer_v2
    cuGraphicsResourceSetMapFlags
    cuGraphicsResourceSetMapFlags_v2
    cuGraphicsSubResourceGetMappedArray
    cuGraphicsUnmapResources
    cuGraphicsUnmapResources_ptsz
    cuGraphicsUnregisterResource
}
