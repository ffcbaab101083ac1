//! `ptxvm exec`: runs a program with ptxvm's libcuda instead of NVIDIA's.

mod child;
mod environment;
mod findings;
mod first_output;
mod folder;
mod interrupt;
pub mod library;
mod many;
mod written;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ptxvm_settings::Said;

use crate::exit::{self, Exit};
use crate::seeds::{Again, Seeds, Ways};
use crate::switches::{OfExec, Switches};
use folder::Folder;
use interrupt::Interrupt;
use many::Many;
use written::Form;

/// The text at the end of the help.
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
    #[command(flatten)]
    switches: Switches<OfExec>,
    /// Run the command once for each of these seeds (0..64: from 0 to 63), several at once over the cores; tell each finding
    /// once with the seeds that show it, and where output and exit status differ from those of the first seed
    #[arg(long, value_name = "FROM..TO", value_parser = Seeds::parse, conflicts_with = "seed")]
    seeds: Option<Seeds>,
    /// Which exit status to use if the command ends with 0 and there were findings
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t = Status::Findings)]
    status: Status,
    /// Write what was found to a file when the command has ended, as --format says
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// How to write it; without --report, to standard output [default: json, with --report]
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Which exit status `ptxvm exec` ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Status {
    /// That of the worst finding, as below
    Findings,
    /// The command's
    Command,
}

/// Runs the command and gives its exit status.
pub fn run(arguments: &Arguments) -> Exit {
    match attempt(arguments) {
        Ok(code) => code,
        Err(message) => exit::usage(message),
    }
}

fn attempt(arguments: &Arguments) -> Result<Exit, String> {
    let ways = Ways::of(arguments.seeds, arguments.switches.every_asynchrony)?;
    let library = library::find()?;
    let folder = Folder::new()?;
    folder.link(&library, "libcuda.so.1")?;
    folder.link(&library, "libcuda.so")?;
    folder.link(&library::own()?, "ptxas")?;
    if let Some(linker) = library::beside(&library, "libnvJitLink", environment::NVJITLINK) {
        folder.link(&linker, environment::NVJITLINK)?;
    }
    if let Some(runtime) = library::beside(&library, "libcudart", environment::CUDART[0]) {
        for name in environment::CUDART {
            folder.link(&runtime, name)?;
        }
    }
    if let Some(management) = library::beside(&library, "libnvidia_ml", environment::NVML) {
        folder.link(&management, environment::NVML)?;
    }
    let python = folder.write("python", "sitecustomize.py", environment::SITECUSTOMIZE)?;
    let report = folder.path().join("report");
    // A program that runs others by `ptxvm exec`, as a plugin of a test runner may, has a report of its own.
    let users = std::env::var_os("PTXVM_REPORT").filter(|path| !path.is_empty());
    let interrupt = Interrupt::new(folder.path())?;
    // What the environment says and no option does, the library reads there. It is in no place to refuse what is wrong.
    let said = &arguments.switches.said;
    let mut wrong = Vec::new();
    let environment = Said::from_environment(|switch| !said.says(switch.name), |why| wrong.push(why));
    if !wrong.is_empty() {
        return Err(wrong.join("\nptxvm: "));
    }
    let choices = said.clone().over(&environment).choices();
    let mut variables = environment::variables(said, choices.profile, folder.path(), &report);
    variables.push(environment::python(&python));
    variables.push(("PTXVM_INTERRUPT".into(), interrupt.path().into()));
    let command = &arguments.command;
    let code = match ways {
        None => child::run(command, variables, interrupt, &report)?,
        Some(ways) => {
            let command_line: Vec<OsString> = std::env::args_os().collect();
            let again = Again::of(&command_line, command.len(), false);
            let many = Many { command, variables, folder: folder.path(), ways, again, color: choices.color };
            many.run(interrupt, &report)?
        }
    };
    let form = arguments.format.or(arguments.report.is_some().then_some(Form::Json));
    if let Some(form) = form {
        let to = arguments.report.as_deref();
        let place = || to.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
        written::write(&report, &shown(command), form, to)
            .map_err(|error| format!("cannot write to {}: {error}", place()))?;
    }
    if let Some(users) = users {
        findings::append(&report, Path::new(&users))
            .map_err(|error| format!("PTXVM_REPORT={}: {error}", users.display()))?;
    }
    Ok(match findings::read(&report, choices.color) {
        Some(worst) if arguments.status == Status::Findings && code == exit::CLEAN => worst,
        _ => code,
    })
}

/// A command as people write it.
fn shown(command: &[OsString]) -> String {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
