//! Streams: each runs its work in order, on its own thread while it has work.

mod api;
mod attributes;
pub mod capture;
pub mod event;
mod event_api;
mod event_ipc;
mod memory_operations;
mod queue;
mod registry;
mod unsupported;

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ptxvm_vm::GridStatus;

pub use api::*;
pub use attributes::*;
pub use event::{CUevent, Event, Recording};
pub use event_api::*;
pub use event_ipc::*;
pub use memory_operations::*;
pub use registry::{Streams, per_thread};
pub use unsupported::*;

use crate::abi::{Answer, CUresult};
use crate::context::{Context, current};
use crate::handles::{Handle, Object};
use crate::nvtx;
use crate::work::{Mark, Operation, Primary, Trail, early, order_is_followed, place_in_order, trail};
use attributes::StreamAttributes;
use queue::{Queue, Work};

/// A handle of a stream.
pub type CUstream = Handle<Stream>;

/// `CU_STREAM_LEGACY`: the default stream that waits for all blocking ones, and they for it.
pub const LEGACY: u64 = 1;
/// `CU_STREAM_PER_THREAD`: the default stream of the calling thread.
pub const PER_THREAD: u64 = 2;

/// A stream.
pub struct Stream {
    /// Its own handle; null for default streams.
    pub handle: CUstream,
    /// A number that no other stream of the process has.
    pub id: u64,
    /// The context that it belongs to, which must not be kept alive by its streams.
    context: Weak<Context>,
    /// What it is with respect to the legacy stream.
    pub kind: StreamKind,
    /// What programs set and ask; nothing here depends on it.
    attributes: Mutex<StreamAttributes>,
    queue: Arc<Queue>,
    /// Kernels that begin before the one before them has ended; if that is one of these, they stand in the other queue.
    aside: Arc<Queue>,
    /// The last work it was given.
    last: Mutex<Last>,
    /// The capture that it is in.
    capture: Mutex<Option<capture::Part>>,
}

/// The last work that a stream was given.
struct Last {
    /// Its end, and that of all work before it.
    mark: Arc<Mark>,
    /// How far it is, if it is a kernel that others may begin before the end of.
    grid: Option<Arc<GridStatus>>,
    /// What the next may race with, if it is a kernel.
    trail: Option<Trail>,
    /// Whether it stands in the queue aside.
    aside: bool,
}

/// How a stream is ordered with the legacy stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// It is the legacy stream.
    Legacy,
    /// It waits for the legacy stream, and the legacy stream for it.
    Blocking,
    /// `CU_STREAM_NON_BLOCKING`
    NonBlocking,
}

impl Object for Stream {}

