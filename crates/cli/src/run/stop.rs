//! Ctrl-C: stops all launches that run, and those that would begin. A second one ends the process at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_vm::Control;

use crate::exit;

/// Whether the launches of this command are to stop.
#[derive(Clone, Default)]
pub struct Stop(Arc<Shared>);

#[derive(Default)]
struct Shared {
    asked: AtomicBool,
    running: Mutex<Vec<Arc<Control>>>,
}

impl Stop {
    /// Stops on ctrl-C from now on.
    pub fn on_interrupt() -> Result<Stop, String> {
        let stop = Stop::default();
        let asked = stop.clone();
        ctrlc::set_handler(move || {
            if asked.ask() {
                std::process::exit(exit::INTERRUPTED.code());
            }
        })
        .map_err(|e| format!("cannot listen for ctrl-C: {e}"))?;
        Ok(stop)
    }

    /// Stops all launches. Gives whether that had been asked before.
    pub fn ask(&self) -> bool {
        let before = self.0.asked.swap(true, Ordering::SeqCst);
        self.running().iter().for_each(|control| control.stop.store(true, Ordering::Relaxed));
        before
    }

    /// Whether they are to stop.
    pub fn is_asked(&self) -> bool {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// A launch begins, which is watched and stopped by this.
    pub fn begin(&self) -> Arc<Control> {
        let control = Arc::<Control>::default();
        self.running().push(Arc::clone(&control));
        // Whoever asks after this line finds it among those that run.
        if self.is_asked() {
            control.stop.store(true, Ordering::Relaxed);
        }
        control
    }

    /// It has ended.
    pub fn end(&self, control: &Arc<Control>) {
        self.running().retain(|other| !Arc::ptr_eq(other, control));
    }

    fn running(&self) -> MutexGuard<'_, Vec<Arc<Control>>> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_stop_whether_they_have_begun_or_not() {
        let stop = Stop::default();
        let (ended, running) = (stop.begin(), stop.begin());
        stop.end(&ended);
        assert!(!stop.ask() && stop.ask());
        let stopped = |control: &Control| control.stop.load(Ordering::Relaxed);
        assert!(stopped(&running) && stopped(&stop.begin()) && !stopped(&ended));
    }
}
