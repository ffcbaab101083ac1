//! `ptxvm litmus`: may this litmus test end so, by PTX's memory model?

mod human;
mod json;
mod source;

use std::io::Write;

use clap::{Args, ValueEnum};
use ptxvm_model::notation::Model;
use ptxvm_model::search::{self, Hang};
use ptxvm_model::test::Test;
use ptxvm_model::{Limits, Repair, TooLarge, Verdict, codes, decide, repair};
use ptxvm_report::Report;
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::{Diagnostic, decode};

use crate::check::{self, Color};
use crate::exit::{self, Exit};
use crate::input::Input;
use crate::memory::MaxMemory;
use crate::render;

#[derive(Args)]
pub struct Arguments {
    /// The litmus tests, in herd's format or as PTX modules with `// litmus:` comments; `-` is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// The model that decides, or several to compare: `ptx-9.1` is chapter 8 of PTX ISA 9.1
    #[arg(long, default_value = "ptx-9.1", value_delimiter = ',', value_parser = ptxvm_model::NAMES)]
    model: Vec<String>,
    /// How to show what is found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Ask instead whether every execution ends
    #[arg(long)]
    ends: bool,
    /// Draw the execution that decides into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<String>,
    /// Do not look for fences that would forbid what is allowed
    #[arg(long)]
    no_repair: bool,
    /// How often a loop that writes is entered again, if what it reads decides that
    #[arg(long, default_value_t = Limits::default().unroll as u8, value_name = "N")]
    unroll: u8,
    /// Give up after this many candidate executions
    #[arg(long, default_value_t = Limits::default().steps, value_name = "N")]
    max_candidates: u64,
    /// When to colour the output
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
    #[command(flatten)]
    memory: MaxMemory,
}

/// A format for verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// One JSON object per file, on standard output
    Json,
}

/// What came of a test.
enum Outcome {
    Verdict(Box<Verdict>),
    /// Whether there is an execution that does not end, and whether loops were cut.
    Ends(Option<Box<Hang>>, bool),
}

/// A test that has been decided.
struct Decided<'a> {
    name: &'a str,
    source: &'a str,
    test: &'a Test,
    model: &'a Model,
    limits: &'a Limits,
    outcome: Outcome,
    /// What would forbid what the witness shows.
    repair: Option<Repair>,
}

impl Decided<'_> {
    /// The text of an instruction, in one line.
    fn text(&self, span: Span) -> String {
        let text = self.source.get(span.start as usize..span.end as usize).unwrap_or("");
        text.trim_end_matches(';').split_whitespace().collect::<Vec<&str>>().join(" ")
    }

    fn holds(&self) -> bool {
        match &self.outcome {
            Outcome::Verdict(verdict) => verdict.holds,
            Outcome::Ends(hang, _) => hang.is_none(),
        }
    }
}

/// Decides every file; the worst outcome decides the exit code.
pub fn run(arguments: &Arguments) -> Exit {
    let format = match arguments.format {
        Format::Human => check::Format::Human,
        Format::Json => check::Format::Json,
    };
    let printer = render::Printer::new(format, arguments.color, usize::MAX);
    check::each(&arguments.files, &arguments.memory, printer, |input, printer| one(input, arguments, printer))
}

fn one(input: &Input, arguments: &Arguments, printer: &mut render::Printer) -> std::io::Result<Exit> {
    let source = match decode(&input.bytes) {
        Ok(source) => source,
        Err(error) => {
            printer.file(&Report::undecodable(&input.name, &input.bytes, *error))?;
            return Ok(exit::INVALID);
        }
    };
    let test = match source::read(&input.name, source) {
        Ok(test) => test,
        Err((errors, code)) => {
            printer.file(&Report::with(&input.name, source.into(), errors))?;
            return Ok(code);
        }
    };
    let mut worst = exit::CLEAN;
    for name in &arguments.model {
        let Some(model) = ptxvm_model::model(name) else {
            return Ok(exit::usage(format!("there is no model {name}")));
        };
        worst = worst.max(by_model(&input.name, source, &test, model, arguments, printer)?);
    }
    Ok(worst)
}

/// Decides a test by one model, and shows what came of it.
fn by_model(
    name: &str,
    source: &str,
    test: &Test,
    model: &Model,
    arguments: &Arguments,
    printer: &mut render::Printer,
) -> std::io::Result<Exit> {
    let limits = Limits {
        unroll: usize::from(arguments.unroll),
        steps: arguments.max_candidates,
        ..Limits::default()
    };
    let outcome = if arguments.ends {
        search::hang(test, model, &limits).map(|(hang, bounded)| Outcome::Ends(hang.map(Box::new), bounded))
    } else {
        decide(test, model, &limits).map(|verdict| Outcome::Verdict(Box::new(verdict)))
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(reason) => {
            printer.file(&Report::with(name, source.into(), vec![too_large(&reason)]))?;
            return Ok(exit::FINDING);
        }
    };
    let repair = match &outcome {
        Outcome::Verdict(verdict) if verdict.witness.is_some() && !arguments.no_repair => {
            repair(test, model, &limits)
        }
        _ => None,
    };
    let decided = Decided { name, source, test, model, limits: &limits, outcome, repair };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match arguments.format {
        Format::Human => human::write(&decided, &mut out)?,
        Format::Json => json::write(&decided, &mut out)?,
    }
    out.flush()?;
    if let Some(path) = &arguments.svg {
        let Some(execution) = human::execution(&decided.outcome) else {
            return Ok(exit::usage("there is no execution to draw"));
        };
        let picture = ptxvm_model::draw::svg(test, source, execution, human::cycle(&decided.outcome));
        if let Err(e) = std::fs::write(path, picture) {
            return Ok(exit::usage(format!("cannot write {path}: {e}")));
        }
    }
    Ok(if decided.holds() { exit::CLEAN } else { exit::FINDING })
}

/// A test that no search could finish.
fn too_large(reason: &TooLarge) -> Diagnostic {
    let help = match reason {
        TooLarge::Steps(_) => "--max-candidates allows more; fewer writes of the same value need fewer",
        TooLarge::Paths(_) | TooLarge::Values(_) => {
            "--unroll 1 cuts loops earlier; or store fewer different values"
        }
        TooLarge::Events | TooLarge::Meetings => "leave out what the question does not need",
    };
    let message = format!("this litmus test is too large to decide: {reason}");
    Diagnostic::error(codes::TOO_LARGE, Span::new(0, 0), message).help(help)
}
