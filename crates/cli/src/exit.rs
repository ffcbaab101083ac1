//! Exit codes: each has one meaning, the same for every command, and the help lists them.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGABRT, SIGPIPE};
use signal_hook::flag::{register_conditional_default, register_conditional_shutdown};

/// A documented exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exit(u8);

/// Nothing is wrong.
pub const CLEAN: Exit = Exit(0);
/// The command was called wrongly, or a file cannot be read or written.
pub const USAGE: Exit = Exit(1);
/// The PTX is wrong (for `fmt --check`: not formatted).
pub const INVALID: Exit = Exit(2);
/// The kernel did something wrong, or reached a limit that the user set.
pub const FINDING: Exit = Exit(3);
/// ptxvm does not support something yet.
pub const UNSUPPORTED: Exit = Exit(4);
/// ptxvm itself is broken.
pub const BUG: Exit = Exit(101);
/// The user interrupted a run.
pub const INTERRUPTED: Exit = Exit(130);
/// The kernel executed `trap`.
pub const TRAP: Exit = Exit(134);

/// `ptxvm ptxas` refuses its input or its options, with ptxas's own number for it.
pub const ASSEMBLER: Exit = Exit(255);

/// `ptxvm exec` has found its command and cannot start it, as shells say it.
pub const NOT_EXECUTABLE: Exit = Exit(126);
/// `ptxvm exec` has not found its command, as shells say it.
pub const NOT_FOUND: Exit = Exit(127);

/// The text that every `--help` ends with.
pub const HELP: &str = "\
Exit status:
  0    clean
  1    wrong usage, or a file could not be read or written, or does not fit into --max-memory
  2    invalid PTX or litmus test, or with `fmt --check` not formatted
  3    the kernel did something wrong, or reached --timeout, --max-instructions or --max-memory;
       a litmus test's statement is not true, or it is too large to decide
  4    ptxvm does not support something in it yet
  101  a bug in ptxvm; please report it
  130  interrupted
  134  the kernel executed trap";

impl Exit {
    /// The status of a command that was run; the system gives eight bits of it.
    pub fn of_command(code: i32) -> Exit {
        Exit(code as u8)
    }

    /// The number, for `std::process::exit`.
    pub fn code(self) -> i32 {
        i32::from(self.0)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}

/// Makes an abort of ours (no memory for an allocation, a panic within a panic, a stack that overflowed) a bug like any
/// other: the shell would show it as 134, which is the guest's own `trap`. Why is on standard error by then.
pub fn abort_is_a_bug() {
    let always = Arc::new(AtomicBool::new(true));
    // Without the handler an abort is still an abort.
    let _ = register_conditional_shutdown(SIGABRT, BUG.code(), always);
}

/// Ends the process quietly when whoever reads its output has gone away (`ptxvm isa | head`), as other commands end.
/// `ptxvm exec` does not: its command runs on, and its folder is to be removed.
pub fn end_without_readers() {
    let always = Arc::new(AtomicBool::new(true));
    // Without the handler the write fails, and says so.
    let _ = register_conditional_default(SIGPIPE, always);
}

/// Says that a panic is our fault, not the guest's.
pub fn report_panic(info: &std::panic::PanicHookInfo<'_>) {
    report_bug(info);
}

/// Says that something went wrong that cannot go wrong, once: a panic in one thread is often followed by others.
pub fn report_bug(what: impl std::fmt::Display) {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if REPORTED.swap(true, Ordering::Relaxed) {
        return;
    }
    ptxvm_host::say(format_args!(
        "ptxvm: internal error: {what}\n\
         ptxvm: this is a bug in ptxvm, not in your PTX; please report it with the input that causes it\n"
    ));
}

/// Says why a file or an argument cannot be used.
pub fn usage(message: impl std::fmt::Display) -> Exit {
    ptxvm_host::say(format_args!("ptxvm: {}\n", ptxvm_report::plain(message.to_string())));
    USAGE
}
