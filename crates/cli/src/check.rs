//! `ptxvm check`: is this PTX what ptxas would accept, and if not, why?

use std::io::Write;

use clap::{Args, ValueEnum};
use ptxvm_isa::{ISA, Target};
use ptxvm_report::{ColorChoice, Report};
use ptxvm_syntax::Severity;
use serde::Deserialize;

use crate::exit::{self, Exit};
use crate::files;
use crate::input::{self, Input};
use crate::memory::MaxMemory;
use crate::project::Project;
use crate::render;

#[derive(Args)]
pub struct Arguments {
    /// The PTX files to check, folders of such, or patterns ('kernels/**/*.ptx'); `-` is standard input [default: the
    /// `files` of ptxvm.toml]
    files: Vec<String>,
    /// How to show what is found [default: human]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Check for this target (sm_90a) instead of the one the file names
    #[arg(long, value_parser = target)]
    target: Option<Target>,
    /// Show at most this many diagnostics of a file (0: all); `human` shows 100 by default
    #[arg(long)]
    print_limit: Option<usize>,
    /// When to colour the output
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
    /// Print what each valid file contains
    #[arg(long, short)]
    verbose: bool,
    /// Do not show warnings
    #[arg(long)]
    no_warnings: bool,
    #[command(flatten)]
    memory: MaxMemory,
}

/// A format for diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For people, as rustc shows it, on standard error
    #[default]
    Human,
    /// One JSON object per line, on standard output
    Json,
    /// One SARIF 2.1.0 log, on standard output
    Sarif,
    /// GitHub workflow annotations, on standard output
    Github,
    /// JUnit's XML, on standard output
    Junit,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

impl Color {
    /// This, or what the environment says if it leaves the choice open.
    pub fn or(self, environment: ColorChoice) -> Color {
        match (self, environment) {
            (Color::Auto, ColorChoice::Always | ColorChoice::AlwaysAnsi) => Color::Always,
            (Color::Auto, ColorChoice::Never) => Color::Never,
            _ => self,
        }
    }
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> ColorChoice {
        match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::AlwaysAnsi,
            Color::Never => ColorChoice::Never,
        }
    }
}

/// A target that there is.
pub fn target(text: &str) -> Result<Target, String> {
    let known = |t: &Target| ISA.targets.iter().any(|entry| entry.target == *t);
    Target::parse(text)
        .filter(known)
        .ok_or_else(|| "expected a target such as sm_80, sm_90a or sm_100f".to_owned())
}

/// Checks every file; the worst outcome decides the exit code.
pub fn run(arguments: &Arguments) -> Exit {
    let found = Project::find().and_then(|project| Ok((files::named(&arguments.files, &project)?, project)));
    let (files, project) = match found {
        Ok(found) => found,
        Err(message) => return exit::usage(message),
    };
    let format = arguments.format.or(project.check.format).unwrap_or_default();
    let limit = match (arguments.print_limit.or(project.check.print_limit), format) {
        (Some(0), _) => usize::MAX,
        (Some(limit), _) => limit,
        (None, Format::Human) => 100,
        (None, _) => usize::MAX,
    };
    let printer = render::Printer::new(format, arguments.color, limit);
    // What the file says has been looked at when it was read.
    let of_project = project.check.target.as_deref().and_then(|name| target(name).ok());
    let options = ptxvm_module::Options { target: arguments.target.or(of_project), ..Default::default() };
    let warns = !(arguments.no_warnings || project.check.no_warnings);
    each(&files, &arguments.memory, printer, |input, printer| {
        let mut report = Report::of(&input.name, &input.bytes, &options);
        if !warns {
            report.diagnostics.retain(|d| d.severity == Severity::Error);
        }
        show(&report, arguments.verbose, printer)
    })
}

/// Does something with every file; the worst outcome decides the exit code.
pub fn each(
    files: &[String],
    memory: &MaxMemory,
    mut printer: render::Printer,
    mut one: impl FnMut(&Input, &mut render::Printer) -> std::io::Result<Exit>,
) -> Exit {
    let budget = memory.budget();
    let mut worst = exit::CLEAN;
    for path in files {
        let outcome = match input::read(path, &budget, input::CHECKED) {
            Ok(input) => one(&input, &mut printer),
            Err(message) => {
                // Wrong usage outranks nothing the PTX could do wrong, but must not hide it either.
                let outcome = exit::usage(&message);
                printer.unreadable(path, &message).map(|()| outcome)
            }
        };
        match outcome {
            Ok(code) => worst = worst.max(code),
            Err(e) => return output_failed(&e),
        }
    }
    match printer.finish() {
        Ok(()) => worst,
        Err(e) => output_failed(&e),
    }
}

/// A reader that has gone away (`| head`) is no error worth a message.
fn output_failed(error: &std::io::Error) -> Exit {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return exit::USAGE;
    }
    exit::usage(format!("cannot write: {error}"))
}

fn show(report: &Report<'_>, verbose: bool, printer: &mut render::Printer) -> std::io::Result<Exit> {
    printer.file(report)?;
    if verbose && report.ok() {
        eprintln!("{}: ok, {}", report.name, report.summary);
    }
    std::io::stdout().flush()?;
    Ok(if report.ok() { exit::CLEAN } else { exit::INVALID })
}
