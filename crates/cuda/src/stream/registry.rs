//! The streams of a context: the legacy stream, those that programs made, and the per-thread streams.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ptxvm_vm::Control;

use super::{CUstream, Last, Stream, StreamAttributes, StreamKind};
use crate::abi::Answer;
use crate::context::Context;
use crate::work::Mark;

/// Numbers the streams of the process.
static IDS: AtomicU64 = AtomicU64::new(1);

/// The streams of a context.
pub struct Streams {
    context: Weak<Context>,
    legacy: Arc<Stream>,
    others: Mutex<Vec<Weak<Stream>>>,
    /// What all running kernels can be stopped by.
    stop: Mutex<Arc<AtomicBool>>,
}

impl Streams {
    /// Only the legacy stream.
    pub fn new(context: Weak<Context>) -> Self {
        let legacy = Arc::new(make(CUstream::NULL, context.clone(), StreamKind::Legacy, 0));
        Self { context, legacy, others: Mutex::default(), stop: Mutex::default() }
    }

    /// The stream that stands for no stream.
    pub fn legacy(&self) -> &Arc<Stream> {
        &self.legacy
    }

    /// Makes a stream. The caller keeps it alive; work that it has been given is done in any case.
    pub fn add(&self, handle: CUstream, kind: StreamKind, priority: i32) -> Arc<Stream> {
        let stream = Arc::new(make(handle, self.context.clone(), kind, priority));
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        // A stream that is gone is forgotten once its last work has been done, which its place in the list outlives.
        others.retain(|stream| stream.strong_count() > 0);
        others.push(Arc::downgrade(&stream));
        stream
    }

    /// Shows every blocking stream but the legacy one.
    pub fn blocking(&self, mut see: impl FnMut(&Stream)) {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let living = others.iter().filter_map(Weak::upgrade);
        living.filter(|stream| stream.kind == StreamKind::Blocking).for_each(|stream| see(&stream));
    }

    /// Waits for all work of all streams.
    ///
    /// # Errors
    /// A host function asks, and some of the work waits for it.
    pub fn synchronize(&self) -> Answer {
        let marks =
            self.living().iter().map(|stream| stream.last()).chain([self.legacy.last()]).collect::<Vec<_>>();
        marks.iter().try_for_each(Mark::wait_for_program)
    }

    /// Stops all running kernels: a fault has ended the context.
    pub fn interrupt(&self) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).store(true, Ordering::Relaxed);
    }

    /// What a kernel that begins now is stopped by.
    pub fn control(&self) -> Arc<Control> {
        let stop = Arc::clone(&self.stop.lock().unwrap_or_else(PoisonError::into_inner));
        Arc::new(Control { stop, ..Control::default() })
    }

    /// Kernels that begin from now on are not stopped by what has stopped others.
    pub fn forget_interrupt(&self) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }

    /// Makes the handles of all streams stale, ends their captures, and forgets the fault that stopped their kernels.
    pub fn release(&self) {
        self.forget_interrupt();
        for stream in self.living() {
            stream.abandon_capture();
            // Streams of threads have no handle, and one that has been destroyed has none any more.
            let _ = stream.handle.remove();
        }
    }

    /// All streams but the legacy one.
    pub fn living(&self) -> Vec<Arc<Stream>> {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.iter().filter_map(Weak::upgrade).collect()
    }
}

fn make(handle: CUstream, context: Weak<Context>, kind: StreamKind, priority: i32) -> Stream {
    Stream {
        handle,
        id: IDS.fetch_add(1, Ordering::Relaxed),
        context,
        kind,
        attributes: Mutex::new(StreamAttributes::new(priority)),
        queue: Arc::default(),
        aside: Arc::default(),
        last: Mutex::new(Last { mark: Arc::new(Mark::done()), grid: None, trail: None, aside: false }),
        capture: Mutex::default(),
    }
}

thread_local! {
    /// The default streams of this thread, one for each context.
    static OWN: RefCell<Vec<(Weak<Context>, Arc<Stream>)>> = const { RefCell::new(Vec::new()) };
}

/// The default stream of the calling thread.
pub fn per_thread(context: &Arc<Context>) -> Arc<Stream> {
    let make = || context.streams.add(CUstream::NULL, StreamKind::Blocking, 0);
    let find = |own: &RefCell<Vec<(Weak<Context>, Arc<Stream>)>>| {
        let mut own = own.borrow_mut();
        own.retain(|(context, _)| context.strong_count() > 0);
        let known = own.iter().find(|(of, _)| of.as_ptr() == Arc::as_ptr(context));
        if let Some((_, stream)) = known {
            return Arc::clone(stream);
        }
        let stream = make();
        own.push((Arc::downgrade(context), Arc::clone(&stream)));
        stream
    };
    // A thread that is ending has forgotten its stream, with nothing in it that could still matter to the thread.
    OWN.try_with(find).unwrap_or_else(|_| make())
}
