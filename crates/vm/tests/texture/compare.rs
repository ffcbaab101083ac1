//! Runs the cases of a group and sums up what differs.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ptxvm_vm::{Buffer, Device, Failure, Kernel, Kind, LaunchOptions};

use crate::golden::{Case, Golden, Inexact};
use crate::image::Bound;
use crate::kernel::Kernels;

/// Threads of a CTA, as on the H200.
pub const BLOCK: u32 = 256;

/// How many differences are told of, unless the variable `PTXVM_TOLD` says another number.
const TOLD: usize = 12;

/// How a case differs from what the H200 gave.
struct Difference {
    /// Words, predicates and bytes of texels that differ, and how many there are.
    words: usize,
    of: usize,
    /// The largest difference of two floats; infinite where one of them is no number.
    error: f32,
    /// The first that differs, or why the case did not run.
    first: String,
}

/// Runs all cases of a group; fails with a summary.
pub fn group(name: &str) {
    let golden = Golden::get();
    let cases: Vec<&Case> = golden.cases().filter(|case| case.group == name).collect();
    let device = Device::default();
    let kernels = Kernels::load(&device, &cases);
    let (next, differences) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(difference) = run(&device, golden, kernels.of(case), case) {
                        differences
                            .lock()
                            .expect("no thread panicked")
                            .push((case.name.as_str(), difference));
                    }
                }
            });
        }
    });
    let mut differences = differences.into_inner().expect("no thread panicked");
    differences.sort_by_key(|(name, _)| *name);
    let inexact: Vec<&Inexact> =
        golden.inexact().filter(|inexact| cases.iter().any(|case| case.name == inexact.case)).collect();
    let mut wrong = Vec::new();
    for known in &inexact {
        let found = differences.iter().find(|(name, _)| *name == known.case);
        match found.map(|(_, difference)| difference) {
            None => {
                wrong.push(format!("{} is exact now: take it from the list of inexact cases", known.case))
            }
            Some(difference) if difference.words > known.words || difference.error > known.error => {
                wrong.push(format!(
                    "{} has become worse: {} words and {:e}, the list ({}) says {} and {:e}",
                    known.case, difference.words, difference.error, known.reason, known.words, known.error
                ));
            }
            Some(_) => {}
        }
    }
    differences.retain(|(name, _)| inexact.iter().all(|known| known.case != *name));
    if !differences.is_empty() {
        wrong.push(summary(cases.len(), &differences));
    }
    assert!(wrong.is_empty(), "{name}: {}", wrong.join("\n"));
}

fn summary(cases: usize, differences: &[(&str, Difference)]) -> String {
    let words: usize = differences.iter().map(|(_, difference)| difference.words).sum();
    let error = differences.iter().map(|(_, difference)| difference.error).fold(0.0, f32::max);
    let mut text = format!(
        "{} of {cases} cases differ, in {words} words; the largest error is {error:e}\n",
        differences.len()
    );
    // Cases of one kind lie side by side, so that some from everywhere tell more than the first ones.
    let told = std::env::var("PTXVM_TOLD").ok().and_then(|told| told.parse().ok()).unwrap_or(TOLD);
    let step = differences.len().div_ceil(told);
    for (name, difference) in differences.iter().step_by(step) {
        let Difference { words, of, error, first, .. } = difference;
        let _ = writeln!(text, "  {name}: {words} of {of} words, error {error:e}; {first}");
    }
    text
}

