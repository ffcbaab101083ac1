//! `ptxvm exec`: runs a program with ptxvm's libcuda in the place of NVIDIA's.

mod child;
mod environment;
mod findings;
mod folder;
mod interrupt;
mod library;

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, ValueEnum};
use ptxvm_profile::Profile;
use ptxvm_vm::Mma;

use crate::check::Color;
use crate::exit::{self, Exit};
use crate::mistakes::Policy;
use crate::run::options::{When, mma};
use crate::run::options::{count, duration};
use folder::Folder;
use interrupt::Interrupt;

/// The text that the help ends with.
pub const HELP: &str = "\
Exit status: that of the command, 128+N if signal N ended it, 127 if it was not found, 126 if it could not be started.
If the command ends with 0 and a kernel did something wrong, or was stopped:
  3    a finding, or --timeout, --max-instructions or --max-memory was reached
  4    ptxvm does not support something that a kernel needs
  101  a bug in ptxvm; please report it
  130  ctrl-C stopped a kernel
A second ctrl-C within 5 s of one that stopped a kernel ends the command by force, with 130.
--status command leaves the status as it is. 1 means that ptxvm exec itself could not do its work.";

#[derive(Args)]
pub struct Arguments {
    /// The GPU that the program sees: h200 (default), h100, b200, a100 …
    #[arg(long, value_name = "NAME", value_parser = device)]
    device: Option<&'static Profile>,
    /// Chooses among the orders that PTX leaves open; 0 is the plain order [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// When asynchronous copies complete: at once, as late as the program allows, or as the seed decides
    /// [default: seeded]
    #[arg(long = "async", value_name = "WHEN", value_enum)]
    asynchrony: Option<When>,
    /// The arithmetic of matrix instructions: exact (the device's bits), fast, or a generation's: volta, turing, ampere,
    /// ada, hopper, blackwell, blackwell-rtx [default: exact]
    #[arg(long, value_name = "HOW", value_parser = mma)]
    mma: Option<Mma>,
    /// Host threads that run the CTAs of a launch; 0 is one for each core [default: 1]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Tell of every launch what it did, and at the end of all of them
    #[arg(long)]
    stats: bool,
    /// Show every call of the CUDA driver API, with its answer
    #[arg(long)]
    api_trace: bool,
    /// Stop a kernel after so many warp instructions (10M, 1e9)
    #[arg(long, value_name = "N", value_parser = count)]
    max_instructions: Option<u64>,
    /// Stop a kernel after so long (10s, 500ms, 2min)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Take at most so much of this machine's memory for what the program's kernels and images ask for (512M, 8G)
    /// [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = ptxvm_host::parse)]
    max_memory: Option<u64>,
    /// The GPU's memory [default: the real GPU's, or seven eighths of --max-memory if that is less]
    #[arg(long, value_name = "SIZE", value_parser = ptxvm_host::parse)]
    memory: Option<u64>,
    /// What to do about a mistake that an H200 survives, such as a read a little out of bounds: stop the kernel, report
    /// it and go on as silicon does, or go on without a word [default: stop]
    #[arg(long, value_enum, value_name = "HOW")]
    findings: Option<Policy>,
    /// Whose the exit status is if the command ends with 0 and something was found
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t = Status::Findings)]
    status: Status,
    /// When to colour findings
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Whose the exit status is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Status {
    /// That of the worst finding, as below
    Findings,
    /// The command's
    Command,
}

fn device(name: &str) -> Result<&'static Profile, String> {
    Profile::named(name).ok_or_else(|| {
        let known: Vec<&str> = Profile::ALL.iter().map(|p| p.name).collect();
        format!("there is no such device, but {}", known.join(", "))
    })
}

/// Runs the command and gives its exit status.
pub fn run(arguments: &Arguments) -> Exit {
    match attempt(arguments) {
        Ok(code) => code,
        Err(message) => exit::usage(message),
    }
}

fn attempt(arguments: &Arguments) -> Result<Exit, String> {
    let library = library::find()?;
    let folder = Folder::new()?;
    folder.link(&library, "libcuda.so.1")?;
    folder.link(&library, "libcuda.so")?;
    folder.link(&library::own()?, "ptxas")?;
    if let Some(linker) = library::beside(&library) {
        folder.link(&linker, environment::NVJITLINK)?;
    }
    let python = folder.write("python", "sitecustomize.py", environment::SITECUSTOMIZE)?;
    let report = folder.path().join("report");
    let interrupt = Interrupt::new(folder.path())?;
    let mut variables = environment::variables(arguments, folder.path(), &report);
    variables.push(environment::python(&python));
    variables.push(("PTXVM_INTERRUPT", interrupt.path().into()));
    let code = child::run(&arguments.command, variables, interrupt, &report)?;
    Ok(match findings::read(&report, arguments.color.into()) {
        Some(worst) if arguments.status == Status::Findings && code == exit::CLEAN => worst,
        _ => code,
    })
}
