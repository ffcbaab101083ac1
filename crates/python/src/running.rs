//! The launches that run, so that the end of the interpreter finds none: it stops them and waits for them, since threads
//! that Python ends must not be inside of one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ptxvm_vm::Control;
use pyo3::prelude::*;

use crate::failed::wrong;

/// How long the end of the interpreter waits for launches to stop.
const PATIENCE: Duration = Duration::from_secs(10);

static RUNNING: Mutex<Vec<Arc<Control>>> = Mutex::new(Vec::new());
static ENDED: Condvar = Condvar::new();
static CLOSED: AtomicBool = AtomicBool::new(false);

fn running() -> MutexGuard<'static, Vec<Arc<Control>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A launch that runs, until this is dropped.
pub struct Running(Arc<Control>);

impl Running {
    /// One that begins; none does any more when the interpreter ends.
    pub fn new(control: &Arc<Control>) -> Option<Running> {
        let mut running = running();
        if CLOSED.load(Ordering::Relaxed) {
            return None;
        }
        running.push(Arc::clone(control));
        Some(Running(Arc::clone(control)))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        running().retain(|other| !Arc::ptr_eq(other, &self.0));
        ENDED.notify_all();
    }
}

/// Does something without Python's lock, which the end of the interpreter waits for.
pub fn without_lock<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let _running = Running::new(&Arc::default()).ok_or_else(ending)?;
    Ok(py.detach(work))
}

/// Why nothing begins any more.
pub fn ending() -> PyErr {
    wrong("the interpreter is ending, and begins nothing")
}

/// Stops all launches, lets none begin any more, and waits for those that run.
#[pyfunction]
pub fn stop_all(py: Python<'_>) {
    py.detach(|| {
        let mut running = running();
        CLOSED.store(true, Ordering::Relaxed);
        running.iter().for_each(|control| control.stop.store(true, Ordering::Relaxed));
        let began = Instant::now();
        while !running.is_empty() && began.elapsed() < PATIENCE {
            let waited = ENDED.wait_timeout(running, Duration::from_millis(50));
            running = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    });
}
