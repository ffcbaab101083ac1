//! Capture: a stream records its work as nodes of a graph instead of doing it.
//!
//! A capture begins and ends in one stream. Other streams join it when they wait for an event that was recorded in it, and
//! must be joined back the same way before the end. Work that cannot be captured is refused and invalidates the capture,
//! which must still be ended, and then gives no graph.

mod event;
mod refusal;

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::ThreadId;

use super::{Stream, StreamKind};
use crate::abi::{Answer, CUgraphEdgeData, CUresult};
use crate::context::Context;
use crate::graph::{CUgraphNode, Content, Dependency, Graph, kind};
use crate::work::Operation;

pub use event::{record, record_external, wait, wait_external};
use refusal::legacy;
pub use refusal::{ask_legacy, refuse_context, refuse_unsafe};

/// `CUstreamCaptureMode`: which calls that could spoil a capture are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Global = 0,
    ThreadLocal = 1,
    Relaxed = 2,
}

impl Mode {
    /// The mode of a number.
    ///
    /// # Errors
    /// There is none.
    pub fn new(number: u32) -> Answer<Self> {
        match number {
            0 => Ok(Mode::Global),
            1 => Ok(Mode::ThreadLocal),
            2 => Ok(Mode::Relaxed),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }
}

/// A capture.
pub struct Capture {
    /// A number that no other capture of the process has.
    pub id: u64,
    /// Where nodes go.
    pub graph: Arc<Graph>,
    /// Whether the graph was there before and outlives a spoilt capture.
    pub given: bool,
    mode: Mode,
    thread: ThreadId,
    /// The stream in which it began, by its number.
    origin: u64,
    state: Mutex<CaptureState>,
}

#[derive(Default)]
struct CaptureState {
    spoilt: bool,
    ended: bool,
    streams: Vec<Weak<Stream>>,
    /// Nodes that the program has said nothing more needs to depend on.
    dismissed: HashSet<u64>,
}

/// What a stream knows of the capture that it is in.
pub struct Part {
    capture: Arc<Capture>,
    /// Whether the capture began here.
    origin: bool,
    /// What the next node depends on.
    tips: Vec<Dependency>,
    /// The same as it was last shown to the program, which may look at it until its next call.
    shown: (Vec<CUgraphNode>, Vec<CUgraphEdgeData>),
}

/// The moment of an event in a capture: what those depend on who wait for it.
pub struct Moment {
    capture: Arc<Capture>,
    tips: Vec<Dependency>,
}

/// Whether a stream is captured: `CUstreamCaptureStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    None = 0,
    Active = 1,
    Invalidated = 2,
}

/// The captures that are under way.
static CAPTURES: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());
/// How many they are, so that those who capture nothing pay nothing.
static COUNT: AtomicUsize = AtomicUsize::new(0);
static IDS: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static THREAD_MODE: Cell<ThreadMode> = const { Cell::new(ThreadMode(Mode::Global as u32)) };
}

/// The mode of a thread, which is whatever number the program gives it. Only two of them let anything pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadMode(pub u32);

impl PartialEq<Mode> for ThreadMode {
    fn eq(&self, mode: &Mode) -> bool {
        self.0 == *mode as u32
    }
}

/// Gives the calling thread another mode, and says which it had.
pub fn exchange_mode(mode: ThreadMode) -> ThreadMode {
    THREAD_MODE.replace(mode)
}

/// A copy of the list: streams may end while it is looked through, and captures with them.
fn under_way() -> Vec<Arc<Capture>> {
    captures().clone()
}

fn captures() -> MutexGuard<'static, Vec<Arc<Capture>>> {
    CAPTURES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether anything is being captured.
fn any() -> bool {
    COUNT.load(Ordering::Acquire) > 0
}

impl Capture {
    fn state(&self) -> MutexGuard<'_, CaptureState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Spoils it: it will give no graph.
    fn spoil(&self) {
        self.state().spoilt = true;
    }

    /// Whether it can go on.
    ///
    /// # Errors
    /// It is spoilt.
    fn check(&self) -> Answer {
        if self.state().spoilt { Err(CUresult::STREAM_CAPTURE_INVALIDATED) } else { Ok(()) }
    }

    /// Whether a stream that the legacy stream would wait for is in it.
    fn involves_legacy(&self, context: &Arc<Context>) -> bool {
        let streams = self.state().streams.clone();
        streams.iter().filter_map(Weak::upgrade).any(|stream| {
            stream.kind == StreamKind::Blocking && std::ptr::eq(stream.context.as_ptr(), Arc::as_ptr(context))
        })
    }

    fn involves(&self, context: &Arc<Context>) -> bool {
        let streams = self.state().streams.clone();
        let mut living = streams.iter().filter_map(Weak::upgrade);
        living.any(|stream| std::ptr::eq(stream.context.as_ptr(), Arc::as_ptr(context)))
    }

