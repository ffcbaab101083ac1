//! A mark: the moment at which a piece of work has been done, for those who wait for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How often a waiter looks before it goes to sleep: waking up costs more than a short kernel.
const LOOKS: u32 = 2000;

/// The end of a piece of work.
#[derive(Debug, Default)]
pub struct Mark {
    done: AtomicBool,
    sleepers: Mutex<usize>,
    changed: Condvar,
}

impl Mark {
    /// Whether the work has been done.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Says that the work has been done.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Release);
        let sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        if *sleepers > 0 {
            self.changed.notify_all();
        }
    }

    /// Waits until the work has been done.
    pub fn wait(&self) {
        for _ in 0..LOOKS {
            if self.is_done() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        *sleepers += 1;
        while !self.is_done() {
            sleepers = self.changed.wait(sleepers).unwrap_or_else(PoisonError::into_inner);
        }
        *sleepers -= 1;
    }
}
