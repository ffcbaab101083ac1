//! Events in captures: which nodes they stand for, and which streams they add to the capture.

use std::sync::Arc;

use super::{Moment, Part, add, any, join};
use crate::abi::{Answer, CUgraphEdgeData, CUresult};
use crate::graph::{Content, EventNode};
use crate::stream::{CUevent, Event, Recording, Stream, StreamKind};

/// Takes down that an event is recorded whenever the graph runs.
///
/// # Errors
/// The stream is not being captured, or its capture is spoilt.
pub fn record_external(handle: CUevent, event: &Arc<Event>, stream: &Arc<Stream>) -> Answer {
    add(stream, Content::Record(EventNode { handle, event: Arc::clone(event) }))
}

/// Takes down a wait for an event that is recorded outside of the graph.
///
/// # Errors
/// The stream is not being captured, or its capture is spoilt.
pub fn wait_external(handle: CUevent, event: &Arc<Event>, stream: &Arc<Stream>) -> Answer {
    add(stream, Content::Wait(EventNode { handle, event: Arc::clone(event) }))
}

/// Records an event in a stream that is being captured; says whether it is. An edge that is not an ordinary one is said
/// of a kernel that has just been taken down.
///
/// # Errors
/// The capture is spoilt.
pub fn record(event: &Event, stream: &Arc<Stream>, edge: CUgraphEdgeData) -> Answer<bool> {
    if !any() {
        return Ok(false);
    }
    let part = stream.part();
    let Some(part) = part.as_ref() else { return Ok(false) };
    part.capture.check()?;
    let mut tips = part.tips.clone();
    if edge != CUgraphEdgeData::default() {
        tips.iter_mut().for_each(|tip| tip.1 = edge);
    }
    let moment = Moment { capture: Arc::clone(&part.capture), tips };
    event.set(Arc::new(Recording::captured(moment)));
    Ok(true)
}

/// Makes a stream wait for an event where one of the two is in a capture; says whether that is so.
///
/// # Errors
/// The capture of one is not that of the other, or is spoilt or over.
pub fn wait(event: &Event, stream: &Arc<Stream>) -> Answer<bool> {
    let recording = event.latest();
    let moment = recording.as_ref().and_then(|recording| recording.moment.as_ref());
    let mut part = stream.part();
    match (part.as_mut(), moment) {
        (None, None) => Ok(false),
        (Some(part), None) => {
            // An event that was never recorded is nothing to wait for.
            if recording.is_none() {
                return part.capture.check().map(|()| true);
            }
            part.capture.spoil();
            Err(CUresult::STREAM_CAPTURE_ISOLATION)
        }
        (_, Some(moment)) if moment.capture.state().ended => Err(CUresult::CAPTURED_EVENT),
        (Some(part), Some(moment)) if part.capture.id == moment.capture.id => {
            part.capture.check()?;
            join(&mut part.tips, &moment.tips);
            Ok(true)
        }
        (Some(part), Some(moment)) => {
            part.capture.spoil();
            moment.capture.spoil();
            Err(CUresult::STREAM_CAPTURE_MERGE)
        }
        (None, Some(moment)) => {
            moment.capture.check()?;
            if stream.kind == StreamKind::Legacy {
                moment.capture.spoil();
                return Err(CUresult::STREAM_CAPTURE_IMPLICIT);
            }
            moment.capture.state().streams.push(Arc::downgrade(stream));
            let (capture, tips) = (Arc::clone(&moment.capture), moment.tips.clone());
            *part = Some(Part { capture, origin: false, tips, shown: Default::default() });
            Ok(true)
        }
    }
}

impl Event {
    /// Refuses to ask or wait for a moment that is part of a capture, and spoils that.
    ///
    /// # Errors
    /// It was last recorded in one.
    pub fn refuse_captured(&self) -> Answer {
        match self.latest().as_ref().and_then(|recording| recording.moment.as_ref()) {
            Some(moment) => {
                moment.capture.spoil();
                Err(CUresult::CAPTURED_EVENT)
            }
            None => Ok(()),
        }
    }
}