    /// Lets all streams go; says whether it had not ended before.
    fn end(&self) -> bool {
        let mut state = self.state();
        if std::mem::replace(&mut state.ended, true) {
            return false;
        }
        let streams = std::mem::take(&mut state.streams);
        drop(state);
        for stream in streams.iter().filter_map(Weak::upgrade) {
            let part = stream.part().take_if(|part| part.capture.id == self.id);
            drop(part);
        }
        captures().retain(|capture| capture.id != self.id);
        COUNT.fetch_sub(1, Ordering::AcqRel);
        true
    }

    /// Ends it without a graph.
    fn abandon(&self) {
        if self.end() && !self.given {
            self.graph.release();
        }
    }
}

impl Drop for Part {
    /// A capture ends with the stream in which it began.
    fn drop(&mut self) {
        if self.origin {
            self.capture.abandon();
        }
    }
}

impl Stream {
    fn part(&self) -> MutexGuard<'_, Option<Part>> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it takes down what it is given.
    pub fn is_capturing(&self) -> bool {
        any() && self.part().is_some()
    }

    /// Whether it is captured, with the capture.
    pub fn capture_status(&self) -> (Status, Option<Arc<Capture>>) {
        match self.part().as_ref() {
            None => (Status::None, None),
            Some(part) => {
                let spoilt = part.capture.state().spoilt;
                let status = if spoilt { Status::Invalidated } else { Status::Active };
                (status, Some(Arc::clone(&part.capture)))
            }
        }
    }

    /// What the next node will depend on, kept for the program to look at.
    pub fn show_tips(&self) -> (*const CUgraphNode, *const CUgraphEdgeData, usize, bool) {
        let mut part = self.part();
        let Some(part) = part.as_mut() else { return (std::ptr::null(), std::ptr::null(), 0, true) };
        part.shown = part.tips.iter().copied().unzip();
        let plain = part.shown.1.iter().all(|data| *data == CUgraphEdgeData::default());
        (part.shown.0.as_ptr(), part.shown.1.as_ptr(), part.tips.len(), plain)
    }

    /// Refuses to ask or wait for a stream that does nothing but take down, which spoils the capture; and to wait for
    /// any other where the modes say so.
    ///
    /// # Errors
    /// It is being captured, or another is.
    pub fn refuse_capture(&self) -> Answer {
        if !any() {
            return Ok(());
        }
        self.refuse_captured()?;
        legacy(self)?;
        refuse_unsafe()
    }

    /// Refuses what cannot be taken down, which spoils the capture.
    ///
    /// # Errors
    /// It is being captured.
    pub fn refuse_captured(&self) -> Answer {
        match self.part().as_ref() {
            Some(part) => {
                part.capture.spoil();
                Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
            }
            None => Ok(()),
        }
    }

    /// Leaves the capture that it is in, which gives no graph then: its context has ended. Streams of threads are kept
    /// by these, and would go on capturing for nobody.
    pub fn abandon_capture(&self) {
        // The capture itself looks at its streams when it is dropped.
        let part = self.part().take();
        if let Some(part) = part {
            part.capture.spoil();
        }
    }

    /// Changes what the next node will depend on.
    ///
    /// # Errors
    /// It is not being captured, or a node is not in its graph.
    pub fn update_tips(&self, tips: &[Dependency], replace: bool) -> Answer {
        let mut part = self.part();
        let part = part.as_mut().ok_or(CUresult::ILLEGAL_STATE)?;
        part.capture.check()?;
        let foreign = |(node, data): &Dependency| {
            let node = node.find();
            !data.is_valid()
                || node
                    .is_none_or(|node| !std::ptr::eq(node.graph.as_ptr(), Arc::as_ptr(&part.capture.graph)))
        };
        if tips.iter().any(foreign) {
            return Err(CUresult::INVALID_VALUE);
        }
        if replace {
            let gone = std::mem::take(&mut part.tips);
            part.capture.state().dismissed.extend(gone.iter().map(|(node, _)| node.number()));
        }
        join(&mut part.tips, tips);
        Ok(())
    }
}

/// Makes an ordinary dependency on a kernel one on its letting its dependents go.
fn allow_early((node, data): &mut Dependency) {
    let on_kernel = || node.find()?.with(|entry| Ok(entry.content.kind() == kind::KERNEL)).ok();
    if *data == CUgraphEdgeData::default() && on_kernel() == Some(true) {
        *data = CUgraphEdgeData::PROGRAMMATIC;
    }
}

/// Adds dependencies that are not there yet.
fn join(tips: &mut Vec<Dependency>, more: &[Dependency]) {
    for tip in more {
        if !tips.iter().any(|(node, _)| *node == tip.0) {
            tips.push(*tip);
        }
    }
}

