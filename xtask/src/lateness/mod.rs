//! `cargo xtask lateness`: measures how late a kernel ends after `--timeout` or ctrl-C has raised the flag that stops it.
//!
//! 1,024 threads execute every form of the table in an endless loop, on every device that has forms of its own, and then
//! the most expensive operations. A test does the same with a few milliseconds for each row.

mod costly;
mod measure;
mod products;
mod walk;

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ptxvm_vm::{Device, Profile};

use crate::fuzz::forms::{FilledForm, Forms};
use crate::fuzz::run::DEVICES;
use crate::oracle::Random;
use costly::Costly;
use measure::{HowItEnded, Late, measure};

/// The threads of a CTA.
pub const THREADS: u32 = 1024;

/// How often other operands are tried for a form that ends by itself, and for one that the checker refuses with them.
const TRIES: u32 = 8;
const SPELLINGS: u64 = 64;

/// What is run.
enum Subject<'a> {
    Form(&'a Forms, &'a FilledForm),
    Costly(Costly),
}

impl Subject<'_> {
    fn name(&self) -> String {
        match self {
            Subject::Form(forms, form) => format!("{} on {}", form.head(), forms.profile.name),
            Subject::Costly(costly) => format!("{} on {}", costly.name, costly.device),
        }
    }
}

/// What is known of a subject.
enum Known {
    Stopped(Late),
    /// No try came as far as to be stopped, and this is why the last did not.
    Ended(String),
    /// It did not stop, or the harness is wrong about it.
    Wrong(String),
}

/// Runs all forms, or those with these letters in their name, and prints the slowest.
pub fn report(part: &str) -> Result<(), String> {
    let forms = forms();
    let mut subjects: Vec<Subject<'_>> = costly::all().into_iter().map(Subject::Costly).collect();
    let mut heads = HashSet::new();
    for forms in &forms {
        subjects.extend(
            forms.all().filter(|form| heads.insert(form.head())).map(|form| Subject::Form(forms, form)),
        );
    }
    subjects.retain(|subject| subject.name().contains(part));
    let known = run(&subjects, Duration::from_millis(50));
    let rows: HashSet<_> =
        forms.iter().flat_map(Forms::all).map(|form| std::ptr::from_ref(form.row())).collect();
    let mut late = Vec::new();
    let (mut ended, mut wrong) = (0, Vec::new());
    for (subject, known) in subjects.iter().zip(&known) {
        match known {
            Known::Stopped(found) => late.push((*found, subject.name())),
            Known::Ended(why) => {
                ended += 1;
                println!("{} was not stopped: {why}", subject.name());
            }
            Known::Wrong(why) => wrong.push(format!("{}: {why}", subject.name())),
        }
    }
    late.sort_by(|a, b| b.cmp(a));
    println!(
        "{} forms of {} rows and costly cases, of which {} were stopped and {ended} ended by themselves",
        subjects.len(),
        rows.len(),
        late.len()
    );
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!("the slowest, in milliseconds of CPU time and on the clock:");
    for (found, name) in late.iter().take(10) {
        println!("{:9.2} {:9.2}  {name}", milliseconds(found.cpu), milliseconds(found.wall));
    }
    if let Some(worst) = late.iter().map(|(found, _)| found.wall).max() {
        println!("the latest on the clock: {:.2} ms", milliseconds(worst));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn forms() -> Vec<Forms> {
    DEVICES.iter().filter_map(|name| Profile::named(name)).map(Forms::new).collect()
}

/// Runs each subject until it has been stopped after so much CPU time, on every core.
fn run(subjects: &[Subject<'_>], after: Duration) -> Vec<Known> {
    let next = AtomicUsize::new(0);
    let known: Mutex<Vec<(usize, Known)>> = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(subject) = subjects.get(index) else { break };
                    let found = one(subject, after);
                    if let Ok(mut known) = known.lock() {
                        known.push((index, found));
                    }
                }
            });
        }
    });
    let mut known = known.into_inner().unwrap_or_default();
    known.sort_by_key(|(index, _)| *index);
    known.into_iter().map(|(_, known)| known).collect()
}

