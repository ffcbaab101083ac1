//! Buffers and images of graphics, of which a server without a display has none: the driver answers so.

use ptxvm_abi::{Host, In, Out};

use crate::context::DEVICE;
use crate::driver::{
    cuEGLStreamConsumerAcquireFrame, cuEGLStreamConsumerConnect, cuEGLStreamConsumerConnectWithFlags,
    cuEGLStreamConsumerDisconnect, cuEGLStreamConsumerReleaseFrame, cuEGLStreamProducerConnect,
    cuEGLStreamProducerDisconnect, cuEGLStreamProducerPresentFrame, cuEGLStreamProducerReturnFrame,
    cuGLGetDevices, cuGLMapBufferObject, cuGLMapBufferObjectAsync, cuGLRegisterBufferObject,
    cuGLSetBufferObjectMapFlags, cuGLUnmapBufferObject, cuGLUnmapBufferObjectAsync,
    cuGraphicsEGLRegisterImage, cuGraphicsGLRegisterBuffer, cuGraphicsGLRegisterImage,
    cuGraphicsMapResources, cuGraphicsResourceGetMappedEglFrame, cuGraphicsResourceGetMappedMipmappedArray,
    cuGraphicsResourceGetMappedPointer, cuGraphicsResourceSetMapFlags, cuGraphicsSubResourceGetMappedArray,
    cuGraphicsUnmapResources, cuGraphicsUnregisterResource, cuGraphicsVDPAURegisterOutputSurface,
    cuGraphicsVDPAURegisterVideoSurface, cuVDPAUGetDevice,
};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{Array, GraphicsResource, MipmappedArray, Stream};
use crate::symbol::export;

/// `cudaGLDeviceList`: all devices of a context of OpenGL's, those of its frame, and those of the next.
const DEVICE_LISTS: std::ops::RangeInclusive<u32> = 1..=3;

entry! {
    fn cudaGLGetDevices(count: Out<u32>, devices: Out<i32>, most: u32, list: u32) {
        if !DEVICE_LISTS.contains(&list) {
            return Err(CudaError::INVALID_VALUE);
        }
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

// What named a buffer of OpenGL's or a device before CUDA 3, and EGL's streams.
entry! {
    fn cudaGLSetGLDevice(device: i32) {
        chosen_late(device)
    }

    fn cudaGLRegisterBufferObject(buffer: u32) {
        cuGLRegisterBufferObject(buffer)
    }

    /// Asks OpenGL first, other than the driver's function, and there is none.
    fn cudaGLUnregisterBufferObject(buffer: u32) {
        cuGLRegisterBufferObject(buffer)
    }

    fn cudaGLSetBufferObjectMapFlags(buffer: u32, flags: u32) {
        cuGLSetBufferObjectMapFlags(buffer, flags)
    }

    fn cudaGLMapBufferObject(address: Out<u64>, buffer: u32) {
        cuGLMapBufferObject(address, Out::<usize>::NULL, buffer)
    }

    fn cudaGLMapBufferObjectAsync(address: Out<u64>, buffer: u32, stream: Stream) {
        cuGLMapBufferObjectAsync(address, Out::<usize>::NULL, buffer, stream)
    }

    fn cudaGLUnmapBufferObject(buffer: u32) {
        cuGLUnmapBufferObject(buffer)
    }

    fn cudaGLUnmapBufferObjectAsync(buffer: u32, stream: Stream) {
        cuGLUnmapBufferObjectAsync(buffer, stream)
    }

    fn cudaVDPAUGetDevice(device: Out<i32>, vdpau: u32, look_up: Host) {
        cuVDPAUGetDevice(device, vdpau, look_up)
    }

    fn cudaVDPAUSetVDPAUDevice(device: i32, _vdpau: u32, _look_up: Host) {
        chosen_late(device)
    }

    fn cudaEGLStreamConsumerConnect(connection: Out<u64>, stream: u64) {
        cuEGLStreamConsumerConnect(connection, stream)
    }

    fn cudaEGLStreamConsumerConnectWithFlags(connection: Out<u64>, stream: u64, flags: u32) {
        cuEGLStreamConsumerConnectWithFlags(connection, stream, flags)
    }

    fn cudaEGLStreamConsumerDisconnect(connection: In<u64>) {
        cuEGLStreamConsumerDisconnect(connection)
    }

    fn cudaEGLStreamConsumerAcquireFrame(
        connection: In<u64>, resource: Out<GraphicsResource>, stream: In<Stream>, timeout: u32,
    ) {
        cuEGLStreamConsumerAcquireFrame(connection, resource, stream, timeout)
    }

    fn cudaEGLStreamConsumerReleaseFrame(connection: In<u64>, resource: GraphicsResource, stream: In<Stream>) {
        cuEGLStreamConsumerReleaseFrame(connection, resource, stream)
    }

    fn cudaEGLStreamProducerConnect(connection: Out<u64>, stream: u64, width: i32, height: i32) {
        cuEGLStreamProducerConnect(connection, stream, width, height)
    }

    fn cudaEGLStreamProducerDisconnect(connection: In<u64>) {
        cuEGLStreamProducerDisconnect(connection)
    }

    /// Between the two stands a `cudaEglFrame`, which as a large structure travels on the stack.
    fn cudaEGLStreamProducerPresentFrame(connection: In<u64>, stream: In<Stream>) {
        cuEGLStreamProducerPresentFrame(connection, stream)
    }

    fn cudaEGLStreamProducerReturnFrame(connection: In<u64>, frame: Host, stream: In<Stream>) {
        cuEGLStreamProducerReturnFrame(connection, frame, stream)
    }

    fn cudaGraphicsResourceGetMappedEglFrame(frame: Host, resource: GraphicsResource, index: u32, level: u32) {
        cuGraphicsResourceGetMappedEglFrame(frame, resource, index, level)
    }
}

/// A device is chosen for OpenGL or VDPAU before anything is done with it, and something has been done when this is asked.
fn chosen_late(device: i32) -> Answer {
    Err(if device == DEVICE { CudaError::SET_ON_ACTIVE_PROCESS } else { CudaError::INVALID_DEVICE })
}

/// No device of ours can do it. The runtime does not keep this error as the thread's last.
#[allow(non_snake_case, reason = "the name is for C programs")]
#[cfg_attr(not(versioned), unsafe(no_mangle))]
pub extern "C" fn cudaEventCreateFromEGLSync(_event: Host, _sync: Host, _flags: u32) -> CudaError {
    CudaError::NOT_SUPPORTED
}
export!(cudaEventCreateFromEGLSync);