impl Stream {
    /// The context that it belongs to.
    ///
    /// # Errors
    /// That has been destroyed.
    pub fn context(&self) -> Answer<Arc<Context>> {
        self.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)
    }

    /// Gives it work that comes after all it has, and after the marks. The call does not wait.
    ///
    /// # Errors
    /// The context cannot be used any more.
    pub fn submit(self: &Arc<Self>, operation: Operation, after: &[Arc<Mark>]) -> Answer<Arc<Mark>> {
        let context = self.context()?;
        context.check()?;
        let Some(operation) = capture::divert(self, operation)? else { return Ok(Arc::new(Mark::done())) };
        self.queue.hold();
        let order = context.ordered();
        let (work, aside) = self.place(&context, operation, self.before(&context, after));
        let mark = Arc::clone(&work.mark);
        let queue = if aside { &self.aside } else { &self.queue };
        // In the queue works stand in the order of their places, or one would wait for another after it.
        let start = queue.push(work);
        drop(order);
        if start {
            queue.start();
        }
        Ok(mark)
    }

    /// Does work that comes after all it has, on the calling thread, and returns when it has been done.
    ///
    /// # Errors
    /// The context cannot be used any more, the work failed, or it would wait for the host function that asks for it.
    pub fn perform(self: &Arc<Self>, operation: Operation) -> Answer {
        let context = self.context()?;
        context.check()?;
        let Some(operation) = capture::divert(self, operation)? else { return Ok(()) };
        let order = context.ordered();
        let before = self.before(&context, &[]);
        before.iter().try_for_each(Mark::may_be_waited_for)?;
        let (work, _) = self.place(&context, operation, before);
        drop(order);
        let mark = Arc::clone(&work.mark);
        work.run();
        mark.has_been_waited_for();
        context.check()
    }

    /// Waits for all that it has been given.
    ///
    /// # Errors
    /// A fault of the guest's, or a host function that would wait for itself.
    pub fn synchronize(&self) -> Answer {
        self.refuse_capture()?;
        self.last().wait_for_program()?;
        self.context()?.check()
    }

    /// Whether all that it has been given has been done.
    pub fn is_idle(&self) -> bool {
        let last = self.last();
        let done = last.is_done();
        if done {
            last.has_been_waited_for();
        }
        done
    }

    /// The end of the last work that it has been given.
    pub fn last(&self) -> Arc<Mark> {
        Arc::clone(&self.last.lock().unwrap_or_else(PoisonError::into_inner).mark)
    }

    /// What new work comes after: its own stream's work, and where the legacy stream is involved that of all
    /// blocking streams.
    fn before(&self, context: &Context, after: &[Arc<Mark>]) -> Vec<Arc<Mark>> {
        let mut before: Vec<Arc<Mark>> = Vec::new();
        let followed = order_is_followed();
        let mut add = |mark: Arc<Mark>| {
            if followed || !mark.is_done() {
                before.push(mark);
            }
        };
        after.iter().cloned().for_each(&mut add);
        match self.kind {
            StreamKind::Legacy => context.streams.blocking(|stream| add(stream.last())),
            StreamKind::Blocking => add(context.legacy().last()),
            StreamKind::NonBlocking => {}
        }
        add(self.last());
        before
    }

    /// Puts new work at the end of the stream, and says whether it stands in the queue aside.
    fn place(
        self: &Arc<Self>,
        context: &Arc<Context>,
        mut operation: Operation,
        before: Vec<Arc<Mark>>,
    ) -> (Work, bool) {
        let mark = Arc::new(Mark::after(before));
        place_in_order(self.id, &mark, &operation);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (end, grid) = (Arc::clone(&last.mark), last.grid.clone());
        let trail = trail(&mut operation, last.trail.take());
        let primary = early(&mut operation, grid.map(|status| Primary { status, mark: end }));
        let grid = match &operation {
            Operation::Kernel(launch) => launch.ties.status.clone(),
            _ => None,
        };
        let aside = primary.is_some() && !last.aside;
        *last = Last { mark: Arc::clone(&mark), grid, trail, aside };
        let ranges = nvtx::current();
        (
            Work {
                operation,
                mark,
                primary,
                _stream: Arc::clone(self),
                context: Arc::clone(context),
                ranges,
            },
            aside,
        )
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.queue.close();
        self.aside.close();
    }
}

/// The stream that a handle means.
///
/// # Errors
/// There is no such stream, or its context cannot be used.
pub fn resolve(handle: CUstream) -> Answer<Arc<Stream>> {
    let stream = match handle.number() {
        0 if !OWN_DEFAULT.get() => Arc::clone(current()?.legacy()),
        LEGACY => Arc::clone(current()?.legacy()),
        0 | PER_THREAD => per_thread(&current()?),
        _ => {
            crate::driver::get()?;
            handle.get()?
        }
    };
    stream.context()?.check()?;
    Ok(stream)
}

thread_local! {
    /// Whether the call that this thread is in takes null for the thread's own stream.
    static OWN_DEFAULT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call in which null means the thread's own stream. No panic comes out of an entry point.
pub fn own_default<T>(call: impl FnOnce() -> T) -> T {
    let outer = OWN_DEFAULT.replace(true);
    let result = call();
    OWN_DEFAULT.set(outer);
    result
}
