//! Writes the messages and results of a run: for people to standard error and output, for programs as JSON lines.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ptxvm_report::number::plural;
use ptxvm_report::suppress::Suppressions;
use ptxvm_report::{Message, Report, finding, order, race, stale};
use ptxvm_settings::Choices;
use ptxvm_vm::{
    EngineChoice, Failure, Kernel, Kind, LaunchOptions, Limit, LoadError, Statistics, Unsupported,
};
use serde_json::{Value, json};

use super::options::{Arguments, Form};
use super::table::{self, Outcome};
use super::{progress, statistics};
use crate::check::{Color, Format};
use crate::exit::{self, Exit};
use crate::input::Input;
use crate::memory::too_much;
use crate::render::{Printer, github, sarif};

/// How to speak.
#[derive(Clone)]
pub struct Output {
    format: Format,
    color: Color,
    quiet: bool,
    shown: usize,
    stats: Option<Form>,
    engine: EngineChoice,
    suppressions: Arc<Suppressions>,
    /// What is said at the end.
    closing: Arc<Mutex<Closing>>,
}

/// What is gathered until the end.
#[derive(Default)]
struct Closing {
    sarif: sarif::Log,
    /// How many findings were not told.
    suppressed: usize,
    /// Whether the end has come.
    said: bool,
}

impl Output {
    /// As the command line says, or else the environment.
    pub fn new(arguments: &Arguments, choices: &Choices) -> Output {
        Output {
            format: arguments.format,
            color: arguments.color.or(choices.color),
            quiet: arguments.quiet,
            shown: arguments.show.values(),
            stats: arguments.stats.or(choices.settings.statistics.then_some(Form::Human)),
            engine: choices.settings.engine,
            suppressions: Arc::default(),
            closing: Arc::default(),
        }
    }

    /// From now on these findings are not told.
    pub fn suppress(&mut self, suppressions: Suppressions) {
        self.suppressions = Arc::new(suppressions);
    }

    /// Whether the launch must count what it does.
    pub fn counts(&self) -> bool {
        self.stats.is_some()
    }

    /// Whether progress may be drawn.
    pub fn chatty(&self) -> bool {
        !self.quiet && self.format == Format::Human
    }

    /// Says that the user asked for something that cannot be.
    pub fn usage(&self, message: &str) -> Exit {
        if self.format == Format::Json {
            let _ = line(&json!({ "kind": "usage", "message": message }));
        }
        exit::usage(message)
    }

    /// Passes on what the guest printed.
    pub fn guest(format: Format, text: &[u8]) {
        progress::clear();
        let mut out = io::stdout().lock();
        // A reader that has gone away is found by the next write that matters.
        let _ = match format {
            // A file may come from anywhere: what it prints is text, and no orders to the terminal.
            Format::Human if out.is_terminal() => out.write_all(ptxvm_report::for_terminal(text).as_bytes()),
            Format::Human => out.write_all(text),
            Format::Json => {
                writeln!(out, "{}", json!({ "kind": "print", "text": String::from_utf8_lossy(text) }))
            }
            // Standard output is for findings alone.
            Format::Github | Format::Sarif => {
                io::stderr().lock().write_all(ptxvm_report::for_terminal(text).as_bytes())
            }
        };
    }

    /// Shows bytes that are no text as `check` shows them.
    pub fn undecodable(&self, input: &Input, error: ptxvm_syntax::Diagnostic) -> Exit {
        let report = Report::undecodable(&input.name, &input.bytes, error);
        self.print(usize::MAX, &report);
        exit::INVALID
    }

    /// Says why a module could not be loaded.
    pub fn not_loaded(&self, report: &mut Report<'_>, error: LoadError) -> Exit {
        match error {
            LoadError::Invalid(diagnostics) => self.invalid(report, diagnostics),
            LoadError::Part { error, .. } => self.not_loaded(report, *error),
            LoadError::Link(_) => {
                self.refused(report, "link", &error.to_string(), "ptxvm run takes one module by itself")
            }
            LoadError::Target { .. } => {
                let hint = "--device chooses another; `a` targets run on exactly that chip";
                self.refused(report, "target", &error.to_string(), hint)
            }
            LoadError::Unresolved(_) => {
                let hint =
                    "ptxvm runs one module by itself, and provides vprintf, malloc, free and __assertfail";
                self.refused(report, "unresolved", &error.to_string(), hint)
            }
            LoadError::Unsupported(all) => {
                for what in &all {
                    self.unsupported(report, what);
                }
                exit::UNSUPPORTED
            }
            LoadError::Memory(error) => self.usage(&format!("the module's variables do not fit: {error}")),
            LoadError::Budget(over) => self.usage(&too_much("loading the module", over)),
            LoadError::Bug(message) => self.bug(&message),
        }
    }

