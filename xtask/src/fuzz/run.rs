//! `cargo xtask fuzz run`: runs random programs and mutated real kernels on the machine, with every check of `judge`.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ptxvm_isa::ISA;
use ptxvm_syntax::{Interner, LineIndex, Severity};
use ptxvm_vm::{Device, Profile};

use super::forms::Forms;
use super::judge::{self, Expected};
use super::mutate::Corpus;
use super::setting::{Ending, Wrong};
use super::{program, reduce};
use crate::oracle::Random;

/// The devices that programs are made for: the default first, then those with other matrix instructions.
pub const DEVICES: &[&str] = &["h200", "b200", "b300", "rtx5090"];

/// Of so many inputs one is a changed kernel of the corpus, the others are made from the table.
const CHANGED: u64 = 4;

/// The longest kernels that are changed.
const MOST_LINES: usize = 800;

/// An input that takes longer than this does not end: the limits of its launches are long past.
const HANGS: Duration = Duration::from_secs(300);

/// What has been done.
#[derive(Default)]
struct Count {
    /// Inputs that ran.
    programs: u64,
    /// Inputs that the checker or the loader refuses.
    refused: u64,
    /// Launches by how they ended.
    endings: BTreeMap<Ending, u64>,
}

/// Runs `count` inputs on every core, beginning with a seed, and judges each.
pub fn run(root: &Path, count: u64, seed: u64) -> Result<(), String> {
    let profiles = DEVICES.iter().filter_map(|name| Profile::named(name));
    let forms: Vec<Forms> = profiles.map(Forms::new).collect();
    let corpus = Corpus::read(root, MOST_LINES)?;
    for forms in &forms {
        println!("{} forms of the table for {}", forms.len(), forms.profile.name);
    }
    println!("{} kernels to change", corpus.len());
    let counted = Mutex::new(Count::default());
    let next = AtomicU64::new(0);
    let started = Instant::now();
    std::panic::set_hook(Box::new(|_| {}));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let busy: Vec<Mutex<Option<(u64, Instant)>>> = (0..threads).map(|_| Mutex::new(None)).collect();
    let worker = &|busy: &Mutex<Option<(u64, Instant)>>| {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if let Ok(mut busy) = busy.lock() {
                *busy = (i < count).then(|| (seed.wrapping_add(i), Instant::now()));
            }
            if i >= count {
                return None;
            }
            if i % 10_000 == 9_999 {
                println!("{} inputs, {:.0} s", i + 1, started.elapsed().as_secs_f64());
            }
            if let Err(wrong) = one(&forms, &corpus, seed.wrapping_add(i), &counted) {
                return Some(wrong);
            }
        }
    };
    let ended = AtomicBool::new(false);
    let found: Vec<String> = std::thread::scope(|scope| {
        scope.spawn(|| watch(&busy, &ended));
        let handles: Vec<_> = busy.iter().map(|busy| scope.spawn(move || worker(busy))).collect();
        let found = handles.into_iter().filter_map(|h| h.join().ok().flatten()).collect();
        ended.store(true, Ordering::Relaxed);
        found
    });
    drop(std::panic::take_hook());
    let counted = counted.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let launches: u64 = counted.endings.values().sum();
    println!(
        "{} inputs ran, {} were refused; {launches} launches in {:.1} s",
        counted.programs,
        counted.refused,
        started.elapsed().as_secs_f64()
    );
    for (ending, times) in &counted.endings {
        println!("{times:10} {ending}");
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n\n")) }
}

/// Ends the process when an input hangs: a thread cannot be stopped, and nothing else would ever say which it was.
fn watch(busy: &[Mutex<Option<(u64, Instant)>>], ended: &AtomicBool) {
    while !ended.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
        for (seed, began) in busy.iter().filter_map(|busy| busy.lock().ok().and_then(|busy| *busy)) {
            if began.elapsed() > HANGS {
                eprintln!("seed {seed} hangs");
                std::process::exit(1);
            }
        }
    }
}

fn one(forms: &[Forms], corpus: &Corpus, seed: u64, counted: &Mutex<Count>) -> Result<(), String> {
    let mut random = Random::new(seed);
    // Most programs are for the default device.
    let forms = &forms[[0, 0, 0, 1, 2, 3][random.below(6)].min(forms.len() - 1)];
    let (profile, mut lines, expected) = if seed.is_multiple_of(CHANGED) {
        let (profile, lines) = corpus.changed(&mut random);
        (profile, lines, Expected { repeatable: false, isolated: false })
    } else {
        let program::Program { lines, repeatable, isolated } = program::program(forms, &mut random);
        (forms.profile, lines, Expected { repeatable, isolated })
    };
    let accepted = seed.is_multiple_of(CHANGED) || accepted(&mut lines);
    let outcome = if accepted { try_lines(profile, &lines, expected, seed) } else { Ok(None) };
    if let Ok(mut count) = counted.lock() {
        match &outcome {
            Ok(Some(endings)) => {
                count.programs += 1;
                endings.iter().for_each(|ending| *count.endings.entry(ending).or_default() += 1);
            }
            Ok(None) => count.refused += 1,
            Err(_) => {}
        }
    }
    let again = |lines: &[String]| try_lines(profile, lines, expected, seed);
    outcome.map(|_| ()).map_err(|wrong| reduce::report(seed, lines, wrong, again))
}

/// Loads and judges a module; `None` if it is refused with good reason.
fn try_lines(
    profile: &'static Profile,
    lines: &[String],
    expected: Expected,
    seed: u64,
) -> Result<Option<Vec<Ending>>, Wrong> {
    let source = lines.join("\n") + "\n";
    caught(|| {
        let device = Device::new(profile);
        let scene = judge::scene(&device, &mut Random::new(seed))?;
        let Some(module) = judge::load(&device, &source)? else { return Ok(None) };
        judge::judge(&module, &scene, expected, seed).map(Some)
    })
}

/// A panic is something that does not hold.
pub fn caught<T>(judge: impl FnOnce() -> Result<T, Wrong>) -> Result<T, Wrong> {
    catch_unwind(AssertUnwindSafe(judge)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(Wrong { sort: "panic", text: text.unwrap_or_default() })
    })
}

/// Takes out the lines that the checker refuses; gives whether the rest is right.
pub fn accepted(lines: &mut Vec<String>) -> bool {
    let words = Interner::with_words(ISA.words);
    for _ in 0..8 {
        let text = lines.join("\n") + "\n";
        let parsed = ptxvm_syntax::parse(&text, &words);
        let checked = ptxvm_module::check(&parsed.file, &text, &ISA, &ptxvm_module::Options::default());
        let index = LineIndex::new(&text);
        let errors = parsed.diagnostics.iter().chain(&checked.diagnostics);
        let mut wrong: Vec<usize> = errors
            .filter(|d| d.severity == Severity::Error)
            .map(|d| index.line_column(&text, d.primary.span.start).line as usize)
            .collect();
        if wrong.is_empty() {
            return true;
        }
        wrong.sort_unstable();
        wrong.dedup();
        for line in wrong.into_iter().rev() {
            if line >= 1 && line <= lines.len() {
                lines.remove(line - 1);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    /// A million take an hour; these take seconds and catch most of what those would.
    #[test]
    fn a_few_hundred_programs_do_no_harm() {
        assert_eq!(super::run(&crate::root(), 600, 0), Ok(()));
    }
}
