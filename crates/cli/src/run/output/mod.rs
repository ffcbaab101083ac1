//! Writes the messages and results of a run: for people to standard error and output, for programs as JSON lines.

mod unloaded;

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ptxvm_report::finding::Reached;
use ptxvm_report::number::plural;
use ptxvm_report::suppress::Suppressions;
use ptxvm_report::{Message, Report, finding, order, race, stale};
use ptxvm_settings::Choices;
use ptxvm_vm::{
    Checks, EngineChoice, Failure, Kernel, Kind, LaunchOptions, Limit, Print, Statistics, Unsupported,
};
use serde_json::{Value, json};

use super::options::{Arguments, Form};
use super::statistics::Looked;
use super::table::{self, Outcome};
use super::{progress, statistics};
use crate::check::{Color, Format};
use crate::exit::{self, Exit};
use crate::render::{Log, github};

/// How to speak.
#[derive(Clone)]
pub struct Output {
    format: Format,
    color: Color,
    quiet: bool,
    shown: usize,
    stats: Option<Form>,
    engine: EngineChoice,
    checks: Checks,
    suppressions: Arc<Suppressions>,
    /// What is said at the end.
    closing: Arc<Mutex<Closing>>,
    /// Has what is said, if somebody else will say it.
    gathered: Option<Arc<Mutex<Vec<Told>>>>,
}

/// Something that was said of a run: for people, for programs, and the exit status that it means.
pub struct Told {
    pub message: Message,
    pub object: Value,
    pub code: Exit,
}

