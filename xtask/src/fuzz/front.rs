//! `cargo xtask fuzz`: runs pieces of the corpus, changed at random, through the whole front end.
//!
//! It looks for panics, and for inputs that take longer than their size justifies. A bounded run is one of the tests;
//! `cargo xtask fuzz 10000000` runs as long as you like.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ptxvm_isa::ISA;
use ptxvm_syntax::Interner;

use crate::oracle::Random;

/// An input of a few kilobytes is checked in well under a millisecond; a second means that something is not linear.
const TOO_LONG: Duration = Duration::from_secs(1);

/// Runs `count` inputs on every core.
pub fn run(root: &Path, count: u64, seed: u64) -> Result<(), String> {
    let corpus = corpus(root)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let words = Interner::with_words(ISA.words);
    let next = AtomicU64::new(0);
    let started = Instant::now();
    std::panic::set_hook(Box::new(|_| {}));
    let found: Vec<String> = std::thread::scope(|scope| {
        let worker = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= count {
                    return None;
                }
                if i % 1_000_000 == 999_999 {
                    println!(
                        "{} million inputs, {:.0} s",
                        (i + 1) / 1_000_000,
                        started.elapsed().as_secs_f64()
                    );
                }
                if let Err(e) = one(&corpus, &words, seed.wrapping_add(i)) {
                    return Some(e);
                }
            }
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        handles.into_iter().filter_map(|h| h.join().ok().flatten()).collect()
    });
    drop(std::panic::take_hook());
    println!("{count} inputs in {:.1} s", started.elapsed().as_secs_f64());
    if found.is_empty() { Ok(()) } else { Err(found.join("\n\n")) }
}

/// The corpus' files.
fn corpus(root: &Path) -> Result<Vec<Vec<u8>>, String> {
    let folder = root.join("tests/corpus");
    let mut files = Vec::new();
    let folders = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> =
        folders.flatten().flat_map(|f| std::fs::read_dir(f.path()).into_iter().flatten().flatten()).collect();
    paths.sort_by_key(std::fs::DirEntry::path);
    for path in paths {
        files.push(std::fs::read(path.path()).map_err(|e| format!("{}: {e}", path.path().display()))?);
    }
    Ok(files)
}

fn one(corpus: &[Vec<u8>], words: &Interner, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let input = input(corpus, &mut random);
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| check(&input, words)));
    let text = || String::from_utf8_lossy(&input).into_owned();
    if outcome.is_err() {
        return Err(format!("panic with seed {seed}:\n{}", text()));
    }
    if started.elapsed() > TOO_LONG {
        return Err(format!("{:?} with seed {seed}:\n{}", started.elapsed(), text()));
    }
    Ok(())
}

/// What `ptxvm check` and `ptxvm fmt` do with a file.
fn check(bytes: &[u8], words: &Interner) {
    let Ok(source) = ptxvm_syntax::decode(bytes) else { return };
    let parsed = ptxvm_syntax::parse(source, words);
    let _ = ptxvm_module::check(&parsed.file, source, &ISA, &ptxvm_module::Options::default());
    if parsed.diagnostics.is_empty() {
        let once = ptxvm_syntax::fmt(source, words).unwrap_or_default();
        let twice = ptxvm_syntax::fmt(&once, words).unwrap_or_default();
        assert_eq!(once, twice, "formatting twice changes something");
    }
}

/// The head of a file and a run of its lines, with a few changes.
fn input(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let file = random.pick(corpus);
    let lines: Vec<&[u8]> = file.split_inclusive(|b| *b == b'\n').collect();
    let head = 8 + random.below(32.min(lines.len()));
    let start = random.below(lines.len());
    let count = 1 + random.below(12);
    let mut bytes = Vec::new();
    for line in lines.iter().take(head).chain(lines.iter().skip(start).take(count)) {
        bytes.extend_from_slice(line);
    }
    for _ in 0..1 + random.below(6) {
        change(&mut bytes, random);
    }
    bytes
}

/// Bits of PTX that are apt to be in the wrong place.
const SCRAPS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "::",
    ".",
    "|",
    "!",
    "-",
    "--",
    "+",
    "~",
    "*",
    "/",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "<",
    ">",
    "<<",
    "==",
    "?",
    "=",
    "@",
    "@!",
    "@@DWARF",
    "%",
    "$",
    "_",
    "#",
    "\0",
    "\u{7f}",
    "é",
    "\r",
    "0",
    "-1",
    "0x",
    "0xffffffffffffffff",
    "18446744073709551616",
    "0f",
    "0f3F80",
    "0d7FF0000000000000",
    "1e999",
    "1.",
    ".5",
    "08",
    "0b2",
    "WARP_SZ",
    "%tid.x",
    "%r1",
    "%p1",
    "%rd1",
    ".reg",
    ".b32",
    ".param",
    ".global",
    ".align",
    ".entry",
    ".func",
    ".visible",
    ".extern",
    ".version",
    ".target",
    ".loc",
    ".file",
    ".section",
    ".pragma",
    ".v4",
    ".s64",
    "(.u64)",
    "generic(",
    "%r<4294967295>",
    "[4294967295]",
    ".branchtargets",
    ".callprototype",
    "call",
    "call (",
    "bra",
    "ld.param.u64",
    "add.s32",
    "mov.b32",
    "ret;",
    "{{{{{{{{",
    "((((((((",
    "[[[[[[[[",
];

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(40)).min(bytes.len());
    match random.below(8) {
        0 if at < bytes.len() => bytes[at] = random.next() as u8,
        1 if at < bytes.len() => bytes[at] ^= 1 << random.below(7),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            drop(bytes.splice(to..to, copy));
        }
        4 => bytes.truncate(at),
        _ => {
            let scrap = SCRAPS[random.below(SCRAPS.len())].as_bytes().repeat(1 + random.below(2));
            let until = if random.one_in(3) { end } else { at };
            drop(bytes.splice(at..until, scrap));
        }
    }
}

#[cfg(test)]
mod tests {
    /// Ten million inputs take minutes; these take seconds and catch most of what those would.
    #[test]
    fn a_hundred_thousand_changed_inputs_do_no_harm() {
        assert_eq!(super::run(&crate::root(), 100_000, 0), Ok(()));
    }
}
