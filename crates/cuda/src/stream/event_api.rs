//! The entry points for events.

use std::sync::Arc;

use super::{CUevent, CUstream, Event, Recording, Stream, capture, resolve};
use crate::abi::{Answer, CUgraphEdgeData, CUresult, Out};
use crate::context::current;
use crate::driver;
use crate::entry::entry;
use crate::handles::Handle;
use crate::work::{Operation, SharedCount};

/// `CU_EVENT_BLOCKING_SYNC`, `CU_EVENT_DISABLE_TIMING`, `CU_EVENT_INTERPROCESS`
const BLOCKING_SYNC: u32 = 1;
pub(super) const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;
/// Those that an event has which another process opened.
pub(super) const SHARED_FLAGS: u32 = INTERPROCESS | DISABLE_TIMING;
/// `CU_EVENT_RECORD_EXTERNAL`, which only captures know.
const RECORD_EXTERNAL: u32 = 1;

entry! {
    fn cuEventCreate(event: Out<CUevent>, flags: u32) {
        let known = BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS;
        let shared_but_timed = flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0;
        if event.is_null() || flags & !known != 0 || shared_but_timed {
            return Err(CUresult::INVALID_VALUE);
        }
        let context = current()?;
        let shared = if flags & INTERPROCESS != 0 { Some(Arc::new(SharedCount::new()?)) } else { None };
        event.set(Handle::insert(Arc::new(Event::new(&context, flags, shared))))
    }

    fn cuEventDestroy(event: CUevent) {
        destroy(event)
    }

    fn cuEventDestroy_v2(event: CUevent) {
        destroy(event)
    }

    fn cuEventRecord [cuEventRecord_ptsz] (event: CUevent, stream: CUstream) {
        let stream = resolve(stream)?;
        record(&*event.get()?, &stream)
    }

    fn cuEventRecordWithFlags [cuEventRecordWithFlags_ptsz] (event: CUevent, stream: CUstream, flags: u32) {
        if flags & !RECORD_EXTERNAL != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let stream = resolve(stream)?;
        let (handle, event) = (event, event.get()?);
        if flags & RECORD_EXTERNAL != 0 {
            return capture::record_external(handle, &event, &stream);
        }
        record(&event, &stream)
    }

    fn cuEventQuery(event: CUevent) {
        driver::get()?;
        let event = event.get()?;
        event.check()?;
        event.refuse_captured()?;
        if let Some(shared) = &event.shared {
            return if shared.latest().is_reached() { Ok(()) } else { Err(CUresult::NOT_READY) };
        }
        match event.latest() {
            Some(recording) if !recording.mark.is_done() => Err(CUresult::NOT_READY),
            Some(recording) => {
                recording.mark.has_been_waited_for();
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn cuEventSynchronize(event: CUevent) {
        driver::get()?;
        let event = event.get()?;
        event.refuse_captured()?;
        if let (Some(shared), Some(context)) = (&event.shared, event.context.upgrade()) {
            shared.latest().wait(&context);
        }
        if let Some(recording) = event.latest() {
            recording.mark.wait_for_program()?;
        }
        event.check()
    }

    fn cuEventElapsedTime(milliseconds: Out<f32>, start: CUevent, end: CUevent) {
        elapsed(milliseconds, start, end)
    }

    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: CUevent, end: CUevent) {
        elapsed(milliseconds, start, end)
    }
}

fn destroy(event: CUevent) -> Answer {
    driver::get()?;
    event.remove()?.check()
}

/// Records an event in a stream of its own context.
///
/// # Errors
/// The stream is another context's, or that cannot be used any more.
pub fn record(event: &Event, stream: &Arc<Stream>) -> Answer {
    record_after(event, stream, CUgraphEdgeData::default())
}

/// Records an event for the work that a stream was given last; in a capture, what waits for it comes after that by an
/// edge of this kind.
///
/// # Errors
/// As above.
pub fn record_after(event: &Event, stream: &Arc<Stream>, edge: CUgraphEdgeData) -> Answer {
    if !event.is_of(&*stream.context()?) {
        return Err(CUresult::INVALID_HANDLE);
    }
    if capture::record(event, stream, edge)? {
        return Ok(());
    }
    if let Some(shared) = &event.shared {
        return stream.submit(Operation::Reach(shared.record()), &[]).map(|_| ());
    }
    let time = Arc::default();
    // Who has waited for the event finds that the stream has done it: its mark is that of the work.
    let mark = stream.submit(Operation::Record(Arc::clone(&time)), &[])?;
    event.set(Arc::new(Recording::new(mark, time)));
    Ok(())
}

fn elapsed(milliseconds: Out<f32>, start: CUevent, end: CUevent) -> Answer {
    driver::get()?;
    let (start, end) = (start.get()?, end.get()?);
    start.check()?;
    end.check()?;
    if !start.is_timed() || !end.is_timed() || !start.is_of_the_same_context(&end) {
        return Err(CUresult::INVALID_HANDLE);
    }
    let (Some(from), Some(to)) = (start.latest(), end.latest()) else {
        return Err(CUresult::INVALID_HANDLE);
    };
    let (Some(from), Some(to)) = (from.time(), to.time()) else { return Err(CUresult::NOT_READY) };
    let forth = to.saturating_duration_since(from).as_secs_f64();
    let back = from.saturating_duration_since(to).as_secs_f64();
    milliseconds.set(((forth - back) * 1e3) as f32)
}