fn run(device: &Device, golden: &Golden, kernel: &Result<Kernel, String>, case: &Case) -> Option<Difference> {
    let failed = |first: String| Difference { words: 0, of: 0, error: f32::INFINITY, first };
    let kernel = match kernel {
        Ok(kernel) => kernel,
        Err(error) => return Some(failed(format!("it does not load: {error}"))),
    };
    let bound = match Bound::new(device, golden, case) {
        Ok(bound) => bound,
        Err(error) => return Some(failed(error)),
    };
    let inputs = golden.data(case.inputs);
    let input = Buffer::from_slice(device, inputs).expect("memory");
    let output = Buffer::new(device, case.threads * (case.outs + 1) * 4).expect("memory");
    let launch = LaunchOptions::new((case.threads as u32).div_ceil(BLOCK), BLOCK)
        .argument(&input)
        .argument(&output)
        .argument(case.threads as u32)
        .argument(bound.texture)
        .argument(bound.surface);
    let result = kernel.launch(&launch);
    match (result, case.fault) {
        (Err(Failure::Finding(finding)), Some(code)) if kinds(code).contains(&finding.kind) => return None,
        (Err(failure), Some(code)) => {
            return Some(failed(format!("it stops with {failure}, the H200 with {code}")));
        }
        (Err(failure), None) => return Some(failed(format!("it does not run: {failure}"))),
        (Ok(_), Some(code)) => return Some(failed(format!("the H200 stopped with {code}"))),
        (Ok(_), None) => {}
    }
    let outputs = golden.outputs(case.outputs.expect("a case that did not fault has outputs"));
    let mut tally = Tally::default();
    let got = output.to_bytes();
    let (words, predicates) = outputs.split_at(case.threads * case.outs * 4);
    let floats = returns_floats(&case.code);
    for (index, (want, have)) in words.chunks_exact(4).zip(got.chunks_exact(4)).enumerate() {
        let (column, thread) = (index / case.threads, index % case.threads);
        tally.word(word(want), word(have), floats, || {
            format!("thread {thread} of ({}): o{column}", shown(inputs, case, thread))
        });
    }
    let got = got[words.len()..].chunks_exact(4).map(word);
    for (thread, (want, have)) in predicates.iter().zip(got).enumerate().filter(|_| case.pred) {
        tally.word(u32::from(*want), have, false, || {
            format!("thread {thread} of ({}): p", shown(inputs, case, thread))
        });
    }
    if let Some(dump) = case.dump {
        for (place, (want, have)) in golden.outputs(dump).iter().zip(bound.texels()).enumerate() {
            tally.word(u32::from(*want), u32::from(have), false, || format!("byte {place} of the texels"));
        }
    }
    tally.difference()
}

/// The findings that tell of what the H200 answers with this `CUresult`.
fn kinds(code: u32) -> &'static [Kind] {
    match code {
        700 => &[Kind::OutOfBounds, Kind::Null, Kind::UseAfterFree],
        715 => &[Kind::Misuse],
        716 => &[Kind::Misaligned],
        _ => &[],
    }
}

/// Whether a kernel's words are floats, which have a distance.
fn returns_floats(code: &str) -> bool {
    ["v4.f32.", "v2.f32.", ".f32.f32", ".f32.s32"].iter().any(|part| code.contains(part))
}

pub fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[i]))
}

/// A thread's inputs, as floats where they look like some.
fn shown(inputs: &[u8], case: &Case, thread: usize) -> String {
    let show = |bits: u32| {
        let float = f32::from_bits(bits);
        let plain = bits as i32;
        if plain.unsigned_abs() < 1 << 20 { plain.to_string() } else { format!("{float:?}") }
    };
    let values = (0..case.ins).map(|column| {
        let at = (column * case.threads + thread) * 4;
        show(word(&inputs[at..at + 4]))
    });
    values.collect::<Vec<String>>().join(", ")
}

/// What has been compared so far.
#[derive(Default)]
struct Tally {
    words: usize,
    of: usize,
    error: f32,
    first: String,
}

impl Tally {
    fn word(&mut self, want: u32, have: u32, float: bool, place: impl FnOnce() -> String) {
        self.of += 1;
        if want == have {
            return;
        }
        self.words += 1;
        let error = if float { (f32::from_bits(want) - f32::from_bits(have)).abs() } else { 0.0 };
        self.error = self.error.max(if error.is_nan() { f32::INFINITY } else { error });
        if self.words == 1 {
            let told = if float {
                format!(
                    "{have:#x} ({:e}), the H200 gave {want:#x} ({:e})",
                    f32::from_bits(have),
                    f32::from_bits(want)
                )
            } else {
                format!("{have:#x}, the H200 gave {want:#x}")
            };
            self.first = format!("{} is {told}", place());
        }
    }

    fn difference(self) -> Option<Difference> {
        let Self { words, of, error, first } = self;
        (words > 0).then_some(Difference { words, of, error, first })
    }
}
