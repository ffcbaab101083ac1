//! The entry points for streams and events.

use std::sync::Arc;

use super::{CUevent, CUstream, Event, Kind, Recording, Stream, resolve};
use crate::abi::{CUresult, Host, Out};
use crate::context::current;
use crate::entry::entry;
use crate::handles::Handle;
use crate::work::{CUhostFn, HostCall, Operation};

/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: u32 = 1;

entry! {
    fn cuStreamCreate(stream: Out<CUstream>, flags: u32) {
        create(stream, flags, 0)
    }

    fn cuStreamCreateWithPriority(stream: Out<CUstream>, flags: u32, priority: i32) {
        create(stream, flags, priority)
    }

    fn cuStreamDestroy_v2(stream: CUstream) {
        current()?;
        stream.remove().map(|_| ())
    }

    fn cuStreamSynchronize [cuStreamSynchronize_ptsz] (stream: CUstream) {
        resolve(stream)?.synchronize()
    }

    fn cuStreamQuery [cuStreamQuery_ptsz] (stream: CUstream) {
        let stream = resolve(stream)?;
        if stream.is_idle() { stream.context()?.check() } else { Err(CUresult::NOT_READY) }
    }

    fn cuStreamWaitEvent [cuStreamWaitEvent_ptsz] (stream: CUstream, event: CUevent, _flags: u32) {
        let stream = resolve(stream)?;
        match event.get()?.latest() {
            Some(recording) => stream.submit(Operation::Empty, &[Arc::clone(&recording.mark)]).map(|_| ()),
            None => Ok(()),
        }
    }

    fn cuLaunchHostFunc [cuLaunchHostFunc_ptsz] (stream: CUstream, function: Option<CUhostFn>, data: Host) {
        let function = function.ok_or(CUresult::INVALID_VALUE)?;
        resolve(stream)?.submit(Operation::Host(HostCall { function, data }), &[]).map(|_| ())
    }

    fn cuEventCreate(event: Out<CUevent>, flags: u32) {
        let context = current()?;
        event.set(Handle::insert(Arc::new(Event::new(&context, flags))))
    }

    fn cuEventDestroy_v2(event: CUevent) {
        event.remove().map(|_| ())
    }

    fn cuEventRecord [cuEventRecord_ptsz] (event: CUevent, stream: CUstream) {
        let event = event.get()?;
        record(&event, &resolve(stream)?)
    }

    fn cuEventQuery(event: CUevent) {
        match event.get()?.latest() {
            Some(recording) if !recording.mark.is_done() => Err(CUresult::NOT_READY),
            _ => Ok(()),
        }
    }

    fn cuEventSynchronize(event: CUevent) {
        let event = event.get()?;
        if let Some(recording) = event.latest() {
            recording.mark.wait();
        }
        event.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)?.check()
    }

    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: CUevent, end: CUevent) {
        let (start, end) = (start.get()?.latest(), end.get()?.latest());
        let (Some(start), Some(end)) = (start, end) else { return Err(CUresult::INVALID_HANDLE) };
        let (Some(from), Some(to)) = (start.time(), end.time()) else { return Err(CUresult::NOT_READY) };
        let forth = to.saturating_duration_since(from).as_secs_f64();
        let back = from.saturating_duration_since(to).as_secs_f64();
        milliseconds.set(((forth - back) * 1e3) as f32)
    }
}

fn create(to: Out<CUstream>, flags: u32, priority: i32) -> crate::abi::Answer {
    if to.is_null() || flags & !NON_BLOCKING != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let context = current()?;
    let kind = if flags & NON_BLOCKING != 0 { Kind::NonBlocking } else { Kind::Blocking };
    to.set(Handle::insert_with(|handle| context.streams.add(handle, kind, priority)))
}

fn record(event: &Event, stream: &Arc<Stream>) -> crate::abi::Answer {
    let recording = Arc::new(Recording::default());
    stream.submit(Operation::Record(Arc::clone(&recording)), &[])?;
    event.set(recording);
    Ok(())
}