/// Stops one subject.
fn one(subject: &Subject<'_>, after: Duration) -> Known {
    match subject {
        Subject::Costly(costly) => stop_costly(costly, after).unwrap_or_else(Known::Wrong),
        Subject::Form(forms, form) => {
            let mut why = String::from("the checker refuses it with all operands that were tried");
            let mut tries = 0;
            for seed in 0..SPELLINGS {
                let mut random = Random::new(seed);
                let Some(source) = walk::program(forms, form, &mut random) else { continue };
                match stop_form(forms.profile, &source, &mut random, after) {
                    Ok(Known::Ended(reason)) if tries < TRIES => (tries, why) = (tries + 1, reason),
                    Ok(known) => return known,
                    Err(wrong) => return Known::Wrong(wrong),
                }
            }
            Known::Ended(why)
        }
    }
}

fn stop_form(
    profile: &'static Profile,
    source: &str,
    random: &mut Random,
    after: Duration,
) -> Result<Known, String> {
    let device = Device::new(profile);
    let scene = walk::scene(&device, random)?;
    let module = device.load(source).map_err(|e| format!("{e}\n{source}"))?;
    let kernel = module.kernel("k").map_err(|e| e.to_string())?;
    let options = walk::options(&module, &scene, random);
    Ok(known(measure(&kernel, &options, after)))
}

fn stop_costly(costly: &Costly, after: Duration) -> Result<Known, String> {
    let profile = Profile::named(costly.device).ok_or("there is no such device")?;
    let device = Device::new(profile);
    let scene = costly::CostlyLaunch::new(&device, costly)?;
    let module = device.load(&costly.source).map_err(|e| e.to_string())?;
    let kernel = module.kernel("k").map_err(|e| e.to_string())?;
    match known(measure(&kernel, &scene.options, after)) {
        // These are written so that they go on for ever.
        Known::Ended(why) => Err(format!("it ended by itself: {why}")),
        known => Ok(known),
    }
}

fn known(ending: HowItEnded) -> Known {
    match ending {
        HowItEnded::Stopped(late) => Known::Stopped(late),
        HowItEnded::ByItself(why) => Known::Ended(why),
        HowItEnded::Never => Known::Wrong("it did not stop".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In CPU time of the launch's own thread, which a busy host does not lengthen; without optimisation and with checks
    /// for overflow, what takes 100 ms takes longer.
    const MOST: Duration = Duration::from_secs(1);

    #[test]
    fn every_row_of_the_table_stops_when_it_is_told_to() {
        let forms = forms();
        let mut subjects: Vec<Subject<'_>> = costly::all().into_iter().map(Subject::Costly).collect();
        let mut rows = HashSet::new();
        for forms in &forms {
            let fresh = forms.all().filter(|form| rows.insert(std::ptr::from_ref(form.row())));
            subjects.extend(fresh.map(|form| Subject::Form(forms, form)));
        }
        let after = Duration::from_millis(3);
        let found = run(&subjects, after);
        let mut wrong = Vec::new();
        let mut stopped = 0;
        for (subject, known) in subjects.iter().zip(found) {
            let known = match known {
                // The host may have done something else in that time.
                Known::Stopped(late) if late.cpu > MOST => one(subject, after),
                known => known,
            };
            match known {
                Known::Stopped(late) if late.cpu > MOST => {
                    wrong.push(format!("{} stopped after {:?}", subject.name(), late.cpu));
                }
                Known::Stopped(_) => stopped += 1,
                Known::Ended(_) => {}
                Known::Wrong(why) => wrong.push(format!("{}: {why}", subject.name())),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // Most rows get operands with which they run on.
        assert!(stopped * 4 > subjects.len() * 3, "only {stopped} of {} were stopped", subjects.len());
    }
}
