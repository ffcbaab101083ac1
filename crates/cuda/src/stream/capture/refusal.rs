//! Refuses calls during a capture: those that cannot be captured, or that would invalidate it.

use std::sync::Arc;

use super::{Capture, Mode, THREAD_MODE, any, under_way};
use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::stream::{Stream, StreamKind};

/// Refuses use of the legacy stream while it would have to wait for a stream that is being captured.
pub(super) fn legacy(stream: &Stream) -> Answer {
    if stream.kind != StreamKind::Legacy {
        return Ok(());
    }
    let context = stream.context()?;
    let involved: Vec<_> = under_way().iter().filter(|one| one.involves_legacy(&context)).cloned().collect();
    involved.iter().for_each(|capture| capture.spoil());
    if involved.is_empty() { Ok(()) } else { Err(CUresult::STREAM_CAPTURE_IMPLICIT) }
}

/// Whether the legacy stream would have to wait for a stream that is being captured; nothing is spoilt by asking.
///
/// # Errors
/// It would.
pub fn ask_legacy(stream: &Stream) -> Answer {
    if stream.kind != StreamKind::Legacy || !any() {
        return Ok(());
    }
    let context = stream.context()?;
    let involved = under_way().iter().any(|capture| capture.involves_legacy(&context));
    if involved { Err(CUresult::STREAM_CAPTURE_IMPLICIT) } else { Ok(()) }
}

/// Refuses to wait for all of a context while a stream of it is being captured.
///
/// # Errors
/// One is.
pub fn refuse_context(context: &Arc<Context>) -> Answer {
    if !any() {
        return Ok(());
    }
    let involved: Vec<_> = under_way().iter().filter(|one| one.involves(context)).cloned().collect();
    involved.iter().for_each(|capture| capture.spoil());
    if involved.is_empty() { Ok(()) } else { Err(CUresult::STREAM_CAPTURE_UNSUPPORTED) }
}

/// Refuses a call that a capture could not take down though it may be meant to, such as an allocation, where the modes
/// of the thread and of the captures say so.
///
/// # Errors
/// They do.
pub fn refuse_unsafe() -> Answer {
    let mode = THREAD_MODE.get();
    if !any() || mode == Mode::Relaxed {
        return Ok(());
    }
    let here = std::thread::current().id();
    let concerned = |capture: &&Arc<Capture>| match capture.thread == here {
        true => capture.mode != Mode::Relaxed,
        false => capture.mode == Mode::Global && mode == Mode::Global,
    };
    let concerned: Vec<_> = under_way().iter().filter(concerned).cloned().collect();
    concerned.iter().for_each(|capture| capture.spoil());
    if concerned.is_empty() { Ok(()) } else { Err(CUresult::STREAM_CAPTURE_UNSUPPORTED) }
}
