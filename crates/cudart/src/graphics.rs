//! Buffers and images of graphics, of which a server without a display has none: the driver answers so.

use ptxvm_abi::{Host, In, Out};

use crate::driver::{
    cuGLGetDevices, cuGraphicsEGLRegisterImage, cuGraphicsGLRegisterBuffer, cuGraphicsGLRegisterImage,
    cuGraphicsMapResources, cuGraphicsResourceGetMappedMipmappedArray, cuGraphicsResourceGetMappedPointer,
    cuGraphicsResourceSetMapFlags, cuGraphicsSubResourceGetMappedArray, cuGraphicsUnmapResources,
    cuGraphicsUnregisterResource, cuGraphicsVDPAURegisterOutputSurface, cuGraphicsVDPAURegisterVideoSurface,
};
use crate::entry::{entry, unsupported};
use crate::layout::{Array, GraphicsResource, MipmappedArray, Stream};

entry! {
    fn cudaGLGetDevices(count: Out<u32>, devices: Out<i32>, most: u32, list: u32) {
        cuGLGetDevices(count, devices, most, list)
    }

    fn cudaGraphicsGLRegisterBuffer(resource: Out<GraphicsResource>, buffer: u32, flags: u32) {
        cuGraphicsGLRegisterBuffer(resource, buffer, flags)
    }

    fn cudaGraphicsGLRegisterImage(resource: Out<GraphicsResource>, image: u32, target: u32, flags: u32) {
        cuGraphicsGLRegisterImage(resource, image, target, flags)
    }

    fn cudaGraphicsEGLRegisterImage(resource: Out<GraphicsResource>, image: Host, flags: u32) {
        cuGraphicsEGLRegisterImage(resource, image, flags)
    }

    fn cudaGraphicsVDPAURegisterVideoSurface(resource: Out<GraphicsResource>, surface: u32, flags: u32) {
        cuGraphicsVDPAURegisterVideoSurface(resource, surface, flags)
    }

    fn cudaGraphicsVDPAURegisterOutputSurface(resource: Out<GraphicsResource>, surface: u32, flags: u32) {
        cuGraphicsVDPAURegisterOutputSurface(resource, surface, flags)
    }

    fn cudaGraphicsMapResources(count: i32, resources: In<GraphicsResource>, stream: Stream) {
        cuGraphicsMapResources(count as u32, resources, stream)
    }

    fn cudaGraphicsUnmapResources(count: i32, resources: In<GraphicsResource>, stream: Stream) {
        cuGraphicsUnmapResources(count as u32, resources, stream)
    }

    fn cudaGraphicsUnregisterResource(resource: GraphicsResource) {
        cuGraphicsUnregisterResource(resource)
    }

    fn cudaGraphicsResourceSetMapFlags(resource: GraphicsResource, flags: u32) {
        cuGraphicsResourceSetMapFlags(resource, flags)
    }

    fn cudaGraphicsResourceGetMappedPointer(address: Out<u64>, bytes: Out<usize>, resource: GraphicsResource) {
        cuGraphicsResourceGetMappedPointer(address, bytes, resource)
    }

    fn cudaGraphicsSubResourceGetMappedArray(
        array: Out<Array>, resource: GraphicsResource, index: u32, level: u32,
    ) {
        cuGraphicsSubResourceGetMappedArray(array, resource, index, level)
    }

    fn cudaGraphicsResourceGetMappedMipmappedArray(array: Out<MipmappedArray>, resource: GraphicsResource) {
        cuGraphicsResourceGetMappedMipmappedArray(array, resource)
    }
}

unsupported! {
    cudaEGLStreamConsumerAcquireFrame
    cudaEGLStreamConsumerConnect
    cudaEGLStreamConsumerConnectWithFlags
    cudaEGLStreamConsumerDisconnect
    cudaEGLStreamConsumerReleaseFrame
    cudaEGLStreamProducerConnect
    cudaEGLStreamProducerDisconnect
    cudaEGLStreamProducerPresentFrame
    cudaEGLStreamProducerReturnFrame
    cudaEventCreateFromEGLSync
    cudaGLMapBufferObject
    cudaGLMapBufferObjectAsync
    cudaGLRegisterBufferObject
    cudaGLSetBufferObjectMapFlags
    cudaGLSetGLDevice
    cudaGLUnmapBufferObject
    cudaGLUnmapBufferObjectAsync
    cudaGLUnregisterBufferObject
    cudaGraphicsResourceGetMappedEglFrame
    cudaVDPAUGetDevice
    cudaVDPAUSetVDPAUDevice
}
