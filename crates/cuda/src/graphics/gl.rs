//! cudaGL.h: there is no OpenGL, which the driver reports as an error of the operating system.

use super::{CUgraphicsResource, register};
use crate::abi::{Answer, CUdevice, CUdeviceptr, CUresult, Out};
use crate::context::{CUcontext, current};
use crate::driver;
use crate::entry::entry;
use crate::stream::CUstream;

/// The kinds of textures that OpenGL shares: `GL_TEXTURE_2D`, `GL_TEXTURE_3D`, `GL_TEXTURE_RECTANGLE`,
/// `GL_TEXTURE_CUBE_MAP`, `GL_TEXTURE_2D_ARRAY`, `GL_RENDERBUFFER`.
const TARGETS: [u32; 6] = [0x0de1, 0x806f, 0x84f5, 0x8513, 0x8c1a, 0x8d41];

entry! {
    fn cuGLInit() {
        needs_context()
    }

    fn cuGLCtxCreate(context: Out<CUcontext>, flags: u32, device: CUdevice) {
        create(context, flags, device)
    }

    fn cuGLCtxCreate_v2(context: Out<CUcontext>, flags: u32, device: CUdevice) {
        create(context, flags, device)
    }

    fn cuGLGetDevices(count: Out<u32>, devices: Out<CUdevice>, room: u32, list: u32) {
        devices_of_frames(count, devices, room, list)
    }

    fn cuGLGetDevices_v2(count: Out<u32>, devices: Out<CUdevice>, room: u32, list: u32) {
        devices_of_frames(count, devices, room, list)
    }

    fn cuGraphicsGLRegisterBuffer(resource: Out<CUgraphicsResource>, buffer: u32, flags: u32) {
        current()?;
        register(resource, flags)?;
        if buffer == 0 { Err(CUresult::INVALID_VALUE) } else { Err(CUresult::OPERATING_SYSTEM) }
    }

    fn cuGraphicsGLRegisterImage(resource: Out<CUgraphicsResource>, image: u32, target: u32, flags: u32) {
        current()?;
        register(resource, flags)?;
        if image == 0 || !TARGETS.contains(&target) {
            return Err(CUresult::INVALID_VALUE);
        }
        Err(CUresult::OPERATING_SYSTEM)
    }

    fn cuGLRegisterBufferObject(_buffer: u32) {
        needs_context()
    }

    fn cuGLSetBufferObjectMapFlags(_buffer: u32, _flags: u32) {
        not_registered()
    }

    fn cuGLUnmapBufferObject(_buffer: u32) {
        not_registered()
    }

    fn cuGLUnmapBufferObjectAsync(_buffer: u32, _stream: CUstream) {
        not_registered()
    }

    fn cuGLUnregisterBufferObject(_buffer: u32) {
        not_registered()
    }

    fn cuGLMapBufferObject(_address: Out<u32>, _bytes: Out<u32>, _buffer: u32) {
        of_cuda_2()
    }

    fn cuGLMapBufferObject_v2[cuGLMapBufferObject_v2_ptds](
        _address: Out<CUdeviceptr>, _bytes: Out<usize>, _buffer: u32,
    ) {
        not_registered()
    }

    fn cuGLMapBufferObjectAsync(_address: Out<u32>, _bytes: Out<u32>, _buffer: u32, _stream: CUstream) {
        of_cuda_2()
    }

    fn cuGLMapBufferObjectAsync_v2[cuGLMapBufferObjectAsync_v2_ptsz](
        _address: Out<CUdeviceptr>, _bytes: Out<usize>, _buffer: u32, _stream: CUstream,
    ) {
        not_registered()
    }
}

/// What asks OpenGL first.
fn needs_context() -> Answer {
    current()?;
    Err(CUresult::OPERATING_SYSTEM)
}

/// What names a buffer: none has been registered.
fn not_registered() -> Answer {
    current()?;
    Err(CUresult::INVALID_VALUE)
}

/// Programs of CUDA 2, whose pointers have 32 bits, have no context here.
fn of_cuda_2() -> Answer {
    driver::get()?;
    Err(CUresult::INVALID_CONTEXT)
}

fn create(context: Out<CUcontext>, _flags: u32, device: CUdevice) -> Answer {
    driver::get()?;
    if context.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    driver::device(device)?;
    Err(CUresult::OPERATING_SYSTEM)
}

fn devices_of_frames(_count: Out<u32>, _devices: Out<CUdevice>, _room: u32, _list: u32) -> Answer {
    driver::get()?;
    Err(CUresult::OPERATING_SYSTEM)
}
