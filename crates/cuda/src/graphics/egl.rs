//! cudaEGL.h: there is no EGL, so no stream can be connected and no image registered.

use super::{CUgraphicsResource, register};
use crate::abi::{Answer, CUresult, In, Out};
use crate::context::current;
use crate::driver;
use crate::entry::entry;
use crate::stream::CUstream;

/// A `CUeglStreamConnection`: no program has been given one.
type Connection = u64;
/// What EGL knows a stream or an image by.
type EglHandle = u64;
/// A `CUeglFrame`, of which nothing is read or written.
type Frame = u8;

entry! {
    /// Drivers export it, though no header declares it.
    fn cuEGLApiInit() {
        Ok(())
    }

    fn cuEGLStreamConsumerConnect(connection: Out<Connection>, stream: EglHandle) {
        connect(connection, stream)
    }

    fn cuEGLStreamConsumerConnectWithFlags(connection: Out<Connection>, stream: EglHandle, _flags: u32) {
        connect(connection, stream)
    }

    fn cuEGLStreamProducerConnect(connection: Out<Connection>, stream: EglHandle, _width: i32, _height: i32) {
        connect(connection, stream)
    }

    fn cuEGLStreamConsumerDisconnect(_connection: In<Connection>) {
        Err(CUresult::INVALID_HANDLE)
    }

    fn cuEGLStreamProducerDisconnect(_connection: In<Connection>) {
        Err(CUresult::INVALID_HANDLE)
    }

    fn cuEGLStreamConsumerAcquireFrame(
        _connection: In<Connection>, _resource: Out<CUgraphicsResource>, _stream: In<CUstream>, _timeout: u32,
    ) {
        Err(CUresult::INVALID_HANDLE)
    }

    fn cuEGLStreamConsumerReleaseFrame(
        _connection: In<Connection>, _resource: CUgraphicsResource, _stream: In<CUstream>,
    ) {
        Err(CUresult::INVALID_HANDLE)
    }

    /// Between the two stands a `CUeglFrame`, which as a large structure travels on the stack.
    fn cuEGLStreamProducerPresentFrame(_connection: In<Connection>, _stream: In<CUstream>) {
        Err(CUresult::INVALID_HANDLE)
    }

    fn cuEGLStreamProducerReturnFrame(_connection: In<Connection>, _frame: Out<Frame>, _stream: In<CUstream>) {
        Err(CUresult::INVALID_HANDLE)
    }

    fn cuGraphicsEGLRegisterImage(resource: Out<CUgraphicsResource>, _image: EglHandle, flags: u32) {
        current()?;
        register(resource, flags)?;
        Err(CUresult::UNKNOWN)
    }

    fn cuGraphicsResourceGetMappedEglFrame(
        _frame: Out<Frame>, _resource: CUgraphicsResource, _index: u32, _level: u32,
    ) {
        driver::get()?;
        Err(CUresult::INVALID_HANDLE)
    }
}

/// The stream is looked at before anything else; that it is not one of EGL's is found out last.
fn connect(_connection: Out<Connection>, stream: EglHandle) -> Answer {
    if stream == 0 {
        return Err(CUresult::INVALID_HANDLE);
    }
    current()?;
    Err(CUresult::UNKNOWN)
}
