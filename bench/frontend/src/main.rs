//! Parses and checks the whole corpus with ptxvm, parses it with `ptx-syntax`, and assembles it with ptxas, one thread
//! each, in one run; prints megabytes a second and ratios. Memory is counted by an allocator that adds up.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::time::Instant;

use ptxvm_isa::ISA;
use ptxvm_syntax::Interner;

/// Counts the bytes in use and their peak, while it is asked to; it costs time, so the timed rounds go without.
struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

fn count(change: isize) {
    if COUNTS.load(Ordering::Relaxed) {
        let now = IN_USE.fetch_add(change, Ordering::Relaxed) + change;
        PEAK.fetch_max(now, Ordering::Relaxed);
    }
}

// SAFETY: every call is handed on to the system's allocator unchanged; the counters do not touch memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps `alloc`'s contract, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller keeps `realloc`'s contract, which is the system's.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: `pointer` came from `alloc` above with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ROUNDS: usize = 7;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = corpus(&root.join("tests/corpus"));
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let megabytes = bytes as f64 / 1e6;
    println!("{} files, {megabytes:.2} MB, best of {ROUNDS} rounds, one thread", files.len());
    let words = Interner::with_words(ISA.words);
    let parse =
        best(|| files.iter().map(|(_, t)| ptxvm_syntax::parse(t, &words).file.instructions.len()).sum());
    let check = best(|| files.iter().map(|(_, text)| check(text, &words)).sum());
    report("ptxvm parse", megabytes, parse, parse);
    report("ptxvm check (parse included)", megabytes, check, parse);
    let mut refused = 0;
    let peer = best(|| {
        refused = files.iter().filter(|(_, text)| ptx_syntax::parse_ptx(text).is_err()).count();
        refused
    });
    report(&format!("ptx-syntax 0.5.0 parse ({refused} files refused)"), megabytes, peer, parse);
    match ptxas(&root) {
        Some(path) => {
            let started = Instant::now();
            let failed = files.iter().filter(|(file, text)| !assembles(&path, file, text)).count();
            let seconds = started.elapsed().as_secs_f64();
            let name = format!("ptxas 13.1 -O0 -c, one process a file ({failed} failed)");
            report(&name, megabytes, seconds, parse);
        }
        None => println!("ptxas: not there; see CONTRIBUTING.md"),
    }
    memory(&files, &words);
}

fn check(text: &str, words: &Interner) -> usize {
    let parsed = ptxvm_syntax::parse(text, words);
    ptxvm_module::check(&parsed.file, text, &ISA, &ptxvm_module::Options::default()).diagnostics.len()
}

fn report(name: &str, megabytes: f64, seconds: f64, parse: f64) {
    println!(
        "{name:<60} {:>9.2} MB/s  {:>8.1} ms  {:>8.2} x our parse",
        megabytes / seconds,
        seconds * 1e3,
        seconds / parse
    );
}

fn best(mut run: impl FnMut() -> usize) -> f64 {
    let round = |_| {
        let started = Instant::now();
        std::hint::black_box(run());
        started.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// The most memory a check of the corpus as one run of files, and of its largest file, takes for each source byte.
fn memory(files: &[(PathBuf, String)], words: &Interner) {
    COUNTS.store(true, Ordering::Relaxed);
    let worst = files.iter().map(|(file, text)| {
        let before = IN_USE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        std::hint::black_box(check(text, words));
        let peak = PEAK.load(Ordering::Relaxed) - before;
        (peak as f64 / text.len() as f64, peak, text.len(), file)
    });
    let all: Vec<_> = worst.collect();
    let large = all.iter().filter(|(_, _, len, _)| *len >= 20_000).map(|m| m.0).fold(0.0, f64::max);
    let total = all.iter().map(|m| m.1).sum::<isize>() as f64 / all.iter().map(|m| m.2).sum::<usize>() as f64;
    println!(
        "memory at its peak: {total:.1} times the source on the whole, {large:.1} at the worst file over 20 kB"
    );
}

fn corpus(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus is part of the project")
        .flatten()
        .flat_map(|f| std::fs::read_dir(f.path()).into_iter().flatten().flatten())
        .map(|f| f.path())
        .collect();
    paths.sort();
    paths.into_iter().map(|p| (p.clone(), std::fs::read_to_string(p).expect("readable"))).collect()
}

fn ptxas(root: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PTXAS").map(PathBuf::from);
    path.or_else(|| Some(root.join(".venv/oracle/nvidia/cu13/bin/ptxas"))).filter(|p| p.exists())
}

fn assembles(ptxas: &Path, file: &Path, text: &str) -> bool {
    let target = text.lines().find_map(|l| l.strip_prefix(".target ")).unwrap_or("sm_90a");
    let target = target.split(',').next().unwrap_or(target).trim();
    let run = Command::new(ptxas).args(["-arch", target, "-O0", "-c", "-o", "/dev/null"]).arg(file).output();
    run.is_ok_and(|o| o.status.success())
}
