//! `ptxvm completions` and `ptxvm man`: what shells and `man` want to know of the command, made from its own definition.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::exit::{self, Exit};

#[derive(Args)]
pub struct Completions {
    /// The shell that completes words, such as bash; `eval "$(ptxvm completions bash)"` in its start file
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Args)]
pub struct Man {
    /// The folder to write the pages to: ptxvm.1 and one for each subcommand
    folder: PathBuf,
}

/// Prints the completions for a shell.
pub fn completions(command: &mut Command, arguments: &Completions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, command, "ptxvm", &mut script);
    match io::stdout().write_all(&script) {
        Ok(()) => exit::CLEAN,
        Err(error) => exit::usage(format!("cannot write: {error}")),
    }
}

/// Writes the manual pages.
pub fn man(command: Command, arguments: &Man) -> Exit {
    match pages(command.disable_help_subcommand(true), &arguments.folder) {
        Ok(()) => exit::CLEAN,
        Err(error) => exit::usage(format!("cannot write to {}: {error}", arguments.folder.display())),
    }
}

fn pages(command: Command, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command, folder)
}
