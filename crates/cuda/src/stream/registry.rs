//! The streams of a context: the legacy stream, those that programs made, and one for each thread that wants one.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{CUstream, Kind, Queue, Stream};
use crate::context::Context;
use crate::work::Mark;

/// Numbers the streams of the process.
static IDS: AtomicU64 = AtomicU64::new(1);

/// The streams of a context.
pub struct Streams {
    context: Weak<Context>,
    legacy: Arc<Stream>,
    others: Mutex<Vec<Weak<Stream>>>,
}

impl Streams {
    /// Only the legacy stream.
    pub fn new(context: Weak<Context>) -> Self {
        let legacy = Arc::new(make(CUstream::NULL, context.clone(), Kind::Legacy, 0));
        Self { context, legacy, others: Mutex::default() }
    }

    /// The stream that stands for no stream.
    pub fn legacy(&self) -> &Arc<Stream> {
        &self.legacy
    }

    /// Makes a stream. The caller keeps it alive; work that it has been given is done in any case.
    pub fn add(&self, handle: CUstream, kind: Kind, priority: i32) -> Arc<Stream> {
        let stream = Arc::new(make(handle, self.context.clone(), kind, priority));
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        // A stream that is gone is forgotten once its last work has been done, which its place in the list outlives.
        others.retain(|stream| stream.strong_count() > 0);
        others.push(Arc::downgrade(&stream));
        stream
    }

    /// Shows every blocking stream but the legacy one.
    pub fn blocking(&self, mut see: impl FnMut(&Stream)) {
        self.living().iter().filter(|stream| stream.kind == Kind::Blocking).for_each(|stream| see(stream));
    }

    /// Waits for all work of all streams.
    pub fn synchronize(&self) {
        self.living().iter().for_each(|stream| stream.last().wait());
        self.legacy.last().wait();
    }

    /// Makes the handles of all streams stale.
    pub fn release(&self) {
        for stream in self.living() {
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

fn make(handle: CUstream, context: Weak<Context>, kind: Kind, priority: i32) -> Stream {
    let done = Mark::default();
    done.finish();
    Stream {
        handle,
        id: IDS.fetch_add(1, Ordering::Relaxed),
        context,
        kind,
        priority,
        queue: Arc::default(),
        last: Mutex::new(Arc::new(done)),
    }
}

thread_local! {
    /// The default streams of this thread, one for each context.
    static OWN: RefCell<Vec<(Weak<Context>, Arc<Stream>)>> = const { RefCell::new(Vec::new()) };
}

/// The default stream of the calling thread.
pub fn per_thread(context: &Arc<Context>) -> Arc<Stream> {
    OWN.with_borrow_mut(|own| {
        own.retain(|(context, _)| context.strong_count() > 0);
        let known = own.iter().find(|(of, _)| of.as_ptr() == Arc::as_ptr(context));
        if let Some((_, stream)) = known {
            return Arc::clone(stream);
        }
        let stream = context.streams.add(CUstream::NULL, Kind::Blocking, 0);
        own.push((Arc::downgrade(context), Arc::clone(&stream)));
        stream
    })
}
