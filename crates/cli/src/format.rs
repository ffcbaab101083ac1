//! `ptxvm fmt`: formats PTX in one layout and keeps every word and comment.

use std::path::Path;

use clap::Args;
use ptxvm_isa::ISA;
use ptxvm_report::Report;
use ptxvm_syntax::Interner;

use crate::check::{Color, Format};
use crate::exit::{self, Exit};
use crate::files;
use crate::input::{self, Input};
use crate::memory::MaxMemory;
use crate::private;
use crate::project::Project;
use crate::render::Printer;

#[derive(Args)]
pub struct Arguments {
    /// The PTX files to format in place, folders of such, or patterns ('kernels/**/*.ptx'); `-` formats standard input to
    /// standard output [default: the `files` of ptxvm.toml]
    files: Vec<String>,
    /// Change nothing; name the files that are not formatted and exit with 2 if there are any
    #[arg(long)]
    check: bool,
    /// Write the result to standard output instead of into the file
    #[arg(long)]
    stdout: bool,
    #[command(flatten)]
    memory: MaxMemory,
}

/// Formats every file; the worst outcome decides the exit code.
pub fn run(arguments: &Arguments) -> Exit {
    let files = match Project::find().and_then(|project| files::named(&arguments.files, &project)) {
        Ok(files) => files,
        Err(message) => return exit::usage(message),
    };
    let budget = arguments.memory.budget();
    let mut worst = exit::CLEAN;
    for path in &files {
        let outcome = match input::read(path, &budget, input::CHECKED) {
            Ok(input) => one(path, &input, arguments),
            Err(message) => exit::usage(message),
        };
        worst = worst.max(outcome);
    }
    worst
}

fn one(path: &str, input: &Input, arguments: &Arguments) -> Exit {
    let source = match ptxvm_syntax::decode(&input.bytes) {
        Ok(source) => source,
        Err(error) => return refuse(&Report::undecodable(&input.name, &input.bytes, *error)),
    };
    let formatted = match ptxvm_syntax::fmt(source, &Interner::with_words(ISA.words)) {
        Ok(text) => text,
        Err(errors) => return refuse(&Report::with(&input.name, source.into(), errors)),
    };
    if arguments.check {
        if formatted == source {
            return exit::CLEAN;
        }
        println!("{} is not formatted", input.name);
        return exit::INVALID;
    }
    if path == "-" || arguments.stdout {
        print!("{formatted}");
        return exit::CLEAN;
    }
    if formatted == source {
        return exit::CLEAN;
    }
    match private::replace(Path::new(path), formatted.as_bytes()) {
        Ok(()) => exit::CLEAN,
        Err(e) => exit::usage(format!("cannot write {path}: {e}")),
    }
}

/// A file that is not PTX is left as it is; why is shown.
fn refuse(report: &Report<'_>) -> Exit {
    match Printer::new(Format::Human, Color::Auto, 100).file(report) {
        Ok(()) => exit::INVALID,
        Err(e) => exit::usage(format!("cannot write: {e}")),
    }
}