    fn invalid(&self, report: &mut Report<'_>, diagnostics: Vec<ptxvm_syntax::Diagnostic>) -> Exit {
        let limit = if self.format == Format::Human { 100 } else { usize::MAX };
        report.diagnose(diagnostics);
        self.print(limit, report);
        exit::INVALID
    }

    /// Shows diagnostics as `check` does; that is all there is to say then.
    fn print(&self, limit: usize, report: &Report<'_>) {
        let mut printer = Printer::new(self.format, self.color, limit);
        // What was found stands in the exit code, even when nobody listens any more.
        let _ = printer.file(report).and_then(|()| printer.finish());
        self.closing().said = true;
    }

    fn closing(&self) -> std::sync::MutexGuard<'_, Closing> {
        self.closing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// PTX that is right in itself and that this device cannot take: to the user it is invalid all the same.
    fn refused(&self, report: &Report<'_>, code: &'static str, message: &str, hint: &str) -> Exit {
        let object = json!({ "kind": "invalid", "severity": "error", "code": code, "message": message, "help": hint, "file": report.name });
        let mut words = Message::new(message).id(code);
        words.notes.push(hint.to_owned());
        self.say(report, words, &object, exit::INVALID)
    }

    /// Says what is not supported yet.
    pub fn unsupported(&self, report: &Report<'_>, what: &Unsupported) -> Exit {
        let object = finding::unsupported_object(report, what);
        self.say(report, finding::unsupported(what), &object, exit::UNSUPPORTED)
    }

    /// Says that ptxvm is broken.
    pub fn bug(&self, message: &str) -> Exit {
        if self.format == Format::Json {
            let _ = line(&json!({ "kind": "bug", "message": message }));
        }
        exit::report_bug(message);
        exit::BUG
    }

    /// Says why a launch did not end well.
    pub fn failed(&self, report: &Report<'_>, failure: Failure, launch: &LaunchOptions, done: u64) -> Exit {
        match failure {
            Failure::Finding(f) => {
                let object = finding::object(report, &f, launch.settings.seed);
                let code = if f.kind == Kind::Trap { exit::TRAP } else { exit::FINDING };
                self.say(report, finding::message(&f, launch.settings.seed), &object, code)
            }
            Failure::Unsupported(what) => self.unsupported(report, &what),
            Failure::TooLarge { .. } => self.usage(&failure.to_string()),
            Failure::Limit(limit) => {
                let ctas = launch.grid.product();
                self.limit(report, limit, done, Some(ctas))
            }
            Failure::Arguments(error) => self.usage(&error.to_string()),
            Failure::Bug(message) => self.bug(&message),
        }
    }

    /// Tells of the mistakes after which the kernel went on.
    pub fn mistakes(&self, report: &Report<'_>, launch: &LaunchOptions) -> Exit {
        let mistakes = launch.mistakes.as_ref().map(|mistakes| mistakes.take()).unwrap_or_default();
        mistakes.iter().fold(exit::CLEAN, |worst, mistake| {
            let object = finding::mistake_object(report, mistake, launch.settings.seed);
            worst.max(self.tell(report, finding::mistake(mistake, launch.settings.seed), object))
        })
    }

    /// Tells of reads that saw an older write than memory held, which may be why a run did not come to what it should.
    pub fn stale(&self, report: &Report<'_>, launch: &LaunchOptions, failed: bool) {
        let stale = launch.stale.as_ref().map(|stale| stale.take()).unwrap_or_default();
        for stale in stale::worth_showing(stale, failed) {
            let seed = launch.settings.seed;
            let object = stale::object(report, &stale, seed);
            self.say(report, stale::message(report, &stale, seed), &object, exit::CLEAN);
        }
    }

    /// Tells of accesses that race.
    pub fn races(&self, report: &Report<'_>, kernel: &Kernel, launch: &LaunchOptions) -> Exit {
        let Some(all) = &launch.races else { return exit::CLEAN };
        if all.are_incomplete() {
            let (message, object) = race::incomplete();
            self.say(report, message, &object, exit::CLEAN);
        }
        let races = all.take();
        races.iter().fold(exit::CLEAN, |worst, race| {
            let name = kernel.place_name(race.space, race.address);
            let object = race::object(report, race, (kernel.name(), name.as_deref()));
            worst.max(self.tell(report, race::message(report, race, name.as_deref()), object))
        })
    }

