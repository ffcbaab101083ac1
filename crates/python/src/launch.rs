//! A launch: it runs on a thread of its own, without Python's lock, while the calling thread looks for signals and passes on
//! what the kernel prints.
#![allow(unsafe_code)]

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ptxvm_vm::{
    Arguments, Check, Dimensions, Event, Failure, Findings, LaunchOptions, MemoryModel, Statistics,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failed::{bug, wrong};
use crate::kernel::Kernel;
use crate::lent::{Array, Borrowed};
use crate::options::{self, Place};
use crate::outcome::{self, Outcome};
use crate::running::{self, Running};

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(20);
/// The stack of the thread that executes the kernel.
const STACK: usize = 8 << 20;
/// The most events that are kept.
const MOST_EVENTS: usize = 1 << 20;

/// The shape of a launch.
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    pub cooperative: bool,
}

/// Launches a kernel and gives what came of it as JSON.
pub fn run(
    py: Python<'_>,
    kernel: &Kernel,
    shape: &Shape,
    arguments: Vec<Vec<u8>>,
    arrays: Vec<Array>,
    options: &[(String, String)],
    write: &Py<PyAny>,
) -> PyResult<String> {
    let choices = options::read(options, Place::Launch)?.over(&kernel.shared.said).choices();
    let settings = choices.settings;
    if settings.checks.has(Check::Init) {
        kernel.kernel.module().device().memory().unwritten().keep();
    }
    let printed: Arc<Mutex<Vec<u8>>> = Arc::default();
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let mut values = Arguments::new();
    arguments.iter().for_each(|bytes| values.push(bytes.as_slice()));
    let taken = Arc::clone(&printed);
    let mut launch = LaunchOptions {
        grid: Dimensions(shape.grid),
        block: Dimensions(shape.block),
        cluster: shape.cluster.map(Dimensions),
        nonportable_cluster: true,
        shared: shape.shared,
        arguments: values,
        cooperative: shape.cooperative,
        settings,
        mistakes: (settings.findings == Findings::Report || settings.checks.are_any()).then(Arc::default),
        races: settings.checks.has(Check::Race).then(Arc::default),
        stale: (settings.memory_model == MemoryModel::Weak).then(Arc::default),
        ..LaunchOptions::default()
    }
    .on_print(move |text| taken.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text));
    if choices.events {
        let noted = Arc::clone(&events);
        launch = launch.on_event(move |event| {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            if noted.len() < MOST_EVENTS {
                noted.push(event.clone());
            }
        });
    }
    let ran = ended(py, kernel, &launch, arrays, &printed, write)?;
    flush(py, &printed, write)?;
    let events = std::mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner));
    let outcome =
        Outcome { kernel: &kernel.kernel, name: &kernel.name, suppressions: &kernel.shared.suppressions };
    Ok(py.detach(|| outcome::object(&outcome, &launch, ran, &events).to_string()))
}

/// Waits for the end of a launch.
fn ended(
    py: Python<'_>,
    kernel: &Kernel,
    launch: &LaunchOptions,
    arrays: Vec<Array>,
    printed: &Mutex<Vec<u8>>,
    write: &Py<PyAny>,
) -> PyResult<Result<Statistics, Failure>> {
    let control = &launch.control;
    let running = Running::new(control).ok_or_else(running::ending)?;
    let (device, lent) = (kernel.kernel.module().device(), &kernel.shared.lent);
    // SAFETY: the package keeps the arrays where they are until this function returns, and it does so when the launch has
    // ended, whatever a signal asks for.
    let borrowed = unsafe { Borrowed::new(device.memory(), lent, arrays) }.map_err(wrong)?;
    let ran = std::thread::scope(|scope| {
        let (done, end) = mpsc::channel();
        let end = Mutex::new(end);
        let work = move || {
            let _ = done.send(kernel.kernel.launch(launch));
        };
        let builder = std::thread::Builder::new().name("ptxvm launch".into()).stack_size(STACK);
        builder
            .spawn_scoped(scope, work)
            .map_err(|error| wrong(format!("no thread for the launch: {error}")))?;
        let mut asked = Ok(());
        loop {
            match py.detach(|| end.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK)) {
                Ok(ran) => break asked.map(|()| ran),
                Err(RecvTimeoutError::Disconnected) => break Err(bug("a launch panicked")),
                Err(RecvTimeoutError::Timeout) if asked.is_ok() => {
                    asked = flush(py, printed, write).and_then(|()| py.check_signals());
                    if asked.is_err() {
                        control.stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    });
    drop(borrowed);
    drop(running);
    ran
}

/// Passes on what the kernel has printed.
fn flush(py: Python<'_>, printed: &Mutex<Vec<u8>>, write: &Py<PyAny>) -> PyResult<()> {
    let text = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
    if text.is_empty() {
        return Ok(());
    }
    write.call1(py, (PyBytes::new(py, &text),)).map(drop)
}
