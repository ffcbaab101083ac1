//! The command itself: starting it, passing signals on, and its exit status as a shell would give it.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::environment::Variables;
use crate::exit::{self, Exit};

/// Runs the command to its end.
pub fn run(command: &[OsString], variables: Variables) -> Result<Exit, String> {
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
    pass_on(signals, child.id());
    let status = child.wait().map_err(|error| format!("cannot wait for the command: {error}"))?;
    Ok(code(status))
}

/// The terminal gives ctrl-C and ctrl-\ to the command by itself, so that they are only not obeyed here; what is sent to
/// this process alone is sent on.
fn pass_on(mut signals: Signals, child: u32) {
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let signal = match signal {
                SIGTERM => Signal::TERM,
                SIGHUP => Signal::HUP,
                _ => continue,
            };
            if let Some(child) = i32::try_from(child).ok().and_then(Pid::from_raw) {
                // It may just have ended.
                let _ = kill_process(child, signal);
            }
        }
    });
}

fn code(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::of_command(code),
        (None, Some(signal)) => Exit::of_command(128 + signal),
        (None, None) => exit::USAGE,
    }
}
