//! `ptxvm`, the command: a door to the libraries, which do the work.

mod check;
mod exit;
mod explain;
mod format;
mod input;
mod isa;
mod pages;
mod render;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "ptxvm", version, about = "Runs and checks NVIDIA PTX on a CPU.", after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check PTX files as ptxas would, and say what is wrong
    #[command(after_help = exit::HELP)]
    Check(check::Arguments),
    /// Format PTX files
    #[command(after_help = exit::HELP)]
    Fmt(format::Arguments),
    /// Show the instruction table: all of it, what a target lacks, or one instruction
    #[command(after_help = exit::HELP)]
    Isa(isa::Arguments),
    /// Explain a diagnostic code, such as E0402
    #[command(after_help = exit::HELP)]
    Explain(explain::Arguments),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version go to standard output and are no failure; usage errors exit with 1.
            let code = if e.use_stderr() { exit::USAGE } else { exit::CLEAN };
            return if e.print().is_ok() { code.into() } else { exit::USAGE.into() };
        }
    };
    std::panic::set_hook(Box::new(exit::report_bug));
    let run = || match cli.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Fmt(arguments) => format::run(&arguments),
        Command::Isa(arguments) => isa::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
    };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(code) => code.into(),
        Err(_) => exit::BUG.into(),
    }
}
