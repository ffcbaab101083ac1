//! The queue of a stream and the thread that empties it. The thread ends when there has been nothing to do for a
//! while, so that a thousand idle streams cost nothing.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Stream;
use crate::abi::CUresult;
use crate::context::Context;
use crate::nvtx::{Ranges, within};
use crate::report;
use crate::work::{KernelLaunch, Mark, Operation, Primary, in_host_function, watch};

/// How long a thread without work stays.
const PATIENCE: Duration = Duration::from_millis(500);
/// How much work may wait: as with the driver, a program that gives more is held until some has been done.
const MOST: usize = 4096;
/// The stack of a thread, on which host functions run too: what C programs are used to.
const STACK: usize = 8 << 20;

/// Work with its place in the order of things.
pub struct Work {
    pub operation: Operation,
    /// Its end, which knows what must have been done before.
    pub mark: Arc<Mark>,
    /// The kernel before it, if it begins before the end of that.
    pub primary: Option<Primary>,
    /// Kept, so that those who wait for all streams find it until the work has been done.
    pub _stream: Arc<Stream>,
    pub context: Arc<Context>,
    /// The NVTX ranges in which it was given.
    pub ranges: Ranges,
}

impl Work {
    /// Waits for what comes before, and does it unless a fault has made the context unusable.
    pub fn run(self) {
        let Self { operation, mark, primary, context, ranges, _stream } = self;
        let early =
            |before: &Arc<Mark>| primary.as_ref().is_some_and(|primary| Arc::ptr_eq(&primary.mark, before));
        mark.before().iter().filter(|before| !early(before)).for_each(|before| before.wait());
        if let Some(primary) = &primary {
            primary.wait();
        }
        let beside = match &operation {
            Operation::Kernel(launch) if launch.ties.beside.is_some() => Some(launch.clone()),
            _ => None,
        };
        mark.while_doing(|| {
            within(ranges, || execute(&operation, &context));
            // Whoever has waited for the work finds that nothing of it is in use any more: no module, no memory.
            drop(operation);
        });
        if let Some(primary) = &primary {
            // Those who come after this come after both.
            primary.status.dependent_waits();
            primary.mark.wait();
        }
        beside.iter().for_each(KernelLaunch::tell_races_with_the_one_before);
        drop(beside);
        mark.finish();
        mark.leaves();
    }
}

/// Does an operation, and sees to what a fault of it leaves.
fn execute(operation: &Operation, context: &Arc<Context>) {
    let ran = match context.check() {
        // Whatever a bug of ours does, those who wait must be let go on.
        Ok(()) => catch_unwind(AssertUnwindSafe(|| operation.run(context))).unwrap_or_else(|_| {
            report::bug("a stream");
            Err(CUresult::UNKNOWN)
        }),
        Err(fault) => return operation.abandon(fault),
    };
    if let Err(fault) = ran {
        context.break_with(fault);
        context.streams.interrupt();
        operation.abandon(fault);
    }
}

/// Work that waits for its turn.
#[derive(Default)]
pub struct Queue {
    state: Mutex<QueueState>,
    /// Whether there is work or an end to be seen: what the thread looks at without the lock.
    news: AtomicBool,
    arrived: Condvar,
    /// Told when there is room again.
    left: Condvar,
}

#[derive(Default)]
struct QueueState {
    works: VecDeque<Work>,
    /// Whether there is a thread that empties the queue.
    served: bool,
    /// Whether that thread sleeps and has not been woken yet.
    asleep: bool,
    /// How many wait for room.
    held: usize,
    /// Nobody can give work any more.
    closed: bool,
}

impl Queue {
    /// Appends work. Gives whether the queue needs a thread, which the caller starts when it holds no lock.
    #[must_use]
    pub fn push(&self, work: Work) -> bool {
        let mut state = self.lock();
        state.works.push_back(work);
        self.news.store(true, Ordering::Release);
        // The thread is woken once, however much work comes until it is awake.
        let wake = std::mem::take(&mut state.asleep);
        let start = !std::mem::replace(&mut state.served, true);
        drop(state);
        if wake {
            self.arrived.notify_one();
        }
        start
    }

    /// Starts a thread that empties the queue.
    pub fn start(self: &Arc<Self>) {
        let queue = Arc::clone(self);
        let thread = std::thread::Builder::new().name("ptxvm stream".into()).stack_size(STACK);
        let started = thread.spawn(move || {
            leave_signals();
            queue.serve();
        });
        if started.is_err() {
            // The host has no thread left: the caller does the work itself.
            while let Some(work) = self.pop_last() {
                work.run();
            }
        }
    }

    /// Holds the caller while more work waits than is sensible. A host function is never held: its own return may
    /// be what makes room.
    pub fn hold(&self) {
        let mut state = self.lock();
        if state.works.len() < MOST || in_host_function() {
            return;
        }
        state.held += 1;
        while state.works.len() >= MOST {
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.held -= 1;
    }

    /// Lets the thread end as soon as the work has been done.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        self.news.store(true, Ordering::Release);
        if std::mem::take(&mut state.asleep) {
            self.arrived.notify_one();
        }
    }

    /// Empties the queue until nothing has come for a while.
    fn serve(&self) {
        while let Some(work) = self.next() {
            work.run();
        }
    }

    fn next(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if let Some(work) = self.pop(&mut state) {
                return Some(work);
            }
            if state.closed {
                state.served = false;
                return None;
            }
            drop(state);
            let came = watch(|| self.news.load(Ordering::Acquire));
            state = self.lock();
            if came || !state.works.is_empty() || state.closed {
                continue;
            }
            state.asleep = true;
            let deadline = Instant::now() + PATIENCE;
            // A push takes `asleep` away; one that does so at the last moment counts.
            while state.asleep {
                let Some(rest) = deadline.checked_duration_since(Instant::now()) else {
                    state.asleep = false;
                    state.served = false;
                    return None;
                };
                state = self.arrived.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    fn pop(&self, state: &mut QueueState) -> Option<Work> {
        let work = state.works.pop_front();
        self.news.store(!state.works.is_empty() || state.closed, Ordering::Release);
        if state.held > 0 && state.works.len() == MOST / 2 {
            self.left.notify_all();
        }
        work
    }

    /// The next work for a caller who has no thread; without any the queue is not served any more.
    fn pop_last(&self) -> Option<Work> {
        let mut state = self.lock();
        let work = self.pop(&mut state);
        state.served = work.is_some();
        work
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leaves signals to the program's own threads: a handler of the program's may expect to run on one of them. Those
/// that tell of a fault of the thread itself stay.
fn leave_signals() {
    // SAFETY: the set is filled before it is used, and only the calling thread's mask changes.
    unsafe {
        let mut all = std::mem::MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        for own in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT] {
            libc::sigdelset(all.as_mut_ptr(), own);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}
