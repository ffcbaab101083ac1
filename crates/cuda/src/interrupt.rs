//! Ctrl-C under `ptxvm exec`: ends the running kernels, so that the program returns from the driver call in which it waits
//! for them, and can handle the signal itself.
//!
//! `ptxvm exec` keeps a named pipe open for writing (`PTXVM_INTERRUPT`). On ctrl-C it puts a new pipe in its place and
//! closes the old one. All readers then see its end: one thread in each process that has launched a kernel.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use ptxvm_vm::Control;

use crate::{options, report};

/// The launches that are running.
static RUNNING: Mutex<Vec<Arc<Launch>>> = Mutex::new(Vec::new());

/// A launch that is running.
struct Launch {
    control: Arc<Control>,
    /// Whether the user has interrupted it.
    interrupted: AtomicBool,
}

/// Has a launch be stopped when the user interrupts, as long as this lives.
pub struct Interruptible(Option<Arc<Launch>>);

impl Interruptible {
    /// A launch that is about to begin. Where nobody can tell of interrupts, this costs nothing.
    pub fn new(control: &Arc<Control>) -> Self {
        static LISTENER: Once = Once::new();
        let Some(path) = &options::get().interrupt else { return Self(None) };
        LISTENER.call_once(|| {
            // Without a thread, ctrl-C is the program's affair alone.
            let _ = std::thread::Builder::new().name("ptxvm interrupt".into()).spawn(|| listen(path));
        });
        let launch = Arc::new(Launch { control: Arc::clone(control), interrupted: AtomicBool::new(false) });
        running().push(Arc::clone(&launch));
        Self(Some(launch))
    }

    /// The launch has ended. Gives whether the user has interrupted it, be it a moment too late: the other launches of
    /// its context are being stopped too.
    pub fn end(self) -> bool {
        self.0.as_ref().is_some_and(|launch| {
            forget(launch);
            launch.interrupted.load(Ordering::Relaxed)
        })
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        if let Some(launch) = &self.0 {
            forget(launch);
        }
    }
}

fn running() -> MutexGuard<'static, Vec<Arc<Launch>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget(launch: &Arc<Launch>) {
    running().retain(|other| !Arc::ptr_eq(other, launch));
}

/// Waits for the ends of pipes, until there is none any more.
fn listen(path: &Path) {
    while let Ok(mut pipe) = std::fs::File::open(path) {
        let mut nothing = [0];
        let ended = pipe.read(&mut nothing).is_ok_and(|bytes| bytes == 0);
        let number =
            |metadata: std::io::Result<std::fs::Metadata>| metadata.ok().map(|of| (of.dev(), of.ino()));
        let (old, new) = (number(pipe.metadata()), number(std::fs::metadata(path)));
        // If it is still in its place, `ptxvm exec` has ended in another way.
        if !ended || new.is_none() || old == new {
            return;
        }
        interrupt();
    }
}

/// Stops what is running, and tells `ptxvm exec` how much that was.
fn interrupt() {
    let running = running();
    for launch in running.iter() {
        launch.interrupted.store(true, Ordering::Relaxed);
        launch.control.stop.store(true, Ordering::Relaxed);
    }
    report::interrupted(running.len());
}
