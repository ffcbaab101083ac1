//! The command `ptxvm`: reads the command line and calls the libraries, which do the work.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the command: what it has to say, it prints"
)]
#![forbid(unsafe_code)]

mod check;
mod doctor;
mod exec;
mod exit;
mod explain;
mod files;
mod format;
mod gathered;
mod generate;
mod input;
mod isa;
mod litmus;
mod memory;
mod private;
mod project;
mod ptxas;
mod render;
mod run;
mod seeds;
mod switches;
mod version;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "ptxvm", version = version::text(), about = "Runs and checks NVIDIA PTX on a CPU.", after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a kernel and show what it did; `ptxvm FILE.ptx` does the same
    #[command(after_help = exit::HELP)]
    Run(Box<run::Arguments>),
    /// Check PTX files as ptxas would, and say what is wrong
    #[command(after_help = exit::HELP)]
    Check(check::Arguments),
    /// Format PTX files
    #[command(after_help = exit::HELP)]
    Fmt(format::Arguments),
    /// Show the instruction table: all of it, what a target lacks, or one instruction
    #[command(after_help = exit::HELP)]
    Isa(isa::Arguments),
    /// Decide litmus tests by PTX's memory consistency model: may it end so, and why
    #[command(after_help = exit::HELP)]
    Litmus(litmus::Arguments),
    /// Run a program with ptxvm's libcuda instead of NVIDIA's driver
    #[command(after_help = exec::HELP)]
    Exec(Box<exec::Arguments>),
    /// Assemble PTX as ptxas would, into an image that ptxvm's libcuda loads; `ptxvm ptxas --help` has its options
    #[command(disable_help_flag = true)]
    Ptxas(ptxas::Arguments),
    /// Say what this host has for ptxvm to use, what is missing, and how to get it
    #[command(after_help = exit::HELP)]
    Doctor(doctor::Arguments),
    /// Explain a diagnostic code, such as E0402
    #[command(after_help = exit::HELP)]
    Explain(explain::Arguments),
    /// Print what a shell needs to complete words of this command
    Completions(generate::Completions),
    /// Write manual pages for `man`
    #[command(hide = true)]
    Man(generate::Man),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(with_verb(std::env::args_os().collect())) {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version go to standard output and are no failure; usage errors exit with 1.
            let code = if e.use_stderr() { exit::USAGE } else { exit::CLEAN };
            return if e.print().is_ok() { code.into() } else { exit::USAGE.into() };
        }
    };
    std::panic::set_hook(Box::new(exit::report_panic));
    exit::abort_is_a_bug();
    if !matches!(cli.command, Command::Exec(_)) {
        exit::end_without_readers();
    }
    let run = || match cli.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Fmt(arguments) => format::run(&arguments),
        Command::Isa(arguments) => isa::run(&arguments),
        Command::Litmus(arguments) => litmus::run(&arguments),
        Command::Exec(arguments) => exec::run(&arguments),
        Command::Ptxas(arguments) => ptxas::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Completions(arguments) => generate::completions(&mut Cli::command(), &arguments),
        Command::Man(arguments) => generate::man(Cli::command(), &arguments),
    };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(code) => code.into(),
        Err(_) => exit::BUG.into(),
    }
}

/// Adds the subcommand that the user left out: `ptxvm FILE` means `ptxvm run FILE`, as with wasmtime. Called as `ptxas`,
/// the command is `ptxvm ptxas`.
fn with_verb(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.first().is_some_and(|name| Path::new(name).file_name() == Some("ptxas".as_ref())) {
        arguments.insert(1, "ptxas".into());
        return arguments;
    }
    let bare = arguments.get(1).is_some_and(|first| {
        let name = first.to_string_lossy();
        name == "-" || name.ends_with(".ptx") || (!name.starts_with('-') && name.contains('/'))
    });
    if bare {
        arguments.insert(1, "run".into());
    }
    arguments
}
