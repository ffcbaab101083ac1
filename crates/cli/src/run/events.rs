//! `--events`: prints the events of a run that order memory, one line each.

use std::io::{self, Write};

use ptxvm_report::event;
use ptxvm_vm::{Event, Module};

use super::progress;
use crate::check::Format;

/// Writes one: for people to standard error, for programs to standard output.
pub fn write(module: &Module, format: Format, event: &Event) {
    progress::clear();
    // A reader that has gone away is found by the next write that matters.
    let _ = match format {
        Format::Human | Format::Github | Format::Sarif | Format::Junit => {
            writeln!(io::stderr().lock(), "{}", event::line(module, event))
        }
        Format::Json => writeln!(io::stdout().lock(), "{}", event::object(module, event)),
    };
}
