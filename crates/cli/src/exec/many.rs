//! `ptxvm exec --seeds`: runs the command once for each seed, several at once over the cores, each with a report of its own.
//! The first run is made alone, and what it writes is shown. Of the others it is compared with that and dropped; what they
//! find is gathered, and told once with the seeds that show it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ptxvm_report::number::grouped;
use ptxvm_report::{ColorChoice, Message, Report};
use serde_json::{Value, json};

use super::child::{self, Children, End};
use super::environment::Variables;
use super::findings::{self, MOST_SAID};
use super::first_output::{self, Difference};
use super::interrupt::Interrupt;
use super::written::is_found;
use crate::exit::{self, Exit};
use crate::gathered::{Finding, Gathered};
use crate::render::finding::{code, message, place, reason};
use crate::seeds::{Again, Shown, Ways, runs};

/// The code of results that depend on the order of execution.
const ORDER_DEPENDENT: &str = "order-dependent";

/// A command to be run in many ways.
pub struct Many<'a> {
    pub command: &'a [OsString],
    /// What is set for every run.
    pub variables: Variables,
    /// Where reports and the first run's output are kept.
    pub folder: &'a Path,
    pub ways: Ways,
    pub again: Again,
    pub color: ColorChoice,
}

/// What the runs have come to so far.
#[derive(Default)]
struct Found {
    gathered: Gathered<Value>,
    ends: BTreeMap<End, Shown>,
    /// How a run ended after a signal, which is not compared.
    interrupted: Option<End>,
    /// Those whose output is not that of the first, and where the first of them differs.
    differing: Shown,
    difference: Option<(usize, Difference)>,
    /// The first run that could not be made or waited for.
    failed: Option<String>,
}

/// The runs while they are made.
struct Runs<'m> {
    many: &'m Many<'m>,
    children: Children,
    found: Mutex<Found>,
}

