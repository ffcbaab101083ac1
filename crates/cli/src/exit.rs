//! Exit codes: one meaning each, the same for every command, stated in the help.

use std::process::ExitCode;

/// A documented exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exit(u8);

/// Nothing is wrong.
pub const CLEAN: Exit = Exit(0);
/// The command was called wrongly, or a file cannot be read or written.
pub const USAGE: Exit = Exit(1);
/// The PTX is wrong (for `fmt --check`: not formatted).
pub const INVALID: Exit = Exit(2);
/// ptxvm itself is broken.
pub const BUG: Exit = Exit(101);

/// The text that every `--help` ends with.
pub const HELP: &str = "\
Exit status:
  0    clean
  1    wrong usage, or a file could not be read or written
  2    invalid PTX, or with `fmt --check` not formatted
  101  a bug in ptxvm; please report it";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}

/// Says that a panic is our fault, not the guest's.
pub fn report_bug(info: &std::panic::PanicHookInfo<'_>) {
    eprintln!("ptxvm: internal error: {info}");
    eprintln!(
        "ptxvm: this is a bug in ptxvm, not in your PTX; please report it with the input that causes it"
    );
}

/// Says why a file or an argument cannot be used.
pub fn usage(message: impl std::fmt::Display) -> Exit {
    eprintln!("ptxvm: {message}");
    USAGE
}
