//! `--events`: prints the events of a run that order memory, one line each.

use std::io::{self, Write};

use ptxvm_report::event;
use ptxvm_vm::{Event, Module};

use super::options::Form;
use super::progress;

/// Writes one: for people to standard error, for programs to standard output.
pub fn write(module: &Module, form: Form, event: &Event) {
    progress::clear();
    // A reader that has gone away is found by the next write that matters.
    let _ = match form {
        Form::Human => writeln!(io::stderr().lock(), "{}", event::line(module, event)),
        Form::Json => writeln!(io::stdout().lock(), "{}", event::object(module, event)),
    };
}