impl Many<'_> {
    /// Makes all runs, leaves what they have found in `report`, and gives their exit status: the first that is not 0.
    pub fn run(&self, interrupt: Interrupt, report: &Path) -> Result<Exit, String> {
        let runs = Runs { many: self, children: Children::watched(interrupt)?, found: Mutex::default() };
        if let Some(code) = runs.one(0)? {
            return Ok(code);
        }
        let taken = AtomicUsize::new(1);
        let work = || {
            while !runs.children.are_to_end() {
                let index = taken.fetch_add(1, Ordering::Relaxed);
                if index >= self.ways.count() {
                    break;
                }
                match runs.one(index) {
                    Ok(None) => {}
                    // It could be started before.
                    Ok(Some(_)) => break,
                    Err(why) => {
                        runs.found().failed.get_or_insert(why);
                        break;
                    }
                }
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        std::thread::scope(|scope| {
            for _ in 1..cores.min(self.ways.count()) {
                // Without another thread this one does all of the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let Runs { children, found, .. } = runs;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = found.failed.take() {
            return Err(why);
        }
        self.tell(found, &children, report).map_err(|error| format!("cannot tell what was found: {error}"))
    }

    /// Tells what differs and what was found, and writes it for those who go on with it.
    fn tell(&self, found: Found, children: &Children, report: &Path) -> io::Result<Exit> {
        let (ways, ended) = (self.ways, found.ends.values().map(Shown::count).sum::<usize>());
        let mut err = ptxvm_report::stderr(self.color);
        let mut out = BufWriter::new(File::create(report)?);
        let (all, dropped) = found.gathered.all();
        let mut said = 0;
        for Finding { told: mut object, count, shown, .. } in all {
            if count > 0 {
                object["count"] = json!(count);
            }
            let text = object.as_object_mut().and_then(|fields| fields.remove("said"));
            if is_found(&object) {
                ways.add_to(&mut object, &shown, &self.again);
                if reason(&object).is_none() {
                    said += 1;
                    if said <= MOST_SAID {
                        self.say(&object, text.as_ref().and_then(Value::as_str), &shown, &mut err)?;
                    }
                }
            }
            writeln!(out, "{object}")?;
        }
        let more = said.saturating_sub(MOST_SAID).saturating_add(dropped);
        if more > 0 {
            writeln!(err, "ptxvm: and {} more", grouped(more))?;
        }
        let mut differs = Vec::new();
        differs.extend(self.difference_of_ends(&found.ends));
        differs.extend(
            found
                .difference
                .map(|(index, what)| self.difference_of_output(index, &what, &found.differing, ended)),
        );
        let are_same = differs.is_empty();
        for (message, object) in differs {
            writeln!(out, "{object}")?;
            message.write(&Report::with("", "".into(), Vec::new()), &mut err)?;
        }
        let all = runs(ways.count());
        if children.are_to_end() {
            writeln!(err, "ptxvm: interrupted; {} of {all} had ended", grouped(ended as u64))?;
        } else if are_same {
            writeln!(err, "ptxvm: {all}, all with the same output and exit status")?;
        }
        err.flush()?;
        out.flush()?;
        let wrong = found.ends.iter().filter(|(end, _)| end.exit() != exit::CLEAN);
        let first = wrong.min_by_key(|(_, shown)| shown.first()).map(|(end, _)| end.exit());
        Ok(match first {
            _ if children.were_forced() => exit::INTERRUPTED,
            Some(code) => code,
            None if children.are_to_end() => {
                let after = found.interrupted.map(End::exit).filter(|code| *code != exit::CLEAN);
                after.unwrap_or(exit::INTERRUPTED)
            }
            None => exit::CLEAN,
        })
    }

    /// Says which runs show a finding. One that the first run has shown stands above already; of others there is a `text`.
    fn say(&self, object: &Value, text: Option<&str>, shown: &Shown, err: &mut impl Write) -> io::Result<()> {
        if let Some(text) = text {
            writeln!(err, "{}", text.trim_end())?;
        }
        let at = match place(object, true) {
            Some(place) if place.file.is_empty() => format!(" at line {}", place.line),
            Some(place) => format!(" at {}:{}", place.file, place.line),
            None => String::new(),
        };
        let what = if place(object, true).is_none() { message(object) } else { code(object) };
        writeln!(err, "ptxvm: {what}{at}: shown by {}", self.ways.named(shown))?;
        writeln!(err, "ptxvm: `{}` shows it again", object["again"].as_str().unwrap_or_default())
    }

    /// That runs do not end alike.
    fn difference_of_ends(&self, ends: &BTreeMap<End, Shown>) -> Option<(Message, Value)> {
        let mut all: Vec<(&End, &Shown)> = ends.iter().collect();
        all.sort_by_key(|(_, shown)| shown.first());
        let (first, others) = all.split_first()?;
        let (other, shown) = others.first()?;
        let text = format!("the exit status depends on the order of execution: {} and {other}", first.0);
        let each = all.iter().map(|(end, shown)| format!("{end}: {}", self.ways.named(shown)));
        Some(self.order_dependent(text, each.collect(), shown))
    }

    /// That they do not write the same.
    fn difference_of_output(
        &self,
        index: usize,
        Difference { line, texts }: &Difference,
        differing: &Shown,
        ended: usize,
    ) -> (Message, Value) {
        let [first, other] = [0, index].map(|index| self.ways.at(index));
        let text = format!(
            "the output depends on the order of execution: that of {} of {} differs from that with {first}",
            grouped(differing.count() as u64),
            runs(ended)
        );
        let [with_first, with_other] = texts
            .each_ref()
            .map(|text| text.as_ref().map_or_else(|| "nothing".to_owned(), |text| format!("`{text}`")));
        let note = format!(
            "line {line} of standard output is {with_first} with {first}, and {with_other} with {other}"
        );
        self.order_dependent(text, vec![note], differing)
    }

    fn order_dependent(&self, text: String, notes: Vec<String>, shown: &Shown) -> (Message, Value) {
        let mut object = json!({
            "kind": "finding", "severity": "error", "code": ORDER_DEPENDENT, "message": text, "notes": notes,
        });
        let mut message = Message::new(text).id(ORDER_DEPENDENT);
        message.notes = notes;
        message.notes.extend(self.ways.add_to(&mut object, shown, &self.again));
        (message, object)
    }
}

impl Runs<'_> {
    /// Makes one run. Gives an exit status if no run can be made.
    fn one(&self, index: usize) -> Result<Option<Exit>, String> {
        let (many, way) = (self.many, self.many.ways.at(index));
        let report = many.folder.join(format!("report-{index}"));
        let mut variables = many.variables.clone();
        variables.push(("PTXVM_REPORT".into(), report.clone().into()));
        variables.push(("PTXVM_SEED".into(), way.seed.to_string().into()));
        variables.extend(way.asynchrony.map(|when| ("PTXVM_ASYNC".into(), when.name().into())));
        let mut command = child::of(many.command, variables)?;
        // One run would take standard input away from the others.
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        if index > 0 {
            command.stderr(Stdio::null());
        }
        let mut child = match self.children.start(&mut command, &report) {
            Ok(child) => child,
            Err(error) => return Ok(Some(child::not_started(&command, &error))),
        };
        let compared = child.stdout.take().map_or(Ok(None), |output| match index {
            0 => first_output::show(output, &self.kept()).map(|()| None),
            _ => first_output::compare(output, &self.kept()),
        });
        let end = self.children.wait(&mut child)?;
        let mut found = self.found();
        let objects = findings::objects(&report).filter(|object| object["kind"] != "interrupt");
        found.gathered.add(index, objects, |object| object);
        // It goes with the folder if it cannot be removed now.
        let _ = std::fs::remove_file(&report);
        if self.children.are_to_end() {
            found.interrupted = found.interrupted.max(Some(end));
            return Ok(None);
        }
        found.ends.entry(end).or_default().add(index);
        if index == 0 && compared.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            // Nobody listens any more.
            return Ok(Some(end.exit()));
        }
        // What cannot be read is not compared.
        if let Ok(Some(difference)) = compared {
            found.differing.add(index);
            if found.difference.as_ref().is_none_or(|(other, _)| index < *other) {
                found.difference = Some((index, difference));
            }
        }
        Ok(None)
    }

    /// The file of the first run's output.
    fn kept(&self) -> PathBuf {
        self.many.folder.join("first-output")
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
