//! The queue of a stream and the thread that empties it. The thread ends when there has been nothing to do for a
//! while, so that a thousand idle streams cost nothing.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Stream;
use crate::context::Context;
use crate::work::{Mark, Operation};

/// How long a thread without work stays.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it looks for work before it goes to sleep: waking up costs more than a short kernel.
const WATCH: Duration = Duration::from_micros(20);

/// Work with its place in the order of things.
pub struct Work {
    pub operation: Operation,
    /// What must have been done before.
    pub before: Vec<Arc<Mark>>,
    /// Its own end.
    pub mark: Arc<Mark>,
    /// Kept, so that those who wait for all streams find it until the work has been done.
    pub stream: Arc<Stream>,
    pub context: Arc<Context>,
}

impl Work {
    /// Waits for what comes before, and does it unless a fault has made the context unusable.
    pub fn run(self) {
        for mark in &self.before {
            mark.wait();
        }
        // The mark is finished also when a bug of ours panics, or everybody would wait forever.
        let _finish = Finish(&self.mark);
        if self.context.check().is_ok()
            && let Err(fault) = self.operation.run(&self.context)
        {
            self.context.break_with(fault);
        }
    }
}

struct Finish<'a>(&'a Mark);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Work that waits for its turn.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    works: VecDeque<Work>,
    /// Whether there is a thread that empties the queue.
    served: bool,
    /// Whether that thread sleeps.
    asleep: bool,
}

impl Queue {
    /// Appends work.
    pub fn push(self: &Arc<Self>, work: Work) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.works.push_back(work);
        if state.asleep {
            self.arrived.notify_one();
        } else if !state.served {
            state.served = true;
            drop(state);
            let queue = Arc::clone(self);
            let thread = std::thread::Builder::new().name("ptxvm stream".into());
            if thread.spawn(move || queue.serve()).is_err() {
                // The host has no thread left: the caller does the work itself.
                self.serve();
            }
        }
    }

    /// Empties the queue until nothing has come for a while.
    fn serve(&self) {
        while let Some(work) = self.next() {
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work.run())).is_err() {
                crate::report::bug("a stream");
            }
        }
    }

    fn next(&self) -> Option<Work> {
        let began = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(work) = state.works.pop_front() {
                return Some(work);
            }
            if began.elapsed() < WATCH {
                drop(state);
                std::hint::spin_loop();
                state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.asleep = true;
            let (woken, timeout) =
                self.arrived.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.asleep = false;
            if timeout.timed_out() && state.works.is_empty() {
                state.served = false;
                return None;
            }
        }
    }
}
