//! A mark: becomes set when a piece of work is done, so that others can wait for it.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::order::Order;
use crate::abi::{Answer, CUresult};

/// How long a waiter looks before it goes to sleep: waking up costs more than a short kernel.
const WATCH: Duration = Duration::from_micros(50);
/// How often it looks before it asks for the time.
const LOOKS: u32 = 16;

/// The end of a piece of work.
#[derive(Debug, Default)]
pub struct Mark {
    done: AtomicBool,
    state: Mutex<MarkState>,
    changed: Condvar,
    /// Which other work it comes after, if anybody asks.
    order: OnceLock<Arc<Order>>,
}

#[derive(Debug, Default)]
struct MarkState {
    /// How many threads sleep until the work has been done.
    sleepers: usize,
    /// What the work waits for; given up when it has been done, so that marks do not keep each other forever.
    before: Vec<Arc<Mark>>,
}

thread_local! {
    /// The end of the work that this thread is doing.
    static DOING: RefCell<Option<Arc<Mark>>> = const { RefCell::new(None) };
}

impl Mark {
    /// The end of work that comes after other work.
    pub fn after(before: Vec<Arc<Mark>>) -> Self {
        Self { state: Mutex::new(MarkState { sleepers: 0, before }), ..Self::default() }
    }

    /// The end of work that has been done.
    pub fn done() -> Self {
        Self { done: AtomicBool::new(true), ..Self::default() }
    }

    /// Which other work it comes after, if that is known.
    pub fn order(&self) -> Option<&Arc<Order>> {
        self.order.get()
    }

    /// Says which other work it comes after.
    pub fn set_order(&self, order: &Arc<Order>) {
        let _ = self.order.set(Arc::clone(order));
    }

    /// The order of the work that this thread is doing.
    pub fn order_of_doing() -> Option<Arc<Order>> {
        let doing = DOING.try_with(|doing| doing.borrow().clone()).unwrap_or(None);
        doing.and_then(|mark| mark.order().cloned())
    }

    /// Whether the work has been done.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Says that the work has been done.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Release);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut state.before);
        if state.sleepers > 0 {
            self.changed.notify_all();
        }
        drop(state);
        drop(before);
    }

    /// All that is to be done for it has been done.
    pub fn leaves(&self) {
        self.order().into_iter().for_each(|order| order.is_over());
    }

    /// Waits until the work has been done.
    pub fn wait(&self) {
        if watch(|| self.is_done()) {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sleepers += 1;
        while !self.is_done() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.sleepers -= 1;
    }

    /// Says what the work waits for besides.
    pub fn follow(&self, other: Arc<Mark>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_done() {
            state.before.push(other);
        }
    }

    /// What the work waits for.
    pub fn before(&self) -> Vec<Arc<Mark>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).before.clone()
    }

    /// Waits until the work has been done, for a call of the program's.
    ///
    /// # Errors
    /// The call comes from a host function that the work itself waits for: it would wait forever.
    pub fn wait_for_program(self: &Arc<Self>) -> Answer {
        self.may_be_waited_for()?;
        self.wait();
        self.has_been_waited_for();
        Ok(())
    }

    /// The program knows that the work has been done, and what it asks for next comes after that.
    pub fn has_been_waited_for(&self) {
        PROGRAM_WAITS.fetch_add(1, Ordering::Relaxed);
        self.order().into_iter().for_each(|order| order.is_known());
    }

    /// Whether the calling thread can wait for the work.
    ///
    /// # Errors
    /// The work waits for what this thread is doing.
    pub fn may_be_waited_for(self: &Arc<Self>) -> Answer {
        if self.is_done() {
            return Ok(());
        }
        // A thread that is ending does no work of streams any more.
        let doing = DOING.try_with(|doing| doing.borrow().clone()).unwrap_or(None);
        match doing {
            Some(doing) if self.waits_for(&doing) => Err(CUresult::NOT_PERMITTED),
            _ => Ok(()),
        }
    }

    /// Whether it is that mark, or comes after it.
    fn waits_for(self: &Arc<Self>, that: &Arc<Mark>) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![Arc::clone(self)];
        while let Some(mark) = open.pop() {
            if Arc::ptr_eq(&mark, that) {
                return true;
            }
            if !mark.is_done() && seen.insert(Arc::as_ptr(&mark)) {
                open.extend(mark.before());
            }
        }
        false
    }

    /// Runs the work whose end this is: meanwhile the thread knows what it is doing.
    pub fn while_doing<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        // A thread that is ending can still copy, and no host function of its own calls it.
        let doing = |mark| DOING.try_with(|doing| doing.replace(mark)).unwrap_or(None);
        let outer = doing(Some(Arc::clone(self)));
        let result = work();
        doing(outer);
        result
    }
}

/// How often the program has waited for work, or has been told that it is done.
static PROGRAM_WAITS: AtomicU64 = AtomicU64::new(0);

/// How often the program has waited for work so far.
pub fn program_waits() -> u64 {
    PROGRAM_WAITS.load(Ordering::Relaxed)
}

/// Whether the calling thread is doing the work of a stream, which means that a host function is calling.
pub fn in_host_function() -> bool {
    DOING.try_with(|doing| doing.borrow().is_some()).unwrap_or(false)
}

/// Looks for something that may come soon, for as long as going to sleep and waking up would take. It does not yield: on
/// a busy machine Linux lets who yields wait for all others, who sleeps is woken soon.
pub fn watch(mut came: impl FnMut() -> bool) -> bool {
    let mut began = None;
    loop {
        for _ in 0..LOOKS {
            if came() {
                return true;
            }
            std::hint::spin_loop();
        }
        let now = Instant::now();
        if now - *began.get_or_insert(now) >= WATCH {
            return false;
        }
    }
}
