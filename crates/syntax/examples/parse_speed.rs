//! Measures the parser: `cargo run --release -p ptxvm-syntax --example parse_speed -- FILE…` parses
//! every file again and again for two seconds, on one thread, and prints the rate and the size of the
//! trees.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it measures, it prints")]

use std::time::{Instant, UNIX_EPOCH};

use ptxvm_syntax::{Interner, decode, parse};

fn main() {
    let mut sources = Vec::new();
    for path in std::env::args().skip(1) {
        match std::fs::read(&path) {
            Ok(bytes) => sources.push((path, bytes)),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
    let words = Interner::default();
    let mut texts = Vec::new();
    for (path, bytes) in &sources {
        match decode(bytes) {
            Ok(text) => texts.push((path, text)),
            Err(diagnostic) => eprintln!("{path}: {}", diagnostic.message),
        }
    }
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut tree = 0;
    let mut most = 0.0_f64;
    for (path, text) in &texts {
        let parsed = parse(text, &words);
        for diagnostic in parsed.diagnostics.iter().take(3) {
            let at = ptxvm_syntax::LineIndex::new(text).line_column(text, diagnostic.primary.span.start);
            println!("{path}:{}:{}: {} {}", at.line, at.column, diagnostic.code, diagnostic.message);
        }
        let heap = parsed.file.heap_bytes();
        tree += heap;
        if text.len() > 50_000 {
            most = most.max(heap as f64 / text.len() as f64);
        }
    }
    let start = Instant::now();
    let mut rounds = Vec::new();
    // The clock has a coarse tick: a round should take some fifty milliseconds.
    let repeats = 8_000_000 / bytes.max(1) + 1;
    while rounds.len() < 5 || start.elapsed().as_secs_f64() < 2.0 {
        let before = seconds();
        for _ in 0..repeats {
            for (_, text) in &texts {
                std::hint::black_box(parse(text, &words));
            }
        }
        rounds.push(seconds() - before);
    }
    rounds.sort_by(f64::total_cmp);
    let rate = |seconds: f64| (bytes * repeats) as f64 / 1e6 / seconds;
    println!(
        "{} files, {:.2} MB: {:.0} MB/s in the middle round of {}, {:.0} in the best",
        texts.len(),
        bytes as f64 / 1e6,
        rate(rounds[rounds.len() / 2]),
        rounds.len(),
        rate(rounds[0]),
    );
    println!(
        "trees {:.2} times the source, {most:.2} at most for a file over 50 kB",
        tree as f64 / bytes as f64
    );
}

/// The time this process has spent on a processor, where the system tells: on a busy machine it says
/// more than the time on the wall.
fn seconds() -> f64 {
    let cpu = || -> Option<f64> {
        let stat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        let nanoseconds: u64 = stat.split_whitespace().next()?.parse().ok()?;
        Some(nanoseconds as f64 / 1e9)
    };
    cpu().unwrap_or_else(|| UNIX_EPOCH.elapsed().map_or(0.0, |elapsed| elapsed.as_secs_f64()))
}
