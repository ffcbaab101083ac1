//! The child processes of `ptxvm exec`: starts the command, passes signals on to all that run, and gives the exit status as
//! a shell would.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
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
    // Before the command begins, so that no signal is lost.
    let children = Children::watched(interrupt)?;
    let mut command = of(command, variables)?;
    let mut child = match children.start(&mut command, report) {
        Ok(child) => child,
        Err(error) => return Ok(not_started(&command, &error)),
    };
    let end = children.wait(&mut child)?;
    if children.were_forced() {
        return Ok(exit::INTERRUPTED);
    }
    if let End::Signal(_) = end {
        ptxvm_host::say(format_args!("ptxvm: the command was ended by {end}\n"));
    }
    Ok(end.exit())
}

/// The command with these variables.
pub fn of(command: &[OsString], variables: Variables) -> Result<Command, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("there is no command to run".to_owned());
    };
    let mut command = Command::new(program);
    command.args(arguments).envs(variables);
    Ok(command)
}

/// Says why the command could not be started.
pub fn not_started(command: &Command, error: &std::io::Error) -> Exit {
    exit::usage(format!("{}: {error}", command.get_program().to_string_lossy()));
    if error.kind() == ErrorKind::NotFound { exit::NOT_FOUND } else { exit::NOT_EXECUTABLE }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    Code(i32),
    Signal(i32),
}

impl End {
    fn of(status: ExitStatus) -> End {
        match (status.code(), status.signal()) {
            (Some(code), _) => End::Code(code),
            // Nothing else is reported of a child that has ended.
            (None, signal) => End::Signal(signal.unwrap_or_default()),
        }
    }

    /// As a shell gives it.
    pub fn exit(self) -> Exit {
        match self {
            End::Code(code) => Exit::of_command(code),
            End::Signal(signal) => Exit::of_command(128 + signal),
        }
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Code(code) => write!(f, "exit status {code}"),
            End::Signal(signal) => {
                write!(f, "signal {signal} ({})", signal_name(*signal).unwrap_or("unknown"))
            }
        }
    }
}

/// The commands that run, and what is to be done about signals while they do.
#[derive(Clone)]
pub struct Children(Arc<Shared>);

#[derive(Default)]
struct Shared {
    running: Mutex<Running>,
    /// Whether a signal has asked for the end.
    are_to_end: AtomicBool,
    /// Whether they were ended by force.
    forced: AtomicBool,
}

#[derive(Default)]
struct Running {
    /// Each with its report.
    all: Vec<(Pid, PathBuf)>,
    /// What was sent last, for those that begin later.
    sent: Option<Signal>,
}

impl Children {
    /// Listens for signals from now on. Handlers are not inherited.
    pub fn watched(interrupt: Interrupt) -> Result<Children, String> {
        let signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP])
            .map_err(|error| format!("cannot listen for signals: {error}"))?;
        let children = Children(Arc::default());
        let watching = children.clone();
        std::thread::spawn(move || watching.pass_on(signals, interrupt));
        Ok(children)
    }

    /// Starts a command.
    pub fn start(&self, command: &mut Command, report: &Path) -> std::io::Result<Child> {
        let mut running = self.running();
        let child = command.spawn()?;
        if let Some(pid) = pid(&child) {
            running.all.push((pid, report.to_owned()));
            if let Some(signal) = running.sent {
                let _ = kill_process(pid, signal);
            }
        }
        Ok(child)
    }

    /// Waits for the end of a command. No signal is sent to another process that gets its number afterwards.
    pub fn wait(&self, child: &mut Child) -> Result<End, String> {
        if let Some(pid) = pid(child) {
            // It stays a process until it is waited for below, which also tells of errors.
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            self.running().all.retain(|(other, _)| *other != pid);
        }
        let status = child.wait().map_err(|error| format!("cannot wait for the command: {error}"))?;
        Ok(End::of(status))
    }

    /// Whether they were ended by force.
    pub fn were_forced(&self) -> bool {
        self.0.forced.load(Ordering::Relaxed)
    }

    /// Whether a signal has asked for the end.
    pub fn are_to_end(&self) -> bool {
        self.0.are_to_end.load(Ordering::Relaxed)
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The terminal gives ctrl-C and ctrl-\ to the commands by itself, so that they are only not obeyed here; what is sent
    /// to this process alone is sent on. Of ctrl-C the library is told, because a command that waits for a kernel cannot
    /// do anything about a signal before the kernel has ended.
    fn pass_on(&self, mut signals: Signals, mut interrupt: Interrupt) {
        let mut last: Option<Instant> = None;
        for signal in signals.forever() {
            self.0.are_to_end.store(true, Ordering::Relaxed);
            match signal {
                SIGTERM => self.send(Signal::TERM),
                SIGHUP => self.send(Signal::HUP),
                SIGINT => {
                    let impatient = last.is_some_and(|last| last.elapsed() < IMPATIENCE);
                    if impatient && self.has_stopped_kernels() {
                        self.0.forced.store(true, Ordering::Relaxed);
                        self.send(Signal::KILL);
                    }
                    interrupt.tell();
                    last = Some(Instant::now());
                }
                _ => {}
            }
        }
    }

    /// Whether ctrl-C has stopped a kernel of a command that still runs.
    fn has_stopped_kernels(&self) -> bool {
        let running = self.running();
        running.all.iter().any(|(_, report)| findings::stopped(report) > 0)
    }

    fn send(&self, signal: Signal) {
        let mut running = self.running();
        running.sent = Some(signal);
        for (pid, _) in &running.all {
            // It may just have ended.
            let _ = kill_process(*pid, signal);
        }
    }
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
