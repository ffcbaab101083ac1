//! The child process of `ptxvm exec`: starts the command, passes signals on, and gives its exit status as a shell would.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::signal_name;

use super::environment::Variables;
use super::findings;
use super::interrupt::Interrupt;
use crate::exit::{self, Exit};

/// After a ctrl-C that stopped a kernel, another one within this time ends the command by force.
const IMPATIENCE: Duration = Duration::from_secs(5);

/// Runs the command to its end. `report` is where the library tells what it found and stopped.
pub fn run(
    command: &[OsString],
    variables: Variables,
    interrupt: Interrupt,
    report: &Path,
) -> Result<Exit, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("there is no command to run".to_owned());
    };
    // Before the command begins, so that none is lost. Handlers are not inherited.
    let signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP])
        .map_err(|error| format!("cannot listen for signals: {error}"))?;
    let mut child = match Command::new(program).args(arguments).envs(variables).spawn() {
        Ok(child) => child,
        Err(error) => {
            exit::usage(format!("{}: {error}", program.to_string_lossy()));
            let found = error.kind() != ErrorKind::NotFound;
            return Ok(if found { exit::NOT_EXECUTABLE } else { exit::NOT_FOUND });
        }
    };
    let forced = Arc::new(AtomicBool::new(false));
    let watcher =
        Watcher { child: child.id(), interrupt, report: report.to_owned(), forced: Arc::clone(&forced) };
    std::thread::spawn(move || watcher.pass_on(signals));
    let status = child.wait().map_err(|error| format!("cannot wait for the command: {error}"))?;
    Ok(if forced.load(Ordering::Relaxed) { exit::INTERRUPTED } else { code(status) })
}

/// What is to be done about signals while the command runs.
struct Watcher {
    child: u32,
    interrupt: Interrupt,
    report: PathBuf,
    /// Whether the command was ended by force.
    forced: Arc<AtomicBool>,
}

impl Watcher {
    /// The terminal gives ctrl-C and ctrl-\ to the command by itself, so that they are only not obeyed here; what is sent
    /// to this process alone is sent on. Of ctrl-C the library is told, because a command that waits for a kernel cannot
    /// do anything about a signal before the kernel has ended.
    fn pass_on(mut self, mut signals: Signals) {
        let mut last: Option<Instant> = None;
        for signal in signals.forever() {
            match signal {
                SIGTERM => self.send(Signal::TERM),
                SIGHUP => self.send(Signal::HUP),
                SIGINT => {
                    let impatient = last.is_some_and(|last| last.elapsed() < IMPATIENCE);
                    if impatient && findings::stopped(&self.report) > 0 {
                        self.forced.store(true, Ordering::Relaxed);
                        self.send(Signal::KILL);
                    }
                    self.interrupt.tell();
                    last = Some(Instant::now());
                }
                _ => {}
            }
        }
    }

    fn send(&self, signal: Signal) {
        if let Some(child) = i32::try_from(self.child).ok().and_then(Pid::from_raw) {
            // It may just have ended.
            let _ = kill_process(child, signal);
        }
    }
}

fn code(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::of_command(code),
        (None, Some(signal)) => {
            let name = signal_name(signal).unwrap_or("unknown");
            eprintln!("ptxvm: the command was ended by signal {signal} ({name})");
            Exit::of_command(128 + signal)
        }
        (None, None) => exit::USAGE,
    }
}