    /// Tells of a finding after which the kernel went on, unless it is suppressed.
    fn tell(&self, report: &Report<'_>, message: Message, mut object: Value) -> Exit {
        let Some(suppression) = self.suppressions.of(&object) else {
            return self.say(report, message, &object, exit::FINDING);
        };
        object["suppressed"] = json!(suppression.reason);
        self.closing().suppressed += 1;
        match self.format {
            Format::Human => exit::CLEAN,
            _ => self.say(report, message, &object, exit::CLEAN),
        }
    }

    /// Answers the question about the order of two accesses, if there is one.
    pub fn order(&self, report: &Report<'_>, launch: &LaunchOptions) {
        let Some(answer) = launch.order.as_ref().and_then(|order| order.answer()) else { return };
        match self.format {
            Format::Human => print!("{}", order::text(report, &answer)),
            // A reader that has gone away is found by the next write that matters.
            Format::Json => drop(line(&order::object(report, &answer))),
            // It is an answer, and no finding.
            Format::Github | Format::Sarif => eprint!("{}", order::text(report, &answer)),
        }
    }

    /// Says that `--timeout` has ended the command: before its launch, if that has no CTAs yet.
    pub fn out_of_time(&self, timeout: Duration, done: u64, ctas: Option<u64>) -> Exit {
        progress::clear();
        let code = self.limit(&Report::with("", "".into(), Vec::new()), Limit::Time(timeout), done, ctas);
        self.close();
        code
    }

    /// Says what can only be said at the end.
    pub fn close(&self) {
        let mut closing = self.closing();
        if std::mem::replace(&mut closing.said, true) {
            return;
        }
        if self.format == Format::Sarif {
            let mut out = io::stdout().lock();
            // What has been found stands in the exit code, even when nobody listens any more.
            let _ = std::mem::take(&mut closing.sarif).write(&mut out).and_then(|()| out.flush());
        }
        if self.format == Format::Human && closing.suppressed > 0 {
            eprintln!("ptxvm: {} suppressed", plural(closing.suppressed, "finding"));
        }
    }

    fn limit(&self, report: &Report<'_>, limit: Limit, done: u64, ctas: Option<u64>) -> Exit {
        let text = finding::limit(limit, done, ctas);
        let object = json!({
            "kind": "limit", "code": finding::limit_name(limit), "message": text, "ctas_done": done, "ctas": ctas,
        });
        let code = if limit == Limit::Interrupted { exit::INTERRUPTED } else { exit::FINDING };
        self.say(report, Message::new(text).id("limit"), &object, code)
    }

    fn say(&self, report: &Report<'_>, message: Message, object: &Value, code: Exit) -> Exit {
        // What has been found stands in the exit code, even when nobody listens any more.
        let _ = match self.format {
            Format::Human => {
                let mut out = ptxvm_report::stderr(self.color.into());
                message.write(report, &mut out).and_then(|()| out.flush())
            }
            Format::Json => line(object),
            Format::Github => {
                let mut out = io::stdout().lock();
                github::finding(object, false, &mut out).and_then(|()| out.flush())
            }
            Format::Sarif => {
                self.closing().sarif.finding(object, false);
                Ok(())
            }
        };
        code
    }

    /// Shows the buffers after a run, whole or interrupted.
    pub fn result(
        &self,
        kernel: &Kernel,
        outcomes: &[Outcome],
        statistics: Option<&Statistics>,
    ) -> io::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        match self.format {
            Format::Human if self.quiet => {}
            Format::Human => table::write(outcomes, self.shown, &mut out)?,
            // Standard output is for findings alone.
            Format::Github | Format::Sarif => return Ok(()),
            Format::Json => {
                let buffers: Vec<Value> = outcomes.iter().map(|o| o.json(self.shown)).collect();
                let object = json!({
                    "kind": "result", "ok": statistics.is_some(), "kernel": kernel.name(), "buffers": buffers,
                });
                writeln!(out, "{object}")?;
            }
        }
        match (statistics, self.stats, self.format) {
            (Some(counts), Some(Form::Json), _) | (Some(counts), Some(_), Format::Json) => {
                let budget = kernel.module().device().budget();
                writeln!(out, "{}", statistics::json(counts, self.engine, budget))?;
            }
            (Some(counts), Some(Form::Human), Format::Human) => {
                statistics::write(counts, self.engine, kernel.module().device().budget(), &mut out)?;
            }
            _ => {}
        }
        out.flush()
    }
}

/// Writes one object.
fn line(object: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{object}")?;
    out.flush()
}