/// What is gathered until the end.
#[derive(Default)]
struct Closing {
    /// The findings, for a format that is one document.
    log: Option<Log>,
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
            checks: choices.settings.checks,
            suppressions: Arc::default(),
            closing: Arc::new(Mutex::new(Closing {
                log: arguments.format.log(&arguments.file),
                ..Closing::default()
            })),
            gathered: None,
        }
    }

    /// One that says nothing: what it is told can be had from it with [`Output::gathered`].
    pub fn gather(&self) -> Output {
        Output { closing: Arc::default(), gathered: Some(Arc::default()), ..self.clone() }
    }

    /// What has been gathered so far.
    pub fn gathered(&self) -> Vec<Told> {
        let gathered = self.gathered.as_ref();
        gathered.map_or_else(Vec::new, |all| {
            std::mem::take(&mut *all.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// Says what another has gathered.
    pub fn pass_on(&self, report: &Report<'_>, told: Told) -> Exit {
        match told.object["kind"].as_str() {
            Some("usage") => self.usage(&told.message.text),
            Some("bug") => self.bug(&told.message.text),
            _ => self.say(report, told.message, &told.object, told.code),
        }
    }

    /// The seed that notes for people name: where findings of many runs are gathered, somebody else names all of theirs.
    fn noted_seed(&self, launch: &LaunchOptions) -> u64 {
        if self.gathered.is_some() { 0 } else { launch.settings.seed }
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
        if self.gathered.is_some() {
            let object = json!({ "kind": "usage", "message": message });
            return self.say(&nowhere(), Message::new(message), &object, exit::USAGE);
        }
        if self.format == Format::Json {
            let _ = line(&json!({ "kind": "usage", "message": message }));
        }
        exit::usage(message)
    }

    /// Passes on what the guest prints.
    pub fn printer(format: Format) -> Print {
        Arc::new(move |text: &[u8]| Output::guest(format, text))
    }

    fn guest(format: Format, text: &[u8]) {
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
            Format::Github | Format::Sarif | Format::Junit => {
                io::stderr().lock().write_all(ptxvm_report::for_terminal(text).as_bytes())
            }
        };
    }

    fn closing(&self) -> std::sync::MutexGuard<'_, Closing> {
        self.closing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what is not supported yet.
    pub fn unsupported(&self, report: &Report<'_>, what: &Unsupported) -> Exit {
        let object = finding::unsupported_object(report, what);
        self.say(report, finding::unsupported(what), &object, exit::UNSUPPORTED)
    }

    /// Says that ptxvm is broken.
    pub fn bug(&self, message: &str) -> Exit {
        if self.gathered.is_some() {
            let object = json!({ "kind": "bug", "message": message });
            return self.say(&nowhere(), Message::new(message), &object, exit::BUG);
        }
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
                self.say(report, finding::message(&f, self.noted_seed(launch)), &object, code)
            }
            Failure::Unsupported(what) => self.unsupported(report, &what),
            Failure::TooLarge { .. } => self.usage(&failure.to_string()),
            Failure::Limit(limit) => self.limit(report, limit, Reached::Ctas(done, launch.grid.product())),
            Failure::Arguments(error) => self.usage(&error.to_string()),
            Failure::Bug(message) => self.bug(&message),
        }
    }

    /// Tells of the mistakes after which the kernel went on.
    pub fn mistakes(&self, report: &Report<'_>, launch: &LaunchOptions) -> Exit {
        let mistakes = launch.mistakes.as_ref().map(|mistakes| mistakes.take()).unwrap_or_default();
        mistakes.iter().fold(exit::CLEAN, |worst, mistake| {
            let object = finding::mistake_object(report, mistake, launch.settings.seed);
            worst.max(self.tell(report, finding::mistake(mistake, self.noted_seed(launch)), object))
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

    /// Tells that there are more findings than are told.
    pub fn left_out(&self, report: &Report<'_>, launch: &LaunchOptions) {
        if launch.has_left_out() {
            let (message, object) = finding::left_out(launch.settings.check_limit);
            self.say(report, message, &object, exit::CLEAN);
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
    pub fn tell(&self, report: &Report<'_>, message: Message, mut object: Value) -> Exit {
        let Some(suppression) = self.suppressions.of(&object) else {
            return self.say(report, message, &object, exit::FINDING);
        };
        object["suppressed"] = json!(suppression.reason);
        self.say(report, message, &object, exit::CLEAN)
    }

    /// Answers the question about the order of two accesses, if there is one.
    pub fn order(&self, report: &Report<'_>, launch: &LaunchOptions) {
        let Some(answer) = launch.order.as_ref().and_then(|order| order.answer()) else { return };
        match self.format {
            Format::Human => print!("{}", order::text(report, &answer)),
            // A reader that has gone away is found by the next write that matters.
            Format::Json => drop(line(&order::object(report, &answer))),
            // It is an answer, and no finding.
            Format::Github | Format::Sarif | Format::Junit => eprint!("{}", order::text(report, &answer)),
        }
    }

    /// Says that `--timeout` has ended the command.
    pub fn out_of_time(&self, timeout: Duration, reached: Reached) -> Exit {
        progress::clear();
        let code = self.limit(&nowhere(), Limit::Time(timeout), reached);
        self.close();
        code
    }

    /// Says what can only be said at the end.
    pub fn close(&self) {
        let mut closing = self.closing();
        if std::mem::replace(&mut closing.said, true) {
            return;
        }
        if let Some(log) = closing.log.take() {
            let mut out = io::stdout().lock();
            // What has been found stands in the exit code, even when nobody listens any more.
            let _ = log.write(&mut out).and_then(|()| out.flush());
        }
        if self.format == Format::Human && closing.suppressed > 0 {
            eprintln!("ptxvm: {} suppressed", plural(closing.suppressed, "finding"));
        }
    }

    /// Says which limit has been reached.
    pub fn limit(&self, report: &Report<'_>, limit: Limit, reached: Reached) -> Exit {
        let text = finding::limit(limit, reached);
        let mut object = json!({ "kind": "limit", "code": finding::limit_name(limit), "message": text });
        let (names, numbers) = match reached {
            Reached::Nothing => (["ctas_done", "ctas"], [json!(0), Value::Null]),
            Reached::Ctas(done, all) => (["ctas_done", "ctas"], [json!(done), json!(all)]),
            Reached::Runs(done, all) => (["runs_done", "runs"], [json!(done), json!(all)]),
        };
        for (name, number) in names.into_iter().zip(numbers) {
            object[name] = number;
        }
        let code = if limit == Limit::Interrupted { exit::INTERRUPTED } else { exit::FINDING };
        self.say(report, Message::new(text).id("limit"), &object, code)
    }

    fn say(&self, report: &Report<'_>, message: Message, object: &Value, code: Exit) -> Exit {
        if let Some(gathered) = &self.gathered {
            let told = Told { message, object: object.clone(), code };
            gathered.lock().unwrap_or_else(PoisonError::into_inner).push(told);
            return code;
        }
        if object["suppressed"].is_string() {
            self.closing().suppressed += 1;
            if self.format == Format::Human {
                return code;
            }
        }
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
            Format::Sarif | Format::Junit => {
                self.closing().log.iter_mut().for_each(|log| log.finding(object, false));
                Ok(())
            }
        };
        code
    }

    /// Says how many runs there were, and what became of them.
    pub fn runs(&self, sentence: &str, object: &Value) -> io::Result<()> {
        match self.format {
            Format::Human if !self.quiet => writeln!(io::stdout().lock(), "{sentence}"),
            Format::Json => line(object),
            _ => Ok(()),
        }
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
            Format::Github | Format::Sarif | Format::Junit => return Ok(()),
            Format::Json => {
                let buffers: Vec<Value> = outcomes.iter().map(|o| o.json(self.shown)).collect();
                let object = json!({
                    "kind": "result", "ok": statistics.is_some(), "kernel": kernel.name(), "buffers": buffers,
                });
                writeln!(out, "{object}")?;
            }
        }
        let checks = Looked { asked: self.checks, made: kernel.checked(self.checks) };
        match (statistics, self.stats, self.format) {
            (Some(counts), Some(Form::Json), _) | (Some(counts), Some(_), Format::Json) => {
                let budget = kernel.module().device().budget();
                writeln!(out, "{}", statistics::json(counts, self.engine, checks, budget))?;
            }
            (Some(counts), Some(Form::Human), Format::Human) => {
                statistics::write(counts, self.engine, checks, kernel.module().device().budget(), &mut out)?;
            }
            _ => {}
        }
        out.flush()
    }
}

/// The report of what has no place in a file.
fn nowhere() -> Report<'static> {
    Report::with("", "".into(), Vec::new())
}

/// Writes one object.
fn line(object: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{object}")?;
    out.flush()
}
