//! The entry points for streams.

use std::sync::Arc;

use ptxvm_memory::AllocationKind;

use super::{CUevent, CUstream, StreamKind, capture, resolve};
use crate::abi::{Answer, CUdevice, CUdeviceptr, CUresult, Host, Out};
use crate::context::{CUcontext, current};
use crate::driver;
use crate::entry::entry;
use crate::handles::Handle;
use crate::work::{CUhostFn, CUstreamCallback, Callback, HostCall, Operation};

/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: u32 = 1;
/// `CU_EVENT_WAIT_EXTERNAL`, which only captures know.
const WAIT_EXTERNAL: u32 = 1;
/// `CU_MEM_ATTACH_GLOBAL`, `CU_MEM_ATTACH_HOST`, `CU_MEM_ATTACH_SINGLE`
const ATTACHMENTS: [u32; 3] = [1, 2, 4];

entry! {
    fn cuStreamCreate(stream: Out<CUstream>, flags: u32) {
        create(stream, flags, 0)
    }

    fn cuStreamCreateWithPriority(stream: Out<CUstream>, flags: u32, priority: i32) {
        create(stream, flags, priority)
    }

    fn cuStreamDestroy(stream: CUstream) {
        destroy(stream)
    }

    fn cuStreamDestroy_v2(stream: CUstream) {
        destroy(stream)
    }

    fn cuStreamSynchronize [cuStreamSynchronize_ptsz] (stream: CUstream) {
        resolve(stream)?.synchronize()
    }

    fn cuStreamQuery [cuStreamQuery_ptsz] (stream: CUstream) {
        let stream = resolve(stream)?;
        stream.refuse_capture()?;
        if stream.is_idle() { stream.context()?.check() } else { Err(CUresult::NOT_READY) }
    }

    fn cuStreamWaitEvent [cuStreamWaitEvent_ptsz] (stream: CUstream, event: CUevent, flags: u32) {
        if flags & !WAIT_EXTERNAL != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let stream = resolve(stream)?;
        let (handle, event) = (event, event.get()?);
        if flags & WAIT_EXTERNAL != 0 {
            return capture::wait_external(handle, &event, &stream);
        }
        if capture::wait(&event, &stream)? {
            return Ok(());
        }
        if let Some(shared) = &event.shared {
            let point = shared.latest();
            return if point.is_reached() { Ok(()) } else { stream.submit(Operation::Await(point), &[]).map(|_| ()) };
        }
        match event.latest() {
            Some(recording) => stream.submit(Operation::Empty, &[Arc::clone(&recording.mark)]).map(|_| ()),
            None => Ok(()),
        }
    }

    fn cuLaunchHostFunc [cuLaunchHostFunc_ptsz] (stream: CUstream, function: Option<CUhostFn>, data: Host) {
        call(stream, function, data)
    }

    fn cuLaunchHostFunc_v2 [cuLaunchHostFunc_v2_ptsz] (
        stream: CUstream, function: Option<CUhostFn>, data: Host, mode: u32,
    ) {
        // The function is waited for blocking or spinning, which makes no difference here.
        if mode > 1 {
            return Err(CUresult::INVALID_VALUE);
        }
        call(stream, function, data)
    }

    fn cuStreamAddCallback [cuStreamAddCallback_ptsz] (
        stream: CUstream, function: Option<CUstreamCallback>, data: Host, flags: u32,
    ) {
        let function = function.ok_or(CUresult::INVALID_VALUE)?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let callback = Callback { function, stream, data };
        let stream = resolve(stream)?;
        stream.refuse_captured()?;
        stream.submit(Operation::Callback(callback), &[]).map(|_| ())
    }

    fn cuStreamAttachMemAsync [cuStreamAttachMemAsync_ptsz] (
        stream: CUstream, address: CUdeviceptr, _bytes: usize, flags: u32,
    ) {
        let stream = resolve(stream)?;
        let allocation = stream.context()?.device.memory().allocation(address);
        let managed = allocation.is_some_and(|allocation| allocation.kind == AllocationKind::Managed);
        if !managed || !ATTACHMENTS.contains(&flags) {
            return Err(CUresult::INVALID_VALUE);
        }
        // Managed memory is everybody's here at all times; only the place in the order matters.
        stream.submit(Operation::Empty, &[]).map(|_| ())
    }

    fn cuStreamGetFlags [cuStreamGetFlags_ptsz] (stream: CUstream, flags: Out<u32>) {
        if flags.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        flags.set(if resolve(stream)?.kind == StreamKind::NonBlocking { NON_BLOCKING } else { 0 })
    }

    fn cuStreamGetId [cuStreamGetId_ptsz] (stream: CUstream, id: Out<u64>) {
        if id.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        id.set(resolve(stream)?.id)
    }

    fn cuStreamGetDevice [cuStreamGetDevice_ptsz] (stream: CUstream, device: Out<CUdevice>) {
        resolve(stream)?;
        device.set(0)
    }

    fn cuStreamGetCtx [cuStreamGetCtx_ptsz] (stream: CUstream, context: Out<CUcontext>) {
        context.set(resolve(stream)?.context()?.handle)
    }

    fn cuStreamGetCtx_v2 [cuStreamGetCtx_v2_ptsz] (stream: CUstream, context: Out<CUcontext>, green: Out<u64>) {
        // No stream belongs to a green context.
        green.offer(0);
        context.set(resolve(stream)?.context()?.handle)
    }

    fn cuStreamGetGreenCtx(stream: CUstream, green: Out<u64>) {
        resolve(stream)?;
        green.set(0)
    }
}

fn create(to: Out<CUstream>, flags: u32, priority: i32) -> Answer {
    if to.is_null() || flags & !NON_BLOCKING != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let context = current()?;
    let kind = if flags & NON_BLOCKING != 0 { StreamKind::NonBlocking } else { StreamKind::Blocking };
    let handle: CUstream = Handle::insert_with(|handle| context.streams.add(handle, kind, priority));
    if !context.is_active() {
        // It has ended meanwhile, perhaps without seeing this stream.
        let _ = handle.remove();
        return Err(CUresult::CONTEXT_IS_DESTROYED);
    }
    to.set(handle)
}

/// The work that the stream has been given is done all the same; the default streams cannot be destroyed.
fn destroy(stream: CUstream) -> Answer {
    driver::get()?;
    stream.remove()?.context()?.check()
}

fn call(stream: CUstream, function: Option<CUhostFn>, data: Host) -> Answer {
    let function = function.ok_or(CUresult::INVALID_VALUE)?;
    resolve(stream)?.submit(Operation::Host(HostCall { function, data }), &[]).map(|_| ())
}