/// Refuses to capture the legacy stream.
///
/// # Errors
/// It is the legacy stream.
pub fn refuse_legacy(stream: &Stream) -> Answer {
    if stream.kind == StreamKind::Legacy { Err(CUresult::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
}

/// Begins a capture.
///
/// # Errors
/// The stream is the legacy stream or is being captured already.
pub fn begin(stream: &Arc<Stream>, mode: Mode, into: Option<Arc<Graph>>, tips: Vec<Dependency>) -> Answer {
    refuse_legacy(stream)?;
    let mut part = stream.part();
    if part.is_some() {
        return Err(CUresult::ILLEGAL_STATE);
    }
    let given = into.is_some();
    let state = CaptureState { streams: vec![Arc::downgrade(stream)], ..CaptureState::default() };
    let capture = Arc::new(Capture {
        id: IDS.fetch_add(1, Ordering::Relaxed),
        graph: into.unwrap_or_else(Graph::create),
        given,
        mode,
        thread: std::thread::current().id(),
        origin: stream.id,
        state: Mutex::new(state),
    });
    captures().push(Arc::clone(&capture));
    COUNT.fetch_add(1, Ordering::AcqRel);
    *part = Some(Part { capture, origin: true, tips, shown: Default::default() });
    Ok(())
}

/// Ends the capture that began in a stream, and gives it with its graph.
///
/// # Errors
/// It did not begin there or on this thread, it is spoilt, or there is work of other streams that nothing waits for.
pub fn end(stream: &Arc<Stream>) -> Answer<Arc<Capture>> {
    let (capture, tips) = match stream.part().as_ref() {
        Some(part) => (Arc::clone(&part.capture), part.tips.clone()),
        None => return Err(CUresult::ILLEGAL_STATE),
    };
    if capture.mode != Mode::Relaxed && capture.thread != std::thread::current().id() {
        return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD);
    }
    if capture.origin != stream.id {
        capture.spoil();
        return Err(CUresult::STREAM_CAPTURE_UNMATCHED);
    }
    let sound = capture.check().and_then(|()| joined(&capture, stream, &tips));
    if let Err(result) = sound {
        capture.abandon();
        return Err(result);
    }
    capture.end();
    Ok(capture)
}

/// Whether the work of all other streams comes before the end.
fn joined(capture: &Capture, origin: &Arc<Stream>, tips: &[Dependency]) -> Answer {
    let state = capture.state();
    let others: Vec<_> = state.streams.iter().filter_map(Weak::upgrade).collect();
    let dismissed: Vec<_> = state.dismissed.iter().map(|number| CUgraphNode::new(*number)).collect();
    drop(state);
    let ends: Vec<CUgraphNode> = tips.iter().map(|(node, _)| *node).chain(dismissed).collect();
    let reached = capture.graph.ancestors(&ends);
    for other in others.iter().filter(|other| other.id != origin.id) {
        let part = other.part();
        let open = part.as_ref().filter(|part| part.capture.id == capture.id);
        if open.is_some_and(|part| part.tips.iter().any(|(node, _)| !reached.contains(&node.number()))) {
            return Err(CUresult::STREAM_CAPTURE_UNJOINED);
        }
    }
    Ok(())
}

/// Takes an operation down if the stream is being captured; gives it back if not.
///
/// # Errors
/// The capture is spoilt, or the legacy stream would have to wait for a stream that is being captured.
pub fn divert(stream: &Arc<Stream>, operation: Operation) -> Answer<Option<Operation>> {
    if !any() {
        return Ok(Some(operation));
    }
    if stream.is_capturing() {
        return add(stream, Content::new(operation)).map(|()| None);
    }
    legacy(stream)?;
    Ok(Some(operation))
}

/// Adds a node where a stream is.
///
/// # Errors
/// The stream is not being captured, or its capture is spoilt.
pub fn add(stream: &Arc<Stream>, content: Content<Arc<Graph>>) -> Answer {
    let mut part = stream.part();
    let part = part.as_mut().ok_or(CUresult::ILLEGAL_STATE)?;
    part.capture.check()?;
    // Nodes that the program has destroyed meanwhile need not be waited for.
    part.tips.retain(|(node, _)| node.find().is_some());
    match &content {
        Content::Kernel(kernel) if kernel.launch.early => part.tips.iter_mut().for_each(allow_early),
        Content::Kernel(_) => {}
        // What is no kernel cannot begin early, and waits for the end.
        _ => part.tips.iter_mut().for_each(|tip| tip.1 = CUgraphEdgeData::default()),
    }
    let node = part.capture.graph.add(content, &part.tips)?;
    part.tips = vec![(node.handle, CUgraphEdgeData::default())];
    Ok(())
}
